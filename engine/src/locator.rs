//! Locators: queries that are resolved anew at each use, and the actions on what they match.

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use cdp_protocol::domains::page::FrameId;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::action::geometry::Point;
use crate::action::pointer::{self, MouseButton, PointerOptions};
use crate::action::retry::{self, Attempt, Step, Target, to_json};
use crate::action::{settle, text};
use crate::core::browser::BrowserCore;
use crate::core::page::PageCore;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{Action, BoxFuture, Operation, Options};
use crate::progress::Progress;
use crate::selector::{Filter, Selector};
use crate::world;

/// A query for elements. It holds no element: each use resolves it anew.
///
/// Actions and reads of one element are strict: exactly one element must match. They wait for it, and actions wait
/// until it is ready; all of them take up to 30 seconds unless told otherwise.
///
/// | method | waits until the element |
/// |---|---|
/// | `click`, `dblclick`, `check`, `uncheck`, `set_checked` | is visible, enabled, stands still, and nothing covers it |
/// | `hover` | is visible, stands still, and nothing covers it |
/// | `fill`, `clear` | is visible, enabled and editable |
/// | `select_option` | is visible and enabled |
/// | `focus`, `blur`, `scroll_into_view_if_needed`, reads | is there |
/// | `count`, `all_text_contents`, `is_visible` | (do not wait) |
///
/// # Errors
///
/// All methods that wait: a timeout with what was seen last, [`ErrorKind::Strict`] when several elements match,
/// [`ErrorKind::Invalid`] when the selector is wrong or a locator of another page or frame was made a part of it,
/// [`ErrorKind::Unfit`] when the element can't do what is asked, however long one waits.
#[derive(Clone)]
pub struct Locator {
    pub(crate) target: Target,
    pub(crate) browser: Arc<BrowserCore>,
}

/// A query for a frame. Locators made from it look inside that frame.
#[derive(Clone)]
pub struct FrameLocator {
    owner: Locator,
}

/// A state to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// An element matches.
    Attached,
    /// No element matches.
    Detached,
    /// The element that matches has a box and is not hidden.
    Visible,
    /// No element matches, or the one that does can't be seen.
    Hidden,
}

