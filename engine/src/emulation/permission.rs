//! What a page may do without asking.

use std::str::FromStr;

use cdp_protocol::domains::browser::PermissionDescriptor;

use crate::error::{Error, ErrorKind};

/// Gives the enumeration of permissions with their names in the field and in the protocol.
macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// A permission that a page may be granted. Its name, by which it can be parsed, is that of the web platform.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Permission {
            $($(#[$doc])* $name,)*
        }

        impl Permission {
            const NAMES: &[(&str, Permission)] = &[$(($text, Permission::$name),)*];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

permissions! {
    /// Where the device is.
    Geolocation = "geolocation";
    /// Messages of the system.
    Notifications = "notifications";
    /// Pictures of the camera.
    Camera = "camera";
    /// Sound of the microphone.
    Microphone = "microphone";
    /// Reading the clipboard.
    ClipboardRead = "clipboard-read";
    /// Writing to the clipboard.
    ClipboardWrite = "clipboard-write";
    /// Music instruments.
    Midi = "midi";
    /// Work that goes on when the page is closed.
    BackgroundSync = "background-sync";
    /// How fast the device moves.
    Accelerometer = "accelerometer";
    /// How the device turns.
    Gyroscope = "gyroscope";
    /// Where north is.
    Magnetometer = "magnetometer";
    /// Handling payments.
    PaymentHandler = "payment-handler";
    /// Cookies and storage in frames of other sites.
    StorageAccess = "storage-access";
    /// Storage that is not cleared when room is short.
    PersistentStorage = "persistent-storage";
    /// Fonts of the machine.
    LocalFonts = "local-fonts";
    /// Servers of the local network, and of this machine.
    LocalNetworkAccess = "local-network-access";
    /// Keeping the screen on.
    ScreenWakeLock = "screen-wake-lock";
    /// Where windows are.
    WindowManagement = "window-management";
    /// Whether somebody is there.
    IdleDetection = "idle-detection";
}

impl Permission {
    pub(crate) fn descriptor(self) -> PermissionDescriptor {
        PermissionDescriptor::new(self.name())
    }
}

impl FromStr for Permission {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, permission)| *permission).ok_or_else(|| {
            let names: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            let what = format!("there is no permission {name:?}, but {}", names.join(", "));
            Error::new(ErrorKind::Invalid, what)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_known_by_their_names() {
        assert_eq!("clipboard-read".parse::<Permission>().unwrap(), Permission::ClipboardRead);
        let error = "clipboard".parse::<Permission>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().contains("\"clipboard\", but geolocation"), "{error}");
    }
}
