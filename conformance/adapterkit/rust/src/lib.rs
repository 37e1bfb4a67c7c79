//! Walproof's adapter protocol v1 (JSON lines on stdin and stdout, and the one-shot form
//! `PROGRAM read FORMAT PATH`) for readers and writers in Rust. Implement [`Adapter`] and call
//! [`run`].
//!
//! The kit does not catch panics: a panic in the code under test ends the process, because a crash
//! is a separate result and must not look like an answer.

mod answer;
mod bench;
pub mod export_format;
mod protocol;
mod request;

pub use answer::Answer;
pub use bench::{bench_arguments, measure};
pub use hex;
pub use protocol::{run, serve};
pub use request::{Acknowledge, Record, Request};
pub use serde_json::{json, Value};

use std::error::Error;
use std::fmt;

/// A result. An error other than [`Skip`] ends the process, unless the method documents otherwise.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// A program under test.
pub trait Adapter {
    fn hello(&self) -> Hello;

    /// Reads the log at `request.path`. Add the reader's messages about damage to the answer as
    /// signals, after the records released before them. Return an error only for failures outside
    /// the reader, such as a file that cannot be opened.
    fn read(&self, request: &Request) -> Outcome<Answer>;

    /// Returns whether `write` and `append` use `request.acknowledge`, if it is set, to report the
    /// number of durable records.
    fn acknowledges(&self) -> bool {
        false
    }

    /// Writes a new log to `request.path`. An error means that the writer refuses.
    fn write(&self, _request: &Request) -> Outcome<()> {
        Err(Skip::because("this implementation cannot write a log"))
    }

    /// Opens the log at `request.path` as the implementation does after a restart, and appends to
    /// it. An error means that the writer refuses.
    fn append(&self, _request: &Request) -> Outcome<()> {
        Err(Skip::because("this implementation cannot append to a log"))
    }
}

/// The reply to `hello`. Requests for other `formats` or `profiles` are skipped without a call.
/// `reports` names the parts of an answer that the implementation can report.
pub struct Hello {
    pub name: &'static str,
    /// The version of the program under test, not of the adapter.
    pub version: &'static str,
    pub formats: &'static [&'static str],
    pub profiles: &'static [&'static str],
    pub reports: &'static [&'static str],
    pub homepage: &'static str,
    pub issues: &'static str,
}

impl Hello {
    /// Returns the reply as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "version": self.version,
            "language": "Rust",
            "formats": self.formats,
            "profiles": self.profiles,
            "reports": self.reports,
            "homepage": self.homepage,
            "issues": self.issues,
        })
    }
}

/// The error with which an adapter skips a request. Its text is the reason.
#[derive(Debug)]
pub struct Skip(String);

impl Skip {
    pub fn because(why: impl Into<String>) -> Box<dyn Error> {
        Box::new(Skip(why.into()))
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Skip {}
