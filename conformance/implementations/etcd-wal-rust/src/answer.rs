//! The torn write at the end of a log, and the answer (ETW-050 to ETW-063).

use serde_json::{json, Value};

use crate::frame::*;
use crate::reader::{Gap, GapKind, Log};

const TORN: [&str; 3] = ["torn-length", "torn-record", "torn-sector"];

/// A lost range with its segment, its code, and whether content is lost.
struct Lost {
    segment: usize,
    from: usize,
    to: usize,
    code: &'static str,
    is_loss: bool,
}

pub struct Answer {
    pub verdict: &'static str,
    /// The segment and the offset at which a writer may continue.
    pub end: Option<(usize, usize)>,
    pub json: String,
}

/// Returns the start and the code of the torn write in the last segment, if there is one (ETW-050, ETW-051).
fn torn_write(log: &Log) -> Option<(usize, &'static str)> {
    let last = log.segments.len() - 1;
    let frames: Vec<&Frame> = log
        .frames
        .iter()
        .filter(|frame| frame.segment == last)
        .collect();
    let gaps: Vec<&Gap> = log
        .gaps
        .iter()
        .filter(|gap| gap.segment == last && gap.from < gap.to)
        .collect();
    let is_fault = |gap: &&&Gap| gap.kind == GapKind::Fault;
    let (mut synced, mut entry, mut start) = (0, false, 0);
    for (number, frame) in frames.iter().enumerate() {
        if gaps
            .iter()
            .filter(is_fault)
            .any(|gap| (start..=frame.at).contains(&gap.from))
        {
            entry = false;
        }
        start = frame.end;
        let followed = number + 1 < frames.len() || gaps.iter().any(|gap| gap.from >= frame.end);
        if followed && (frame.kind == SNAPSHOT || (frame.kind == STATE && entry)) {
            synced = frame.end;
        }
        entry = match frame.kind {
            _ if frame.role == Role::UnknownType => false,
            ENTRY => true,
            STATE | SNAPSHOT => false,
            _ => entry,
        };
    }
    let mismatched = frames
        .iter()
        .filter(|frame| frame.role == Role::Mismatched)
        .map(|frame| frame.at);
    let mut faults: Vec<usize> = gaps
        .iter()
        .filter(is_fault)
        .map(|gap| gap.from)
        .chain(mismatched)
        .collect();
    faults.sort();
    faults.into_iter().find_map(|y| {
        let in_front = frames.iter().take_while(|frame| frame.at < y).count();
        let code = log.segments[last].torn_code(y)?;
        (y >= synced && in_front >= 2).then_some((y, code))
    })
}

/// Returns the answer for a log, without the torn write and, in the profile strict, without anything after the start
/// of the first damage.
pub fn answer(log: &mut Log, folder: bool, strict: bool) -> Answer {
    let last = log.segments.len() - 1;
    let torn = torn_write(log);
    if let Some((y, code)) = torn {
        log.frames
            .retain(|frame| frame.segment < last || frame.at < y);
        log.gaps.retain(|gap| gap.segment < last || gap.from < y);
        let to = log.segments[last].content;
        log.gaps.push(Gap {
            segment: last,
            from: y,
            to,
            code,
            kind: GapKind::Note,
        });
    }
    let mut lost: Vec<Lost> = vec![];
    for gap in &log.gaps {
        let is_loss = matches!(gap.kind, GapKind::Loss | GapKind::Fault);
        lost.push(Lost {
            segment: gap.segment,
            from: gap.from,
            to: gap.to,
            code: gap.code,
            is_loss,
        });
    }
    for frame in &log.frames {
        let is_loss = matches!(
            frame.role,
            Role::Mismatched | Role::UnknownType | Role::Unproven
        );
        if let Some((_, code)) = frame.fault {
            lost.push(Lost {
                segment: frame.segment,
                from: frame.at,
                to: frame.end,
                code,
                is_loss,
            });
        }
    }
    lost.sort_by_key(|range| (range.segment, range.from)); // stable, so a gap stays before its frame
    let damage = lost.iter().position(|range| !TORN.contains(&range.code));
    let (verdict, reason, end) = match (damage, torn) {
        (Some(first), _) => ("damaged", Some(lost[first].code), None),
        (None, Some((y, code))) => ("torn", Some(code), Some((last, y))),
        (None, None) => (
            "intact",
            None,
            log.frames.last().map(|frame| (last, frame.end)),
        ),
    };
    if let (true, Some(first)) = (strict, damage) {
        let Lost {
            segment,
            from,
            code,
            ..
        } = lost[first];
        log.frames
            .retain(|frame| (frame.segment, frame.at) < (segment, from));
        lost.truncate(first);
        for i in segment..=last {
            let (from, to) = (if i == segment { from } else { 0 }, log.segments[i].size());
            lost.push(Lost {
                segment: i,
                from,
                to,
                code,
                is_loss: true,
            });
        }
    }
    let mut records = vec![];
    let mut losses = lost.iter().filter(|range| range.is_loss).peekable();
    let first_loss = losses.next().map(|range| (range.segment, range.from));
    for frame in log.frames.iter().filter(|frame| frame.role == Role::Record) {
        let mut record = json!({"at": frame.at, "size": frame.end - frame.at});
        describe(&mut record, frame, log.data_of(frame));
        if first_loss.is_some_and(|first| first <= (frame.segment, frame.at)) {
            record["after_loss"] = true.into();
        }
        records.push(located(record, log, frame.segment, folder).to_string());
    }
    let lost: Vec<Value> = lost
        .iter()
        .map(|range| {
            let value = json!({"from": range.from, "to": range.to, "reason": range.code});
            located(value, log, range.segment, folder)
        })
        .collect();
    let place = match end {
        Some((segment, at)) if folder => json!({"file": log.segments[segment].name, "at": at}),
        Some((_, at)) => json!(at),
        None => Value::Null,
    };
    let rest =
        json!({"verdict": verdict, "reason": reason, "lost": lost, "end": place}).to_string();
    let json = format!("{{\"records\":[{}],{}", records.join(","), &rest[1..]);
    Answer { verdict, end, json }
}

fn located(mut value: Value, log: &Log, segment: usize, folder: bool) -> Value {
    if folder {
        value["file"] = log.segments[segment].name.as_str().into();
    }
    value
}

/// Adds the type, the fields of the payload and the payload to a record.
fn describe(record: &mut Value, frame: &Frame, payload: &[u8]) {
    let names: [&str; 3] = match frame.kind {
        METADATA => ["", "", ""],
        ENTRY => ["entry_type", "term", "index"],
        STATE => ["term", "vote", "commit"],
        _ => ["index", "term", ""],
    };
    record["record_type"] =
        ["metadata", "entry", "state", "", "snapshot"][frame.kind as usize - 1].into();
    if let Some(fields) = payload_fields(frame.kind, payload) {
        for (name, value) in names
            .iter()
            .zip(fields)
            .filter(|(name, _)| !name.is_empty())
        {
            record[*name] = match *name {
                "entry_type" => ["normal", "conf-change", "conf-change-v2"][value as usize].into(),
                _ => value.to_string().into(),
            };
        }
    }
    record["payload"] = payload
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>()
        .into();
}
