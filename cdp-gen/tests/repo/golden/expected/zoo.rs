// Generated from the protocol description by cdp-gen; edits are lost.

//! Animals, kept to show what each construct becomes.
//!
//! A second paragraph.
//!
//! Domain [`Zoo`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/).

#![allow(missing_docs, unused_imports, rustdoc::all, clippy::all)]

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
    /// Experimental. Deprecated.
    pub mood: Option<Mood>,
    pub size: AnimalSize,
    pub colours: Option<Vec<AnimalColours>>,
    pub note: Option<Box<RawValue>>,
    pub mark: Box<RawValue>,
    pub extra: Option<Box<RawValue>>,
    pub photo: Binary,
    pub storage_key: super::dom_storage::SerializedStorageKey,
}

impl Animal {
    /// With all that is required.
    pub fn new(id: impl Into<AnimalId>, r#type: impl Into<String>, size: impl Into<AnimalSize>, mark: impl Into<Box<RawValue>>, photo: impl Into<Binary>, storage_key: impl Into<super::dom_storage::SerializedStorageKey>) -> Self {
        Animal { id: id.into(), r#type: r#type.into(), parent: None, children: None, cage: None, mood: None, size: size.into(), colours: None, note: None, mark: mark.into(), extra: None, photo: photo.into(), storage_key: storage_key.into() }
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
    /// Sets `mood`. Experimental. Deprecated.
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
}

impl Serialize for Animal {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Writer::new(s).required("id", &self.id).required("type", &self.r#type).optional("parent", &self.parent).optional("children", &self.children).optional("cage", &self.cage).optional("mood", &self.mood).required("size", &self.size).optional("colours", &self.colours).optional("note", &self.note).required("mark", &self.mark).optional("extra", &self.extra).required("photo", &self.photo).required("storageKey", &self.storage_key).end()
    }
}

impl<'de> Deserialize<'de> for Animal {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record(d)
    }
}

impl<'de> Record<'de> for Animal {
    const KEYS: &'static [&'static str] = &["id", "type", "parent", "children", "cage", "mood", "size", "colours", "note", "mark", "extra", "photo", "storageKey"];
    fn read<A: MapAccess<'de>>(f: &mut Fields<'de, A>, out: &mut Option<Self>) -> Result<(), A::Error> {
        let mut v0 = None;
        let mut v1 = None;
        let mut v2 = None;
        let mut v3 = None;
        let mut v4 = None;
        let mut v5 = None;
        let mut v6 = None;
        let mut v7 = None;
        let mut v8 = None;
        let mut v9 = None;
        let mut v10 = None;
        let mut v11 = None;
        let mut v12 = None;
        while let Some(key) = f.next_key() {
            match key {
                0 => f.required(&mut v0),
                1 => f.required(&mut v1),
                2 => f.optional(&mut v2),
                3 => f.optional(&mut v3),
                4 => f.optional(&mut v4),
                5 => f.optional(&mut v5),
                6 => f.required(&mut v6),
                7 => f.optional(&mut v7),
                8 => f.required(&mut v8),
                9 => f.required(&mut v9),
                10 => f.optional(&mut v10),
                11 => f.required(&mut v11),
                12 => f.required(&mut v12),
                _ => f.skip(),
            }
        }
        f.done()?;
        *out = Some(Animal {
            id: f.take(v0, 0)?,
            r#type: f.take(v1, 1)?,
            parent: v2,
            children: v3,
            cage: v4,
            mood: v5,
            size: f.take(v6, 6)?,
            colours: v7,
            note: v8,
            mark: f.take(v9, 9)?,
            extra: v10,
            photo: f.take(v11, 11)?,
            storage_key: f.take(v12, 12)?,
        });
        Ok(())
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
        Writer::new(s).optional("owner", &self.owner).required("number", &self.number).end()
    }
}

impl<'de> Deserialize<'de> for Cage {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record(d)
    }
}

