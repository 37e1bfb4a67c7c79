//! One vector in one profile: a scratch copy, a request, and what came of it.

use super::compare::{differences, list, normalised, pin, prefixes};
use super::{Declined, Options, Record, Request, Said, Subject};
use crate::sha256::sha256;
use crate::Vector;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc};
use std::time::Duration;
use std::{env, fs, io, process, thread};

const FREE: &str = "the writer is free here: only walproof check reads what it left";

type Files = BTreeMap<String, Vec<u8>>;
/// A class, and what differs or why.
pub type Outcome = (&'static str, String);

/// Of the requests of one vector, the heaviest result counts.
fn weight(class: &str) -> Option<usize> {
    ["pass", "skipped", "fail", "crash", "timeout"].iter().position(|one| *one == class)
}

fn fail(text: impl Into<String>) -> Outcome {
    ("fail", text.into())
}

fn passes() -> Outcome {
    ("pass", String::new())
}

enum Done {
    Read(Said),
    Written,
}

pub struct Case<'a, S: Subject> {
    pub options: &'a Options,
    pub subject: &'a Arc<S>,
    pub vector: &'a Vector,
    pub profile: &'static str,
}

/// A folder of its own, which goes with it.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl<S: Subject> Case<'_, S> {
    /// What came of it, before the list of known failures is looked at.
    pub fn judge(&self) -> io::Result<Outcome> {
        let (body, files) = (&self.vector.body, self.vector.files()?);
        if self.profile == "write" || self.profile == "append" {
            return self.written(&files);
        }
        if self.vector.operation != "truncations" {
            let of = if self.profile == "strict" { "_strict" } else { "" };
            let accepted = list(&body["accept"]).iter().map(|other| &other[&format!("answer{of}")]);
            let right: Vec<&Value> = std::iter::once(&body[&format!("expect{of}")]).chain(accepted).collect();
            return self.read(&files, &right);
        }
        let mut worst = passes();
        for (length, expect) in prefixes(body) {
            let cut = files.iter().map(|(name, data)| (name.clone(), data[..length].to_vec())).collect();
            let (class, text) = self.read(&cut, &[&expect])?;
            if weight(class) > weight(worst.0) {
                worst = (class, format!("prefix of {length}: {text}"));
            }
            if class == "crash" || class == "timeout" {
                break;
            }
        }
        Ok(worst)
    }

    fn read(&self, files: &Files, right: &[&Value]) -> io::Result<Outcome> {
        let (place, _scratch) = self.place(files)?;
        let said = match self.call(&place) {
            Ok(Done::Read(said)) => said,
            Ok(Done::Written) => unreachable!("it was asked to read"),
            Err(("refused", text)) => return Ok(("crash", text)),
            Err(other) => return Ok(other),
        };
        let (actual, reports) = (normalised(said), self.options.reports);
        let mut wrong = differences(right[0], &actual, reports);
        if right[1..].iter().any(|other| differences(other, &actual, reports).is_empty()) {
            wrong.clear();
        }
        if !self.is_at(&place, files) {
            wrong.push("the reader changed the log it read".into());
        }
        if wrong.is_empty() {
            return Ok(passes());
        }
        Ok(fail(format!("{} [{}]", wrong.join("; "), pin(&actual, reports))))
    }

    /// A write, or an append.
    fn written(&self, files: &Files) -> io::Result<Outcome> {
        let (body, writes) = (&self.vector.body, self.profile == "write");
        let before = if writes { Files::new() } else { files.clone() };
        let (place, _scratch) = self.place(&before)?;
        match self.call(&place) {
            Ok(_) => {}
            Err(("refused", text)) => return Ok(self.refused(&place, &before, &text)),
            Err(other) => return Ok(other),
        }
        if self.vector.must_refuse {
            return Ok(fail("the writer says done where it must refuse"));
        }
        if writes {
            if !self.is_at(&place, files) {
                return Ok(fail("bytes: the log is not what it should be"));
            }
            let wrong = self.files_wrong(&place, &body["after"]);
            return Ok(if wrong.is_empty() { passes() } else { fail(wrong) });
        }
        let mut first = String::new();
        let accepted = list(&body["accept"]).iter().map(|other| &other["after"]);
        for after in std::iter::once(&body["after"]).chain(accepted) {
            let wrong = self.files_wrong(&place, after);
            if wrong.is_empty() {
                let whole = list(&after["files"]).iter().all(|file| file["sha256"].is_string());
                return Ok(if whole { passes() } else { ("skipped", FREE.into()) });
            }
            if first.is_empty() {
                first = wrong;
            }
        }
        Ok(fail(first))
    }

    fn refused(&self, place: &Path, before: &Files, why: &str) -> Outcome {
        if !self.vector.must_refuse && !self.vector.may_refuse {
            return fail(format!("the writer refused: {why}"));
        }
        let gone = fs::symlink_metadata(place).is_err();
        if !(if self.profile == "write" { gone } else { self.is_at(place, before) }) {
            return fail("the writer refused, and changed the log");
        }
        let own = self.input();
        let named = |name: &String| if self.is_file() { own.to_string() } else { format!("{own}/{name}") };
        let files = before.iter().map(|(name, data)| json!({"name": named(name), "size": data.len()}));
        let owed = json!({"files": files.collect::<Vec<_>>(), "free": self.vector.body["after"]["free"]});
        let wrong = self.files_wrong(place, &owed);
        if wrong.is_empty() {
            return passes();
        }
        fail(format!("the writer refused, and changed what is there: {wrong}"))
    }

    /// Asks the subject, in a thread of its own. One that hangs is left to itself.
    fn call(&self, place: &Path) -> Result<Done, Outcome> {
        let body = &self.vector.body;
        let request = Request {
            format: self.vector.format.clone(),
            path: place.to_path_buf(),
            profile: self.profile,
            context: self.vector.context.clone(),
            records: list(&body["records"]).iter().map(to_write).collect(),
        };
        let wall_ms = body["limits"]["wall_ms"].as_u64().unwrap_or(2000) * self.options.patience;
        let (subject, profile) = (Arc::clone(self.subject), self.profile);
        let (sender, ended) = mpsc::channel();
        let called = thread::Builder::new().stack_size(8 << 20).spawn(move || {
            let _ = sender.send(match profile {
                "write" => subject.write(&request).map(|()| Done::Written),
                "append" => subject.append(&request).map(|()| Done::Written),
                _ => subject.read(&request).map(Done::Read),
            });
        });
        match ended.recv_timeout(Duration::from_millis(wall_ms)) {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(Declined::Skip(why))) => Err(("skipped", why)),
            Ok(Err(Declined::Refused(why))) => Err(("refused", why)),
            Err(mpsc::RecvTimeoutError::Timeout) => Err(("timeout", format!("no answer in {wall_ms} ms"))),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let panic = called.map(|thread| thread.join());
                let text = match panic {
                    Ok(Err(said)) => said.downcast_ref::<String>().cloned().or_else(|| {
                        said.downcast_ref::<&str>().map(|text| text.to_string())
                    }),
                    _ => None,
                };
                Err(("crash", format!("panic: {}", text.unwrap_or_default())))
            }
        }
    }

    fn is_file(&self) -> bool {
        self.vector.path.is_file()
    }

    fn input(&self) -> &str {
        self.vector.body["input"].as_str().unwrap_or_default()
    }

    fn slug(&self) -> &str {
        self.vector.id.rsplit('/').next().unwrap_or_default()
    }

    /// A name without that of the vector: nobody may go by it. Other names mean something.
    fn neutral(&self, name: &str) -> String {
        name.strip_prefix(self.slug()).map_or(name.to_string(), |rest| format!("case{rest}"))
    }

    /// The opposite.
    fn own(&self, name: String) -> String {
        match name.strip_prefix("case") {
            Some(rest) if self.neutral(self.input()) != self.input() => format!("{}{rest}", self.slug()),
            _ => name,
        }
    }

    fn place(&self, files: &Files) -> io::Result<(PathBuf, Scratch)> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("walproof-{}-{number}", process::id()));
        fs::create_dir(&folder)?;
        let scratch = Scratch(folder);
        let place = scratch.0.join(self.neutral(self.input()));
        for (name, data) in files {
            let target = if self.is_file() { place.clone() } else { place.join(name) };
            fs::create_dir_all(target.parent().unwrap_or(&place))?;
            fs::write(target, data)?;
        }
        Ok((place, scratch))
    }

    /// Whether just these files are at a place.
    fn is_at(&self, place: &Path, files: &Files) -> bool {
        if self.is_file() {
            return place.is_file() && fs::read(place).ok().as_ref() == files.values().next();
        }
        let found = below(place);
        let same = |(name, data): (&String, &Vec<u8>)| fs::read(place.join(name)).ok().as_ref() == Some(data);
        place.is_dir() && found.keys().eq(files.keys()) && files.iter().all(same)
    }

    /// What is wrong with the files in the folder of a place.
    fn files_wrong(&self, place: &Path, after: &Value) -> String {
        let folder = place.parent().unwrap_or(place);
        let leaves = |freedom: &str| list(&after["free"]).iter().any(|one| one["freedom"] == freedom);
        let sizes = below(folder).into_iter().map(|(name, size)| (self.own(name), size));
        let mut there: BTreeMap<String, u64> = sizes.collect();
        let mut wrong = vec![];
        for file in list(&after["files"]) {
            let name = file["name"].as_str().unwrap_or_default();
            let fitting = there.keys().find(|one| *one == name || matches(one.as_bytes(), name.as_bytes())).cloned();
            match fitting.and_then(|one| there.remove(&one)) {
                None => wrong.push(format!("{name} is missing")),
                Some(size) if Some(size) != file["size"].as_u64() && !leaves("preallocation") => {
                    wrong.push(format!("{name}: expected {} bytes, found {size}", file["size"]));
                }
                _ => {}
            }
        }
        if !leaves("other-files") {
            wrong.extend(there.keys().map(|name| format!("{name} should not be there")));
        }
        let data = |name: &Value| fs::read(folder.join(self.neutral(name.as_str().unwrap_or_default()))).ok();
        for part in list(&after["bytes"]) {
            let (at, owed) = (part["at"].as_u64().unwrap_or(0) as usize, crate::bytes(&part["hex"]));
            if !data(&part["name"]).and_then(|all| all.get(at..).map(|rest| rest.starts_with(&owed))).unwrap_or(false) {
                wrong.push(format!("{} at {at}: expected {}", part["name"], part["hex"]));
            }
        }
        for file in list(&after["files"]) {
            let found = data(&file["name"]).map(|all| sha256(&all));
            if file["sha256"].is_string() && found.as_deref() != file["sha256"].as_str() {
                wrong.push(format!("{}: other bytes", file["name"]));
            }
        }
        wrong.join(", ")
    }
}

