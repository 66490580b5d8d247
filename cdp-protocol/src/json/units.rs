//! What newtypes with a unit, and lists with a meaning, can do beyond giving their number: points in time, spans
//! of time, and four-cornered areas. Which newtype gets what is the generator's table.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The point in time so many seconds from the epoch; `None` where the system's clock can't show it.
pub fn system_time(seconds: f64) -> Option<SystemTime> {
    let span = Duration::try_from_secs_f64(seconds.abs()).ok()?;
    if seconds < 0.0 { UNIX_EPOCH.checked_sub(span) } else { UNIX_EPOCH.checked_add(span) }
}

/// Seconds from the epoch to `time`.
pub fn seconds_to(time: SystemTime) -> f64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}

/// A span of so many seconds; zero for a negative number or NaN, [`Duration::MAX`] for one too large.
pub fn span(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(if seconds > 0.0 { Duration::MAX } else { Duration::ZERO })
}

/// The corners of a list of eight numbers.
pub fn corners(numbers: &[f64]) -> Option<[(f64, f64); 4]> {
    match *numbers {
        [ax, ay, bx, by, cx, cy, dx, dy] => Some([(ax, ay), (bx, by), (cx, cy), (dx, dy)]),
        _ => None,
    }
}

/// Methods of a number of seconds since the epoch.
#[doc(hidden)]
#[macro_export]
macro_rules! seconds_since_epoch {
    ($name:ident) => {
        impl $name {
            /// The point in time; `None` where the system's clock can't show it.
            #[inline]
            pub fn to_system_time(self) -> Option<::std::time::SystemTime> {
                system_time(self.0)
            }
        }
        impl ::std::convert::From<::std::time::SystemTime> for $name {
            #[inline]
            fn from(time: ::std::time::SystemTime) -> Self {
                $name(seconds_to(time))
            }
        }
    };
}

/// Methods of a number of milliseconds since the epoch.
#[doc(hidden)]
#[macro_export]
macro_rules! milliseconds_since_epoch {
    ($name:ident) => {
        impl $name {
            /// The point in time; `None` where the system's clock can't show it.
            #[inline]
            pub fn to_system_time(self) -> Option<::std::time::SystemTime> {
                system_time(self.0 / 1e3)
            }
        }
        impl ::std::convert::From<::std::time::SystemTime> for $name {
            #[inline]
            fn from(time: ::std::time::SystemTime) -> Self {
                $name(seconds_to(time) * 1e3)
            }
        }
    };
}

/// Methods of a number of seconds on a clock that starts anywhere and never goes back.
#[doc(hidden)]
#[macro_export]
macro_rules! monotonic_seconds {
    ($name:ident) => {
        impl $name {
            /// The time that passed between `earlier` and this; zero if it is not earlier or either is NaN.
            #[inline]
            pub fn since(self, earlier: Self) -> ::std::time::Duration {
                span(self.0 - earlier.0)
            }
        }
    };
}

/// Methods of a number of milliseconds.
#[doc(hidden)]
#[macro_export]
macro_rules! milliseconds {
    ($name:ident) => {
        impl $name {
            /// The span of time; zero for a negative number or NaN, `Duration::MAX` for one too large.
            #[inline]
            pub fn to_duration(self) -> ::std::time::Duration {
                span(self.0 / 1e3)
            }
        }
        impl ::std::convert::From<::std::time::Duration> for $name {
            #[inline]
            fn from(span: ::std::time::Duration) -> Self {
                $name(span.as_secs_f64() * 1e3)
            }
        }
    };
}

/// Methods of the corners of an area, as eight numbers.
#[doc(hidden)]
#[macro_export]
macro_rules! quad {
    ($name:ident) => {
        impl $name {
            /// The four corners as x and y, in their order; `None` if there are not eight numbers.
            #[inline]
            pub fn points(&self) -> Option<[(f64, f64); 4]> {
                corners(&self.0)
            }

            /// The point between the four corners; `None` if there are not eight numbers.
            #[inline]
            pub fn center(&self) -> Option<(f64, f64)> {
                let points = self.points()?;
                let sum = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
                Some((sum.0 / 4.0, sum.1 / 4.0))
            }
        }
        impl ::std::convert::From<[(f64, f64); 4]> for $name {
            #[inline]
            fn from(points: [(f64, f64); 4]) -> Self {
                $name(points.iter().flat_map(|(x, y)| [*x, *y]).collect())
            }
        }
    };
}
