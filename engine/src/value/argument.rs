//! An argument of a function in the page: plain JSON, or JSON with values in it that JSON can't say.

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::JsValue;

/// The key of an object that stands for a value of ours. Nobody can guess it, so no data is taken for one.
static MARKER: LazyLock<String> = LazyLock::new(|| {
    let mut random = [0; 12];
    // Without randomness the key is a fixed one, and the data of others is still unlikely to have it.
    let _ = getrandom::fill(&mut random);
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("engine value {digits}")
});

thread_local! {
    /// The handles in the argument that this thread is serializing.
    static HELD: RefCell<Option<Vec<Arc<Held>>>> = const { RefCell::new(None) };
}

/// An object of the page that is kept alive for the one who has this, with what lets it go.
pub(crate) struct Held {
    pub id: String,
    pub release: Box<dyn Fn(&str) + Send + Sync>,
}

impl Drop for Held {
    fn drop(&mut self) {
        (self.release)(&self.id);
    }
}

/// An argument ready to be sent.
pub(crate) struct Argument {
    pub json: Box<RawValue>,
    /// The objects of the page in it. They live until the call has ended.
    pub held: Vec<Arc<Held>>,
    /// The key of what is not plain in it, if anything is.
    pub marker: Option<&'static str>,
}

impl Argument {
    pub(crate) fn new(argument: &impl Serialize) -> Result<Self, serde_json::Error> {
        let before = HELD.replace(Some(Vec::new()));
        let json = to_raw_value(argument);
        let held = HELD.replace(before).unwrap_or_default();
        let json = json?;
        let is_plain = held.is_empty() && !json.get().contains(&**MARKER);
        Ok(Self { json, held, marker: (!is_plain).then_some(&**MARKER) })
    }
}

impl Serialize for JsValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(&**MARKER, &self.encoded())?;
        map.end()
    }
}

/// A handle in an argument.
pub(crate) fn serialize_held<S: Serializer>(held: &Arc<Held>, serializer: S) -> Result<S::Ok, S::Error> {
    let number = HELD.with_borrow_mut(|all| {
        let all = all.as_mut()?;
        all.push(held.clone());
        Some(all.len() - 1)
    });
    let number = number
        .ok_or_else(|| S::Error::custom("a handle can only be an argument of a function in its page"))?;
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(&**MARKER, &json!({ "handle": number }))?;
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_data_stays_plain() {
        let argument = Argument::new(&json!({ "a": [1, "engine value"] })).unwrap();
        assert_eq!((argument.json.get(), argument.marker), (r#"{"a":[1,"engine value"]}"#, None));
        assert!(Argument::new(&(1, JsValue::Undefined)).unwrap().marker.is_some());
    }

    #[test]
    fn a_handle_lives_as_long_as_an_argument_with_it_and_is_nothing_elsewhere() {
        struct Handle(Arc<Held>);
        impl Serialize for Handle {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serialize_held(&self.0, serializer)
            }
        }
        let (released, told) = std::sync::mpsc::channel();
        let release = Box::new(move |id: &str| released.send(id.to_owned()).unwrap());
        let handle = Handle(Arc::new(Held { id: "7".into(), release }));
        assert!(serde_json::to_string(&handle).is_err());
        let argument = Argument::new(&[&handle, &handle]).unwrap();
        drop(handle);
        assert!(told.try_recv().is_err());
        assert_eq!(argument.held.len(), 2);
        drop(argument);
        assert_eq!(told.try_recv().as_deref(), Ok("7"));
    }
}
