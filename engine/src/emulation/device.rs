//! Some devices by their names.

use super::Screen;
use crate::error::{Error, ErrorKind, Result};

/// A device that a context can pretend to be: its screen and its user agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Device {
    name: &'static str,
    size: (u32, u32),
    scale: f64,
    /// A telephone or a tablet, with touch.
    mobile: bool,
    /// The part of the user agent that names the system, and the browser if it is not Chromium.
    system: &'static str,
}

const IPHONE: &str = "iPhone; CPU iPhone OS 18_0 like Mac OS X";
const IPAD: &str = "iPad; CPU OS 18_0 like Mac OS X";

const fn device(name: &'static str, size: (u32, u32), scale: f64, system: &'static str) -> Device {
    Device { name, size, scale, mobile: true, system }
}

const DEVICES: [Device; 9] = [
    device("iPhone SE", (375, 667), 2.0, IPHONE),
    device("iPhone 15", (393, 852), 3.0, IPHONE),
    device("iPhone 15 Pro Max", (430, 932), 3.0, IPHONE),
    device("iPad", (810, 1080), 2.0, IPAD),
    device("Pixel 8", (412, 915), 2.625, "Linux; Android 14; Pixel 8"),
    device("Galaxy S24", (360, 780), 3.0, "Linux; Android 14; SM-S921B"),
    device("Galaxy Tab S9", (800, 1280), 2.0, "Linux; Android 14; SM-X710"),
    Device {
        name: "Desktop Windows",
        size: (1920, 1080),
        scale: 1.0,
        mobile: false,
        system: "Windows NT 10.0; Win64; x64",
    },
    Device {
        name: "Desktop Mac",
        size: (1440, 900),
        scale: 2.0,
        mobile: false,
        system: "Macintosh; Intel Mac OS X 10_15_7",
    },
];

impl Device {
    /// A device by its name, such as `Pixel 8` or `iPhone 15`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] for one that is not known, with the names of those that are.
    pub fn named(name: &str) -> Result<Self> {
        DEVICES.iter().find(|device| device.name == name).copied().ok_or_else(|| {
            let names: Vec<_> = DEVICES.iter().map(|device| device.name).collect();
            let what = format!("there is no device {name:?}, but {}", names.join(", "));
            Error::new(ErrorKind::Invalid, what)
        })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn screen(&self) -> Screen {
        Screen { size: Some(self.size), scale: self.scale, mobile: self.mobile, touch: self.mobile }
    }

    /// Its user agent, if it runs this version of Chromium, or the Safari that belongs to it.
    pub(crate) fn user_agent(&self, chromium: &str) -> String {
        let main = chromium.split('.').next().unwrap_or_default();
        if self.system.contains("like Mac OS X") {
            let engine = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0";
            return format!("Mozilla/5.0 ({}) {engine} Mobile/15E148 Safari/604.1", self.system);
        }
        let mobile = if self.mobile && self.size.0 < 600 { " Mobile" } else { "" };
        let engine = "AppleWebKit/537.36 (KHTML, like Gecko)";
        format!("Mozilla/5.0 ({}) {engine} Chrome/{main}.0.0.0{mobile} Safari/537.36", self.system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_known_is_refused_with_those_that_are() {
        let error = Device::named("Pixel 80").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains("\"Pixel 80\", but iPhone SE, iPhone 15"), "{error}");
    }

    #[test]
    fn devices_can_be_shown() {
        for device in DEVICES {
            assert!(device.screen().check().is_ok(), "{device:?}");
            assert!(device.user_agent("156.0.1.2").starts_with("Mozilla/5.0 ("), "{device:?}");
        }
        let pixel = Device::named("Pixel 8").unwrap().user_agent("156.0.1.2");
        assert!(
            pixel.contains("Android 14; Pixel 8") && pixel.contains("Chrome/156.0.0.0 Mobile"),
            "{pixel}"
        );
    }
}
