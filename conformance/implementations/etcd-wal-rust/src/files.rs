//! The files of a log (ETW-001, ETW-002).

use std::fs;
use std::io;
use std::path::Path;

use crate::frame::Segment;

/// Returns the sequence number in the name of a segment.
fn sequence(name: &str) -> Option<u64> {
    let (sequence, index) = name.strip_suffix(".wal")?.split_once('-')?;
    let number = |text: &str| {
        let is_number =
            (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_number.then(|| u64::from_str_radix(text, 16).unwrap())
    };
    number(index).and(number(sequence))
}

/// Reads the segments of a log in their order.
pub fn segments(path: &Path) -> io::Result<Vec<Segment>> {
    let mut found = vec![];
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if let Some(number) = sequence(&name).filter(|_| entry.path().is_file()) {
                found.push((number, name, entry.path()));
            }
        }
        found.sort();
    } else {
        found.push((0, String::new(), path.into()));
    }
    let mut segments: Vec<Segment> = vec![];
    let last = found.len().saturating_sub(1);
    for (i, (sequence, name, path)) in found.into_iter().enumerate() {
        let bytes = fs::read(path)?;
        let content = bytes
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |at| at + 1);
        segments.push(Segment {
            name,
            sequence,
            bytes,
            content,
            last: i == last,
            next_head: None,
            tried: Default::default(),
        });
    }
    for i in 1..segments.len() {
        let head = segments[i]
            .reading_a(0)
            .filter(|head| head.is_checksum_record());
        segments[i - 1].next_head = head.map(|head| head.stored);
    }
    Ok(segments)
}
