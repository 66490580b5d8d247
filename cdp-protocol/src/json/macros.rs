//! Macros for the small kinds of generated items, each of which has one shape. Exported because generated
//! text may live in another crate; hidden from the docs.

/// The traits of a text with a meaning of its own: `struct $name(Arc<str>)`.
#[doc(hidden)]
#[macro_export]
macro_rules! text_newtype {
    ($name:ident) => {
        impl $name {
            /// The text.
            #[inline]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl ::std::convert::AsRef<str> for $name {
            #[inline]
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl ::std::borrow::Borrow<str> for $name {
            #[inline]
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl ::std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(&self.0)
            }
        }
        impl ::std::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&*self.0, f)
            }
        }
        impl ::std::convert::From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                $name(text.into())
            }
        }
        impl ::std::convert::From<String> for $name {
            #[inline]
            fn from(text: String) -> Self {
                $name(text.into())
            }
        }
        impl Serialize for $name {
            #[inline]
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(&self.0)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            #[inline]
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                from_text(d)
            }
        }
    };
}

/// The traits of a number with a meaning of its own: `struct $name($ty)`.
#[doc(hidden)]
#[macro_export]
macro_rules! number_newtype {
    ($name:ident, $ty:ident) => {
        impl $name {
            /// The number.
            #[inline]
            pub const fn get(self) -> $ty {
                self.0
            }
        }
        impl ::std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }
        impl ::std::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&self.0, f)
            }
        }
        impl ::std::convert::From<$ty> for $name {
            #[inline]
            fn from(number: $ty) -> Self {
                $name(number)
            }
        }
        impl Serialize for $name {
            #[inline]
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(s)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            #[inline]
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                $ty::deserialize(d).map($name)
            }
        }
    };
}

/// The conversion into any other newtype.
#[doc(hidden)]
#[macro_export]
macro_rules! wrapper {
    ($name:ident, $ty:ty) => {
        impl ::std::convert::From<$ty> for $name {
            #[inline]
            fn from(inner: $ty) -> Self {
                $name(inner)
            }
        }
    };
}

/// A newtype whose content is not shown: it may be a secret.
#[doc(hidden)]
#[macro_export]
macro_rules! hidden {
    ($name:ident) => {
        impl ::std::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}

/// A newtype that occurs in parameters.
#[doc(hidden)]
#[macro_export]
macro_rules! wrapper_sent {
    ($name:ident) => {
        impl Serialize for $name {
            #[inline]
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(s)
            }
        }
    };
}

/// A newtype that occurs in results or events.
#[doc(hidden)]
#[macro_export]
macro_rules! wrapper_received {
    ($name:ident) => {
        impl<'de> Deserialize<'de> for $name {
            #[inline]
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                Deserialize::deserialize(d).map($name)
            }
        }
    };
}

/// The traits of an open enumeration. Two values are equal when they are the same text.
#[doc(hidden)]
#[macro_export]
macro_rules! text_enum {
    ($name:ident $($variant:ident = $text:literal,)*) => {
        impl $name {
            /// The text on the wire.
            #[inline]
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $text,)*
                    $name::Unknown(text) => text,
                }
            }
        }
        // Derived, this would be an arm a value for the compiler to check; by way of the text it is two.
        impl ::std::clone::Clone for $name {
            #[inline]
            fn clone(&self) -> Self {
                match self {
                    $name::Unknown(text) => $name::Unknown(text.clone()),
                    known => $name::from(known.as_str()),
                }
            }
        }
        impl ::std::convert::From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                match text {
                    $($text => $name::$variant,)*
                    _ => $name::Unknown(text.into()),
                }
            }
        }
        impl ::std::convert::AsRef<str> for $name {
            #[inline]
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
        impl ::std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }
        impl ::std::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(self.as_str(), f)
            }
        }
        impl ::std::cmp::PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.as_str() == other.as_str()
            }
        }
        impl ::std::cmp::Eq for $name {}
        impl ::std::hash::Hash for $name {
            #[inline]
            fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {
                self.as_str().hash(state)
            }
        }
        impl Serialize for $name {
            #[inline]
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str())
            }
        }
        impl<'de> Deserialize<'de> for $name {
            #[inline]
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                from_text(d)
            }
        }
    };
}