/// A box in CSS pixels, relative to its frame's viewport.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct BoundingBox {
    /// Distance from the left edge of the viewport.
    pub x: f64,
    /// Distance from the top edge of the viewport.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Locator {
    pub(crate) fn new(
        page: Arc<PageCore>,
        browser: Arc<BrowserCore>,
        frame: Option<FrameId>,
        through: Vec<Selector>,
        selector: Selector,
    ) -> Self {
        Self { target: Target { page, frame, through, selector }, browser }
    }

    pub(crate) fn page(&self) -> &PageCore {
        &self.target.page
    }

    pub(crate) fn find(&self, selector: Selector) -> Self {
        self.with(|own| own.then(selector))
    }

    fn with(&self, change: impl FnOnce(Selector) -> Selector) -> Self {
        let mut next = self.clone();
        next.target.selector = change(next.target.selector);
        next
    }

    /// Keeps the elements that pass a filter.
    pub fn filter(&self, filter: Filter) -> Self {
        self.with(|own| own.filter(filter))
    }

    /// The elements that both locators match.
    pub fn and(&self, other: &Locator) -> Self {
        self.with(|own| own.and(other))
    }

    /// The elements that either locator matches.
    pub fn or(&self, other: &Locator) -> Self {
        self.with(|own| own.or(other))
    }

    /// The first match.
    pub fn first(&self) -> Self {
        self.nth(0)
    }

    /// The last match.
    pub fn last(&self) -> Self {
        self.nth(-1)
    }

    /// One match by its place, from 0; negative numbers count from the end.
    pub fn nth(&self, index: i64) -> Self {
        self.with(|own| own.nth(index))
    }

    /// The inside of the frame that the matching element holds.
    pub fn content_frame(&self) -> FrameLocator {
        FrameLocator { owner: self.clone() }
    }

    /// Clicks the element once it is visible, enabled, stands still and would receive the click.
    ///
    /// The page sees the click once. If another element comes between at the last moment, the click is held back from
    /// the page and tried again. What the browser itself does on a press is not held back: a light-dismiss popover
    /// closes.
    ///
    /// # Errors
    ///
    /// A timeout that names the check that failed; [`ErrorKind::Strict`] when several elements match;
    /// [`ErrorKind::Missed`] when the click was made and whom it reached is not known.
    pub fn click(&self) -> Click {
        Click::new(self.clone(), 1)
    }

    /// Clicks the element twice, as a double click.
    pub fn dblclick(&self) -> Click {
        Click::new(self.clone(), 2)
    }

    /// Moves the mouse over the element.
    pub fn hover(&self) -> Action<()> {
        self.pointer("hover", 0)
    }

    /// Checks a checkbox or radio button; nothing is done when it already is.
    pub fn check(&self) -> Action<()> {
        self.set_checked(true)
    }

    /// Unchecks a checkbox; nothing is done when it already is.
    pub fn uncheck(&self) -> Action<()> {
        self.set_checked(false)
    }

    /// Brings a checkbox to a state; nothing is done when it already has it.
    pub fn set_checked(&self, checked: bool) -> Action<()> {
        let action = if checked { "check" } else { "uncheck" };
        self.action(action, move |this, progress, options| async move {
            let options = PointerOptions {
                action,
                button: MouseButton::Left,
                count: 1,
                position: None,
                force: options.force,
            };
            let before = this.target.page.state().frames.sequence();
            pointer::act(&this.target, options, &progress).await?;
            if this.target.page.state().frames.has_left(before) {
                // The click brought another document; the checkbox went with the old one.
                return Ok(());
            }
            pointer::has_state(&this.target, checked, &progress).await
        })
    }

    /// Replaces the content of a field once it is visible, enabled and editable. An `input` event is fired, no key
    /// events.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unfit`] when the element is no field or can't hold the value.
    pub fn fill(&self, value: impl Into<String>) -> Action<()> {
        let value = value.into();
        self.action("fill", move |this, progress, options| async move {
            text::fill(&this.target, &value, options.force, &progress).await
        })
    }

    /// Empties a field.
    pub fn clear(&self) -> Action<()> {
        self.fill("")
    }

    /// Chooses options of a `<select>`, by value or label; gives the values that are chosen then.
    pub fn select_option<I>(&self, values: I) -> Action<Vec<String>>
    where
        I: IntoIterator<Item: Into<String>>,
    {
        let values: Vec<_> = values.into_iter().map(|it| json!({ "valueOrLabel": it.into() })).collect();
        self.action("select_option", move |this, progress, options| async move {
            let chosen = text::select(&this.target, json!(values), options.force, &progress).await?;
            serde_json::from_value(chosen)
                .map_err(|_| Error::new(ErrorKind::Protocol, "the chosen values are not a list of texts"))
        })
    }

    /// Gives the element the focus.
    pub fn focus(&self) -> Operation<()> {
        self.in_page("focus")
    }

    /// Takes the focus from the element.
    pub fn blur(&self) -> Operation<()> {
        self.in_page("blur")
    }

    /// Scrolls until the element is in view.
    pub fn scroll_into_view_if_needed(&self) -> Operation<()> {
        self.in_page("scroll_into_view")
    }

    /// How many elements match now.
    pub fn count(&self) -> Operation<usize> {
        self.read("count", "count", Value::Null)
    }

    /// The `textContent` of every element that matches now.
    pub fn all_text_contents(&self) -> Operation<Vec<String>> {
        self.read("all_text_contents", "texts", Value::Null)
    }

    /// The element's `textContent`.
    pub fn text_content(&self) -> Operation<String> {
        self.read("text_content", "textContent", Value::Null)
    }

    /// The element's text as it is shown.
    pub fn inner_text(&self) -> Operation<String> {
        self.read("inner_text", "innerText", Value::Null)
    }

    /// The value of a field.
    pub fn input_value(&self) -> Operation<String> {
        self.read("input_value", "inputValue", Value::Null)
    }

    /// An attribute of the element, if it has it.
    pub fn get_attribute(&self, name: impl Into<String>) -> Operation<Option<String>> {
        self.read("get_attribute", "attribute", Value::from(name.into()))
    }

    /// Whether the element can be seen now; `false` when nothing matches. Does not wait.
    pub fn is_visible(&self) -> Operation<bool> {
        self.read("is_visible", "visible", Value::Null)
    }

    /// Whether the element is enabled.
    pub fn is_enabled(&self) -> Operation<bool> {
        self.read("is_enabled", "enabled", Value::Null)
    }

    /// Whether a checkbox or radio button is checked; `false` if it is in between.
    pub fn is_checked(&self) -> Operation<bool> {
        self.operation("is_checked", move |this, progress, _| async move {
            // A checkbox may also be "mixed", which is not checked.
            let checked: Value = retry::read(&this.target, &progress, "checked", Value::Null).await?;
            Ok(checked == true)
        })
    }

    /// Where the element is in its frame's viewport; nothing if it has no box.
    pub fn bounding_box(&self) -> Operation<Option<BoundingBox>> {
        self.read("bounding_box", "boundingBox", Value::Null)
    }

    /// Waits until the element has a state.
    pub fn wait_for(&self, state: State) -> Operation<()> {
        let what = format!("{self}.wait_for(State::{state:?})");
        let this = self.clone();
        Operation::new(what, move |progress, _| async move {
            retry::retry(&this.target, &progress, |_, frame| this.has_state(frame, state)).await
        })
    }

    /// Waits until the element and all that is in it have not changed for `quiet`: rows have come, numbers have been
    /// filled in, nothing re-renders any more.
    ///
    /// # Errors
    ///
    /// A timeout that names what kept changing.
    pub fn settled(&self, quiet: Duration) -> Operation<()> {
        let what = format!("{self}.settled({quiet:?})");
        let this = self.clone();
        Operation::new(
            what,
            move |progress, _| async move { settle::wait(&this.target, quiet, &progress).await },
        )
    }

    async fn has_state(&self, frame: FrameId, state: State) -> Result<Step<()>, world::WorldError> {
        let read = match state {
            State::Attached | State::Detached => "count",
            State::Visible | State::Hidden => "visible",
        };
        let args = vec![to_json(&self.target.selector), json!(read), Value::Null];
        let attempt: Attempt<Value> = world::call(&self.target.page, &frame, "read", args).await?;
        let value = match retry::sort(&self.target.selector, attempt)? {
            Step::Done(Attempt::Value { value }) => value,
            Step::Done(_) => Value::Null,
            Step::Again(_) => json!(false),
        };
        let there = value.as_bool().unwrap_or_else(|| value.as_u64().is_some_and(|count| count > 0));
        let wanted = matches!(state, State::Attached | State::Visible);
        let now = |yes, no| if there { yes } else { no };
        match (there == wanted, read) {
            (true, _) => Ok(Step::Done(())),
            (false, "count") => Ok(Step::Again(now("an element matches", "nothing matches").into())),
            (false, _) => Ok(Step::Again(now("the element is visible", "nothing visible matches").into())),
        }
    }

    fn pointer(&self, action: &'static str, count: i64) -> Action<()> {
        self.action(action, move |this, progress, options| async move {
            let options = PointerOptions {
                action,
                button: MouseButton::Left,
                count,
                position: None,
                force: options.force,
            };
            pointer::act(&this.target, options, &progress).await
        })
    }

    fn in_page(&self, action: &'static str) -> Operation<()> {
        self.operation(action, move |this, progress, _| async move {
            text::in_page(&this.target, action, &progress).await
        })
    }

    fn read<T: serde::de::DeserializeOwned + Send + 'static>(
        &self,
        name: &str,
        what: &'static str,
        arg: Value,
    ) -> Operation<T> {
        self.operation(name, move |this, progress, _| async move {
            retry::read(&this.target, &progress, what, arg).await
        })
    }

    fn action<T: 'static, F>(
        &self,
        name: &str,
        run: impl FnOnce(Locator, Arc<Progress>, Options) -> F + Send + 'static,
    ) -> Action<T>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        Action(self.operation(name, run))
    }

    fn operation<T: 'static, F>(
        &self,
        name: &str,
        run: impl FnOnce(Locator, Arc<Progress>, Options) -> F + Send + 'static,
    ) -> Operation<T>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let this = self.clone();
        Operation::new(format!("{self}.{name}()"), move |progress, options| run(this, progress, options))
    }
}

