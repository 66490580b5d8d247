//! A context to be made: what its pages are to be made to believe, checked before anything is sent.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use crate::browser::Browser;
use crate::context::Context;
use crate::core::browser::BrowserCore;
use crate::emulation::{
    self, Asker, ClientHints, ColorScheme, ContextOptions, Contrast, Credentials, Device, ForcedColors,
    Geolocation, Media, Permission, ReducedMotion, UserAgent,
};
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{BoxFuture, Operation};
use crate::process;
use crate::url;

/// A context to be made by [`Browser::new_context`], which is made when this is awaited.
///
/// All of it holds for every page of the context from before its first script and request on, for pop-ups and for frames
/// in other processes. What is not set is as the browser has it, but for a viewport of 1280 × 720.
///
/// # Errors
///
/// [`ErrorKind::Invalid`] for a value that can't be, before anything is made. Time zone and locale are judged by the
/// browser, so an unknown one is told by [`Context::new_page`], with the same kind.
///
/// # Cancel safety
///
/// Dropping the future leaves no context.
#[must_use = "a context is made when this is awaited"]
pub struct NewContext {
    browser: Arc<BrowserCore>,
    timeout: Option<Duration>,
    options: ContextOptions,
    /// What was wrong with the options given so far.
    wrong: Option<Error>,
}

impl Browser {
    /// Makes a context: an identity of its own, set up further and awaited.
    ///
    /// ```no_run
    /// # async fn example(browser: engine::Browser) -> engine::Result<()> {
    /// use engine::{Geolocation, Permission};
    ///
    /// let context = browser
    ///     .new_context()
    ///     .locale("de-DE")
    ///     .time_zone("Europe/Berlin")
    ///     .geolocation(Geolocation::new(52.52, 13.40))
    ///     .permissions([Permission::Geolocation])
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn new_context(&self) -> NewContext {
        NewContext {
            browser: self.core().clone(),
            timeout: None,
            options: ContextOptions::default(),
            wrong: None,
        }
    }
}

impl NewContext {
    /// Screen and user agent of a device. What is set after it takes its place.
    pub fn device(mut self, device: Device) -> Self {
        self.options.emulation.screen = device.screen();
        let version = self.browser.version.rsplit('/').next().unwrap_or_default();
        let text = device.user_agent(version);
        self.user_agent(text)
    }

    /// Width and height of pages in CSS pixels; 1280 × 720 unless set.
    pub fn viewport(mut self, width: u32, height: u32) -> Self {
        self.options.emulation.screen.size = Some((width, height));
        self
    }

    /// Leaves pages as large as their windows are.
    pub fn no_viewport(mut self) -> Self {
        self.options.emulation.screen.size = None;
        self
    }

    /// Device pixels of a CSS pixel, as `devicePixelRatio` tells.
    pub fn device_scale_factor(mut self, factor: f64) -> Self {
        self.options.emulation.screen.scale = factor;
        // 0 would leave it as it is.
        self.check(if factor == 0.0 { Err(not("a device scale factor", "0")) } else { Ok(()) })
    }

    /// Whether pages are shown as on a telephone: the `viewport` meta tag counts, scroll bars lie over the page.
    pub fn mobile(mut self, mobile: bool) -> Self {
        self.options.emulation.screen.mobile = mobile;
        self
    }

    /// Whether the screen can be touched.
    pub fn touch(mut self, touch: bool) -> Self {
        self.options.emulation.screen.touch = touch;
        self
    }

