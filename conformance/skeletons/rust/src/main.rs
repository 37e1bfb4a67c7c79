//! A template for a Walproof adapter: one file and serde_json. Fill in read and hello.
//!
//!     cargo build --release
//!     walproof check --smoke --cmd target/release/adapter   # checks the protocol
//!     walproof check --cmd target/release/adapter   # all vectors
//!
//! By hand: target/release/adapter read leveldb-log FILE [strict]
#![allow(unused_variables)] // until read and write use their parameters

use serde_json::{json, Value};
use std::io::{self, BufRead, Write};
use std::{env, error::Error, path::Path};

fn hello() -> Value {
    json!({
        "name": "my-reader",
        "version": "0.0.0",
        "language": "Rust",
        "formats": ["leveldb-log"],
        "profiles": ["recover"],
        "reports": ["records", "signals"],
    })
}

// ====> YOUR READER GOES HERE. Return its records and its messages about damage, for example
// json!({"answer": {"records": [{"payload": "616c706861"}], "signals": [error.to_string()]}})
// If your reader returns an Err for damage, return its text as a signal, and return the records
// before the damage, too. Do not catch panics of the reader: a crash is a result too. context has
// information about the log that is not in the file.
fn read(format: &str, path: &Path, profile: &str, context: &Value) -> io::Result<Value> {
    Ok(json!({"skipped": "read() is not written yet"}))
}

// ====> YOUR WRITER GOES HERE. For cmd "write", create a log at path; for "append", append to the
// log at path. Return json!({"done": true}) if the log contains all records; otherwise change
// nothing and return {"refused": "why"}. A record has its payload in hexadecimal and the other
// fields of the format. Add the profiles "write" and "append" to hello.
fn write(
    cmd: &str,
    format: &str,
    path: &Path,
    records: &[Value],
    context: &Value,
) -> io::Result<Value> {
    Ok(json!({"skipped": "write() is not written yet"}))
}

// ---- The protocol. Do not change anything below. ----

/// Performs a read, write or append request.
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
        replies.flush()?; // the harness waits for the reply
    }
    Ok(())
}
