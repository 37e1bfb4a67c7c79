//! The golden vectors of Walproof: logs, and the answers that readers owe.
//!
//! They are read from the sources of this crate, which stay where Cargo unpacked them: for tests.

pub mod runner;
mod sha256;

pub use sha256::sha256;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folder of the vectors; `schema.json` in it describes each field.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// A record: its payload or, above 4096 bytes, the SHA-256 of that. `fields` are all of them.
#[derive(Clone, Debug)]
pub struct Record {
    pub file: Option<String>,
    pub at: u64,
    pub size: u64,
    pub payload: Option<Vec<u8>>,
    pub payload_sha256: Option<String>,
    pub fields: Value,
}

/// A range of bytes, `from` inclusive, `to` exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    pub file: Option<String>,
    pub from: u64,
    pub to: u64,
    pub reason: String,
}

/// What a reader says of a log. `end` is a number, an object with `file` and `at`, or null.
#[derive(Clone, Debug)]
pub struct Answer {
    pub verdict: String,
    pub reason: Option<String>,
    pub records: Vec<Record>,
    pub lost: Vec<Lost>,
    pub end: Value,
}

/// Another right result, and why.
#[derive(Clone, Debug)]
pub struct Accepted {
    pub answer: Answer,
    pub answer_strict: Option<Answer>,
    pub because: String,
}

/// A log, what is asked of it, and what is owed. `body` is the whole description.
#[derive(Clone, Debug)]
pub struct Vector {
    pub id: String,
    pub title: String,
    pub format: String,
    pub kind: String,
    pub operation: String,
    pub requirements: Vec<String>,
    pub damage: Vec<String>,
    pub control: Option<String>,
    pub context: Value,
    pub expect: Answer,
    pub expect_strict: Option<Answer>,
    pub accept: Vec<Accepted>,
    pub must_refuse: bool,
    pub may_refuse: bool,
    pub path: PathBuf,
    pub body: Value,
}

impl Vector {
    /// The bytes of the log by name: one file, or those of a folder, with `/` between names.
    pub fn files(&self) -> io::Result<BTreeMap<String, Vec<u8>>> {
        let mut found = BTreeMap::new();
        if self.path.is_file() {
            let name = self.body["input"].as_str().unwrap_or_default().to_string();
            found.insert(name, fs::read(&self.path)?);
        } else {
            walk(&self.path, "", &mut found)?;
        }
        Ok(found)
    }
}

fn walk(folder: &Path, above: &str, found: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            walk(&entry.path(), &format!("{name}/"), found)?;
        } else {
            found.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(())
}

/// What `index.json` says of the set: version, counts, hashes, ids.
pub fn index() -> io::Result<Value> {
    json(&folder().join("index.json"))
}

/// The vectors of a format, or all of them, in order of id.
pub fn vectors(format: Option<&str>) -> io::Result<Vec<Vector>> {
    let index = index()?;
    let ids = index["vectors"].as_array().into_iter().flatten().filter_map(|row| row["id"].as_str());
    let of_format = |id: &&str| format.map_or(true, |one| id.split('/').next() == Some(one));
    ids.filter(of_format).map(load).collect()
}

/// The vector of an id.
pub fn load(id: &str) -> io::Result<Vector> {
    let body = json(&folder().join(format!("{id}.json")))?;
    let format = text(&body["format"]);
    Ok(Vector {
        id: text(&body["id"]),
        title: text(&body["title"]),
        kind: text(&body["kind"]),
        operation: text(&body["operation"]),
        requirements: texts(&body["requirements"]),
        damage: texts(&body["made_by"]["damage"]),
        control: some_text(&body["control"]),
        context: body["context"].clone(),
        expect: answer(&body["expect"]),
        expect_strict: body.get("expect_strict").map(answer),
        accept: body["accept"].as_array().into_iter().flatten().map(accepted).collect(),
        must_refuse: body["must_refuse"] == Value::Bool(true),
        may_refuse: body["may_refuse"] == Value::Bool(true),
        path: folder().join(&format).join(text(&body["input"])),
        format,
        body,
    })
}

fn json(path: &Path) -> io::Result<Value> {
    serde_json::from_slice(&fs::read(path)?).map_err(io::Error::from)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn some_text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_string)
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

fn accepted(said: &Value) -> Accepted {
    Accepted {
        answer: answer(&said["answer"]),
        answer_strict: said.get("answer_strict").map(answer),
        because: text(&said["because"]),
    }
}

fn answer(said: &Value) -> Answer {
    Answer {
        verdict: text(&said["verdict"]),
        reason: some_text(&said["reason"]),
        records: said["records"].as_array().into_iter().flatten().map(record).collect(),
        lost: said["lost"].as_array().into_iter().flatten().map(lost).collect(),
        end: said["end"].clone(),
    }
}

fn record(said: &Value) -> Record {
    Record {
        file: some_text(&said["file"]),
        at: said["at"].as_u64().unwrap_or_default(),
        size: said["size"].as_u64().unwrap_or_default(),
        payload: said["payload"].is_string().then(|| bytes(&said["payload"])),
        payload_sha256: some_text(&said["payload_sha256"]),
        fields: said.clone(),
    }
}

/// The bytes of a text in hexadecimal.
fn bytes(hex: &Value) -> Vec<u8> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or(""), 16).unwrap_or(0);
    hex.as_str().unwrap_or("").as_bytes().chunks(2).map(byte).collect()
}

fn lost(said: &Value) -> Lost {
    Lost {
        file: some_text(&said["file"]),
        from: said["from"].as_u64().unwrap_or_default(),
        to: said["to"].as_u64().unwrap_or_default(),
        reason: text(&said["reason"]),
    }
}
