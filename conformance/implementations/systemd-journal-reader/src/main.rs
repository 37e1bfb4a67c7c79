//! Drives the crate systemd-journal-reader for the conformance suite.
//!
//!     adapter                              speaks the protocol: JSON lines on stdin and stdout
//!     adapter read systemd-journal PATH    prints one answer
//!     adapter bench PATH REPEAT            reads a file a number of times and prints the seconds
//!
//! A panic of the crate ends the process: a crash is a result of its own and must not look like an answer.

mod export;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Instant;

use serde_json::{json, Value};
use systemd_journal_reader::{Entry, JournalReader};

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
            println!("{}", read(Path::new(path)));
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
        "name": "systemd-journal-reader",
        "version": env!("CRATE_VERSION"),
        "language": "Rust",
        "formats": [FORMAT],
        "profiles": ["recover"],
        "reports": ["records", "signals", "realtime"],
        "homepage": "https://github.com/logjuicer/logjuicer",
        "issues": "https://github.com/logjuicer/logjuicer/issues",
    })
}

fn reply(request: &Value) -> Result<Value, Box<dyn Error>> {
    let seq = &request["seq"];
    let context = &request["context"];
    let path = request["path"].as_str().ok_or("no path")?;
    let queries = ["match", "from_seqnum", "from_realtime", "max_field_size"];
    let why = if request["cmd"] != "read" || request["profile"] != "recover" {
        "systemd-journal-reader only reads, and in one way"
    } else if request["format"] != FORMAT {
        "no such format"
    } else if queries.iter().any(|name| !context[*name].is_null()) {
        "systemd-journal-reader has no queries and no limits"
    } else if !Path::new(path).exists() {
        GONE
    } else {
        return Ok(json!({"seq": seq, "answer": read(Path::new(path))}));
    };
    Ok(json!({"seq": seq, "skipped": why}))
}

/// The entries up to where the crate ends, which is all that it says of damage behind the header.
fn read(path: &Path) -> Value {
    let mut records = vec![];
    let done = each(path, &mut |entry| records.push(record(&entry)));
    let signals: Vec<String> = done.err().iter().map(io::Error::to_string).collect();
    json!({"records": records, "signals": signals})
}

fn each(path: &Path, release: &mut dyn FnMut(Entry)) -> io::Result<()> {
    let mut reader = JournalReader::new(File::open(path)?)?;
    while let Some(entry) = reader.next_entry() {
        release(entry);
    }
    Ok(())
}

fn record(entry: &Entry) -> Value {
    json!({"payload": hex::encode(body(entry)), "realtime": entry.realtime.to_string()})
}

fn body(entry: &Entry) -> Vec<u8> {
    export::body(
        entry
            .fields
            .iter()
            .map(|(name, value)| (&**name, value.as_bytes())),
    )
}

fn bench(path: &Path, repeat: usize) -> Result<(), Box<dyn Error>> {
    let (mut records, mut bytes, mut seconds) = (0u64, 0, vec![]);
    for _ in 0..repeat {
        let started = Instant::now();
        (records, bytes) = (0, 0);
        each(path, &mut |entry| {
            records += 1;
            bytes += body(&entry).len();
        })?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    println!(
        "{}",
        json!({"records": records, "payload_bytes": bytes, "all_seconds": seconds})
    );
    Ok(())
}
