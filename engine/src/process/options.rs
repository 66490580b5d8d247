//! What a user may choose about a launch, and the builder for it. Launches nothing by itself.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Whether the browser shows windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Headless {
    /// No windows, no display needed. The default.
    #[default]
    Yes,
    /// No windows, and the program made for that: `chromium-headless-shell` or `chrome-headless-shell` from `PATH`. It
    /// starts faster and takes half the memory, but is not in all things the browser that people use: no extensions, no
    /// PDF viewer. The launch fails where there is none. `CDP_BROWSER` is passed over unless it names one;
    /// [`Launcher::executable`] is taken as it is.
    Shell,
    /// Windows on the display that the environment names.
    No,
}

/// Whether the browser's own sandbox is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Sandbox {
    /// On, unless the host runs as root: Chromium refuses to start its sandbox then. The default.
    #[default]
    Auto,
    /// On. As root the launch fails and says so.
    On,
    /// Off. Whoever breaks a page's renderer has all the rights of the user; logged as a warning.
    Off,
}

/// How the protocol reaches the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Transport {
    /// Two pipes that no other process can reach; the browser ends by itself when they close. The default.
    #[default]
    Pipe,
    /// A port on 127.0.0.1 chosen by the system, open to every process of the machine.
    Port,
    /// This port on 127.0.0.1, open to every process of the machine. The launch fails where it is taken. 0 is as
    /// [`Port`](Self::Port).
    FixedPort(u16),
}

/// Everything a launch is told, as collected by [`Launcher`].
#[derive(Clone)]
pub struct LaunchOptions {
    pub(crate) executable: Option<PathBuf>,
    pub(crate) headless: Headless,
    pub(crate) args: Vec<OsString>,
    pub(crate) without_args: Vec<String>,
    pub(crate) env: Vec<(OsString, Option<OsString>)>,
    pub(crate) timeout: Duration,
    pub(crate) user_data_dir: Option<PathBuf>,
    pub(crate) downloads: Option<PathBuf>,
    pub(crate) proxy: Option<String>,
    pub(crate) proxy_bypass: Vec<String>,
    pub(crate) sandbox: Sandbox,
    pub(crate) transport: Transport,
    pub(crate) temp_dir: Option<PathBuf>,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        LaunchOptions {
            executable: None,
            headless: Headless::default(),
            args: Vec::new(),
            without_args: Vec::new(),
            env: Vec::new(),
            timeout: Duration::from_secs(30),
            user_data_dir: None,
            downloads: None,
            proxy: None,
            proxy_bypass: Vec::new(),
            sandbox: Sandbox::default(),
            transport: Transport::default(),
            temp_dir: None,
        }
    }
}

impl fmt::Debug for LaunchOptions {
    /// Names of environment variables only: their values are where tokens live. Of a proxy no user name and password,
    /// which a launch refuses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchOptions")
            .field("executable", &self.executable)
            .field("headless", &self.headless)
            .field("args", &self.args)
            .field("without_args", &self.without_args)
            .field("env", &self.env.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("timeout", &self.timeout)
            .field("user_data_dir", &self.user_data_dir)
            .field("downloads", &self.downloads)
            .field("proxy", &self.proxy.as_deref().map(|proxy| proxy.rsplit('@').next().unwrap_or(proxy)))
            .field("proxy_bypass", &self.proxy_bypass)
            .field("sandbox", &self.sandbox)
            .field("transport", &self.transport)
            .field("temp_dir", &self.temp_dir)
            .finish()
    }
}

/// Says how a browser is to be launched.
///
/// Without any setting: the first Chromium found, headless, over a pipe, with a profile of its own that is
/// removed together with the browser.
#[derive(Debug, Clone, Default)]
#[must_use = "a launcher does nothing until it launches"]
pub struct Launcher {
    options: LaunchOptions,
}

impl Launcher {
    /// A launcher with the defaults.
    pub fn new() -> Self {
        Launcher::default()
    }

    /// The browser's executable: a path, or a bare name that is looked up in `PATH`. Default: `$CDP_BROWSER`,
    /// then the usual names and places.
    pub fn executable(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.executable = Some(path.into());
        self
    }

    /// Whether the browser shows windows. Default: [`Headless::Yes`].
    pub fn headless(mut self, headless: Headless) -> Self {
        self.options.headless = headless;
        self
    }

    /// Adds a switch for the browser. One that is set by default is replaced; the lists of
    /// `--disable-features`, `--enable-features` and their `blink` twins are joined with the default ones.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.options.args.push(arg.into());
        self
    }

    /// Adds several switches, see [`arg`](Self::arg).
    pub fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        self.options.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Leaves out a default switch, named with or without its value (`--mute-audio`), or one feature of a
    /// default list (`--disable-features=MediaRouter`). Those of the transport and the profile are refused by the
    /// launch: they have settings of their own.
    pub fn without_arg(mut self, arg: impl Into<String>) -> Self {
        self.options.without_args.push(arg.into());
        self
    }

    /// Leaves out several, see [`without_arg`](Self::without_arg).
    pub fn without_args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.options.without_args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable in the browser's environment, which is otherwise the host's. `TMPDIR` is always a folder of
    /// the browser's own.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.options.env.push((name.into(), Some(value.into())));
        self
    }

    /// Leaves a variable out of the browser's environment.
    pub fn without_env(mut self, name: impl AsRef<OsStr>) -> Self {
        self.options.env.push((name.as_ref().to_owned(), None));
        self
    }

    /// The time the whole launch may take. Default: 30 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    /// A profile folder of the user's own, created when missing and **kept** when the browser ends. Default: a
    /// fresh one that is removed.
    pub fn user_data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.user_data_dir = Some(path.into());
        self
    }

    /// A folder of the user's own for downloads, created when missing and **kept** with what is in it when the browser
    /// ends. Files lie there under names that the browser gives them. Default: a folder that is removed.
    pub fn downloads(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.downloads = Some(path.into());
        self
    }

    /// The proxy for all that the browser loads: `scheme://host:port` with the scheme `http`, `https`, `socks4` or
    /// `socks5`, or `host:port` for the first. An address with a user name or a password is refused by the launch: the
    /// browser has no use for them there, and every process of the machine could read them. Default: what the system
    /// says.
    ///
    /// The machine's own addresses (`localhost`, `127.0.0.1`, `::1`) are loaded without it, unless
    /// [`proxy_bypass`](Self::proxy_bypass) says `<-loopback>`.
    pub fn proxy(mut self, server: impl Into<String>) -> Self {
        self.options.proxy = Some(server.into());
        self
    }

    /// Hosts that are loaded without the proxy, added to those given before: `example.org`, `.example.org` with all below
    /// it, `*:8080`, `10.0.0.0/8`.
    pub fn proxy_bypass<I>(mut self, hosts: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.options.proxy_bypass.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// Whether the browser's own sandbox is on. Default: [`Sandbox::Auto`].
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.options.sandbox = sandbox;
        self
    }

    /// How the protocol reaches the browser. Default: [`Transport::Pipe`].
    pub fn transport(mut self, transport: Transport) -> Self {
        self.options.transport = transport;
        self
    }

    /// The folder in which the browser's scratch folder is made. Default: the system's, or `/tmp` where that
    /// one is too deep for the browser's socket.
    pub fn temp_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.options.temp_dir = Some(path.into());
        self
    }

    /// What has been collected.
    pub fn options(&self) -> &LaunchOptions {
        &self.options
    }
}
