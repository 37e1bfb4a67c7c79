//! Tests a small reader of LevelDB logs with the vectors. Copy it, and replace `read` with your reader.

use serde_json::{json, Value};
use sha2::{Digest, Sha256};
use walproof_vectors::{index, vectors};

const LONGEST_PAYLOAD_IN_FULL_BYTES: usize = 4096;
const BLOCK_BYTES: usize = 32768;
const HEADER_BYTES: usize = 7;
const FULL: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

/// The results of the reader, up to the first damage.
#[derive(Debug)]
struct Found {
    verdict: &'static str,
    payloads: Vec<Vec<u8>>,
    lost: Vec<(usize, usize)>,
}

fn read(log: &[u8]) -> Found {
    let (mut payloads, mut payload) = (vec![], vec![]);
    let (mut at, mut record_start, mut is_open) = (0, 0, false);
    let mut verdict = "intact";
    while at < log.len() {
        let left_in_block = BLOCK_BYTES - at % BLOCK_BYTES;
        if left_in_block < HEADER_BYTES {
            at += left_in_block;
            continue;
        }
        if !is_open {
            payload = vec![];
            record_start = at;
        }
        let Some(header) = log.get(at..at + HEADER_BYTES) else {
            verdict = "torn";
            break;
        };
        let checksum = u32::from_le_bytes([header[0], header[1], header[2], header[3]]);
        let length = u16::from_le_bytes([header[4], header[5]]) as usize;
        let (fragment, end) = (header[6], at + HEADER_BYTES + length);
        if end > at + left_in_block || end > log.len() {
            verdict = if end > at + left_in_block { "damaged" } else { "torn" };
            break;
        }
        let fits = if is_open { [MIDDLE, LAST] } else { [FULL, FIRST] }.contains(&fragment);
        let crc = crc32c::crc32c(&log[at + 6..end]);
        if !fits || checksum != crc.rotate_right(15).wrapping_add(0xa282_ead8) {
            verdict = "damaged";
            break;
        }
        payload.extend_from_slice(&log[at + HEADER_BYTES..end]);
        is_open = fragment == FIRST || fragment == MIDDLE;
        if !is_open {
            payloads.push(std::mem::take(&mut payload));
        }
        at = end;
    }
    if verdict == "intact" && is_open {
        verdict = "torn";
    }
    let lost = if verdict == "intact" { vec![] } else { vec![(record_start, log.len())] };
    Found { verdict, payloads, lost }
}

/// Returns a payload as the vectors contain it: in hexadecimal, or the SHA-256 of a long payload.
fn payload_text(payload: &Vec<u8>) -> Value {
    let digest = Sha256::digest(payload);
    let bytes = if payload.len() <= LONGEST_PAYLOAD_IN_FULL_BYTES { payload } else { &digest[..] };
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

/// Returns whether verdict, records and lost ranges match one answer.
fn is_right(answer: &Value, found: &Found) -> bool {
    let records = answer["records"].as_array().unwrap().iter();
    let payloads: Vec<&Value> =
        records.map(|record| record.get("payload").unwrap_or(&record["payload_sha256"])).collect();
    let gaps = answer["lost"].as_array().unwrap().iter();
    let lost: Vec<Value> = gaps.map(|gap| json!([gap["from"], gap["to"]])).collect();
    let found_payloads: Vec<Value> = found.payloads.iter().map(payload_text).collect();
    answer["verdict"] == found.verdict
        && json!(payloads) == json!(found_payloads)
        && json!(lost) == json!(found.lost)
}

#[test]
fn every_vector() {
    // The vectors that the reader is known to fail, because it supports neither preallocated space
    // nor other dialects.
    let list = include_str!("../known-failures.txt");
    let known: Vec<&str> = list.lines().collect();
    let mut wrong = vec![];
    for vector in vectors(Some("leveldb-log")).unwrap() {
        if vector.operation == "read" {
            let found = read(&vector.files().unwrap()[vector.body["input"].as_str().unwrap()]);
            let passes = vector.answers("strict").into_iter().any(|answer| is_right(answer, &found));
            let is_known = known.contains(&vector.id.as_str());
            if passes == is_known {
                wrong.push(format!("{}: known failure: {is_known}, found {found:?}", vector.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_log_has_the_size_that_its_vector_states() {
    let all = vectors(None).unwrap();
    assert_eq!(index().unwrap()["counts"]["vectors"], all.len());
    for vector in all {
        let size: usize = vector.files().unwrap().values().map(Vec::len).sum();
        assert_eq!(vector.body["size"], size, "{}", vector.id);
    }
}
