//! What a reader says of a log.

use std::fmt::{self, Display};

use serde_json::{json, Value};

/// Records and, in its own words, what the reader said of damage, both in order.
///
/// Records are kept as JSON text, because a tree of a million small ones would take gigabytes.
#[derive(Default)]
pub struct Answer {
    records: String,
    signals: Vec<String>,
}

impl Answer {
    /// The answer of a reader that has released nothing and said nothing.
    pub fn new() -> Answer {
        Answer::default()
    }

    /// Adds a complete record.
    pub fn release(&mut self, payload: &[u8]) {
        self.release_with(payload, json!({}));
    }

    /// Adds a complete record with the fields of its format (an object), `at` and `size` among them.
    pub fn release_with(&mut self, payload: &[u8], mut record: Value) {
        record["payload"] = hex::encode(payload).into();
        if !self.records.is_empty() {
            self.records.push(',');
        }
        self.records += &record.to_string();
    }

    /// Adds what the reader said of damage.
    pub fn signal(&mut self, words: impl Display) {
        self.signals.push(words.to_string());
    }
}

impl Display for Answer {
    /// The answer as it is sent.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let signals = json!(self.signals);
        write!(f, r#"{{"records":[{}],"signals":{signals}}}"#, self.records)
    }
}
