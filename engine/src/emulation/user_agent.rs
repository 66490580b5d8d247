//! The user agent's string, and the client hints that say the same in other words.

use cdp_protocol::domains::emulation::{UserAgentBrandVersion, UserAgentMetadata};

/// What a page and its servers are told of the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserAgent {
    pub text: String,
    /// Nothing for a browser that sends no client hints.
    pub hints: Option<ClientHints>,
}

/// User agent client hints: `navigator.userAgentData`, and the `Sec-CH-UA` headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientHints {
    /// Brands with their whole versions, such as `("Chromium", "156.0.8078.114")`.
    pub brands: Vec<(String, String)>,
    /// The operating system, such as `Windows`, `macOS`, `Linux`, `Android`.
    pub platform: String,
    /// Its version; may be empty.
    pub platform_version: String,
    /// The processor's family, `x86` or `arm`.
    pub architecture: String,
    /// `64` or `32`.
    pub bitness: String,
    /// The device's model; empty for desktops.
    pub model: String,
    /// Whether it is a telephone.
    pub mobile: bool,
}

impl ClientHints {
    /// What a Chromium with this user agent string would tell; nothing if the string is no Chromium's, which tell none.
    pub fn of(user_agent: &str) -> Option<Self> {
        let version = after(user_agent, "Chrome/").or_else(|| after(user_agent, "Chromium/"))?;
        let version: String = version.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let system = user_agent.split_once('(').and_then(|(_, rest)| rest.split_once(')'))?.0;
        let number = |text: &str| -> String {
            let digits = text.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | '_'));
            digits.map(|c| if c == '_' { '.' } else { c }).collect()
        };
        let of = |name: &str| after(system, name).map(number);
        let (platform, platform_version) = [
            ("Android", of("Android ")),
            ("Windows", of("Windows NT ")),
            ("macOS", of("Mac OS X ")),
            (
                "Chrome OS",
                after(system, "CrOS ").map(|rest| rest.split(' ').nth(1).map(number).unwrap_or_default()),
            ),
        ]
        .into_iter()
        .find_map(|(name, version)| Some((name, version?)))
        .unwrap_or(("Linux", String::new()));
        let is_android = platform == "Android";
        let model = system.split(';').map(str::trim).nth(2).filter(|_| is_android).unwrap_or_default();
        let is_arm = is_android || ["aarch64", "arm"].iter().any(|name| system.contains(name));
        let brand = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        Some(Self {
            brands: vec![brand("Chromium", &version), brand("Not.A/Brand", "99.0.0.0")],
            platform: platform.to_owned(),
            platform_version,
            architecture: if is_arm { "arm" } else { "x86" }.to_owned(),
            bitness: "64".to_owned(),
            model: model.to_owned(),
            mobile: user_agent.contains(" Mobile"),
        })
    }

    pub(crate) fn metadata(&self) -> UserAgentMetadata {
        let main = |version: &str| version.split('.').next().unwrap_or_default().to_owned();
        let brands =
            self.brands.iter().map(|(name, version)| UserAgentBrandVersion::new(name, main(version)));
        let full = self.brands.iter().map(|(name, version)| UserAgentBrandVersion::new(name, version));
        UserAgentMetadata::new(
            &self.platform,
            &self.platform_version,
            &self.architecture,
            &self.model,
            self.mobile,
        )
        .brands(brands.collect::<Vec<_>>())
        .full_version_list(full.collect::<Vec<_>>())
        .bitness(&self.bitness)
    }
}

fn after<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split_once(name).map(|(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_say_what_the_string_says() {
        let of = |system: &str, end: &str| {
            let text = format!("Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) {end}");
            ClientHints::of(&text)
        };
        for (system, platform, version, architecture, model) in [
            ("Windows NT 10.0; Win64; x64", "Windows", "10.0", "x86", ""),
            ("Macintosh; Intel Mac OS X 10_15_7", "macOS", "10.15.7", "x86", ""),
            ("X11; Linux aarch64", "Linux", "", "arm", ""),
            ("X11; CrOS x86_64 14541.0.0", "Chrome OS", "14541.0.0", "x86", ""),
            ("Linux; Android 14; Pixel 8", "Android", "14", "arm", "Pixel 8"),
        ] {
            let hints = of(system, "Chrome/156.0.1.2 Mobile Safari/537.36").unwrap();
            let seen = (&*hints.platform, &*hints.platform_version, &*hints.architecture, &*hints.model);
            assert_eq!(seen, (platform, version, architecture, model), "{system}");
            assert!(hints.mobile && hints.brands[0] == ("Chromium".into(), "156.0.1.2".into()));
        }
        assert_eq!(of("X11; Linux x86_64; rv:140.0", "Gecko/20100101 Firefox/140.0"), None);
    }
}
