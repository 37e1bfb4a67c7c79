//! Drives the log reader and writer of rusty-leveldb for the conformance suite.
//!
//!     adapter                          speaks the protocol: JSON lines on stdin and stdout
//!     adapter read leveldb-log PATH    prints one answer
//!
//! A panic of the crate ends the process: a crash is a result of its own and must not look like an answer.

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;

use rusty_leveldb::env::Env;
use rusty_leveldb::log::{LogReader, LogWriter};
use rusty_leveldb::PosixDiskEnv;
use serde_json::{json, Value};

const FORMAT: &str = "leveldb-log";
const GONE: &str = "nothing is at this path";
const PROFILES: [&str; 3] = ["recover", "write", "append"];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [command, format, path] = args.as_slice() {
        if command != "read" || format != FORMAT {
            return Err(format!("usage: adapter read {FORMAT} PATH").into());
        }
        if !Path::new(path).exists() {
            println!("{}", json!({"skipped": GONE}));
            return Ok(());
        }
        println!("{}", read(Path::new(path))?);
        return Ok(());
    }
    let mut replies = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let reply = match request["cmd"].as_str() {
            Some("bye") => break,
            Some("hello") => hello().to_string(),
            _ => reply(&request)?,
        };
        writeln!(replies, "{reply}")?;
        replies.flush()?;
    }
    Ok(())
}

fn hello() -> Value {
    json!({
        "name": "rusty-leveldb",
        "version": env!("RUSTY_LEVELDB_VERSION"),
        "language": "Rust",
        "formats": [FORMAT],
        "profiles": PROFILES,
        "reports": ["records", "signals"],
        "homepage": "https://github.com/dermesser/leveldb-rs",
        "issues": "https://github.com/dermesser/leveldb-rs/issues",
    })
}

/// Replies to read, write and append. An error is not the crate's doing: a message that makes no sense, or a log that
/// cannot be opened.
fn reply(request: &Value) -> Result<String, Box<dyn Error>> {
    let seq = &request["seq"];
    let command = request["cmd"].as_str().ok_or("no cmd")?;
    let profile = if command == "read" {
        request["profile"].as_str().unwrap_or("recover")
    } else {
        command
    };
    if request["format"] != FORMAT || !PROFILES.contains(&profile) {
        let why = format!("rusty-leveldb has no {profile} for {}", request["format"]);
        return Ok(json!({"seq": seq, "skipped": why}).to_string());
    }
    let path = Path::new(request["path"].as_str().ok_or("no path")?);
    if command != "write" && !path.exists() {
        return Ok(json!({"seq": seq, "skipped": GONE}).to_string());
    }
    if command == "read" {
        return Ok(format!(r#"{{"seq":{seq},"answer":{}}}"#, read(path)?));
    }
    let written = add(path, command == "append", &payloads(request)?);
    let reply = match written {
        Ok(()) => json!({"seq": seq, "done": true}),
        Err(refusal) => json!({"seq": seq, "refused": refusal.to_string()}),
    };
    Ok(reply.to_string())
}

/// Reads as DB::recover_log_file (db_impl.rs) does: up to the first error, or the first record of length 0, by which
/// the reader also says that the log ends. recover_log_file forgets the error; the answer keeps it as a signal.
/// Returns the answer as JSON, written as the records come: a tree of a million small ones would take gigabytes.
fn read(path: &Path) -> rusty_leveldb::Result<String> {
    let mut reader = LogReader::new(PosixDiskEnv::new().open_sequential_file(path)?, true);
    let mut record = vec![];
    let mut answer = String::from(r#"{"records":["#);
    let mut separator = "";
    let mut signals = vec![];
    loop {
        match reader.read(&mut record) {
            Ok(0) => break,
            Ok(_) => answer += &format!(r#"{separator}{{"payload":"{}"}}"#, hex::encode(&record)),
            Err(status) => {
                signals.push(status.to_string());
                break;
            }
        }
        separator = ",";
    }
    answer += &format!(r#"],"signals":{}}}"#, json!(signals));
    Ok(answer)
}

/// Adds records to a new log as DB::open and make_room_for_write do or, with `append`, to an old one as
/// recover_log_file does under Options::reuse_logs (on by default): at its size, whatever its tail holds.
fn add(path: &Path, append: bool, payloads: &[Vec<u8>]) -> rusty_leveldb::Result<()> {
    let env = PosixDiskEnv::new();
    let mut writer = if append {
        let size = env.size_of(path)?;
        LogWriter::new_with_off(BufWriter::new(env.open_appendable_file(path)?), size)
    } else {
        LogWriter::new(BufWriter::new(env.open_writable_file(path)?))
    };
    for payload in payloads {
        writer.add_record(payload)?;
    }
    writer.flush()
}

fn payloads(request: &Value) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let records = request["records"].as_array().ok_or("no records")?;
    records
        .iter()
        .map(|record| {
            Ok(hex::decode(
                record["payload"].as_str().ok_or("no payload")?,
            )?)
        })
        .collect()
}
