//! A list of known failures, strict both ways.

use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs, io};

/// The cause of what is new on a list: nobody has looked yet.
const UNEXPLAINED: &str = "unexplained";
/// Held while a list is written: several tests may have the same one.
static UPDATING: Mutex<()> = Mutex::new(());

/// The list: the form that `walproof check` writes.
#[derive(Default)]
pub struct Known {
    body: Value,
    path: PathBuf,
    /// Whether what is found is written to the file: `WALPROOF_UPDATE_KNOWN=1` says so.
    pub updates: bool,
}

impl Known {
    /// The list of some options.
    pub fn of(path: Option<&Path>) -> io::Result<Known> {
        let updates = env::var("WALPROOF_UPDATE_KNOWN").is_ok_and(|said| said == "1");
        match path {
            None if updates => {
                let text = "WALPROOF_UPDATE_KNOWN is set, and no file of known failures is named";
                Err(io::Error::new(io::ErrorKind::InvalidInput, text))
            }
            None => Ok(Known::default()),
            Some(path) => Ok(Known { updates, ..Known::load(path)? }),
        }
    }

    /// The list in a file; one that is not there is empty. An error is one that does not hold together.
    pub fn load(path: &Path) -> io::Result<Known> {
        let mut known = Known { path: path.to_path_buf(), ..Known::default() };
        if !path.exists() {
            return Ok(known);
        }
        known.body = serde_json::from_slice(&fs::read(path)?)?;
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

/// Writing it.
impl Known {
    /// Writes a result to the list, if it is not there: its class then, and what was done.
    pub fn updated(
        &mut self, vector: &str, profile: &str, class: &str, difference: &str,
    ) -> io::Result<(String, String)> {
        let _alone = UPDATING.lock();
        let (found, why) = self.compared(vector, profile, class, difference);
        if ["pass", "skipped", "known-failure"].contains(&found.as_str()) {
            return Ok((found, why));
        }
        self.body = Known::load(&self.path)?.body; // another test may have written to it
        let is_it = |one: &Value| one["vector"] == vector && one["profile"] == profile;
        let old = self.failures().iter().find(|one| is_it(one));
        let cause = old.and_then(|one| one["cause"].as_str()).unwrap_or(UNEXPLAINED).to_string();
        let mut rows: Vec<Value> = self.failures().iter().filter(|one| !is_it(one)).cloned().collect();
        let path = self.path.display().to_string();
        if class == "pass" {
            self.save(rows)?;
            return Ok(("pass".into(), format!("taken off {path}")));
        }
        rows.push(json!({"vector": vector, "profile": profile, "result": class, "difference": difference, "cause": cause}));
        self.save(rows)?;
        Ok(("known-failure".into(), format!("written to {path}, cause {cause}")))
    }

    /// Takes off the list what is about vectors that are no more.
    pub fn forget(&mut self, vectors: &[String]) -> io::Result<()> {
        let _alone = UPDATING.lock();
        let gone = |one: &Value| vectors.iter().any(|id| one["vector"] == id.as_str());
        let rows = self.failures().iter().filter(|one| !gone(one)).cloned().collect();
        self.save(rows)
    }

    /// Writes the list; an empty one is removed.
    fn save(&mut self, mut rows: Vec<Value>) -> io::Result<()> {
        let text = |one: &Value, name: &str| one[name].as_str().unwrap_or("").to_string();
        rows.sort_by_key(|one| (text(one, "vector"), text(one, "profile")));
        let cause = |name: String| (text(&self.body["causes"], &name), name);
        let used: BTreeMap<String, String> =
            rows.iter().map(|one| cause(text(one, "cause"))).map(|(because, name)| (name, because)).collect();
        // By hand: the order of the keys is that of the other lists, whatever serde_json's is.
        let causes: Vec<String> = used.iter().map(|(name, because)| format!("  {}: {}", json!(name), json!(because))).collect();
        let entries: Vec<String> = rows.iter().map(|one| {
            let names = ["vector", "profile", "result", "difference", "cause"];
            let parts = names.map(|name| format!("   \"{name}\": {}", one[name]));
            format!("  {{\n{}\n  }}", parts.join(",\n"))
        }).collect();
        let written = format!(
            "{{\n \"causes\": {{\n{}\n }},\n \"failures\": [\n{}\n ]\n}}\n", causes.join(",\n"), entries.join(",\n"),
        );
        self.body = json!({"causes": used, "failures": rows});
        match self.failures() {
            [] if self.path.exists() => fs::remove_file(&self.path),
            [] => Ok(()),
            _ => fs::write(&self.path, written),
        }
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
