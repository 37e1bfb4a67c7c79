//! The requests that the harness sends.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{json, Value};

use crate::Outcome;

/// A read, write or append request.
pub struct Request {
    pub format: String,
    pub path: PathBuf,
    /// `recover` or `strict` for a read, otherwise `write` or `append`.
    pub profile: String,
    /// An object with information about the log that its bytes do not contain, or null.
    pub context: Value,
    /// The records to write or append.
    pub records: Vec<Record>,
    /// Set if each record must be durable before the next one is written, as in `lab crash`.
    pub acknowledge: Option<Acknowledge>,
}

/// Sends the number of durable records to the harness.
pub struct Acknowledge {
    seq: Value,
    replies: File,
}

impl Acknowledge {
    pub(crate) fn new(seq: &Value, replies: &File) -> io::Result<Acknowledge> {
        Ok(Acknowledge {
            seq: seq.clone(),
            replies: replies.try_clone()?,
        })
    }

    /// Reports that the first `count` records are durable, and waits for confirmation.
    pub fn say(&self, count: usize) -> Outcome<()> {
        let said = json!({"seq": self.seq, "acknowledged": count});
        (&self.replies).write_all(format!("{said}\n").as_bytes())?;
        io::stdin().read_line(&mut String::new())?; // go-on
        Ok(())
    }
}

/// A record to write.
pub struct Record {
    pub payload: Vec<u8>,
    /// The whole record as received, including the format's additional fields.
    pub json: Value,
}

impl Request {
    /// Parses a protocol message. An error means that the message is invalid.
    pub(crate) fn of(message: &Value) -> Outcome<Request> {
        let text = |name: &str| -> Outcome<String> {
            Ok(message[name]
                .as_str()
                .ok_or_else(|| format!("no {name}"))?
                .into())
        };
        let command = text("cmd")?;
        let profile = match command.as_str() {
            "read" => message["profile"].as_str().unwrap_or("recover").into(),
            _ => command,
        };
        let records = message["records"].as_array().into_iter().flatten();
        Ok(Request {
            format: text("format")?,
            path: text("path")?.into(),
            profile,
            context: message["context"].clone(),
            records: records.map(Record::of).collect::<Outcome<_>>()?,
            acknowledge: None,
        })
    }
}

impl Record {
    fn of(json: &Value) -> Outcome<Record> {
        let payload = hex::decode(json["payload"].as_str().ok_or("no payload")?)?;
        Ok(Record {
            payload,
            json: json.clone(),
        })
    }
}
