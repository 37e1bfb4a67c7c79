//! Drives the log reader and writer of rusty-leveldb for the conformance suite.

use std::io::BufWriter;
use std::path::Path;

use adapterkit::{Adapter, Answer, Hello, Outcome, Request};
use rusty_leveldb::env::Env;
use rusty_leveldb::log::{LogReader, LogWriter};
use rusty_leveldb::PosixDiskEnv;

struct RustyLeveldb;

fn main() -> Outcome<()> {
    adapterkit::run(&RustyLeveldb)
}

impl Adapter for RustyLeveldb {
    fn hello(&self) -> Hello {
        Hello {
            name: "rusty-leveldb",
            version: env!("CRATE_VERSION"),
            formats: &["leveldb-log"],
            profiles: &["recover", "write", "append"],
            reports: &["records", "signals"],
            homepage: "https://github.com/dermesser/leveldb-rs",
            issues: "https://github.com/dermesser/leveldb-rs/issues",
        }
    }

    /// Reads as DB::recover_log_file (db_impl.rs) does: up to the first error or the first record
    /// of length 0. The reader also returns length 0 at the end of the log. recover_log_file
    /// ignores the error; the answer reports it as a signal.
    fn read(&self, request: &Request) -> Outcome<Answer> {
        let log = PosixDiskEnv::new().open_sequential_file(&request.path)?;
        let mut reader = LogReader::new(log, true);
        let mut record = vec![];
        let mut answer = Answer::new();
        loop {
            match reader.read(&mut record) {
                Ok(0) => break,
                Ok(_) => answer.release(&record),
                Err(status) => {
                    answer.signal(status);
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
        add(request, false)
    }

    fn append(&self, request: &Request) -> Outcome<()> {
        add(request, true)
    }
}

/// Adds records to a new log as DB::open and make_room_for_write do. With `append`, adds records to
/// an existing log as recover_log_file does under Options::reuse_logs (on by default): at the end
/// of the file, regardless of its contents. If records must be durable, the log is flushed after
/// each record, as DB::write does with sync.
fn add(request: &Request, append: bool) -> Outcome<()> {
    let (env, path): (_, &Path) = (PosixDiskEnv::new(), &request.path);
    let mut writer = if append {
        let size = env.size_of(path)?;
        LogWriter::new_with_off(BufWriter::new(env.open_appendable_file(path)?), size)
    } else {
        LogWriter::new(BufWriter::new(env.open_writable_file(path)?))
    };
    for (before, record) in request.records.iter().enumerate() {
        writer.add_record(&record.payload)?;
        if let Some(acknowledge) = &request.acknowledge {
            writer.flush()?;
            acknowledge.say(before + 1)?;
        }
    }
    Ok(writer.flush()?)
}
