//! The browser's command line: our switches with the reason for each, and how the user's are merged in. Pure.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use crate::process::{Headless, LaunchError, LaunchOptions, Transport, proxy};

/// When a switch of the table applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    Headless,
    /// Where shared memory is too small to hold page contents.
    SmallSharedMemory,
    WithoutSandbox,
    Pipe,
    Port,
    /// The profile is ours and empty.
    FreshProfile,
    /// The profile is the user's.
    KeptProfile,
}

#[rustfmt::skip]
const SWITCHES: &[(&str, When, &str)] = &[
    ("--remote-debugging-pipe", When::Pipe, "the protocol on descriptors 3 and 4; ends the browser when the host is gone"),
    ("--remote-debugging-port=0", When::Port, "the system picks a free port, the browser names it on its standard error"),
    ("--headless", When::Headless, "no display needed"),
    ("--no-sandbox", When::WithoutSandbox, "root has no sandbox, or the user turned it off"),
    ("--disable-dev-shm-usage", When::SmallSharedMemory, "a container's 64 MiB of /dev/shm crash large pages; files in TMPDIR serve as well"),
    ("--no-startup-window", When::FreshProfile, "each page is opened by its owner; a window nobody asked for costs a renderer"),
    ("about:blank", When::KeptProfile, "a profile with a start page or restored tabs must not act on its own"),

    ("--enable-automation", When::Always, "says openly that the browser is automated; no password or translate bubbles"),
    ("--no-first-run", When::Always, "no welcome page"),
    ("--no-default-browser-check", When::Always, "no question whether to be the default"),
    ("--no-service-autorun", When::Always, "no background mode that outlives the browser"),
    ("--disable-infobars", When::Always, "a bar would shift the page and its coordinates"),
    ("--disable-search-engine-choice-screen", When::Always, "no dialog before the first page in the EU"),
    ("--password-store=basic", When::Always, "no key ring that asks for a password"),
    ("--use-mock-keychain", When::Always, "the same on macOS"),

    ("--disable-background-networking", When::Always, "no requests of the browser's own in logs and on metered links"),
    ("--disable-component-update", When::Always, "no downloads of components into each fresh profile"),
    ("--disable-default-apps", When::Always, "nothing is installed into each fresh profile"),
    ("--disable-domain-reliability", When::Always, "no reports to the browser's maker"),
    ("--disable-sync", When::Always, "no account"),
    ("--disable-breakpad", When::Always, "no crash reports are sent"),
    ("--metrics-recording-only", When::Always, "usage figures are not sent"),
    ("--disable-field-trial-config", When::Always, "the same browser behaves the same everywhere and every day"),
    ("--disable-client-side-phishing-detection", When::Always, "saves its model and its time on each page"),
    ("--disable-stack-profiler", When::Always, "no sampling of threads"),

    ("--disable-extensions", When::Always, "extensions of the system would change pages and take memory"),
    ("--disable-component-extensions-with-background-pages", When::Always, "each is a process of its own"),

    ("--disable-background-timer-throttling", When::Always, "every page is in front as far as its owner is concerned"),
    ("--disable-backgrounding-occluded-windows", When::Always, "the same for covered windows"),
    ("--disable-renderer-backgrounding", When::Always, "the same for process priority"),
    ("--disable-hang-monitor", When::Always, "no dialog over a slow page"),
    ("--disable-prompt-on-repost", When::Always, "a reload must not wait for a click of a person"),
    ("--disable-popup-blocking", When::Always, "scripted clicks count as no user's; pop-ups they open are wanted"),
    ("--disable-ipc-flooding-protection", When::Always, "a fast script is no attack"),
    ("--disable-back-forward-cache", When::Always, "going back loads the page, so that load events come each time"),
    ("--allow-pre-commit-input", When::Always, "input right after a navigation is not thrown away"),

    ("--force-color-profile=srgb", When::Always, "the same colours in screenshots everywhere"),
    ("--enable-unsafe-swiftshader", When::Always, "WebGL in software where there is no GPU"),
    ("--hide-scrollbars", When::Headless, "scroll bars differ between systems and show in screenshots"),
    ("--mute-audio", When::Headless, "no sound from a browser nobody sees"),
    ("--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4", When::Headless,
        "a mouse, as pages built for desktops expect; without one they show their touch variant"),
];

