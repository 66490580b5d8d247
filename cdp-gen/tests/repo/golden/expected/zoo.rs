// Generated from the protocol description by cdp-gen; edits are lost.

//! Animals, kept to show what each construct becomes.
//!
//! A second paragraph.
//!
//! Domain [`Zoo`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/).

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// One alias of each kind.
///
/// Type [`Zoo.AnimalId`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-AnimalId).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnimalId(Arc<str>);
text_newtype!(AnimalId);

/// Type [`Zoo.Count`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Count).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(i64);
number_newtype!(Count, i64);

/// Type [`Zoo.Weight`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Weight).
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Weight(f64);
number_newtype!(Weight, f64);

/// Type [`Zoo.IsTame`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-IsTame).
#[derive(Clone, Debug)]
pub struct IsTame(pub bool);
wrapper!(IsTame, bool);
wrapper_received!(IsTame);

/// Type [`Zoo.Photo`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Photo).
#[derive(Clone, Debug)]
pub struct Photo(pub Binary);
wrapper!(Photo, Binary);
wrapper_received!(Photo);

/// Type [`Zoo.Anything`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Anything).
#[derive(Clone, Debug)]
pub struct Anything(pub Box<RawValue>);
wrapper!(Anything, Box<RawValue>);
wrapper_received!(Anything);

/// Type [`Zoo.Properties`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Properties).
#[derive(Clone, Debug)]
pub struct Properties(pub Box<RawValue>);
wrapper!(Properties, Box<RawValue>);
wrapper_received!(Properties);

/// Type [`Zoo.Names`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Names).
#[derive(Clone, Debug)]
pub struct Names(pub Vec<String>);
wrapper!(Names, Vec<String>);
wrapper_received!(Names);

/// Type [`Zoo.Herd`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Herd).
#[derive(Clone, Debug)]
pub struct Herd(pub Vec<Animal>);
wrapper!(Herd, Vec<Animal>);
wrapper_received!(Herd);

/// Type [`Zoo.OldId`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-OldId).
#[derive(Clone, Debug)]
pub struct OldId(pub AnimalId);
wrapper!(OldId, AnimalId);
wrapper_received!(OldId);

/// Values that need care.
///
/// Type [`Zoo.Mood`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Mood). Experimental.
#[non_exhaustive]
pub enum Mood {
    Calm,
    /// Not the variant that keeps other values.
    UnknownValue,
    SelfValue,
    SelfAssured,
    Negative0,
    NegativeInfinity,
    Value3rd,
    Ctap2_0,
    Ctap2_1,
    SameName,
    SameNameValue,
    /// A value that the protocol description does not list, kept as it came.
    Unknown(Box<str>),
}

text_enum! { Mood
    Calm = "calm",
    UnknownValue = "unknown",
    SelfValue = "Self",
    SelfAssured = "self-assured",
    Negative0 = "-0",
    NegativeInfinity = "-Infinity",
    Value3rd = "3rd",
    Ctap2_0 = "ctap2_0",
    Ctap2_1 = "ctap2_1",
    SameName = "same-name",
    SameNameValue = "same_name",
}

/// Travels both ways and contains itself.
///
/// Type [`Zoo.Animal`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Animal).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Animal {
    pub id: AnimalId,
    /// A keyword as a name.
    pub r#type: String,
    pub parent: Option<Box<Animal>>,
    pub children: Option<Vec<Animal>>,
    pub cage: Option<Box<Cage>>,
    /// Experimental.
    #[deprecated = "by the protocol"]
    pub mood: Option<Mood>,
    pub size: AnimalSize,
    pub colours: Option<Vec<AnimalColours>>,
    pub note: Option<Box<RawValue>>,
    pub mark: Box<RawValue>,
    pub extra: Option<Box<RawValue>>,
    /// Its properties are given in place.
    pub diet: Option<AnimalDiet>,
    pub visits: Vec<AnimalVisits>,
    pub photo: Binary,
    pub storage_key: super::dom_storage::SerializedStorageKey,
}

