//! Drives the crate systemd-journal-reader for the conformance suite.

use std::fs::File;
use std::io;
use std::path::Path;

use adapterkit::{export_format, json, Adapter, Answer, Hello, Outcome, Request, Skip};
use systemd_journal_reader::{Entry, JournalReader};

struct SystemdJournalReader;

fn main() -> Outcome<()> {
    match adapterkit::bench_arguments()? {
        Some((path, repeat)) => bench(&path, repeat),
        None => adapterkit::run(&SystemdJournalReader),
    }
}

impl Adapter for SystemdJournalReader {
    fn hello(&self) -> Hello {
        Hello {
            name: "systemd-journal-reader",
            version: env!("CRATE_VERSION"),
            formats: &["systemd-journal"],
            profiles: &["recover"],
            reports: &["records", "signals", "realtime"],
            homepage: "https://github.com/logjuicer/logjuicer",
            issues: "https://github.com/logjuicer/logjuicer/issues",
        }
    }

    /// Returns the entries until the crate's iterator ends. After the header, the crate has no
    /// other sign of damage than an early end.
    fn read(&self, request: &Request) -> Outcome<Answer> {
        let queries = ["match", "from_seqnum", "from_realtime", "max_field_size"];
        if queries.iter().any(|name| !request.context[*name].is_null()) {
            return Err(Skip::because(
                "systemd-journal-reader has no queries and no limits",
            ));
        }
        let mut answer = Answer::new();
        let done = each(&request.path, |entry| {
            let realtime = entry.realtime.to_string();
            answer.release_with(&body(&entry), json!({"realtime": realtime}));
        });
        if let Err(error) = done {
            answer.signal(error);
        }
        Ok(answer)
    }
}

fn each(path: &Path, mut release: impl FnMut(Entry)) -> io::Result<()> {
    let mut reader = JournalReader::new(File::open(path)?)?;
    while let Some(entry) = reader.next_entry() {
        release(entry);
    }
    Ok(())
}

fn body(entry: &Entry) -> Vec<u8> {
    let fields = entry.fields.iter();
    export_format::body(fields.map(|(name, value)| (&**name, value.as_bytes())))
}

fn bench(path: &Path, repeat: usize) -> Outcome<()> {
    adapterkit::measure(repeat, || {
        let (mut records, mut bytes) = (0, 0);
        each(path, |entry| {
            records += 1;
            bytes += body(&entry).len();
        })?;
        Ok((records, bytes))
    })
}
