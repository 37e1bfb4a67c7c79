//! A list of known failures, strict both ways.

use serde_json::Value;
use std::path::Path;
use std::{fs, io};

/// The list: the form that `walproof check` writes.
#[derive(Default)]
pub struct Known {
    body: Value,
}

impl Known {
    /// The list in a file; one that is not there is empty. An error is one that does not hold together.
    pub fn load(path: &Path) -> io::Result<Known> {
        if !path.exists() {
            return Ok(Known::default());
        }
        let body: Value = serde_json::from_slice(&fs::read(path)?)?;
        let known = Known { body };
        for one in known.failures() {
            let cause = one["cause"].as_str().unwrap_or("");
            if known.body["causes"][cause].as_str().is_none() {
                let text = format!("{}: {}: the cause {cause:?} is not there", path.display(), one["vector"]);
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
        }
        Ok(known)
    }

    fn failures(&self) -> &[Value] {
        super::compare::list(&self.body["failures"])
    }

    /// What is listed of a format and is no vector any more.
    pub fn strangers(&self, format: &str, ids: &[&str]) -> Vec<String> {
        let listed = self.failures().iter().filter_map(|one| one["vector"].as_str());
        let gone = listed.filter(|id| id.starts_with(&format!("{format}/")) && !ids.contains(id));
        gone.map(str::to_string).collect()
    }

    /// A result, held against the list: its class then, and what the list has to say.
    pub fn compared(&self, vector: &str, profile: &str, class: &str, difference: &str) -> (String, String) {
        let found = self.failures().iter().find(|one| one["vector"] == vector && one["profile"] == profile);
        let Some(entry) = found.filter(|_| class != "skipped") else {
            return (class.into(), String::new());
        };
        let listed = entry["difference"].as_str().unwrap_or("");
        if class == "pass" {
            return ("unexpected-pass".into(), "listed as a known failure, but right".into());
        }
        if entry["result"] == class && same_pin(profile, listed, difference) {
            let cause = entry["cause"].as_str().unwrap_or("");
            let why = self.body["causes"][cause].as_str().unwrap_or("");
            return ("known-failure".into(), why.into());
        }
        (class.into(), format!("listed with another failure: {} {listed}", entry["result"]))
    }
}

/// Of a read of one log, what was said; else the class is all.
fn same_pin(profile: &str, listed: &str, found: &str) -> bool {
    let reads = ["recover", "strict"].contains(&profile) && !found.starts_with("prefix of ");
    match (digits(listed), digits(found)) {
        (Some(one), Some(other)) if reads => one == other,
        _ => true,
    }
}

fn digits(text: &str) -> Option<&str> {
    let (_, last) = text.strip_suffix(']')?.rsplit_once('[')?;
    (last.len() == 8 && last.bytes().all(|one| one.is_ascii_hexdigit())).then_some(last)
}
