//! A reader's answer for a log.

use std::fmt::{self, Display};

use serde_json::{json, Value};

/// Records, and the reader's messages about damage. Each list is in order.
///
/// Records are stored as JSON text, because a million small records would take gigabytes as a tree.
#[derive(Default)]
pub struct Answer {
    records: String,
    signals: Vec<String>,
}

impl Answer {
    /// Returns an answer without records or signals.
    pub fn new() -> Answer {
        Answer::default()
    }

    /// Adds a complete record.
    pub fn release(&mut self, payload: &[u8]) {
        self.release_with(payload, json!({}));
    }

    /// Adds a complete record. `record` is an object with the other fields of the record, including
    /// `at` and `size`.
    pub fn release_with(&mut self, payload: &[u8], mut record: Value) {
        record["payload"] = hex::encode(payload).into();
        if !self.records.is_empty() {
            self.records.push(',');
        }
        self.records += &record.to_string();
    }

    /// Adds a message from the reader about damage.
    pub fn signal(&mut self, message: impl Display) {
        self.signals.push(message.to_string());
    }
}

impl Display for Answer {
    /// Writes the answer in the form in which it is sent.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let signals = json!(self.signals);
        write!(f, r#"{{"records":[{}],"signals":{signals}}}"#, self.records)
    }
}
