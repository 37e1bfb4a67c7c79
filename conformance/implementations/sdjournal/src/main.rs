//! Drives the crate sdjournal for the conformance suite.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use adapterkit::{export_format, hex, json, Adapter, Answer, Hello, Outcome, Request, Skip, Value};
use sdjournal::{EntryRef, Journal, JournalConfig, SdJournalError};

struct Sdjournal;

fn main() -> Outcome<()> {
    match adapterkit::bench_arguments()? {
        Some((path, repeat)) => bench(&path, repeat),
        None => adapterkit::run(&Sdjournal),
    }
}

impl Adapter for Sdjournal {
    fn hello(&self) -> Hello {
        Hello {
            name: "sdjournal",
            version: env!("CRATE_VERSION"),
            formats: &["systemd-journal"],
            profiles: &["recover"],
            reports: &[
                "records",
                "signals",
                "seqnum",
                "realtime",
                "monotonic",
                "boot_id",
            ],
            homepage: "https://github.com/lvillis/sdjournal",
            issues: "https://github.com/lvillis/sdjournal/issues",
        }
    }

    /// Returns all entries that the crate returns. Errors become signals, as do the messages of the
    /// seal verifier.
    fn read(&self, request: &Request) -> Outcome<Answer> {
        let context = &request.context;
        if !context["from_seqnum"].is_null() {
            return Err(Skip::because("sdjournal cannot seek by sequence number"));
        }
        let mut answer = Answer::new();
        let folder = match Folder::with(&request.path) {
            Ok(folder) => folder,
            Err(error) => {
                answer.signal(error);
                return Ok(answer);
            }
        };
        let mut errors = Vec::new();
        let read = each(&folder.0, context, &mut errors, |entry| release(entry, &mut answer));
        errors.extend(read.err());
        errors.into_iter().for_each(|error| answer.signal(error));
        if let (Some(key), Ok(journal)) = (context["key"].as_str(), Journal::open_dir(&folder.0)) {
            if let Err(error) = journal.verify_seal(key) {
                answer.signal(error);
            }
        }
        Ok(answer)
    }
}

/// After this many errors, an iterator counts as endless.
const MOST_ERRORS: usize = 1000;

/// Calls a function with each entry that the context selects. After an error the iterator continues
/// with the next entry, so that one bad object does not lose other entries.
fn each(
    folder: &Path,
    context: &Value,
    errors: &mut Vec<SdJournalError>,
    mut release: impl FnMut(&EntryRef),
) -> Result<(), SdJournalError> {
    let mut config = JournalConfig::default();
    if let Some(limit) = number(&context["max_field_size"]) {
        config.max_decompressed_bytes = limit as usize;
    }
    let journal = Journal::open_dir_with_config(folder, config)?;
    let mut query = journal.query();
    let wanted = context["match"].as_str();
    if let Some((name, value)) = wanted.and_then(|text| text.split_once('=')) {
        query.match_exact(name, value.as_bytes());
    }
    if let Some(from) = number(&context["from_realtime"]) {
        query.since_realtime(from);
    }
    for entry in query.iter()? {
        match entry {
            Ok(entry) => release(&entry),
            Err(error) if errors.len() == MOST_ERRORS => return Err(error),
            Err(error) => errors.push(error),
        }
    }
    Ok(())
}

/// Returns a number from a context, in which 64-bit numbers are strings of decimal digits.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn release(entry: &EntryRef, answer: &mut Answer) {
    let fields = json!({
        "seqnum": entry.seqnum().to_string(),
        "realtime": entry.realtime_usec().to_string(),
        "monotonic": entry.monotonic_usec().to_string(),
        "boot_id": hex::encode(entry.boot_id()),
    });
    answer.release_with(&export_format::body(entry.iter_fields()), fields);
}

fn bench(path: &Path, repeat: usize) -> Outcome<()> {
    let folder = Folder::with(path)?;
    adapterkit::measure(repeat, || {
        let (mut records, mut bytes) = (0, 0);
        each(&folder.0, &json!({}), &mut Vec::new(), |entry| {
            records += 1;
            bytes += export_format::body(entry.iter_fields()).len();
        })?;
        Ok((records, bytes))
    })
}

/// A folder with only a link to the file, because the crate opens folders, not files.
struct Folder(PathBuf);

impl Folder {
    fn with(path: &Path) -> io::Result<Folder> {
        let beside = path.parent().unwrap_or(Path::new("."));
        let folder = Folder(beside.join(format!("sdjournal-{}", std::process::id())));
        fs::create_dir(&folder.0)?;
        let inside = folder.0.join("one.journal");
        fs::hard_link(path, &inside).or_else(|_| fs::copy(path, &inside).map(|_| ()))?;
        Ok(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
