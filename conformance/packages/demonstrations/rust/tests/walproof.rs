// In Cargo.toml: [[test]] name = "walproof", harness = false

use rusty_leveldb::env::Env;
use rusty_leveldb::log::{LogReader, LogWriter};
use rusty_leveldb::PosixDiskEnv;
use std::io::BufWriter;
use std::process::ExitCode;
use walproof_vectors::runner::{self, Declined, Options, Record, Request, Said, Subject};

struct RustyLeveldb;

impl Subject for RustyLeveldb {
    /// As DB::recover_log_file: up to the first error, or the first record of length 0.
    fn read(&self, request: &Request) -> Result<Said, Declined> {
        let log = PosixDiskEnv::new().open_sequential_file(&request.path)?;
        let mut reader = LogReader::new(log, true);
        let (mut payload, mut said) = (vec![], Said::default());
        loop {
            match reader.read(&mut payload) {
                Ok(0) => return Ok(said),
                Ok(_) => said.records.push(Record { payload: payload.clone(), ..Record::default() }),
                Err(status) => {
                    said.signals.push(status.to_string());
                    return Ok(said);
                }
            }
        }
    }

    fn write(&self, request: &Request) -> Result<(), Declined> {
        let file = PosixDiskEnv::new().open_writable_file(&request.path)?;
        add(LogWriter::new(BufWriter::new(file)), &request.records)
    }

    /// As with Options::reuse_logs, which is on by default: at the end, whatever is there.
    fn append(&self, request: &Request) -> Result<(), Declined> {
        let env = PosixDiskEnv::new();
        let size = env.size_of(&request.path)?;
        let file = BufWriter::new(env.open_appendable_file(&request.path)?);
        add(LogWriter::new_with_off(file, size), &request.records)
    }
}

fn add<W: std::io::Write>(mut writer: LogWriter<W>, records: &[Record]) -> Result<(), Declined> {
    for record in records {
        writer.add_record(&record.payload)?;
    }
    Ok(writer.flush().map(|_| ())?)
}

fn main() -> ExitCode {
    let options = Options {
        format: "leveldb-log",
        reports: &["records", "signals"],
        profiles: &["recover", "write", "append"],
        known: Some("known-failures.json".into()),
        ..Options::default()
    };
    runner::main(options, RustyLeveldb)
}
