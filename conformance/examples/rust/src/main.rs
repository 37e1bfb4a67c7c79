//! A complete Walproof adapter: skeletons/rust with a reader and a writer of LevelDB logs in it.
//!
//!     CMD='cargo run -qr --manifest-path conformance/examples/rust/Cargo.toml'
//!     walproof check --cmd "$CMD" --format leveldb-log
//!
//! By hand: cargo run -qr -- read leveldb-log FILE [strict]

mod leveldb_log;

use leveldb_log::{framed, Reader};
use serde_json::{json, Value};
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Write};
use std::{env, error::Error, path::Path};

fn hello() -> Value {
    json!({
        "name": "example-rust",
        "version": "1.0.0",
        "language": "Rust",
        "formats": ["leveldb-log"],
        "profiles": ["recover", "strict", "write", "append"],
        "reports": ["records", "at", "size", "verdict", "reason", "end", "lost"],
    })
}

fn read(_format: &str, path: &Path, profile: &str, _context: &Value) -> io::Result<Value> {
    let log = fs::read(path)?;
    let found = Reader::new(&log).answer(profile == "strict");
    let records = found.records.iter().map(
        |(at, size, payload)| json!({"at": at, "size": size, "payload": hex::encode(payload)}),
    );
    let lost = found
        .lost
        .iter()
        .map(|lost| json!({"from": lost.from, "to": lost.to, "reason": lost.reason}));
    Ok(json!({"answer": {
        "verdict": found.verdict,
        "reason": found.reason,
        "records": records.collect::<Value>(),
        "lost": lost.collect::<Value>(),
        "end": found.end,
    }}))
}

/// Makes a log, or goes on with the one that is there where its end is.
fn write(
    cmd: &str,
    _format: &str,
    path: &Path,
    records: &[Value],
    _context: &Value,
) -> io::Result<Value> {
    let mut position = 0;
    let mut how = OpenOptions::new();
    how.write(true).create_new(cmd == "write");
    if cmd == "append" {
        let log = fs::read(path)?;
        let before = Reader::new(&log).answer(false);
        let Some(end) = before.end else {
            let why = before.reason.unwrap_or_default();
            return Ok(json!({"refused": format!("start a new file: {why}")}));
        };
        if records.is_empty() {
            return Ok(json!({"done": true})); // which changes nothing
        }
        OpenOptions::new()
            .write(true)
            .open(path)?
            .set_len(end as u64)?;
        position = end;
        how.append(true);
    }
    let mut log = how.open(path)?;
    for record in records {
        let payload = hex::decode(record["payload"].as_str().unwrap_or_default());
        let bytes = framed(&payload.map_err(io::Error::other)?, position);
        log.write_all(&bytes)?;
        position += bytes.len();
    }
    Ok(json!({"done": true}))
}

// ---- The protocol: nothing to fill in from here on. ----

/// Carries out a request that names a log.
fn answer(request: &Value) -> io::Result<Value> {
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let (cmd, format, path) = (text("cmd"), text("format"), Path::new(text("path")));
    if cmd != "write" && !path.exists() {
        return Ok(json!({"skipped": "nothing is at this path"}));
    }
    let records = request["records"].as_array().map_or(&[][..], Vec::as_slice);
    match cmd {
        "read" => read(format, path, text("profile"), &request["context"]),
        _ => write(cmd, format, path, records, &request["context"]),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut replies = io::stdout().lock();
    let args: Vec<String> = env::args().skip(1).collect();
    if args.len() > 2 && args[0] == "read" {
        let profile = args.get(3).map_or("recover", String::as_str);
        let (format, path) = (&args[1], &args[2]);
        let request = json!({
            "cmd": "read", "format": format, "path": path, "profile": profile, "context": {},
        });
        let result = answer(&request)?;
        writeln!(replies, "{}", result.get("answer").unwrap_or(&result))?;
        return Ok(());
    }
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let mut reply = match request["cmd"].as_str() {
            Some("bye") => break,
            Some("hello") => hello(),
            _ => answer(&request)?,
        };
        if request["cmd"] != "hello" {
            reply["seq"] = request["seq"].clone();
        }
        writeln!(replies, "{reply}")?;
        replies.flush()?; // the harness waits for it
    }
    Ok(())
}
