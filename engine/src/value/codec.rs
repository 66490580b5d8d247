//! Values as `values.js` says them: what JSON can't say is an object with one key that names its kind.

use base64_simd::STANDARD;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::{Value, json};

use super::JsValue;

impl JsValue {
    /// For `revive`.
    pub(super) fn encoded(&self) -> Value {
        let all = |values: &[JsValue]| values.iter().map(JsValue::encoded).collect::<Vec<_>>();
        match self {
            Self::Undefined => json!({ "undefined": 0 }),
            Self::Null => Value::Null,
            Self::Bool(value) => json!(value),
            Self::Number(number) if number.is_finite() && !(*number == 0.0 && number.is_sign_negative()) => {
                json!(number)
            }
            Self::Number(number) => json!({ "number": special(*number) }),
            Self::BigInt(digits) => json!({ "bigint": digits }),
            Self::String(text) => json!(text),
            // `null` for an invalid one, since JSON has no `NaN`.
            Self::Date(millis) => json!({ "date": millis }),
            Self::Url(url) => json!({ "url": url }),
            Self::RegExp { source, flags } => json!({ "regexp": [source, flags] }),
            Self::Error { name, message, stack } => json!({ "error": [name, message, stack] }),
            Self::Array(items) => json!({ "array": all(items) }),
            Self::Object(properties) => {
                let properties = properties.iter().map(|(name, value)| json!([name, value.encoded()]));
                json!({ "object": properties.collect::<Vec<_>>() })
            }
            Self::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| json!([key.encoded(), value.encoded()]));
                json!({ "map": entries.collect::<Vec<_>>() })
            }
            Self::Set(items) => json!({ "set": all(items) }),
            Self::Bytes { kind, bytes } => json!({ "bytes": [kind, STANDARD.encode_to_string(bytes)] }),
            Self::Reference(number) => json!({ "reference": number }),
        }
    }

    /// What JSON has no number for, by the name that JavaScript has for it.
    pub(crate) fn unserializable(name: &str) -> Self {
        match name {
            "-0" => Self::Number(-0.0),
            "Infinity" => Self::Number(f64::INFINITY),
            "-Infinity" => Self::Number(f64::NEG_INFINITY),
            name if name.ends_with('n') => Self::BigInt(name.trim_end_matches('n').to_owned()),
            _ => Self::Number(f64::NAN),
        }
    }

    /// Of what `encode` gives.
    fn decoded(value: Value) -> Result<Self, String> {
        let Value::Object(object) = value else {
            return Ok(match value {
                Value::Bool(value) => Self::Bool(value),
                Value::Number(number) => Self::Number(number.as_f64().unwrap_or(f64::NAN)),
                Value::String(text) => Self::String(text),
                _ => Self::Null,
            });
        };
        let (kind, data) = object.into_iter().next().ok_or("an object without a kind")?;
        let list = |data: Value| match data {
            Value::Array(items) => Ok(items),
            other => Err(format!("no list: {other}")),
        };
        let all =
            |data: Value| list(data)?.into_iter().map(Self::decoded).collect::<Result<Vec<_>, String>>();
        let texts = |data: Value| {
            let text = |item: Value| if let Value::String(text) = item { text } else { String::new() };
            Ok::<_, String>(list(data)?.into_iter().map(text).collect::<Vec<_>>())
        };
        let text = |data: &Value| data.as_str().unwrap_or_default().to_owned();
        Ok(match kind.as_str() {
            "undefined" => Self::Undefined,
            "number" => Self::unserializable(&text(&data)),
            "bigint" => Self::BigInt(text(&data)),
            "date" => Self::Date(data.as_f64().unwrap_or(f64::NAN)),
            "url" => Self::Url(text(&data)),
            "reference" => {
                let number = data.as_u64().and_then(|number| usize::try_from(number).ok());
                Self::Reference(number.ok_or("a reference to nothing")?)
            }
            "regexp" => {
                let [source, flags] = exactly(texts(data)?)?;
                Self::RegExp { source, flags }
            }
            "error" => {
                let [name, message, stack] = exactly(texts(data)?)?;
                Self::Error { name, message, stack }
            }
            "bytes" => {
                let [kind, bytes] = exactly(texts(data)?)?;
                let bytes = STANDARD.decode_to_vec(bytes).map_err(|error| error.to_string())?;
                Self::Bytes { kind, bytes }
            }
            "array" => Self::Array(all(data)?),
            "set" => Self::Set(all(data)?),
            "map" => {
                let pair = |entry: Value| {
                    let [key, value] = exactly(all(entry)?)?;
                    Ok::<_, String>((key, value))
                };
                Self::Map(list(data)?.into_iter().map(pair).collect::<Result<_, _>>()?)
            }
            "object" => {
                let pair = |entry: Value| {
                    let [name, value] = exactly(list(entry)?)?;
                    Ok::<_, String>((text(&name), Self::decoded(value)?))
                };
                Self::Object(list(data)?.into_iter().map(pair).collect::<Result<_, _>>()?)
            }
            other => return Err(format!("no kind of value: {other}")),
        })
    }
}

impl<'de> Deserialize<'de> for JsValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::decoded(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn special(number: f64) -> &'static str {
    match number {
        number if number.is_nan() => "NaN",
        0.0 => "-0",
        number if number > 0.0 => "Infinity",
        _ => "-Infinity",
    }
}

fn exactly<T, const N: usize>(items: Vec<T>) -> Result<[T; N], String> {
    let length = items.len();
    items.try_into().map_err(|_| format!("{length} parts in place of {N}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_value_gives_the_value() {
        let values = JsValue::Array(vec![
            JsValue::Undefined,
            JsValue::Null,
            JsValue::Bool(true),
            JsValue::Number(-0.5),
            JsValue::Number(f64::INFINITY),
            JsValue::Number(f64::NEG_INFINITY),
            JsValue::BigInt("-12345678901234567890".into()),
            JsValue::from("text"),
            JsValue::Date(-1.0),
            JsValue::Url("http://h/".into()),
            JsValue::RegExp { source: "a+".into(), flags: "gi".into() },
            JsValue::Error { name: "TypeError".into(), message: "no".into(), stack: String::new() },
            JsValue::Object(vec![("undefined".into(), JsValue::Reference(0)), ("".into(), JsValue::Null)]),
            JsValue::Map(vec![(JsValue::Set(vec![JsValue::from(1)]), JsValue::bytes([0, 255]))]),
        ]);
        assert_eq!(JsValue::decoded(values.encoded()), Ok(values));
        let zero = JsValue::decoded(JsValue::Number(-0.0).encoded()).unwrap();
        assert!(matches!(zero, JsValue::Number(number) if number == 0.0 && number.is_sign_negative()));
        for number in [JsValue::Number(f64::NAN), JsValue::Date(f64::NAN)] {
            let back = JsValue::decoded(number.encoded()).unwrap();
            assert_eq!(format!("{back:?}"), format!("{number:?}"));
        }
    }

    #[test]
    fn what_is_no_value_is_an_error() {
        for text in [
            "{}",
            r#"{"new":1}"#,
            r#"{"array":1}"#,
            r#"{"regexp":["a"]}"#,
            r#"{"bytes":["a","*"]}"#,
            r#"{"map":[[1]]}"#,
        ] {
            assert!(serde_json::from_str::<JsValue>(text).is_err(), "{text}");
        }
    }
}
