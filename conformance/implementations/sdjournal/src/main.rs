//! Drives the crate sdjournal for the conformance suite.
//!
//!     adapter                              speaks the protocol: JSON lines on stdin and stdout
//!     adapter read systemd-journal PATH    prints one answer
//!     adapter bench PATH REPEAT            reads a file a number of times and prints the seconds
//!
//! A panic of the crate ends the process: a crash is a result of its own and must not look like an answer.

mod export;

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use sdjournal::{EntryRef, Journal, JournalConfig, SdJournalError};
use serde_json::{json, Value};

const FORMAT: &str = "systemd-journal";
const GONE: &str = "nothing is at this path";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => serve(),
        ["read", FORMAT, path] if !Path::new(path).exists() => {
            println!("{}", json!({"skipped": GONE}));
            Ok(())
        }
        ["read", FORMAT, path] => {
            println!("{}", read(Path::new(path), &json!({})));
            Ok(())
        }
        ["bench", path, repeat] => bench(Path::new(path), repeat.parse()?),
        _ => Err(format!("usage: adapter [read {FORMAT} PATH | bench PATH REPEAT]").into()),
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    let mut replies = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let reply = match request["cmd"].as_str() {
            Some("bye") => break,
            Some("hello") => hello(),
            _ => reply(&request)?,
        };
        writeln!(replies, "{reply}")?;
        replies.flush()?;
    }
    Ok(())
}

fn hello() -> Value {
    json!({
        "name": "sdjournal",
        "version": env!("CRATE_VERSION"),
        "language": "Rust",
        "formats": [FORMAT],
        "profiles": ["recover"],
        "reports": ["records", "signals", "seqnum", "realtime", "monotonic", "boot_id"],
        "homepage": "https://github.com/lvillis/sdjournal",
        "issues": "https://github.com/lvillis/sdjournal/issues",
    })
}

fn reply(request: &Value) -> Result<Value, Box<dyn Error>> {
    let seq = &request["seq"];
    let context = &request["context"];
    let path = request["path"].as_str().ok_or("no path")?;
    let why = if request["cmd"] != "read" || request["profile"] != "recover" {
        "sdjournal only reads, and in one way"
    } else if request["format"] != FORMAT {
        "no such format"
    } else if !context["from_seqnum"].is_null() {
        "sdjournal cannot seek by sequence number"
    } else if !Path::new(path).exists() {
        GONE
    } else {
        return Ok(json!({"seq": seq, "answer": read(Path::new(path), context)}));
    };
    Ok(json!({"seq": seq, "skipped": why}))
}

/// The entries up to the first error, which becomes a signal, as does what the verifier of seals says.
fn read(path: &Path, context: &Value) -> Value {
    let mut records = vec![];
    let mut signals = vec![];
    let mut release = |entry: &EntryRef| records.push(record(entry));
    let folder = match Folder::with(path) {
        Ok(folder) => folder,
        Err(error) => return json!({"records": [], "signals": [error.to_string()]}),
    };
    if let Err(error) = each(&folder.0, context, &mut release) {
        signals.push(error.to_string());
    }
    if let (Some(key), Ok(journal)) = (context["key"].as_str(), Journal::open_dir(&folder.0)) {
        if let Err(error) = journal.verify_seal(key) {
            signals.push(error.to_string());
        }
    }
    json!({"records": records, "signals": signals})
}

/// Calls a function with each entry that the context asks for.
fn each(
    folder: &Path,
    context: &Value,
    release: &mut dyn FnMut(&EntryRef),
) -> Result<(), SdJournalError> {
    let mut config = JournalConfig::default();
    if let Some(limit) = number(&context["max_field_size"]) {
        config.max_decompressed_bytes = limit as usize;
    }
    let journal = Journal::open_dir_with_config(folder, config)?;
    let mut query = journal.query();
    if let Some((name, value)) = context["match"]
        .as_str()
        .and_then(|text| text.split_once('='))
    {
        query.match_exact(name, value.as_bytes());
    }
    if let Some(from) = number(&context["from_realtime"]) {
        query.since_realtime(from);
    }
    for entry in query.iter()? {
        release(&entry?);
    }
    Ok(())
}

/// A number of a context: 64 bits are decimal digits in a string.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn record(entry: &EntryRef) -> Value {
    json!({
        "payload": hex::encode(export::body(entry.iter_fields())),
        "seqnum": entry.seqnum().to_string(),
        "realtime": entry.realtime_usec().to_string(),
        "monotonic": entry.monotonic_usec().to_string(),
        "boot_id": hex::encode(entry.boot_id()),
    })
}

fn bench(path: &Path, repeat: usize) -> Result<(), Box<dyn Error>> {
    let folder = Folder::with(path)?;
    let (mut records, mut bytes, mut seconds) = (0u64, 0, vec![]);
    for _ in 0..repeat {
        let started = Instant::now();
        (records, bytes) = (0, 0);
        each(&folder.0, &json!({}), &mut |entry| {
            records += 1;
            bytes += export::body(entry.iter_fields()).len();
        })?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    println!(
        "{}",
        json!({"records": records, "payload_bytes": bytes, "all_seconds": seconds})
    );
    Ok(())
}

/// The crate opens folders, not files: one that holds a link to the file and nothing else.
struct Folder(PathBuf);

impl Folder {
    fn with(path: &Path) -> io::Result<Folder> {
        let beside = path.parent().unwrap_or(Path::new("."));
        let folder = Folder(beside.join(format!("sdjournal-{}", std::process::id())));
        fs::create_dir(&folder.0)?;
        let inside = folder.0.join("one.journal");
        fs::hard_link(path, &inside).or_else(|_| fs::copy(path, &inside).map(|_| ()))?;
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
