//! An adapter for a reader of text: a record is a line, and a line without its end is a torn tail.
//! The kit's tests start it: `cargo run --example lines read lines FILE`.

use adapterkit::{json, Adapter, Answer, Hello, Outcome, Request, Skip};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};

struct Lines;

fn main() -> Outcome<()> {
    adapterkit::run(&Lines)
}

impl Adapter for Lines {
    fn hello(&self) -> Hello {
        Hello {
            name: "lines",
            version: env!("CARGO_PKG_VERSION"),
            formats: &["lines"],
            profiles: &["recover", "write", "append"],
            reports: &["records", "signals", "at"],
            homepage: "https://example.org",
            issues: "https://example.org/issues",
        }
    }

    /// Returns the lines before the first incomplete or non-text one, which is a signal. An error on
    /// opening the file is not the reader's fault: the question mark ends the process.
    fn read(&self, request: &Request) -> Outcome<Answer> {
        if !request.context["match"].is_null() {
            return Err(Skip::because("lines has no queries"));
        }
        let log = fs::read(&request.path)?;
        let (mut answer, mut at) = (Answer::new(), 0);
        while at < log.len() {
            match line(&log[at..]) {
                Ok(payload) => {
                    println!("a line of {} bytes", payload.len()); // goes to standard error
                    answer.release_with(payload, json!({"at": at}));
                    at += payload.len() + 1;
                }
                Err(error) => {
                    answer.signal(error);
                    break;
                }
            }
        }
        Ok(answer)
    }

    fn acknowledges(&self) -> bool {
        true
    }

    fn write(&self, request: &Request) -> Outcome<()> {
        add(OpenOptions::new().write(true).create_new(true), request)
    }

    fn append(&self, request: &Request) -> Outcome<()> {
        add(OpenOptions::new().append(true), request)
    }
}

/// Returns the line at the start of `rest`, as a library would read it: with errors, and with a
/// panic on a wrong assumption.
fn line(rest: &[u8]) -> io::Result<&[u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n');
    let line = &rest[..end.ok_or(io::ErrorKind::UnexpectedEof)?];
    assert!(line.is_ascii(), "only ASCII was ever written");
    Ok(line)
}

/// An error is the writer's refusal, which must change nothing: so all records are checked first.
fn add(how: &mut OpenOptions, request: &Request) -> Outcome<()> {
    let holds_an_end = |payload: &[u8]| payload.contains(&b'\n');
    if request.records.iter().any(|one| holds_an_end(&one.payload)) {
        return Err("a line cannot hold the end of a line".into());
    }
    let mut log = how.open(&request.path)?;
    for (before, record) in request.records.iter().enumerate() {
        log.write_all(&[&record.payload[..], b"\n"].concat())?;
        if let Some(acknowledge) = &request.acknowledge {
            log.sync_data()?;
            acknowledge.say(before + 1)?;
        }
    }
    Ok(())
}
