//! The values of an emulation and their ranges.

use std::fmt;

use cdp_protocol::domains::emulation::MediaFeature;

use super::UserAgent;
use crate::error::{Error, ErrorKind, Result};

/// Width and height of a page in CSS pixels unless it is told otherwise.
const VIEWPORT: (u32, u32) = (1280, 720);

/// Chromium refuses larger ones.
const LARGEST: u32 = 10_000_000;

/// Everything that the pages of a context are told.
#[derive(Debug, Clone)]
pub(crate) struct Emulation {
    pub screen: Screen,
    pub media: Media,
    pub user_agent: Option<UserAgent>,
    pub locale: Option<String>,
    pub time_zone: Option<String>,
    pub geolocation: Option<Geolocation>,
    pub offline: bool,
    pub headers: Vec<(String, String)>,
    pub credentials: Vec<Credentials>,
    pub ignore_tls_errors: bool,
    pub bypass_csp: bool,
    pub java_script: bool,
    /// Whether every page believes that it has the focus.
    pub focus: bool,
}

impl Default for Emulation {
    fn default() -> Self {
        Self {
            screen: Screen::default(),
            media: Media::default(),
            user_agent: None,
            locale: None,
            time_zone: None,
            geolocation: None,
            offline: false,
            headers: Vec::new(),
            credentials: Vec::new(),
            ignore_tls_errors: false,
            bypass_csp: false,
            java_script: true,
            focus: true,
        }
    }
}

/// A user name and a password for one server, or for the context's proxy.
#[derive(Clone, PartialEq)]
pub(crate) struct Credentials {
    pub of: Asker,
    pub user_name: String,
    pub password: String,
}

/// Who may be told a password.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Asker {
    /// A server, by its origin.
    Server(String),
    Proxy,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("of", &self.of).finish_non_exhaustive()
    }
}

/// Size and kind of a page's screen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Screen {
    /// Of the viewport in CSS pixels; nothing leaves it as the window makes it.
    pub size: Option<(u32, u32)>,
    /// Device pixels of a CSS pixel; 0 leaves it as the machine has it.
    pub scale: f64,
    pub mobile: bool,
    pub touch: bool,
}

impl Default for Screen {
    fn default() -> Self {
        Self { size: Some(VIEWPORT), scale: 0.0, mobile: false, touch: false }
    }
}

impl Screen {
    pub(crate) fn check(&self) -> Result<()> {
        match self.size {
            Some((width, height)) if width == 0 || height == 0 || width.max(height) > LARGEST => invalid(
                format!("a viewport of {width} × {height} has no pixel, or a side above {LARGEST} pixels"),
            ),
            None if self.mobile || self.scale > 0.0 => {
                invalid("a device scale factor and a mobile screen need a viewport with a size".into())
            }
            _ if !(self.scale == 0.0 || (0.1..=20.0).contains(&self.scale)) => {
                invalid(format!("a device scale factor is between 0.1 and 20, not {}", self.scale))
            }
            _ => Ok(()),
        }
    }
}

/// A place on the earth, as the page's `navigator.geolocation` tells it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geolocation {
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
    pub(crate) accuracy: f64,
}

impl Geolocation {
    /// A place by its degrees, north and east of zero, exact to the metre. Latitudes go from −90 to 90, longitudes from
    /// −180 to 180; others are refused where it is used.
    pub fn new(latitude: f64, longitude: f64) -> Self {
        Self { latitude, longitude, accuracy: 0.0 }
    }

    /// How many metres it may be off; 0 unless set.
    pub fn accuracy(mut self, metres: f64) -> Self {
        self.accuracy = metres;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        let Self { latitude, longitude, accuracy } = self;
        if !(-90.0..=90.0).contains(latitude) || !(-180.0..=180.0).contains(longitude) {
            return invalid(format!(
                "a latitude is between -90 and 90 and a longitude between -180 and 180, not {latitude} and {longitude}"
            ));
        }
        if !accuracy.is_finite() || *accuracy < 0.0 {
            return invalid(format!("the accuracy of a place is a number of metres, not {accuracy}"));
        }
        Ok(())
    }
}

/// Gives an enumeration of the values of one media feature.
macro_rules! feature {
    ($(#[$doc:meta])* $name:ident, $feature:literal: $($(#[$value_doc:meta])* $value:ident = $text:literal),*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$value_doc])* $value,)*
            /// As the browser has it.
            NoOverride,
        }

        impl $name {
            fn feature(self) -> Option<MediaFeature> {
                match self {
                    $(Self::$value => Some(MediaFeature::new($feature, $text)),)*
                    Self::NoOverride => None,
                }
            }
        }
    };
}

feature! {
    /// `prefers-color-scheme`.
    ColorScheme, "prefers-color-scheme":
        /// `light`.
        Light = "light",
        /// `dark`.
        Dark = "dark"
}
feature! {
    /// `prefers-reduced-motion`.
    ReducedMotion, "prefers-reduced-motion":
        /// `reduce`.
        Reduce = "reduce",
        /// `no-preference`.
        NoPreference = "no-preference"
}
feature! {
    /// `forced-colors`.
    ForcedColors, "forced-colors":
        /// `active`.
        Active = "active",
        /// `none`.
        None = "none"
}
feature! {
    /// `prefers-contrast`.
    Contrast, "prefers-contrast":
        /// `more`.
        More = "more",
        /// `less`.
        Less = "less",
        /// `no-preference`.
        NoPreference = "no-preference"
}

