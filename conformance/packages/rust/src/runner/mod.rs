//! A test for each vector under `cargo test`. README.md has an example, RUNNERS.md the rules.
//!
//! The test target has `harness = false`, and its `main` returns [`main`]. It takes a part of a name, as libtest does:
//! `cargo test --test walproof first-then-full`.

mod case;
mod compare;
mod known;

pub use case::below;
pub use compare::{canonical, ranges};
pub use known::Known;

use crate::Vector;
use case::Case;
use serde_json::{json, Map, Value};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs, io};

/// What is tested. A reader says of damage in signals, not with an error.
pub trait Subject: Send + Sync + 'static {
    fn read(&self, _request: &Request) -> Result<Said, Declined> {
        Err(Declined::Skip("there is no read".into()))
    }
    fn write(&self, _request: &Request) -> Result<(), Declined> {
        Err(Declined::Skip("there is no write".into()))
    }
    fn append(&self, _request: &Request) -> Result<(), Declined> {
        Err(Declined::Skip("there is no append".into()))
    }
}

/// What is asked. `context` is what the vector says of the log from outside of it; `records` are to be written.
pub struct Request {
    pub format: String,
    pub path: PathBuf,
    pub profile: &'static str,
    pub context: Value,
    pub records: Vec<Record>,
}

/// A payload, and the other fields by name, such as `at` and `size`.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub payload: Vec<u8>,
    pub fields: Map<String, Value>,
}

/// What a reader says. `others` are the parts `verdict`, `reason`, `lost` and `end`, as vectors have them.
#[derive(Clone, Debug, Default)]
pub struct Said {
    pub records: Vec<Record>,
    pub signals: Vec<String>,
    pub others: Map<String, Value>,
}

/// Why a request was not done.
#[derive(Debug)]
pub enum Declined {
    /// It is none of the subject's business: the test is skipped.
    Skip(String),
    /// A writer does not take these records, or this log. Of a reader it is a crash.
    Refused(String),
}

/// A writer refuses with its own error.
impl<E: std::error::Error> From<E> for Declined {
    fn from(error: E) -> Declined {
        Declined::Refused(error.to_string())
    }
}

/// What is asked, and what is compared.
pub struct Options {
    pub format: &'static str,
    /// The parts of an answer that `read` gives.
    pub reports: &'static [&'static str],
    /// Those that are asked of recover, strict, write and append.
    pub profiles: &'static [&'static str],
    /// A file of known failures; `WALPROOF_UPDATE_KNOWN=1` has it written.
    pub known: Option<PathBuf>,
    pub choose: Box<dyn Fn(&Vector) -> bool>,
    /// How many times its time limit a request may take.
    pub patience: u64,
    /// A file for a line of JSON a result; else `WALPROOF_RESULTS` names one.
    pub results: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            format: "",
            reports: &["records", "signals"],
            profiles: &["recover"],
            known: None,
            choose: Box::new(|_| true),
            patience: 5,
            results: env::var_os("WALPROOF_RESULTS").map(PathBuf::from),
        }
    }
}

/// Runs every test, or those with a part of their name among the arguments, and says what came of them.
pub fn main<S: Subject>(options: Options, subject: S) -> ExitCode {
    match run(&options, subject) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(101), // as libtest has it
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(101)
        }
    }
}

/// Runs every test, and prints a line each; how many failed.
pub fn run<S: Subject>(options: &Options, subject: S) -> io::Result<usize> {
    let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
    let filters: Vec<String> = env::args().skip(1).filter(|one| !one.starts_with('-')).collect();
    let (all, subject) = (crate::vectors(Some(options.format))?, Arc::new(subject));
    if all.is_empty() {
        return Err(invalid(format!("no vectors of {}", options.format)));
    }
    let mut known = Known::of(options.known.as_deref())?;
    let ids: Vec<&str> = all.iter().map(|one| one.id.as_str()).collect();
    let strangers = known.strangers(options.format, &ids);
    if known.updates && !strangers.is_empty() {
        known.forget(&strangers)?;
    } else if let [first, ..] = strangers.as_slice() {
        return Err(invalid(format!("{:?}: {first} is no vector", options.known)));
    }
    let (mut passed, mut skipped, mut failed) = (0, 0, 0);
    for vector in all.iter().filter(|one| (options.choose)(one)) {
        for profile in profiles_of(&vector.operation).iter().filter(|one| options.profiles.contains(one)) {
            let name = format!("{}/{profile}", vector.id);
            if !filters.is_empty() && !filters.iter().any(|one| name.contains(one.as_str())) {
                continue;
            }
            let (class, difference) = Case { options, subject: &subject, vector, profile }.judge()?;
            if let Some(path) = &options.results {
                let row = json!({"vector": vector.id, "profile": profile, "result": class, "difference": difference});
                let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
                file.write_all(format!("{row}\n").as_bytes())?;
            }
            let (class, why) = if known.updates {
                known.updated(&vector.id, profile, class, &difference)?
            } else {
                known.compared(&vector.id, profile, class, &difference)
            };
            match class.as_str() {
                "pass" => {
                    passed += 1;
                    println!("test {name} ... ok");
                }
                "skipped" | "known-failure" => {
                    skipped += 1;
                    println!("test {name} ... ignored, {class}: {}", if why.is_empty() { &difference } else { &why });
                }
                _ => {
                    failed += 1;
                    println!("test {name} ... FAILED\n  {class}: {why}\n  {difference}\n  {}", vector.title);
                    println!("  {}", vector.requirements.join(" "));
                }
            }
        }
    }
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {verdict}. {passed} passed; {failed} failed; {skipped} ignored");
    Ok(failed)
}

fn profiles_of(operation: &str) -> &'static [&'static str] {
    match operation {
        "read" => &["recover", "strict"],
        "truncations" => &["recover"],
        "write" => &["write"],
        _ => &["append"],
    }
}