#[rustfmt::skip]
const DISABLED_FEATURES: &[(&str, &str)] = &[
    ("AvoidUnnecessaryBeforeUnloadCheckSync", "beforeunload prompts come for every page that asks for one"),
    ("DestroyProfileOnBrowserClose", "a context outlives its last window"),
    ("HttpsUpgrades", "http:// means http://"),
    ("HttpsFirstBalancedModeAutoEnable", "the same"),
    ("MediaRouter", "no search for devices on the network"),
    ("OptimizationHints", "no requests of the browser's own"),
    ("NetworkTimeServiceQuerying", "the same"),
    ("Translate", "no translate bubble"),
    ("WebUIOmniboxPopup", "no page of the browser's own behind each window's address bar, which costs a renderer"),
    ("WebUIOmniboxAimPopup", "the same"),
    ("WebUIReloadButton", "the same for its reload button"),
    ("LensOverlay", "no overlay above the page"),
    ("PaintHolding", "what is shown is the new page, not the old one held back"),
];

/// Switches whose value is a list: values given several times are joined, since Chromium itself takes the last.
const LISTS: &[&str] =
    &["--disable-features", "--enable-features", "--disable-blink-features", "--enable-blink-features"];

/// Never passed on.
const REFUSED: &[(&str, &str)] = &[(
    "--single-process",
    "Chromium supports it for debugging only: one crashing page ends the browser, contexts are not isolated, \
     and closing hangs. To save memory use chromium-headless-shell and fewer pages at once",
)];

/// What the launch stands on: neither given by the user nor left out.
const OURS: &[(&str, &str)] = &[
    ("--user-data-dir", "the profile is chosen with Launcher::user_data_dir"),
    ("--remote-debugging-pipe", "the transport is chosen with Launcher::transport"),
    ("--remote-debugging-port", "the transport is chosen with Launcher::transport"),
];

/// What the command line depends on beside the user's options.
pub(crate) struct Surroundings<'a> {
    pub(crate) profile: &'a Path,
    pub(crate) without_sandbox: bool,
    pub(crate) small_shared_memory: bool,
}

/// All arguments of the browser, without its own name.
pub(crate) fn command_line(
    options: &LaunchOptions,
    around: &Surroundings<'_>,
) -> Result<Vec<OsString>, LaunchError> {
    let applies = |when: When| match when {
        When::Always => true,
        When::Headless => options.headless != Headless::No,
        When::SmallSharedMemory => around.small_shared_memory,
        When::WithoutSandbox => around.without_sandbox,
        When::Pipe => options.transport == Transport::Pipe,
        When::Port => options.transport == Transport::Port,
        When::FreshProfile => options.user_data_dir.is_none(),
        When::KeptProfile => options.user_data_dir.is_some(),
    };
    let mut line = Line::default();
    for (text, when, _) in SWITCHES {
        if applies(*when) {
            line.add(OsString::from(text));
        }
    }
    if let Transport::FixedPort(port) = options.transport {
        line.add(OsString::from(format!("--remote-debugging-port={port}")));
    }
    if let Some(server) = &options.proxy {
        proxy::check(server)?;
        line.add(OsString::from(format!("--proxy-server={server}")));
    }
    if !options.proxy_bypass.is_empty() {
        line.add(OsString::from(format!("--proxy-bypass-list={}", options.proxy_bypass.join(";"))));
    }
    let features: Vec<&str> = DISABLED_FEATURES.iter().map(|(name, _)| *name).collect();
    line.add(OsString::from(format!("--disable-features={}", features.join(","))));
    for arg in &options.without_args {
        refuse(OsStr::new(arg), [OURS])?;
        line.leave_out(arg);
    }
    for arg in &options.args {
        refuse(arg, [REFUSED, OURS])?;
        line.add(arg.clone());
    }
    let mut profile = OsString::from("--user-data-dir=");
    profile.push(around.profile);
    line.add(profile);
    Ok(line.finish())
}

/// Whether the user's own switches turn the sandbox off.
pub(crate) fn turns_sandbox_off(args: &[OsString]) -> bool {
    args.iter().any(|arg| split(arg).0 == "--no-sandbox")
}

