//! Compiles the small protocol that has every construct of the format once, as checked in with the generator's
//! tests, and uses what is special in it.

use cdp_protocol::json::decode;

#[allow(dead_code, unreachable_pub)]
mod small {
    include!("../../../cdp-gen/tests/repo/golden/expected/mod.rs");
}

#[allow(dead_code, unreachable_pub)]
mod small_events {
    include!("../../../cdp-gen/tests/repo/golden/expected/events.rs");
}

use small::zoo;

#[test]
fn names_that_meet_are_told_apart() {
    use cdp_protocol::{Command, Event};
    assert_eq!((zoo::FeedCommand::METHOD, zoo::FeedEvent::METHOD), ("Zoo.feed", "Zoo.feed"));
    let food = zoo::Food::new("hay").new_("fresh");
    let feed = zoo::FeedCommand::new("A1", [food]).feed("daily").mode(zoo::FeedCommandMode::Slow);
    let text = r#"{"animal":"A1","food":[{"name":"hay","new":"fresh"}],"feed":"daily","mode":"slow"}"#;
    assert_eq!(serde_json::to_string(&feed).unwrap(), text);
    let event: zoo::FeedEvent = decode(br#"{"animal":"A1","result":{"option":"x"}}"#).unwrap();
    assert_eq!(event.result.option.unwrap().as_str(), "x");
}

#[test]
fn events_of_domains_whose_names_meet_are_told_apart() {
    use cdp_protocol::events::{EventSet, TypedEvent};
    use small_events::*;
    assert_eq!((V8Event::PREFIX, V8EventSet::PREFIX), ("V8.", "V_8."));
    assert_eq!((AnyEvent::PREFIX, AnyEventSet::PREFIX), ("", "Any."));
    assert_eq!((TypedEventSet::PREFIX, RawEventSet::PREFIX), ("Typed.", "Raw."));
    let _: fn(V8EventSet) -> AnyEvent = AnyEvent::V8Domain;
    let _: fn(UnknownEvent) -> AnyEvent = AnyEvent::UnknownDomain;
    let _: fn(SelfEvent) -> AnyEvent = AnyEvent::SelfDomain;
    let _: fn(TypedEvent<small::unknown::SelfEvent>) -> UnknownEvent = UnknownEvent::SelfEvent;
    let _: fn(TypedEvent<small::unknown::Unknown>) -> UnknownEvent = UnknownEvent::UnknownEvent;
}

#[test]
fn values_that_need_care_go_both_ways() {
    let texts = [
        "calm",
        "unknown",
        "Self",
        "self-assured",
        "-0",
        "-Infinity",
        "3rd",
        "ctap2_1",
        "same_name",
        "other",
    ];
    for text in texts {
        assert_eq!(zoo::Mood::from(text).as_str(), text);
    }
    assert!(matches!(zoo::Mood::from("unknown"), zoo::Mood::UnknownValue));
    assert!(matches!(zoo::Mood::from("same_name"), zoo::Mood::SameNameValue));
    assert!(matches!(zoo::Mood::from("Unknown"), zoo::Mood::Unknown(_)));
}

#[test]
#[allow(deprecated)] // The command that takes an animal is.
fn a_type_that_travels_both_ways_and_contains_itself_does() {
    let animal = r#"{"id":"B","type":"cat","parent":{"id":"A","type":"cat","size":"large","mark":null,"visits":[],"photo":"","storageKey":"k"},"cage":{"number":7},"size":"small","colours":["red","blue"],"mark":{"x":[1]},"diet":{"meal":"fish","drink":{"name":"milk"},"rhythm":"yearly"},"visits":[{"day":1.5,"guest":{"id":"A","type":"cat","size":"large","mark":7,"visits":[],"photo":"","storageKey":"k"}}],"photo":"aGk=","storageKey":"k"}"#;
    let list = format!(r#"{{"animals":[{animal}],"streams":["s"],"herd":[],"order":"up"}}"#);
    let mut list: zoo::ListResult = decode(list.as_bytes()).unwrap();
    assert_eq!(list.order, zoo::ListResultOrder::Up);
    let release = zoo::Release::new(list.animals.remove(0));
    assert_eq!(serde_json::to_string(&release).unwrap(), format!(r#"{{"animal":{animal}}}"#));
}

#[test]
fn an_event_without_parameters_takes_an_object() {
    decode::<zoo::Closed>(b"{}").unwrap();
    decode::<zoo::Closed>(br#"{"new":1}"#).unwrap();
}

#[test]
fn objects_declared_in_place_are_structs_with_names_of_their_own() {
    let drink = zoo::AnimalDietDrink::new("milk");
    let diet = zoo::AnimalDiet::new("fish").drink(drink).rhythm(zoo::AnimalDietRhythm::Daily);
    let text = r#"{"meal":"fish","drink":{"name":"milk"},"rhythm":"daily"}"#;
    assert_eq!(serde_json::to_string(&diet).unwrap(), text);
    let error = decode::<zoo::AnimalDiet>(br#"{"meal":"fish","drink":{"like":{}}}"#).unwrap_err();
    assert_eq!(error.path(), "drink.like.id");
}

#[test]
fn a_deprecated_member_may_be_missing_where_it_is_only_received() {
    let event: zoo::FeedEvent = decode(br#"{"animal":"A1","result":{},"count":7}"#).unwrap();
    #[allow(deprecated)]
    let count = event.count;
    assert_eq!(count.unwrap().get(), 7);
    decode::<zoo::FeedEvent>(br#"{"animal":"A1","result":{}}"#).unwrap();
    assert_eq!(decode::<zoo::FeedEvent>(br#"{"animal":"A1"}"#).unwrap_err().path(), "result");
}

#[test]
fn where_the_protocol_came_from_is_told() {
    assert_eq!((small::BROWSER, small::REVISION), (Some("Menagerie/7.2"), Some("@0123")));
    assert_eq!(small::PROTOCOL_VERSION, "7.2");
}