impl Animal {
    /// With all that is required.
    pub fn new(id: impl Into<AnimalId>, r#type: impl Into<String>, size: impl Into<AnimalSize>, mark: impl Into<Box<RawValue>>, visits: impl Into<Vec<AnimalVisits>>, photo: impl Into<Binary>, storage_key: impl Into<super::dom_storage::SerializedStorageKey>) -> Self {
        Animal { id: id.into(), r#type: r#type.into(), parent: None, children: None, cage: None, mood: None, size: size.into(), colours: None, note: None, mark: mark.into(), extra: None, diet: None, visits: visits.into(), photo: photo.into(), storage_key: storage_key.into() }
    }
    /// Sets `parent`.
    pub fn parent(mut self, value: impl Into<Animal>) -> Self {
        self.parent = Some(Box::new(value.into()));
        self
    }
    /// Sets `children`.
    pub fn children(mut self, value: impl Into<Vec<Animal>>) -> Self {
        self.children = Some(value.into());
        self
    }
    /// Sets `cage`.
    pub fn cage(mut self, value: impl Into<Cage>) -> Self {
        self.cage = Some(Box::new(value.into()));
        self
    }
    /// Sets `mood`. Experimental.
    #[deprecated = "by the protocol"]
    pub fn mood(mut self, value: impl Into<Mood>) -> Self {
        self.mood = Some(value.into());
        self
    }
    /// Sets `colours`.
    pub fn colours(mut self, value: impl Into<Vec<AnimalColours>>) -> Self {
        self.colours = Some(value.into());
        self
    }
    /// Sets `note`.
    pub fn note(mut self, value: impl Into<Box<RawValue>>) -> Self {
        self.note = Some(value.into());
        self
    }
    /// Sets `extra`.
    pub fn extra(mut self, value: impl Into<Box<RawValue>>) -> Self {
        self.extra = Some(value.into());
        self
    }
    /// Sets `diet`.
    pub fn diet(mut self, value: impl Into<AnimalDiet>) -> Self {
        self.diet = Some(value.into());
        self
    }
}

impl Serialize for Animal {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["id", "type", "parent", "children", "cage", "mood", "size", "colours", "note", "mark", "extra", "diet", "visits", "photo", "storageKey"], ((Put(&self.id), Put(&self.r#type), PutSome(&self.parent), PutSome(&self.children), PutSome(&self.cage), PutSome(&self.mood), Put(&self.size), PutSome(&self.colours)), (PutSome(&self.note), Put(&self.mark), PutSome(&self.extra), PutSome(&self.diet), Put(&self.visits), Put(&self.photo), Put(&self.storage_key))))
    }
}

impl<'de> Deserialize<'de> for Animal {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<((Need<AnimalId>, Need<String>, May<Box<Animal>>, May<Vec<Animal>>, May<Box<Cage>>, May<Mood>, Need<AnimalSize>, May<Vec<AnimalColours>>), (Any<Box<RawValue>>, Need<Box<RawValue>>, May<Box<RawValue>>, May<AnimalDiet>, Need<Vec<AnimalVisits>>, Need<Binary>, Need<super::dom_storage::SerializedStorageKey>)), _, _>(d, &["id", "type", "parent", "children", "cage", "mood", "size", "colours", "note", "mark", "extra", "diet", "visits", "photo", "storageKey"],
            |v| Animal { id: v.0.0, r#type: v.0.1, parent: v.0.2, children: v.0.3, cage: v.0.4, mood: v.0.5, size: v.0.6, colours: v.0.7, note: v.1.0, mark: v.1.1, extra: v.1.2, diet: v.1.3, visits: v.1.4, photo: v.1.5, storage_key: v.1.6 })
    }
}

/// Values of `size` in [`Animal`].
#[non_exhaustive]
pub enum AnimalSize {
    Small,
    Large,
    /// A value that the protocol description does not list, kept as it came.
    Unknown(Box<str>),
}

text_enum! { AnimalSize
    Small = "small",
    Large = "large",
}

/// Values of `colours` in [`Animal`].
#[non_exhaustive]
pub enum AnimalColours {
    Red,
    Green,
    /// A value that the protocol description does not list, kept as it came.
    Unknown(Box<str>),
}

text_enum! { AnimalColours
    Red = "red",
    Green = "green",
}

/// What `diet` in [`Animal`] holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnimalDiet {
    pub meal: String,
    /// Nested once more.
    pub drink: Option<AnimalDietDrink>,
    pub rhythm: Option<AnimalDietRhythm>,
}

impl AnimalDiet {
    /// With all that is required.
    pub fn new(meal: impl Into<String>) -> Self {
        AnimalDiet { meal: meal.into(), drink: None, rhythm: None }
    }
    /// Sets `drink`.
    pub fn drink(mut self, value: impl Into<AnimalDietDrink>) -> Self {
        self.drink = Some(value.into());
        self
    }
    /// Sets `rhythm`.
    pub fn rhythm(mut self, value: impl Into<AnimalDietRhythm>) -> Self {
        self.rhythm = Some(value.into());
        self
    }
}

impl Serialize for AnimalDiet {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["meal", "drink", "rhythm"], (Put(&self.meal), PutSome(&self.drink), PutSome(&self.rhythm)))
    }
}

impl<'de> Deserialize<'de> for AnimalDiet {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<String>, May<AnimalDietDrink>, May<AnimalDietRhythm>), _, _>(d, &["meal", "drink", "rhythm"],
            |v| AnimalDiet { meal: v.0, drink: v.1, rhythm: v.2 })
    }
}

