//! The demo's command line. Read by hand: two options are not worth a dependency.

use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
usage: demo [--url URL] [--out FOLDER]

  --url URL     look at this page instead of doing the demo's own job: its title, headings, links and a screenshot
  --out FOLDER  where the artefacts go (default: target/demo)

CDP_BROWSER names the browser to use.";

pub(crate) struct Arguments {
    pub(crate) url: Option<String>,
    pub(crate) out: PathBuf,
}

pub(crate) enum Request {
    Run(Arguments),
    Help,
}

/// Reads what follows the program's name; the error is a sentence for the user.
pub(crate) fn read(given: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let mut arguments = Arguments { url: None, out: PathBuf::from("target/demo") };
    let mut given = given.into_iter();
    while let Some(option) = given.next() {
        let option = option.into_string().map_err(|option| format!("not readable as text: {option:?}"))?;
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (option.as_str(), None),
        };
        let value = |given: &mut dyn Iterator<Item = OsString>| {
            value.clone().or_else(|| given.next()).ok_or(format!("{name} needs a value"))
        };
        match name {
            "--url" => {
                let url = value(&mut given)?.into_string().map_err(|url| format!("not a URL: {url:?}"))?;
                arguments.url = Some(url);
            }
            "--out" => arguments.out = value(&mut given)?.into(),
            "-h" | "--help" => return Ok(Request::Help),
            _ => return Err(format!("unknown option '{option}'")),
        }
    }
    Ok(Request::Run(arguments))
}
