//! The methods that begin a locator, written once for every handle that has them. What they do stands with the handles.

use crate::frame::Frame;
use crate::locator::{FrameLocator, Locator};
use crate::page::Page;
use crate::selector::{RoleQuery, Selector, TextMatch};

/// Gives a handle the methods that begin a locator.
macro_rules! finders {
    ($handle:ident) => {
        #[doc = concat!("Locators in this ", stringify!($handle), ".")]
        impl $handle {
            /// Elements that match a selector: CSS, which looks into open shadow roots too, or XPath when it begins
            /// with `//`, `(//` or `..`.
            pub fn locator(&self, selector: impl Into<Selector>) -> Locator {
                self.find(selector.into())
            }

            /// Elements with an ARIA role, such as `Role::Button.named("Sign in")`.
            pub fn get_by_role(&self, role: impl Into<RoleQuery>) -> Locator {
                self.find(Selector::role(role))
            }

            /// The smallest elements that contain a text.
            pub fn get_by_text(&self, text: impl Into<TextMatch>) -> Locator {
                self.find(Selector::text(text))
            }

            /// Fields by the text of their label, `aria-label` or `aria-labelledby`.
            pub fn get_by_label(&self, text: impl Into<TextMatch>) -> Locator {
                self.find(Selector::label(text))
            }

            /// Fields by their placeholder.
            pub fn get_by_placeholder(&self, text: impl Into<TextMatch>) -> Locator {
                self.find(Selector::placeholder(text))
            }

            /// Images by their alternative text.
            pub fn get_by_alt_text(&self, text: impl Into<TextMatch>) -> Locator {
                self.find(Selector::alt_text(text))
            }

            /// Elements by their `title`.
            pub fn get_by_title(&self, text: impl Into<TextMatch>) -> Locator {
                self.find(Selector::title(text))
            }

            /// Elements whose `data-testid` is exactly `id`, or the attribute that the context has for it; see
            /// [`NewContext::test_id_attribute`](crate::NewContext::test_id_attribute).
            pub fn get_by_test_id(&self, id: impl Into<TextMatch>) -> Locator {
                let id = id.into();
                let found = self.find(Selector::test_id(id.clone()));
                match &found.page().context.test_id_attribute {
                    Some(attribute) => self.find(Selector::test_id_in(attribute, id)),
                    None => found,
                }
            }

            /// The inside of a frame, wherever its process is, by the selector of its element.
            pub fn frame_locator(&self, selector: impl Into<Selector>) -> FrameLocator {
                self.locator(selector).content_frame()
            }
        }
    };
}

finders!(Page);
finders!(Frame);
finders!(Locator);
finders!(FrameLocator);
