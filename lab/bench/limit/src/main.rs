//! What no reader can be quicker than: a log is read from the page cache, its bytes are summed and
//! payloads are copied, with nothing decided on the way.
//!
//! `limit LOG REPEAT COUNT SIZE CHECKSUM RUNS RUN` copies `COUNT` payloads of `SIZE` bytes and sums `RUNS`
//! runs of `RUN` bytes, spread evenly over the log, which is a file or a folder of files. It prints the
//! line that adapters print for `bench LOG REPEAT`, and which code summed.

use std::fs::File;
use std::hash::Hasher;
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs, io};

/// Bytes read at a time: they stay in the second cache until they are summed and copied.
const WINDOW: usize = 256 << 10;
/// Bytes of payloads that are kept before the memory is used again: few enough to stay in the second
/// cache, too, which is a tenth quicker than four times as many.
const KEPT: usize = 1 << 20;

type Sum = fn(&[u8]) -> u64;

fn crc_fast(bytes: &[u8]) -> u64 {
    crc_fast::crc32_iscsi(bytes).into()
}

fn crc32c(bytes: &[u8]) -> u64 {
    crc32c::crc32c(bytes).into()
}

fn adler32(bytes: &[u8]) -> u64 {
    simd_adler32::adler32(&bytes).into()
}

fn siphash24(bytes: &[u8]) -> u64 {
    let mut hasher = siphasher::sip::SipHasher24::new_with_keys(1, 2);
    hasher.write(bytes);
    hasher.finish()
}

fn nothing(_: &[u8]) -> u64 {
    0
}

/// The code to be had for a checksum, by name.
fn candidates(checksum: &str) -> Vec<(&'static str, Sum)> {
    match checksum {
        "crc32c" => vec![("crc-fast 1.10.0", crc_fast), ("crc32c 0.6.9", crc32c)],
        "adler32" => vec![("simd-adler32 0.3.10", adler32)],
        "siphash24" => vec![("siphasher 1.0.4", siphash24)],
        "none" => vec![("none", nothing)],
        other => panic!("no such checksum: {other}"),
    }
}

/// The quickest at this length, by a trial of some milliseconds.
fn quickest(checksum: &str, run: usize) -> (&'static str, Sum) {
    let bytes: Vec<u8> = (0..WINDOW).map(|at| (at * 31 >> 3) as u8).collect();
    let trial = |sum: Sum| {
        (0..5)
            .map(|_| {
                let started = Instant::now();
                for piece in bytes.chunks_exact(run.clamp(1, WINDOW)).cycle().take((8 << 20) / run.max(64)) {
                    black_box(sum(black_box(piece)));
                }
                started.elapsed()
            })
            .min()
    };
    candidates(checksum).into_iter().min_by_key(|(_, sum)| trial(*sum)).unwrap()
}

/// An offset into a window, which is gone over again where it holds less than is asked of it.
struct Place(usize);

impl Place {
    fn each(&mut self, window: &[u8], mut left: usize, mut take: impl FnMut(&[u8])) {
        while left > 0 {
            if self.0 == window.len() {
                self.0 = 0;
            }
            let piece = &window[self.0..window.len().min(self.0 + left)];
            take(piece);
            self.0 += piece.len();
            left -= piece.len();
        }
    }
}

struct Plan {
    count: u64,
    size: usize,
    sum: Sum,
    runs: u64,
    run: usize,
}

fn pass(files: &[PathBuf], total: u64, plan: &Plan, window: &mut [u8], kept: &mut [u8]) -> io::Result<(u64, u64)> {
    let (mut records, mut summed, mut upto, mut put) = (0, 0, 0u64, 0);
    for path in files {
        let file = File::open(path)?;
        let mut at = 0;
        loop {
            let found = file.read_at(window, at)?;
            if found == 0 {
                break;
            }
            at += found as u64;
            upto += found as u64;
            let held = &window[..found];
            let (mut sums, mut copies) = (Place(0), Place(0));
            let share = |of: u64| (u128::from(of) * u128::from(upto) / u128::from(total)) as u64;
            while records < share(plan.count) {
                records += 1;
                // The runs of a record, then its payload: its bytes are in the first cache by then.
                while summed * plan.count < plan.runs * records {
                    sums.each(held, plan.run, |piece| {
                        black_box((plan.sum)(black_box(piece)));
                    });
                    summed += 1;
                }
                if put + plan.size > kept.len() {
                    black_box(&kept);
                    put = 0;
                }
                copies.each(held, plan.size, |piece| {
                    kept[put..put + piece.len()].copy_from_slice(piece);
                    put += piece.len();
                });
            }
        }
    }
    black_box(&kept);
    Ok((records, records * plan.size as u64))
}

fn files_of(log: &Path) -> io::Result<Vec<PathBuf>> {
    if !log.is_dir() {
        return Ok(vec![log.to_path_buf()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(log)? {
        found.extend(files_of(&entry?.path())?);
    }
    found.sort();
    Ok(found)
}

fn processor_seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes nothing but `now`.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) }, 0);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let [_, log, repeat, count, size, checksum, runs, run] = &arguments[..] else {
        panic!("limit LOG REPEAT COUNT SIZE CHECKSUM RUNS RUN");
    };
    let number = |text: &String| text.parse::<u64>().expect("a number");
    let run = number(run) as usize;
    let (code, sum) = quickest(checksum, run);
    let plan = Plan { count: number(count), size: number(size) as usize, sum, runs: number(runs), run };
    let files = files_of(Path::new(log))?;
    let total = files.iter().map(|path| fs::metadata(path).map(|found| found.len())).sum::<io::Result<u64>>()?;
    let mut window = vec![0; WINDOW];
    let mut kept = vec![0; KEPT.max(plan.size)];
    let (mut records, mut copied, mut seconds) = (0, 0, Vec::new());
    let mut worked = Vec::new();
    for _ in 0..number(repeat) {
        let (started, before) = (Instant::now(), processor_seconds());
        (records, copied) = pass(&files, total, &plan, &mut window, &mut kept)?;
        seconds.push(format!("{:.9}", started.elapsed().as_secs_f64()));
        worked.push(format!("{:.9}", processor_seconds() - before));
    }
    println!(
        "{{\"records\":{records},\"payload_bytes\":{copied},\"all_seconds\":[{}],\"processor_seconds\":[{}],\"code\":\"{code}\"}}",
        seconds.join(","),
        worked.join(",")
    );
    Ok(())
}