/// What `drink` in [`AnimalDiet`] holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnimalDietDrink {
    pub name: String,
    pub like: Option<Box<Animal>>,
}

impl AnimalDietDrink {
    /// With all that is required.
    pub fn new(name: impl Into<String>) -> Self {
        AnimalDietDrink { name: name.into(), like: None }
    }
    /// Sets `like`.
    pub fn like(mut self, value: impl Into<Animal>) -> Self {
        self.like = Some(Box::new(value.into()));
        self
    }
}

impl Serialize for AnimalDietDrink {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["name", "like"], (Put(&self.name), PutSome(&self.like)))
    }
}

impl<'de> Deserialize<'de> for AnimalDietDrink {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<String>, May<Box<Animal>>), _, _>(d, &["name", "like"],
            |v| AnimalDietDrink { name: v.0, like: v.1 })
    }
}

/// Values of `rhythm` in [`AnimalDiet`].
#[non_exhaustive]
pub enum AnimalDietRhythm {
    Daily,
    Weekly,
    /// A value that the protocol description does not list, kept as it came.
    Unknown(Box<str>),
}

text_enum! { AnimalDietRhythm
    Daily = "daily",
    Weekly = "weekly",
}

/// What `visits` in [`Animal`] holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnimalVisits {
    pub day: f64,
    pub guest: Option<Box<Animal>>,
}

impl AnimalVisits {
    /// With all that is required.
    pub fn new(day: impl Into<f64>) -> Self {
        AnimalVisits { day: day.into(), guest: None }
    }
    /// Sets `guest`.
    pub fn guest(mut self, value: impl Into<Animal>) -> Self {
        self.guest = Some(Box::new(value.into()));
        self
    }
}

impl Serialize for AnimalVisits {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["day", "guest"], (Put(&self.day), PutSome(&self.guest)))
    }
}

impl<'de> Deserialize<'de> for AnimalVisits {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<f64>, May<Box<Animal>>), _, _>(d, &["day", "guest"],
            |v| AnimalVisits { day: v.0, guest: v.1 })
    }
}

/// The other half of a cycle of two.
///
/// Type [`Zoo.Cage`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Cage).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Cage {
    pub owner: Option<Box<Animal>>,
    pub number: i64,
}

impl Cage {
    /// With all that is required.
    pub fn new(number: impl Into<i64>) -> Self {
        Cage { owner: None, number: number.into() }
    }
    /// Sets `owner`.
    pub fn owner(mut self, value: impl Into<Animal>) -> Self {
        self.owner = Some(Box::new(value.into()));
        self
    }
}

impl Serialize for Cage {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["owner", "number"], (PutSome(&self.owner), Put(&self.number)))
    }
}

impl<'de> Deserialize<'de> for Cage {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(May<Box<Animal>>, Need<i64>), _, _>(d, &["owner", "number"],
            |v| Cage { owner: v.0, number: v.1 })
    }
}

/// Only sent.
///
/// Type [`Zoo.Food`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Food).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Food {
    pub name: String,
    pub amount: Option<f64>,
    pub new: Option<String>,
}

impl Food {
    /// With all that is required.
    pub fn new(name: impl Into<String>) -> Self {
        Food { name: name.into(), amount: None, new: None }
    }
    /// Sets `amount`.
    pub fn amount(mut self, value: impl Into<f64>) -> Self {
        self.amount = Some(value.into());
        self
    }
    /// Sets `new`.
    pub fn new_(mut self, value: impl Into<String>) -> Self {
        self.new = Some(value.into());
        self
    }
}

impl Serialize for Food {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["name", "amount", "new"], (Put(&self.name), PutSome(&self.amount), PutSome(&self.new)))
    }
}

/// Names that generated code relies on.
///
/// Type [`Zoo.String`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-String).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StringType(Arc<str>);
text_newtype!(StringType);

/// Type [`Zoo.Result`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Result).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResultType {
    pub option: Option<StringType>,
}

impl<'de> Deserialize<'de> for ResultType {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(May<StringType>,), _, _>(d, &["option"],
            |v| ResultType { option: v.0 })
    }
}

/// Shares its name with a command and an event.
///
/// Type [`Zoo.Feed`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#type-Feed).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Feed(Arc<str>);
text_newtype!(Feed);

/// Command [`Zoo.feed`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#method-feed).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FeedCommand {
    pub animal: AnimalId,
    pub food: Vec<Food>,
    pub feed: Option<Feed>,
    /// Given in place, in parameters.
    pub mode: Option<FeedCommandMode>,
}