impl<'de> Record<'de> for Cage {
    const KEYS: &'static [&'static str] = &["owner", "number"];
    fn read<A: MapAccess<'de>>(f: &mut Fields<'de, A>, out: &mut Option<Self>) -> Result<(), A::Error> {
        let mut v0 = None;
        let mut v1 = None;
        while let Some(key) = f.next_key() {
            match key {
                0 => f.optional(&mut v0),
                1 => f.required(&mut v1),
                _ => f.skip(),
            }
        }
        f.done()?;
        *out = Some(Cage {
            owner: v0,
            number: f.take(v1, 1)?,
        });
        Ok(())
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
        Writer::new(s).required("name", &self.name).optional("amount", &self.amount).optional("new", &self.new).end()
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
        record(d)
    }
}

impl<'de> Record<'de> for ResultType {
    const KEYS: &'static [&'static str] = &["option"];
    fn read<A: MapAccess<'de>>(f: &mut Fields<'de, A>, out: &mut Option<Self>) -> Result<(), A::Error> {
        let mut v0 = None;
        while let Some(key) = f.next_key() {
            match key {
                0 => f.optional(&mut v0),
                _ => f.skip(),
            }
        }
        f.done()?;
        *out = Some(ResultType {
            option: v0,
        });
        Ok(())
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
        Writer::new(s).required("animal", &self.animal).required("food", &self.food).optional("feed", &self.feed).optional("mode", &self.mode).end()
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
        Writer::new(s).optional("limit", &self.limit).end()
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
        record(d)
    }
}

impl<'de> Record<'de> for ListResult {
    const KEYS: &'static [&'static str] = &["animals", "streams", "herd", "order"];
    fn read<A: MapAccess<'de>>(f: &mut Fields<'de, A>, out: &mut Option<Self>) -> Result<(), A::Error> {
        let mut v0 = None;
        let mut v1 = None;
        let mut v2 = None;
        let mut v3 = None;
        while let Some(key) = f.next_key() {
            match key {
                0 => f.required(&mut v0),
                1 => f.optional(&mut v1),
                2 => f.optional(&mut v2),
                3 => f.required(&mut v3),
                _ => f.skip(),
            }
        }
        f.done()?;
        *out = Some(ListResult {
            animals: f.take(v0, 0)?,
            streams: v1,
            herd: v2,
            order: f.take(v3, 3)?,
        });
        Ok(())
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
    pub fn new() -> Self {
        Enable
    }
}

impl Serialize for Enable {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Writer::new(s).end()
    }
}

impl Command for Enable {
    const METHOD: &'static str = "Zoo.enable";
    type Result = ();
}

/// Command [`Zoo.release`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#method-release). Deprecated.
/// Moved to [`DOMStorage`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/).
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
        Writer::new(s).required("animal", &self.animal).end()
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
}

impl<'de> Deserialize<'de> for FeedEvent {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record(d)
    }
}

impl<'de> Record<'de> for FeedEvent {
    const KEYS: &'static [&'static str] = &["animal", "result"];
    fn read<A: MapAccess<'de>>(f: &mut Fields<'de, A>, out: &mut Option<Self>) -> Result<(), A::Error> {
        let mut v0 = None;
        let mut v1 = None;
        while let Some(key) = f.next_key() {
            match key {
                0 => f.required(&mut v0),
                1 => f.required(&mut v1),
                _ => f.skip(),
            }
        }
        f.done()?;
        *out = Some(FeedEvent {
            animal: f.take(v0, 0)?,
            result: f.take(v1, 1)?,
        });
        Ok(())
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
        record(d)
    }
}

impl<'de> Record<'de> for Closed {
    const KEYS: &'static [&'static str] = &[];
    fn read<A: MapAccess<'de>>(f: &mut Fields<'de, A>, out: &mut Option<Self>) -> Result<(), A::Error> {
        while let Some(key) = f.next_key() {
            match key {
                _ => f.skip(),
            }
        }
        f.done()?;
        *out = Some(Closed {
        });
        Ok(())
    }
}

impl Event for Closed {
    const METHOD: &'static str = "Zoo.closed";
}