fn to_write(one: &Value) -> Record {
    let mut fields = one.as_object().cloned().unwrap_or_default();
    let payload = match (fields.remove("payload"), fields.remove("fill")) {
        (Some(text), _) => crate::bytes(&text),
        (None, fill) => {
            let size = fields.remove("size").and_then(|size| size.as_u64()).unwrap_or(0);
            crate::bytes(&fill.unwrap_or_default()).repeat(size as usize)
        }
    };
    Record { payload, fields }
}

/// Whether a name is one of a shell pattern.
fn matches(name: &[u8], pattern: &[u8]) -> bool {
    match (name, pattern) {
        ([], []) => true,
        (_, [b'*', rest @ ..]) => (0..=name.len()).any(|from| matches(&name[from..], rest)),
        ([_, others @ ..], [b'?', rest @ ..]) => matches(others, rest),
        ([one, others @ ..], [other, rest @ ..]) => one == other && matches(others, rest),
        _ => false,
    }
}

/// Sizes of what is below a folder and no folder itself, by names with `/`.
pub fn below(folder: &Path) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.metadata() {
            Ok(data) if data.is_dir() => {
                found.extend(below(&entry.path()).into_iter().map(|(inner, size)| (format!("{name}/{inner}"), size)));
            }
            Ok(data) => drop(found.insert(name, data.len())),
            Err(_) => {}
        }
    }
    found
}
