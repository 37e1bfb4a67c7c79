//! Support for `PROGRAM bench PATH REPEAT`, the command with which `lab bench` measures a program.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;

use crate::Outcome;

/// Returns PATH and REPEAT if the command line begins with `bench`.
pub fn bench_arguments() -> Outcome<Option<(PathBuf, usize)>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [command, path, repeat] if command == "bench" => Ok(Some((path.into(), repeat.parse()?))),
        _ => Ok(None),
    }
}

/// Times `repeat` passes over a log, and prints the times as a JSON object. Each pass returns the
/// number of records and the number of bytes in their payloads.
pub fn measure(repeat: usize, mut pass: impl FnMut() -> Outcome<(u64, usize)>) -> Outcome<()> {
    let (mut records, mut bytes, mut seconds) = (0, 0, vec![]);
    for _ in 0..repeat {
        let started = Instant::now();
        (records, bytes) = pass()?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    let said = json!({"records": records, "payload_bytes": bytes, "all_seconds": seconds});
    println!("{said}");
    Ok(())
}