    /// The user agent's string. Client hints are derived from it, or not sent if it is no Chromium's.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        let text = user_agent.into();
        let checked = emulation::header("User-Agent", &text);
        self.options.emulation.user_agent = Some(UserAgent { hints: ClientHints::of(&text), text });
        self.check(checked)
    }

    /// Client hints, in place of those derived from the user agent.
    pub fn client_hints(mut self, hints: ClientHints) -> Self {
        self.options.hints = Some(hints);
        self
    }

    /// The language of pages, such as `de-DE`: `navigator.language`, the `Accept-Language` header, and how numbers and
    /// dates are written.
    pub fn locale(mut self, locale: impl Into<String>) -> Self {
        let locale = locale.into();
        let checked = emulation::header("Accept-Language", &locale);
        self.options.emulation.locale = Some(locale);
        self.check(checked)
    }

    /// The time zone of pages by its IANA name, such as `Europe/Berlin`.
    pub fn time_zone(mut self, time_zone: impl Into<String>) -> Self {
        self.options.emulation.time_zone = Some(time_zone.into());
        self
    }

    /// Where the device is. Pages are told when they have the permission; see [`permissions`](Self::permissions).
    pub fn geolocation(mut self, place: Geolocation) -> Self {
        self.options.emulation.geolocation = Some(place);
        self.check(place.check())
    }

    /// What pages of every origin may do without asking.
    pub fn permissions(mut self, permissions: impl IntoIterator<Item = Permission>) -> Self {
        self.options.permissions.extend(permissions);
        self
    }

    /// `prefers-color-scheme`.
    pub fn color_scheme(self, color_scheme: ColorScheme) -> Self {
        self.media(Media::new().color_scheme(color_scheme))
    }

    /// `prefers-reduced-motion`.
    pub fn reduced_motion(self, reduced_motion: ReducedMotion) -> Self {
        self.media(Media::new().reduced_motion(reduced_motion))
    }

    /// `forced-colors`.
    pub fn forced_colors(self, forced_colors: ForcedColors) -> Self {
        self.media(Media::new().forced_colors(forced_colors))
    }

    /// `prefers-contrast`.
    pub fn contrast(self, contrast: Contrast) -> Self {
        self.media(Media::new().contrast(contrast))
    }

    /// Whether there is no network.
    pub fn offline(mut self, offline: bool) -> Self {
        self.options.emulation.offline = offline;
        self
    }

    /// A header that goes with every request, in place of the browser's own of that name. May be called several times.
    ///
    /// Servers of other origins are asked first whether they allow it, where a script makes the request.
    pub fn extra_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into(), value.into());
        let checked = emulation::header(&name, &value);
        self.options.emulation.headers.push((name, value));
        self.check(checked)
    }

    /// The proxy of this context, such as `http://host:3128` or `socks5://host:1080`, without a user name or a password.
    /// As in [`Launcher::proxy`](crate::Launcher::proxy), this machine's own servers are reached without it.
    pub fn proxy(mut self, server: impl Into<String>) -> Self {
        let server = server.into();
        let checked = process::proxy::check(&server);
        self.options.proxy = Some(server);
        self.check(checked.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string())))
    }

    /// Hosts that are reached without the proxy, as in [`Launcher::proxy_bypass`](crate::Launcher::proxy_bypass).
    pub fn proxy_bypass(mut self, hosts: impl IntoIterator<Item: Into<String>>) -> Self {
        self.options.proxy_bypass.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// A user name and a password for the server of one origin, such as `https://example.org`, which is told them when it
    /// asks (`Basic`, `Digest`, …), once a request. May be called for several origins. No other server is told them, nor
    /// is this one for a frame in a page of another site, where Chromium lets nobody ask.
    ///
    /// Every request of the context goes past here on its way then, which costs it a round trip.
    pub fn http_credentials(
        mut self,
        origin: impl Into<String>,
        user_name: impl Into<String>,
        password: impl Into<String>,
    ) -> Self {
        let origin = origin.into();
        let checked =
            if url::is_origin(&origin) { Ok(()) } else { Err(not("an origin", &format!("{origin:?}"))) };
        let of = Asker::Server(origin.trim_end_matches('/').to_owned());
        let credentials = Credentials { of, user_name: user_name.into(), password: password.into() };
        self.options.emulation.credentials.push(credentials);
        self.check(checked)
    }

    /// A user name and a password for the context's proxy, which is told them when it asks, at the same cost as
    /// [`http_credentials`](Self::http_credentials).
    pub fn proxy_credentials(mut self, user_name: impl Into<String>, password: impl Into<String>) -> Self {
        let credentials =
            Credentials { of: Asker::Proxy, user_name: user_name.into(), password: password.into() };
        self.options.emulation.credentials.push(credentials);
        self
    }

    /// Takes every certificate for good.
    pub fn ignore_tls_errors(mut self, ignore: bool) -> Self {
        self.options.emulation.ignore_tls_errors = ignore;
        self
    }

    /// Leaves the content security policies of pages out of account.
    pub fn bypass_csp(mut self, bypass: bool) -> Self {
        self.options.emulation.bypass_csp = bypass;
        self
    }

    /// Whether pages run their scripts; they do unless told otherwise. What is evaluated here runs either way.
    pub fn java_script(mut self, enabled: bool) -> Self {
        self.options.emulation.java_script = enabled;
        self
    }

    /// Whether files that pages hand out are taken; they are unless told otherwise.
    pub fn accept_downloads(mut self, accept: bool) -> Self {
        self.options.deny_downloads = !accept;
        self
    }

    /// What [`Page::goto`](crate::Page::goto) takes a relative URL for, such as `https://example.org/shop/`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        let url = url.into();
        let checked =
            if url::is_of_a_server(&url) { Ok(()) } else { Err(not("a base URL", &format!("{url:?}"))) };
        self.options.base_url = Some(url);
        self.check(checked)
    }

    /// The attribute that [`Page::get_by_test_id`](crate::Page::get_by_test_id) looks at; `data-testid` unless set.
    pub fn test_id_attribute(mut self, name: impl Into<String>) -> Self {
        self.options.test_id_attribute = Some(name.into());
        self
    }

    /// The time it may take to make it; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    fn media(mut self, media: Media) -> Self {
        self.options.emulation.media.merge(media);
        self
    }

    fn check(mut self, checked: Result<()>) -> Self {
        self.wrong = self.wrong.or(checked.err());
        self
    }
}

impl IntoFuture for NewContext {
    type Output = Result<Context>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { browser, timeout, mut options, wrong } = self;
        let operation = Operation::new("new_context".into(), move |progress, _| async move {
            if let Some(wrong) = wrong {
                return Err(wrong);
            }
            options.emulation.screen.check()?;
            options.complete(&browser.user_agent);
            Context::create(browser, options, &progress).await
        });
        match timeout {
            Some(timeout) => operation.timeout(timeout).into_future(),
            None => operation.into_future(),
        }
    }
}

fn not(what: &str, value: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("{value} is no value for {what}"))
}
