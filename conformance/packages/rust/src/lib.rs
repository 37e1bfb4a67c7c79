//! The golden vectors of Walproof: journal files (write-ahead logs) and the expected answers.
//!
//! The vectors are read from the folder to which Cargo unpacked the sources of this crate, so use
//! them only in tests.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folder of the vectors; `schema.json` in it describes each field.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// A log and the expected answer; `body` is the whole description.
#[derive(Clone, Debug)]
pub struct Vector {
    pub id: String,
    pub format: String,
    /// `read`, `truncations`, `write` or `append`.
    pub operation: String,
    /// The log: a file, or a folder for a multi-file log.
    pub path: PathBuf,
    pub body: Value,
}

impl Vector {
    /// Returns the bytes of each file of the log by file name, with `/` between the names of nested
    /// folders.
    pub fn files(&self) -> io::Result<BTreeMap<String, Vec<u8>>> {
        let mut files = BTreeMap::new();
        if self.path.is_file() {
            files.insert(text(&self.body["input"]), fs::read(&self.path)?);
        } else {
            walk(&self.path, "", &mut files)?;
        }
        Ok(files)
    }

    /// Returns the correct answers of a reader in a profile, `recover` or `strict`; the first is
    /// the expected answer.
    pub fn answers(&self, profile: &str) -> Vec<&Value> {
        let suffix = if profile == "strict" { "_strict" } else { "" };
        let accepted = self.body["accept"].as_array().into_iter().flatten();
        std::iter::once(self.body.get(format!("expect{suffix}")))
            .chain(accepted.map(|other| other.get(format!("answer{suffix}"))))
            .flatten()
            .collect()
    }
}

fn walk(folder: &Path, above: &str, files: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{above}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            walk(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs::read(path)?);
        }
    }
    Ok(())
}

/// Returns the contents of `index.json`: the version of the set, counts, ids and hashes.
pub fn index() -> io::Result<Value> {
    json(&folder().join("index.json"))
}

/// Returns the vectors of a format, or of all formats for `None`, in order of id.
pub fn vectors(format: Option<&str>) -> io::Result<Vec<Vector>> {
    let index = index()?;
    let ids = index["vectors"].as_array().into_iter().flatten().filter_map(|row| row["id"].as_str());
    ids.filter(|id| format.is_none() || id.split('/').next() == format).map(load).collect()
}

/// Returns the vector with an id.
pub fn load(id: &str) -> io::Result<Vector> {
    let body = json(&folder().join(format!("{id}.json")))?;
    let format = text(&body["format"]);
    Ok(Vector {
        id: text(&body["id"]),
        operation: text(&body["operation"]),
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
