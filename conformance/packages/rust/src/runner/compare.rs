//! What is right: the rules of RUNNERS.md, on answers as JSON.

use super::Said;
use crate::sha256::sha256;
use serde_json::{json, Value};

const INLINE: usize = 4096; // bytes; of a longer payload there is the SHA-256
const PARTS: [&str; 6] = ["end", "lost", "reason", "records", "signals", "verdict"];

/// Bytes in hexadecimal.
pub fn hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An answer as vectors have it.
pub fn normalised(said: Said) -> Value {
    let records = said.records.into_iter().map(|one| {
        let mut fields = one.fields;
        if one.payload.len() > INLINE {
            fields.insert("payload_sha256".into(), sha256(&one.payload).into());
        } else {
            fields.insert("payload".into(), hex(&one.payload).into());
        }
        Value::Object(fields)
    });
    let records: Vec<Value> = records.collect();
    let mut all = said.others;
    all.insert("records".into(), records.into());
    all.insert("signals".into(), said.signals.into());
    Value::Object(all)
}

/// What a vector of truncations asks: lengths of prefixes, each with its answer.
pub fn prefixes(body: &Value) -> Vec<(usize, Value)> {
    let mut found = vec![];
    for row in list(&body["table"]) {
        let mut lengths = vec![row["from"].as_u64(), row["to"].as_u64()];
        lengths.dedup();
        for length in lengths.into_iter().flatten() {
            let end = if row["end"] == "length" { json!(length) } else { row["end"].clone() };
            let torn = json!([{"from": end, "to": length, "reason": row["reason"]}]);
            let lost = if row["verdict"] == "torn" { torn } else { json!([]) };
            let records = &list(&body["expect"]["records"])[..row["records"].as_u64().unwrap_or(0) as usize];
            let answer = json!({
                "verdict": row["verdict"], "reason": row["reason"], "records": records, "lost": lost, "end": end,
            });
            found.push((length as usize, answer));
        }
    }
    found
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// What differs in the parts that are reported, one short sentence a part.
pub fn differences(expected: &Value, actual: &Value, reports: &[&str]) -> Vec<String> {
    let mut wrong = vec![];
    if reports.contains(&"records") {
        wrong.extend(record_difference(list(&expected["records"]), list(&actual["records"]), reports));
    }
    for part in ["verdict", "reason", "end"] {
        let (want, got) = (canonical(&expected[part]), canonical(&actual[part]));
        if reports.contains(&part) && want != got {
            wrong.push(format!("{part}: expected {want}, found {got}"));
        }
    }
    if reports.contains(&"lost") {
        let with_reasons = reports.contains(&"reason");
        let (want, got) = (ranges(&expected["lost"], with_reasons), ranges(&actual["lost"], with_reasons));
        if want != got {
            wrong.push(format!("lost: expected {want:?}, found {got:?}"));
        }
    }
    if reports.contains(&"signals") {
        let (verdict, signals) = (expected["verdict"].as_str().unwrap_or(""), list(&actual["signals"]));
        if verdict == "intact" && !signals.is_empty() {
            wrong.push(format!("signals: expected none for an intact log, found {signals:?}"));
        } else if ["damaged", "refused"].contains(&verdict) && signals.is_empty() {
            wrong.push(format!("signals: a {verdict} log, and not a word of it"));
        }
    }
    wrong
}

fn record_difference(expected: &[Value], actual: &[Value], reports: &[&str]) -> Option<String> {
    let count = format!("records: expected {}, found {}", expected.len(), actual.len());
    let fields = reports.iter().filter(|one| !PARTS.contains(one));
    let names: Vec<&str> = ["payload", "payload_sha256"].iter().chain(fields).copied().collect();
    for (number, (one, other)) in expected.iter().zip(actual).enumerate() {
        for name in &names {
            let (want, got) = (canonical(&one[*name]), canonical(&other[*name]));
            if want != got {
                return Some(format!("{count}; {name} of record {number}: expected {want:.80}, found {got:.80}"));
            }
        }
    }
    (expected.len() != actual.len()).then_some(count)
}

type Range = (String, u64, u64, String);

/// Lost ranges with their reasons or, without these, the bytes that they cover.
pub fn ranges(lost: &Value, with_reasons: bool) -> Vec<Range> {
    let text = |value: &Value| value.as_str().unwrap_or("").to_string();
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let of = |one: &Value| (text(&one["file"]), number(&one["from"]), number(&one["to"]), text(&one["reason"]));
    let mut all: Vec<Range> = list(lost).iter().map(of).collect();
    if with_reasons {
        return all;
    }
    all.sort();
    let mut merged: Vec<Range> = vec![];
    for (file, from, to, _) in all {
        match merged.last_mut() {
            Some(last) if last.0 == file && from <= last.2 => last.2 = last.2.max(to),
            _ if from < to => merged.push((file, from, to, String::new())),
            _ => {}
        }
    }
    merged
}

/// Digits that stand for all that was said, the wording of signals apart.
pub fn pin(actual: &Value, reports: &[&str]) -> String {
    let mut said = serde_json::Map::new();
    for part in PARTS.iter().filter(|part| reports.contains(part)) {
        said.insert(part.to_string(), actual[*part].clone());
    }
    let spoke = reports.contains(&"signals") && !list(&actual["signals"]).is_empty();
    said.insert("signals".into(), spoke.into());
    sha256(canonical(&Value::Object(said)).as_bytes())[..8].to_string()
}

/// The one text of a value: keys in order, `, ` and `: `, all that is not printable ASCII escaped.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Array(values) => format!("[{}]", values.iter().map(canonical).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(b.0)); // whatever order serde_json keeps
            let texts = sorted.iter().map(|(name, one)| format!("{}: {}", quoted(name), canonical(one)));
            format!("{{{}}}", texts.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for one in text.chars() {
        match one {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{c}' => out.push_str("\\f"),
            '\u{8}' => out.push_str("\\b"),
            ' '..='~' => out.push(one),
            _ => out.extend(one.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}"))),
        }
    }
    out + "\""
}