fn refuse<const N: usize>(arg: &OsStr, lists: [&[(&str, &'static str)]; N]) -> Result<(), LaunchError> {
    let (name, _) = split(arg);
    match lists.into_iter().flatten().find(|(refused, _)| *refused == name) {
        Some((_, why)) => Err(LaunchError::SwitchRefused { switch: arg.to_string_lossy().into_owned(), why }),
        None => Ok(()),
    }
}

/// A switch's name with two dashes (Chromium takes one as well), and its value.
fn split(arg: &OsStr) -> (String, Option<OsString>) {
    let bytes = arg.as_bytes();
    let (name, value) = match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) => (bytes.get(..at).unwrap_or_default(), bytes.get(at + 1..)),
        None => (bytes, None),
    };
    let mut name = String::from_utf8_lossy(name).into_owned();
    if name.starts_with('-') && !name.starts_with("--") {
        name.insert(0, '-');
    }
    (name, value.map(|value| OsString::from_vec(value.to_vec())))
}

/// A command line in the making: switches in their order, then addresses.
#[derive(Default)]
struct Line {
    switches: Vec<(String, Option<OsString>)>,
    addresses: Vec<OsString>,
}

impl Line {
    fn add(&mut self, arg: OsString) {
        let (name, value) = split(&arg);
        if !name.starts_with("--") {
            self.addresses.push(arg);
            return;
        }
        if let Some(opposite) = opposite(&name) {
            // What the user enables is no longer disabled, and the other way round.
            for feature in features(value.as_deref()) {
                self.remove_feature(&opposite, &feature);
            }
        }
        let is_list = LISTS.contains(&name.as_str());
        match self.switches.iter_mut().find(|(known, _)| *known == name) {
            Some((_, present)) if is_list => {
                let mut joined = features(present.as_deref());
                for feature in features(value.as_deref()) {
                    if !joined.contains(&feature) {
                        joined.push(feature);
                    }
                }
                *present = Some(joined.join(",").into());
            }
            Some((_, present)) => *present = value,
            None => self.switches.push((name, value)),
        }
    }

    fn leave_out(&mut self, arg: &str) {
        let (name, value) = split(OsStr::new(arg));
        if LISTS.contains(&name.as_str()) && value.is_some() {
            for feature in features(value.as_deref()) {
                self.remove_feature(&name, &feature);
            }
            return;
        }
        self.switches.retain(|(known, _)| *known != name);
        self.addresses.retain(|address| address != arg);
    }

    fn remove_feature(&mut self, list: &str, feature: &str) {
        for (name, value) in &mut self.switches {
            if name == list {
                let kept: Vec<String> = features(value.as_deref())
                    .into_iter()
                    .filter(|known| base(known) != base(feature))
                    .collect();
                *value = Some(kept.join(",").into());
            }
        }
        self.switches
            .retain(|(name, value)| name != list || value.as_ref().is_some_and(|value| !value.is_empty()));
    }

    fn finish(self) -> Vec<OsString> {
        let switches = self.switches.into_iter().map(|(name, value)| {
            let mut arg = OsString::from(name);
            if let Some(value) = value {
                arg.push("=");
                arg.push(value);
            }
            arg
        });
        switches.chain(self.addresses).collect()
    }
}

fn opposite(list: &str) -> Option<String> {
    if !LISTS.contains(&list) {
        return None;
    }
    match list.strip_prefix("--disable-") {
        Some(rest) => Some(format!("--enable-{rest}")),
        None => list.strip_prefix("--enable-").map(|rest| format!("--disable-{rest}")),
    }
}

fn features(value: Option<&OsStr>) -> Vec<String> {
    let text = value.map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The feature's name without its parameters (`Name:key/value`, `Name<Trial`).
fn base(feature: &str) -> &str {
    feature.split([':', '<']).next().unwrap_or(feature)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Launcher;

    fn line(launcher: Launcher) -> Vec<String> {
        let around = Surroundings {
            profile: Path::new("/s/profile"),
            without_sandbox: false,
            small_shared_memory: false,
        };
        let args = command_line(launcher.options(), &around).unwrap();
        args.into_iter().map(|arg| arg.into_string().unwrap()).collect()
    }

    fn list(line: &[String], name: &str) -> Vec<String> {
        let prefix = format!("{name}=");
        let mut found = line.iter().filter_map(|arg| arg.strip_prefix(&prefix));
        let value = found.next().unwrap_or_default();
        assert_eq!(found.next(), None, "{name} stands twice");
        features(Some(OsStr::new(value)))
    }

    #[test]
    fn no_switch_of_the_table_stands_twice_or_is_refused() {
        for (at, (text, _, reason)) in SWITCHES.iter().enumerate() {
            assert!(!reason.is_empty(), "{text}");
            let name = split(OsStr::new(text)).0;
            assert!(
                SWITCHES.iter().skip(at + 1).all(|(other, ..)| split(OsStr::new(other)).0 != name),
                "{text}"
            );
        }
    }

    #[test]
    fn switches_depend_on_the_options() {
        let plain = line(Launcher::new());
        for present in
            ["--remote-debugging-pipe", "--headless", "--no-startup-window", "--user-data-dir=/s/profile"]
        {
            assert!(plain.iter().any(|arg| arg == present), "{present}");
        }
        for absent in ["--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-port=0", "about:blank"]
        {
            assert!(plain.iter().all(|arg| arg != absent), "{absent}");
        }
        let other =
            line(Launcher::new().headless(Headless::No).transport(Transport::Port).user_data_dir("/kept"));
        for absent in ["--remote-debugging-pipe", "--headless", "--hide-scrollbars", "--no-startup-window"] {
            assert!(other.iter().all(|arg| arg != absent), "{absent}");
        }
        assert!(other.iter().any(|arg| arg == "--remote-debugging-port=0"));
        let fixed = line(Launcher::new().headless(Headless::Shell).transport(Transport::FixedPort(9)));
        for (name, expected) in
            [("--remote-debugging-p", "--remote-debugging-port=9"), ("--headless", "--headless")]
        {
            let found: Vec<_> = fixed.iter().filter(|arg| arg.starts_with(name)).collect();
            assert_eq!(found, [expected]);
        }
        assert_eq!(other.last().map(String::as_str), Some("about:blank"), "addresses come last");
    }

    #[test]
    fn the_users_features_are_joined_with_ours() {
        let line =
            line(Launcher::new().arg("--disable-features=Mine,Translate").arg("-disable-features=Other"));
        let features = list(&line, "--disable-features");
        for name in ["MediaRouter", "Mine", "Other", "Translate"] {
            assert_eq!(features.iter().filter(|feature| *feature == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn a_feature_the_user_enables_is_no_longer_disabled() {
        let line = line(Launcher::new().arg("--enable-features=PaintHolding:delay/5,Mine"));
        assert_eq!(list(&line, "--enable-features"), ["PaintHolding:delay/5", "Mine"]);
        assert!(!list(&line, "--disable-features").contains(&"PaintHolding".to_owned()));
    }

    #[test]
    fn a_proxy_is_named_with_the_hosts_that_do_without_it() {
        let line = line(
            Launcher::new()
                .proxy("socks5://[::1]:1080")
                .proxy_bypass(["one.example", "<-loopback>"])
                .proxy_bypass(["two.example"]),
        );
        for present in
            ["--proxy-server=socks5://[::1]:1080", "--proxy-bypass-list=one.example;<-loopback>;two.example"]
        {
            assert!(line.iter().any(|arg| arg == present), "{present} is missing in {line:?}");
        }
    }

    #[test]
    fn a_switch_of_the_user_replaces_ours() {
        let line =
            line(Launcher::new().arg("--force-color-profile=display-p3-d65").arg("https://example.org/"));
        let profiles: Vec<_> = line.iter().filter(|arg| arg.starts_with("--force-color-profile")).collect();
        assert_eq!(profiles, ["--force-color-profile=display-p3-d65"]);
        assert_eq!(line.last().map(String::as_str), Some("https://example.org/"));
    }

    #[test]
    fn defaults_can_be_left_out() {
        let line = line(
            Launcher::new()
                .without_arg("--mute-audio")
                .without_arg("--force-color-profile")
                .without_arg("--disable-features=MediaRouter"),
        );
        assert!(line.iter().all(|arg| !arg.starts_with("--mute-audio") && !arg.starts_with("--force-color")));
        let features = list(&line, "--disable-features");
        assert!(!features.contains(&"MediaRouter".to_owned()) && features.contains(&"Translate".to_owned()));
    }

    #[test]
    fn dangerous_switches_are_refused_with_the_reason() {
        let around = Surroundings {
            profile: Path::new("/s/profile"),
            without_sandbox: false,
            small_shared_memory: false,
        };
        for (arg, words) in [
            ("--single-process", "debugging only"),
            ("-single-process", "debugging only"),
            ("--user-data-dir=/x", "Launcher::user_data_dir"),
            ("--remote-debugging-port=9222", "Launcher::transport"),
        ] {
            let error = command_line(Launcher::new().arg(arg).options(), &around).unwrap_err().to_string();
            assert!(error.contains(arg) && error.contains(words), "{error}");
        }
        for (arg, words) in [
            ("--remote-debugging-pipe", "Launcher::transport"),
            ("-remote-debugging-port=0", "Launcher::transport"),
            ("--user-data-dir", "Launcher::user_data_dir"),
        ] {
            let launcher = Launcher::new().without_arg(arg);
            let error = command_line(launcher.options(), &around).unwrap_err().to_string();
            assert!(error.contains(arg) && error.contains(words), "{error}");
        }
    }

    #[test]
    fn no_sandbox_among_the_users_switches_is_noticed() {
        assert!(turns_sandbox_off(&["--mute-audio".into(), "-no-sandbox".into()]));
        assert!(!turns_sandbox_off(&["--no-sandbox-and-elevated".into()]));
    }
}
