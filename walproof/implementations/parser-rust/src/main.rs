//! Driver of the Rust parsers: lists the fields that they find (walproof/parsers/README.md).

mod listing;
mod walker;

use kaitai::{BytesReader, KStruct};
use listing::hex;
use serde_json::{json, Value};
use sha2::{Digest, Sha256};
use std::io::{self, BufRead, Write};
use std::time::Instant;
use walproof_parsers::leveldb_log::{LeveldbLog, LeveldbLog_RecordType as RecordType};

fn hello() -> Value {
    json!({
        "name": "parser-rust", "version": "0.11.0", "language": "Rust", "formats": ["*"],
        "profiles": ["structure"], "reports": ["structure", "unknown-enums"],
        "homepage": "https://kaitai.io",
        "issues": "https://github.com/kaitai-io/kaitai_struct/issues",
    })
}

fn reply(request: &Value) -> Value {
    let seq = &request["seq"];
    let Some(grammar) = request["grammar"].as_str() else {
        return json!({"seq": seq, "skipped": "lists fields only"});
    };
    let path = request["path"].as_str().expect("a path");
    let bytes = std::fs::read(path).expect("a file that can be read");
    let Some(lines) = walker::listing(grammar, bytes) else {
        return json!({"seq": seq, "skipped": format!("no parser of {grammar}")});
    };
    let mut digest = Sha256::new();
    for line in &lines {
        digest.update(line);
        digest.update("\n");
    }
    let mut structure = json!({"fields": lines.len(), "sha256": hex(&digest.finalize())});
    if request["listing"] == true {
        structure["listing"] = json!(lines);
    }
    json!({"seq": seq, "structure": structure})
}

/// Reads a LevelDB log a number of times, as the contenders of `walproof bench` do.
fn bench(path: &str, repeat: usize) {
    let (mut records, mut payload, mut seconds) = (0, 0, Vec::new());
    for _ in 0..repeat {
        let started = Instant::now();
        (records, payload) = (0u64, 0);
        let stream = BytesReader::open(path).expect("a file that can be read");
        let log = LeveldbLog::read_into::<_, LeveldbLog>(&stream, None, None).expect("a log");
        for block in log.blocks().iter() {
            for record in block.records().iter() {
                let header = record.header();
                let whole = matches!(*header.r#type(), RecordType::Full | RecordType::Last);
                records += u64::from(whole);
                payload += record.data().len();
            }
        }
        seconds.push(started.elapsed().as_secs_f64());
    }
    println!("{}", json!({"records": records, "payload_bytes": payload, "all_seconds": seconds}));
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() > 3 && arguments[1] == "bench" {
        return bench(&arguments[2], arguments[3].parse().expect("a number"));
    }
    std::panic::set_hook(Box::new(|_| ())); // an instance that cannot be computed is a line, not noise
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let said = match request["cmd"].as_str() {
            Some("bye") => return,
            Some("hello") => hello(),
            _ => reply(&request),
        };
        println!("{said}");
        io::stdout().flush().expect("a reader");
    }
}
