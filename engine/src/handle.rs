//! An object of a page, kept there for the one who has this.

use std::fmt;
use std::sync::Arc;

use cdp_protocol::domains::page::FrameId;
use cdp_protocol::domains::runtime::{ReleaseObject, RemoteObject};
use cdp_protocol::json;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use crate::core::page::PageCore;
use crate::error::Result;
use crate::frame::{typed, went_away};
use crate::js;
use crate::operation::Operation;
use crate::value::{Argument, Held, JsValue, serialize_held};
use crate::world::{self, Gives, Place, WorldError};

/// An object of a page, or a value that needs none. It can be an argument of a function in the same document, anywhere in it.
///
/// Dropping the last clone lets the object go. A document that goes takes its objects with it: what is done with them then is
/// an error of the kind [`Navigation`](crate::ErrorKind::Navigation).
#[derive(Clone)]
pub struct JsHandle {
    what: What,
    /// What the browser says of it.
    description: String,
}

#[derive(Clone)]
enum What {
    Object { held: Arc<Held>, place: Place, page: Arc<PageCore>, frame: FrameId },
    Value(JsValue),
}

impl JsHandle {
    pub(crate) fn new(page: &Arc<PageCore>, frame: &FrameId, place: &Place, object: RemoteObject) -> Self {
        let description = object.description.clone().unwrap_or_else(|| object.r#type.to_string());
        let what = match object.object_id {
            Some(id) => {
                let session = place.session.clone();
                // Queued and never awaited: a document that has gone needs nothing.
                let release = Box::new(move |id: &str| drop(session.call(&ReleaseObject::new(id))));
                let held = Arc::new(Held { id: id.to_string(), release });
                What::Object { held, place: place.clone(), page: page.clone(), frame: frame.clone() }
            }
            None => What::Value(plain(&object)),
        };
        Self { what, description }
    }

    /// The value of the object as JSON would say it.
    ///
    /// # Errors
    ///
    /// As [`Page::evaluate`](crate::Page::evaluate).
    pub fn json_value<T: DeserializeOwned + Send + 'static>(&self) -> Operation<T> {
        let handle = self.clone();
        Operation::new("json_value".into(), move |progress, _| async move {
            let json = match &handle.what {
                What::Object { .. } => {
                    let object = progress.wait(handle.call("(_, object) => object", Gives::Value)).await?;
                    world::json_of(object.map_err(went_away)?)
                }
                What::Value(value) => json_of_value(value),
            };
            typed(&json)
        })
    }

    /// The value of the object with all that JSON leaves out.
    ///
    /// # Errors
    ///
    /// As [`Page::evaluate_value`](crate::Page::evaluate_value).
    pub fn value(&self) -> Operation<JsValue> {
        let handle = self.clone();
        Operation::new("value".into(), move |progress, _| async move {
            match &handle.what {
                What::Object { .. } => {
                    let object = progress.wait(handle.call(&js::encode(), Gives::Value)).await?;
                    typed(&world::json_of(object.map_err(went_away)?))
                }
                What::Value(value) => Ok(value.clone()),
            }
        })
    }

    /// A property of the object; of a value, a property of what JavaScript makes of it.
    ///
    /// # Errors
    ///
    /// As [`Page::evaluate_handle`](crate::Page::evaluate_handle).
    pub fn property(&self, name: impl Into<String>) -> Operation<JsHandle> {
        let (handle, name) = (self.clone(), name.into());
        Operation::new(format!("property({name:?})"), move |progress, _| async move {
            let What::Object { place, page, frame, .. } = &handle.what else {
                return Ok(Self { what: What::Value(JsValue::Undefined), description: "undefined".into() });
            };
            let name = serde_json::to_string(&name).expect("text is JSON");
            let get = format!("(_, object) => object[{name}]");
            let object = progress.wait(handle.call(&get, Gives::Object)).await?.map_err(went_away)?;
            Ok(Self::new(page, frame, place, object))
        })
    }

    /// Calls a function with an empty argument and the object.
    async fn call(&self, function: &str, gives: Gives) -> Result<RemoteObject, WorldError> {
        let What::Object { held, place, page, frame } = &self.what else {
            unreachable!("asked of objects alone");
        };
        let nothing = Argument::new(&()).expect("nothing is JSON").json;
        world::call_in(page, frame, place, function, nothing, [held.id.clone()].into_iter(), gives).await
    }
}

/// A value that came without an object.
fn plain(object: &RemoteObject) -> JsValue {
    if let Some(name) = &object.unserializable_value {
        return JsValue::unserializable(name.as_str());
    }
    match &object.value {
        // What is said of a value that needs no name of its own is the value.
        Some(value) => json::decode(value.get().as_bytes()).unwrap_or(JsValue::Null),
        None => JsValue::Undefined,
    }
}

/// As [`world::json_of`] has it.
fn json_of_value(value: &JsValue) -> String {
    match value {
        JsValue::Bool(value) => value.to_string(),
        JsValue::Number(number) => serde_json::to_string(number).expect("numbers are JSON"),
        JsValue::String(text) => serde_json::to_string(text).expect("text is JSON"),
        JsValue::BigInt(digits) => digits.clone(),
        _ => "null".into(),
    }
}

impl Serialize for JsHandle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.what {
            What::Object { held, .. } => serialize_held(held, serializer),
            What::Value(value) => value.serialize(serializer),
        }
    }
}

impl fmt::Debug for JsHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JsHandle").field(&self.description).finish()
    }
}