impl From<&Locator> for Selector {
    fn from(locator: &Locator) -> Self {
        locator.target.selector.clone().scoped(locator.target.scope())
    }
}

impl From<Locator> for Selector {
    fn from(locator: Locator) -> Self {
        Self::from(&locator)
    }
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for owner in &self.target.through {
            write!(f, "{owner}.content_frame().")?;
        }
        self.target.selector.fmt(f)
    }
}

impl fmt::Debug for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FrameLocator {
    pub(crate) fn find(&self, selector: Selector) -> Locator {
        let Locator { target, browser } = self.owner.clone();
        let mut through = target.through;
        through.push(target.selector);
        Locator::new(target.page, browser, target.frame, through, selector)
    }

    /// The element that holds the frame.
    pub fn owner(&self) -> Locator {
        self.owner.clone()
    }
}

/// A click to be made.
///
/// # Cancel safety
///
/// Dropping the future ends the waiting. A click that was sent is made; the button never stays down.
#[must_use = "a click is made when it is awaited"]
pub struct Click {
    locator: Locator,
    pointer: PointerOptions,
    options: Options,
}

impl Click {
    fn new(locator: Locator, count: i64) -> Self {
        let pointer = PointerOptions {
            action: "click",
            button: MouseButton::Left,
            count,
            position: None,
            force: false,
        };
        Self { locator, pointer, options: Options::default() }
    }

    /// The button; the left one unless set.
    pub fn button(mut self, button: MouseButton) -> Self {
        self.pointer.button = button;
        self
    }

    /// Where to click, in CSS pixels from the top left of the element's padding box; its middle unless set.
    pub fn position(mut self, x: f64, y: f64) -> Self {
        self.pointer.position = Some(Point { x, y });
        self
    }

    /// Clicks without checking that the element is visible, enabled, stands still and would receive the click. It still
    /// needs a box to be clicked in.
    pub fn force(mut self) -> Self {
        self.pointer.force = true;
        self
    }

    /// The time it may take in all; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }
}

impl IntoFuture for Click {
    type Output = Result<()>;
    type IntoFuture = BoxFuture<Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { locator, pointer, options } = self;
        let click = move |this: Locator, progress: Arc<Progress>, _| async move {
            pointer::act(&this.target, pointer, &progress).await
        };
        locator.operation(pointer.action, click).with(options).into_future()
    }
}