/// The kind of device that style sheets are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaType {
    /// `@media screen`.
    Screen,
    /// `@media print`.
    Print,
    /// As the browser has it.
    NoOverride,
}

/// What style sheets and `matchMedia` are told. What is not set stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Media {
    media_type: Option<MediaType>,
    color_scheme: Option<ColorScheme>,
    reduced_motion: Option<ReducedMotion>,
    forced_colors: Option<ForcedColors>,
    contrast: Option<Contrast>,
}

impl Media {
    /// Nothing set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The kind of device.
    pub fn media_type(mut self, media_type: MediaType) -> Self {
        self.media_type = Some(media_type);
        self
    }

    /// `prefers-color-scheme`.
    pub fn color_scheme(mut self, color_scheme: ColorScheme) -> Self {
        self.color_scheme = Some(color_scheme);
        self
    }

    /// `prefers-reduced-motion`.
    pub fn reduced_motion(mut self, reduced_motion: ReducedMotion) -> Self {
        self.reduced_motion = Some(reduced_motion);
        self
    }

    /// `forced-colors`.
    pub fn forced_colors(mut self, forced_colors: ForcedColors) -> Self {
        self.forced_colors = Some(forced_colors);
        self
    }

    /// `prefers-contrast`.
    pub fn contrast(mut self, contrast: Contrast) -> Self {
        self.contrast = Some(contrast);
        self
    }

    /// What is set in `later` takes the place of what was set here.
    pub(crate) fn merge(&mut self, later: Media) {
        self.media_type = later.media_type.or(self.media_type);
        self.color_scheme = later.color_scheme.or(self.color_scheme);
        self.reduced_motion = later.reduced_motion.or(self.reduced_motion);
        self.forced_colors = later.forced_colors.or(self.forced_colors);
        self.contrast = later.contrast.or(self.contrast);
    }

    /// The kind of device as the protocol says it.
    pub(crate) fn kind(&self) -> &'static str {
        match self.media_type {
            Some(MediaType::Screen) => "screen",
            Some(MediaType::Print) => "print",
            Some(MediaType::NoOverride) | None => "",
        }
    }

    pub(crate) fn features(&self) -> Vec<MediaFeature> {
        let all = [
            self.color_scheme.and_then(ColorScheme::feature),
            self.reduced_motion.and_then(ReducedMotion::feature),
            self.forced_colors.and_then(ForcedColors::feature),
            self.contrast.and_then(Contrast::feature),
        ];
        all.into_iter().flatten().collect()
    }
}

/// Refuses a header that no server would understand, or that would be several.
pub(crate) fn header(name: &str, value: &str) -> Result<()> {
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(in_name) {
        return invalid(format!("{name:?} is no name of a header"));
    }
    if value.contains(['\r', '\n', '\0']) {
        return invalid(format!("the value of the header {name} has a line break or a NUL in it"));
    }
    Ok(())
}

fn invalid<T>(what: String) -> Result<T> {
    Err(Error::new(ErrorKind::Invalid, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_refused() {
        let screen = |size, scale, mobile| Screen { size, scale, mobile, touch: false }.check().is_ok();
        assert!(
            screen(Some((1, 1)), 0.0, false) && screen(None, 0.0, false) && screen(Some((5, 5)), 3.0, true)
        );
        for refused in [
            (Some((0, 720)), 0.0, false),
            (Some((1280, LARGEST + 1)), 0.0, false),
            (None, 2.0, false),
            (None, 0.0, true),
            (Some((5, 5)), -1.0, false),
            (Some((5, 5)), f64::NAN, false),
        ] {
            assert!(!screen(refused.0, refused.1, refused.2), "{refused:?}");
        }
        let place =
            |latitude, longitude, accuracy| Geolocation { latitude, longitude, accuracy }.check().is_ok();
        assert!(place(-90.0, 180.0, 0.0));
        for (latitude, longitude, accuracy) in [
            (90.1, 0.0, 0.0),
            (0.0, -181.0, 0.0),
            (f64::NAN, 0.0, 0.0),
            (0.0, 0.0, -1.0),
            (0.0, 0.0, f64::INFINITY),
        ] {
            assert!(!place(latitude, longitude, accuracy), "{latitude} {longitude} {accuracy}");
        }
    }

    #[test]
    fn a_header_is_one_header() {
        assert!(header("X-Token", "a b; c").is_ok());
        for (name, value) in
            [("", "a"), ("a b", "c"), ("a:", "b"), ("a", "b\r\nc: d"), ("ä", "b"), ("a", "\0")]
        {
            assert_eq!(header(name, value).unwrap_err().kind(), ErrorKind::Invalid, "{name:?}");
        }
    }

    #[test]
    fn what_is_not_set_stays() {
        let mut media = Media::new().color_scheme(ColorScheme::Dark).contrast(Contrast::More);
        media.merge(Media::new().media_type(MediaType::Print).contrast(Contrast::NoOverride));
        assert_eq!(media.kind(), "print");
        let features: Vec<_> = media.features().into_iter().map(|it| (it.name, it.value)).collect();
        assert_eq!(features, [("prefers-color-scheme".to_owned(), "dark".to_owned())]);
    }
}
