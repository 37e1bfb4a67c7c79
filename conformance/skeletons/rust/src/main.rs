//! A Walproof adapter to start from: one file and serde_json. Fill in read, name it in hello.
//!
//!     CMD='cargo run -qr --manifest-path conformance/skeletons/rust/Cargo.toml'
//!     walproof check --smoke --seconds 60 --cmd "$CMD"   # does it speak the protocol?
//!     walproof check --cmd "$CMD"                # all vectors
//!
//! By hand: cargo run -qr -- read leveldb-log FILE [strict]
#![allow(unused_variables)] // until read and write use what they are given

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

// ====> YOUR READER GOES HERE. Return what it released and whatever it said of damage, for example
// json!({"answer": {"records": [{"payload": "616c706861"}], "signals": [error.to_string()]}})
// An Err that your reader returns for damage is a signal: keep the records before it. Do not catch
// its panics: a crash is a result too. context is what the vector says about the log besides the
// file.
fn read(format: &str, path: &Path, profile: &str, context: &Value) -> io::Result<Value> {
    Ok(json!({"skipped": "read() is not written yet"}))
}

// ====> YOUR WRITER GOES HERE. For cmd "write" make a new log at path, for "append" go on with the
// one that is there. Return json!({"done": true}) when all records are in it, or {"refused": "why"}
// and leave what is there as it was. A record has its payload in hex and what else the format
// needs. Add the profiles "write" and "append" to hello.
fn write(
    cmd: &str,
    format: &str,
    path: &Path,
    records: &[Value],
    context: &Value,
) -> io::Result<Value> {
    Ok(json!({"skipped": "write() is not written yet"}))
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
