//! A reader and writer of etcd-wal, and the protocol of the conformance suite.

mod answer;
mod files;
mod frame;
mod reader;
mod writer;

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::path::Path;

use serde_json::{json, Value};

fn hello() -> Value {
    json!({
        "name": "etcd-wal-rust",
        "version": env!("CARGO_PKG_VERSION"),
        "language": "Rust",
        "formats": ["etcd-wal"],
        "profiles": ["recover", "strict", "write", "append"],
        "reports": [
            "records", "file", "at", "size", "verdict", "reason", "lost", "end",
            "record_type", "entry_type", "term", "index", "vote", "commit", "after_loss"
        ],
    })
}

/// Returns the reply to a read, write or append as JSON, without the opening brace.
fn reply(request: &Value) -> io::Result<String> {
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let (cmd, path) = (text("cmd"), Path::new(text("path")));
    let result = if cmd != "write" && !path.exists() {
        json!({"skipped": "nothing is at this path"})
    } else if cmd == "read" {
        let segments = files::segments(path)?;
        if segments.is_empty() {
            json!({"answer": {"verdict": "refused", "reason": "no-segments", "records": [], "lost": [], "end": null}})
        } else {
            let mut log = reader::Log::read(segments);
            let answer = answer::answer(&mut log, path.is_dir(), text("profile") == "strict");
            return Ok(format!("\"answer\":{}}}", answer.json));
        }
    } else {
        let records = request["records"].as_array().map_or(&[][..], Vec::as_slice);
        match writer::write(cmd == "append", path, records, &request["context"])? {
            Some(refusal) => json!({"refused": refusal}),
            None => json!({"done": true}),
        }
    };
    Ok(result.to_string()[1..].to_string())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut replies = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        match request["cmd"].as_str() {
            Some("bye") => break,
            Some("hello") => writeln!(replies, "{}", hello())?,
            _ => writeln!(replies, "{{\"seq\":{},{}", request["seq"], reply(&request)?)?,
        }
        replies.flush()?;
    }
    Ok(())
}