impl FeedCommand {
    /// With all that is required.
    pub fn new(animal: impl Into<AnimalId>, food: impl Into<Vec<Food>>) -> Self {
        FeedCommand { animal: animal.into(), food: food.into(), feed: None, mode: None }
    }
    /// Sets `feed`.
    pub fn feed(mut self, value: impl Into<Feed>) -> Self {
        self.feed = Some(value.into());
        self
    }
    /// Sets `mode`.
    pub fn mode(mut self, value: impl Into<FeedCommandMode>) -> Self {
        self.mode = Some(value.into());
        self
    }
}

impl Serialize for FeedCommand {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["animal", "food", "feed", "mode"], (Put(&self.animal), Put(&self.food), PutSome(&self.feed), PutSome(&self.mode)))
    }
}

impl Command for FeedCommand {
    const METHOD: &'static str = "Zoo.feed";
    type Result = ();
}

/// Values of `mode` in [`FeedCommand`].
#[non_exhaustive]
pub enum FeedCommandMode {
    Slow,
    Fast,
    /// A value that the protocol description does not list, kept as it came.
    Unknown(Box<str>),
}

text_enum! { FeedCommandMode
    Slow = "slow",
    Fast = "fast",
}

/// Everything optional.
///
/// Command [`Zoo.list`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#method-list). Experimental.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct List {
    pub limit: Option<Count>,
}

impl List {
    /// With all that is required: nothing.
    #[inline]
    pub fn new() -> Self {
        List { limit: None }
    }
    /// Sets `limit`.
    pub fn limit(mut self, value: impl Into<Count>) -> Self {
        self.limit = Some(value.into());
        self
    }
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["limit"], (PutSome(&self.limit),))
    }
}

impl Command for List {
    const METHOD: &'static str = "Zoo.list";
    type Result = ListResult;
}

/// What the browser answers to [`Zoo.list`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#method-list). Experimental.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListResult {
    pub animals: Vec<Animal>,
    pub streams: Option<Vec<super::io::StreamHandle>>,
    pub herd: Option<Herd>,
    /// Given in place, in return values.
    pub order: ListResultOrder,
}

impl<'de> Deserialize<'de> for ListResult {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<Vec<Animal>>, May<Vec<super::io::StreamHandle>>, May<Herd>, Need<ListResultOrder>), _, _>(d, &["animals", "streams", "herd", "order"],
            |v| ListResult { animals: v.0, streams: v.1, herd: v.2, order: v.3 })
    }
}

/// Values of `order` in [`ListResult`].
#[non_exhaustive]
pub enum ListResultOrder {
    Up,
    Down,
    /// A value that the protocol description does not list, kept as it came.
    Unknown(Box<str>),
}

text_enum! { ListResultOrder
    Up = "up",
    Down = "down",
}

/// Command [`Zoo.enable`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#method-enable).
#[derive(Clone, Debug, Default)]
pub struct Enable;

impl Enable {
    /// With all that is required: nothing.
    #[inline]
    pub fn new() -> Self {
        Enable
    }
}

impl Serialize for Enable {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &[], ())
    }
}

impl Command for Enable {
    const METHOD: &'static str = "Zoo.enable";
    type Result = ();
}

/// Command [`Zoo.release`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#method-release).
/// Moved to [`DOMStorage`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/).
#[deprecated = "moved to the domain DOMStorage"]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Release {
    pub animal: Animal,
}

impl Release {
    /// With all that is required.
    pub fn new(animal: impl Into<Animal>) -> Self {
        Release { animal: animal.into() }
    }
}

impl Serialize for Release {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["animal"], (Put(&self.animal),))
    }
}

impl Command for Release {
    const METHOD: &'static str = "Zoo.release";
    type Result = ();
}

/// Event [`Zoo.feed`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#event-feed).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FeedEvent {
    pub animal: AnimalId,
    pub result: ResultType,
    /// What is about to be removed may be missing already.
    #[deprecated = "by the protocol. What is about to be removed may be missing already."]
    pub count: Option<Count>,
}

impl<'de> Deserialize<'de> for FeedEvent {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<AnimalId>, Need<ResultType>, May<Count>), _, _>(d, &["animal", "result", "count"],
            |v| FeedEvent { animal: v.0, result: v.1, count: v.2 })
    }
}

impl Event for FeedEvent {
    const METHOD: &'static str = "Zoo.feed";
}

/// Without parameters.
///
/// Event [`Zoo.closed`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#event-closed). Experimental.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Closed {
}

impl<'de> Deserialize<'de> for Closed {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(), _, _>(d, &[],
            |()| Closed {  })
    }
}

impl Event for Closed {
    const METHOD: &'static str = "Zoo.closed";
}
