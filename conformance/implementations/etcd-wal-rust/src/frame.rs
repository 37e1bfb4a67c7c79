//! The frames of a segment, their readings and their proofs (ETW-003 to ETW-011, ETW-020 to ETW-024).

use std::cell::Cell;
use std::collections::BTreeSet;

pub const METADATA: u64 = 1;
pub const ENTRY: u64 = 2;
pub const STATE: u64 = 3;
pub const CHECKSUM: u64 = 4;
pub const SNAPSHOT: u64 = 5;

/// The range of the data if a record lacks field 3. A field of no bytes has another range.
pub const NO_DATA: (usize, usize) = (0, 0);

pub struct Segment {
    pub name: String,
    pub sequence: u64,
    pub bytes: Vec<u8>,
    /// The offset after the last byte that is not zero.
    pub content: usize,
    pub last: bool,
    /// The checksum that the head of the next segment stores.
    pub next_head: Option<u32>,
    /// The sizes of the frames that were tried with more than reading A (ETW-035).
    pub tried: Cell<usize>,
}

/// A fault in a frame: the number of its requirement, and its code. If a frame has two faults, the fault with
/// the lower number counts.
pub type Fault = (u32, &'static str);

#[derive(Clone, Copy, PartialEq)]
pub enum Role {
    Record,
    Framing,
    /// Lost by ETW-024.
    Mismatched,
    /// Lost by ETW-026.
    UnknownType,
    /// The first frame after a gap (ETW-031).
    Unproven,
}

#[derive(Clone, Copy)]
pub struct Frame {
    pub segment: usize,
    pub at: usize,
    pub end: usize,
    pub kind: u64,
    pub data: (usize, usize),
    /// The running checksum after the frame.
    pub seed: u32,
    pub fault: Option<Fault>,
    pub role: Role,
}

impl Frame {
    pub fn list(&mut self, fault: Fault) {
        if self.fault.is_none_or(|earlier| fault.0 < earlier.0) {
            self.fault = Some(fault);
        }
    }

    pub fn is_checksum_record(&self) -> bool {
        self.kind == CHECKSUM && self.data == NO_DATA
    }
}

pub enum Step {
    End,
    Frame(Frame),
    Fault(&'static str),
}

#[derive(Clone, Copy)]
pub struct Reading {
    pub kind: u64,
    pub stored: u32,
    pub data: (usize, usize),
    /// The possible ends of the frame, which may be equal.
    pub ends: [usize; 2],
}

impl Reading {
    fn is_known(&self) -> bool {
        matches!(self.kind, METADATA | ENTRY | STATE | SNAPSHOT) || self.is_checksum_record()
    }

    pub fn is_checksum_record(&self) -> bool {
        self.kind == CHECKSUM && self.data == NO_DATA
    }

    /// Returns the reading, unless it lacks data and readings B and C require data for its type.
    fn may_be(self) -> Option<Reading> {
        (self.data != NO_DATA || matches!(self.kind, METADATA | CHECKSUM)).then_some(self)
    }

    fn each_end(&self) -> impl Iterator<Item = usize> {
        let [first, second] = self.ends;
        [first, second]
            .into_iter()
            .take(if first == second { 1 } else { 2 })
    }
}

/// The value of a field: a varint, the range of its bytes, or another wire type.
#[derive(Clone, Copy)]
pub enum Value {
    Number(u64),
    Bytes(usize, usize),
    Fixed,
}

/// Returns the low 64 bits and the end of the varint at `at`, if it ends at or before `limit`.
pub fn varint(bytes: &[u8], at: usize, limit: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for (i, byte) in bytes[..limit].get(at..)?.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if *byte < 0x80 {
            return Some((value, at + i + 1));
        }
    }
    None
}

/// Passes each field of the message in `[at, end)` to `accept`. Returns whether the message is valid and all
/// fields were accepted (ETW-006).
pub fn message(
    bytes: &[u8],
    mut at: usize,
    end: usize,
    mut accept: impl FnMut(u64, Value) -> bool,
) -> bool {
    while at < end {
        let Some((tag, start)) = varint(bytes, at, end) else {
            return false;
        };
        let number = tag >> 3;
        let field = match tag & 7 {
            0 => varint(bytes, start, end).map(|(value, after)| (Value::Number(value), after)),
            1 => Some((Value::Fixed, start + 8)),
            2 => varint(bytes, start, end)
                .filter(|(length, data)| *length <= (end - data) as u64)
                .map(|(length, data)| {
                    (
                        Value::Bytes(data, data + length as usize),
                        data + length as usize,
                    )
                }),
            5 => Some((Value::Fixed, start + 4)),
            _ => None,
        };
        match field {
            Some((value, after))
                if after <= end && (1..1 << 29).contains(&number) && accept(number, value) =>
            {
                at = after
            }
            _ => return false,
        }
    }
    true
}

/// Returns the numeric fields 1 to 3 of a payload, or nothing if the payload is not valid (ETW-010).
pub fn payload_fields(kind: u64, bytes: &[u8]) -> Option<[u64; 3]> {
    let (numbers, blob) = match kind {
        ENTRY => (3, 4),
        STATE => (3, 0),
        SNAPSHOT => (2, 3),
        _ => return Some([0; 3]),
    };
    let mut fields = [0; 3];
    let valid = message(bytes, 0, bytes.len(), |number, value| match value {
        Value::Number(value) if number <= numbers => {
            fields[number as usize - 1] = value;
            true
        }
        Value::Bytes(..) => number == blob,
        _ => false,
    });
    let [first, second, third] = fields;
    let condition = match kind {
        ENTRY => first <= 2 && second != 0 && third != 0,
        STATE => first != 0,
        _ => (first == 0) == (second == 0),
    };
    (valid && condition).then_some(fields)
}

/// Returns the number of padding bytes that a writer adds to a record (ETW-004).
pub fn usual_padding(record: usize) -> usize {
    record.wrapping_neg() & 7
}

pub fn varint_size(value: usize) -> usize {
    (value.max(1).ilog2() / 7 + 1) as usize
}

impl Segment {
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    pub fn checksum(&self, seed: u32, data: (usize, usize)) -> u32 {
        crc32c::crc32c_append(seed, &self.bytes[data.0..data.1])
    }

    /// Returns the eight bytes of the length at `p`.
    pub fn length_word(&self, p: usize) -> Option<u64> {
        let bytes = self.bytes.get(p..p + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().unwrap()))
    }

    /// Returns the sizes of the record and of the padding that the length at `p` states (ETW-003).
    pub fn stated(&self, p: usize) -> Option<(u64, usize)> {
        let word = self.length_word(p)?;
        let padding = if word >> 63 == 1 { word >> 56 & 7 } else { 0 };
        Some((word & ((1 << 56) - 1), padding as usize))
    }

    /// Returns the end of the record that the length states, and the ends of the frame, if the frame fits into
    /// the file and its record is not empty.
    pub fn stated_ends(&self, p: usize) -> Option<(usize, [usize; 2])> {
        let (record, padding) = self.stated(p)?;
        if record == 0 || record > (self.size() - p - 8) as u64 {
            return None;
        }
        let record_end = p + 8 + record as usize;
        let end = record_end + padding;
        if self.last && end > self.size() {
            return None;
        }
        Some((
            record_end,
            self.both(
                end.min(self.size()),
                record_end + usual_padding(record as usize),
            ),
        ))
    }

    /// Returns two possible ends of a frame, as far as they are within the file.
    fn both(&self, first: usize, second: usize) -> [usize; 2] {
        let is_within = |end: &usize| *end <= self.size();
        let [first, second] = [Some(first), Some(second)].map(|end| end.filter(is_within));
        let only = first.or(second).unwrap();
        [first.unwrap_or(only), second.unwrap_or(only)]
    }

    /// Returns the end of a frame that fits the seed (ETW-022).
    pub fn end_of(&self, reading: &Reading) -> usize {
        let is_proven = |end: &usize| *end >= self.content || self.proves(*end, reading.stored);
        reading
            .each_end()
            .find(is_proven)
            .unwrap_or(reading.ends[0])
    }

    /// Reading A: the message (ETW-021).
    pub fn reading_a(&self, p: usize) -> Option<Reading> {
        let (record_end, ends) = self.stated_ends(p)?;
        let mut reading = Reading {
            kind: 0,
            stored: 0,
            data: NO_DATA,
            ends,
        };
        message(&self.bytes, p + 8, record_end, |number, value| {
            match (number, value) {
                (1, Value::Number(kind)) => reading.kind = kind,
                (2, Value::Number(stored)) => reading.stored = stored as u32,
                (3, Value::Bytes(from, to)) => reading.data = (from, to),
                (1..=3, _) => return false,
                _ => (),
            }
            true
        })
        .then_some(reading)
    }

    /// Reading B: by position.
    fn reading_b(&self, p: usize) -> Option<Reading> {
        let (record_end, ends) = self.stated_ends(p)?;
        let (kind, at) = varint(&self.bytes, p + 9, record_end)?;
        let (stored, at) = varint(&self.bytes, at + 1, record_end)?;
        let mut data = NO_DATA;
        if at < record_end {
            let rest = record_end - at - 1;
            let skipped = (1..=rest.min(9)).find(|size| varint_size(rest - size) == *size)?;
            data = (at + 1 + skipped, record_end);
        }
        Reading {
            kind,
            stored: stored as u32,
            data,
            ends,
        }
        .may_be()
    }

    /// Reading C: without the length.
    fn reading_c(&self, p: usize) -> Option<Reading> {
        let reading = self.usual(p)?;
        let record = reading.ends[1] - p - 8;
        if self.stated(p) == Some((record as u64, usual_padding(record))) {
            return None;
        }
        reading.may_be()
    }

    /// Returns reading A of a record that is as a writer writes it (ETW-030).
    pub fn candidate(&self, x: usize) -> Option<Reading> {
        let usual = self.usual(x)?;
        let (record_end, ends) = self.stated_ends(x)?;
        (usual.ends[1] == record_end).then_some(Reading { ends, ..usual })
    }

    /// Reads a record as a writer writes it, whatever the length states.
    fn usual(&self, p: usize) -> Option<Reading> {
        let [8, kind @ 1..=5, 0x10] = *self.bytes.get(p + 8..p + 11)? else {
            return None;
        };
        let (stored, mut record_end) = varint(&self.bytes, p + 11, self.size())?;
        let mut data = NO_DATA;
        if self.bytes.get(record_end) == Some(&0x1a) {
            let (length, from) = varint(&self.bytes, record_end + 1, self.size())?;
            if length > (self.size() - from) as u64 {
                return None;
            }
            record_end = from + length as usize;
            data = (from, record_end);
        }
        let record = record_end - p - 8;
        Some(Reading {
            kind: kind.into(),
            stored: stored as u32,
            data,
            ends: self.both(record_end + usual_padding(record), record_end),
        })
    }

    /// Reading D: the data only. It has no stored checksum.
    fn reading_d(&self, p: usize) -> Option<Reading> {
        let (record_end, ends) = self.stated_ends(p)?;
        let [8, kind @ 0..=5] = *self.bytes.get(p + 8..p + 10)? else {
            return None;
        };
        let from = (p + 11..(p + 32).min(record_end)).find_map(|tag| {
            let (length, from) = varint(&self.bytes, tag + 1, record_end)?;
            (self.bytes[tag] == 0x1a && length == (record_end - from) as u64).then_some(from)
        })?;
        Some(Reading {
            kind: kind.into(),
            stored: 0,
            data: (from, record_end),
            ends,
        })
    }

    pub fn fits(&self, reading: &Reading, seed: u32) -> bool {
        self.checksum(seed, reading.data) == reading.stored
    }

    /// Returns whether the frame at `q` proves a checksum (ETW-023).
    pub fn proves(&self, q: usize, checksum: u32) -> bool {
        if q >= self.content {
            return self.next_head == Some(checksum);
        }
        self.reading_a(q)
            .is_some_and(|next| self.fits(&next, checksum))
    }

    /// Returns the size of the frame at `p` as its length states, or 0 if it does not fit into the file.
    pub fn stated_size(&self, p: usize) -> usize {
        self.stated_ends(p).map_or(0, |(_, ends)| ends[0] - p)
    }

    /// Returns whether the limit of ETW-035 is exceeded.
    pub fn is_over_limit(&self) -> bool {
        self.tried.get() > 8 * self.size()
    }

    /// Counts the frame at `p` and the frames at the ends of its readings (ETW-035).
    fn count(&self, p: usize) {
        let own = self.reading_c(p);
        let (a, b, d) = (self.reading_a(p), self.reading_b(p), self.reading_d(p));
        let ends: BTreeSet<usize> = [a, b, own, d]
            .iter()
            .flatten()
            .flat_map(|reading| reading.ends)
            .collect();
        let sizes = ends.iter().map(|end| self.stated_size(*end)).sum::<usize>();
        let own = own.map_or(0, |reading| reading.ends[0] - p);
        self.tried
            .set(self.tried.get() + self.stated_size(p) + own + sizes);
    }

    /// Runs the checks of ETW-020 at `p`.
    pub fn step(&self, segment: usize, p: usize, seed: u32) -> Step {
        if p >= self.content {
            return Step::End;
        }
        let frame = |reading: &Reading, end, seed, fault, role| {
            let (kind, data) = (reading.kind, reading.data);
            Step::Frame(Frame {
                segment,
                at: p,
                end,
                kind,
                data,
                seed,
                fault,
                role,
            })
        };
        let proven = self
            .reading_a(p)
            .filter(|reading| reading.is_known() && self.fits(reading, seed));
        let is_limited = self.is_over_limit();
        if let Some(reading) = proven.filter(|a| is_limited || a.ends[0] == a.ends[1]) {
            return frame(
                &reading,
                reading.ends[0],
                reading.stored,
                None,
                Role::Record,
            );
        }
        if is_limited {
            return Step::Fault(self.fault_code(p));
        }
        self.count(p);
        let mut fitting = None;
        for (number, read) in [Self::reading_a, Self::reading_b, Self::reading_c]
            .iter()
            .enumerate()
        {
            if let Some(reading) = read(self, p).filter(|reading| self.fits(reading, seed)) {
                if reading.is_known() {
                    fitting = Some((number, reading));
                    break;
                }
                fitting = fitting.or(Some((number, reading)));
            }
        }
        if let Some((number, reading)) = fitting {
            let end = self.end_of(&reading);
            let padding = (end != reading.ends[0]).then_some((25, "bad-length"));
            let fault = [padding, Some((22, "bad-record")), Some((22, "bad-length"))][number];
            return frame(&reading, end, reading.stored, fault, Role::Record);
        }
        let readings = [
            self.reading_a(p),
            self.reading_b(p),
            self.reading_c(p),
            self.reading_d(p),
        ];
        for (number, reading) in readings.iter().enumerate() {
            let Some(reading) = reading else { continue };
            let checksum = self.checksum(seed, reading.data);
            if let Some(end) = reading.each_end().find(|end| self.proves(*end, checksum)) {
                let code = ["bad-crc", "bad-record", "bad-length", "bad-crc"][number];
                return frame(reading, end, checksum, Some((23, code)), Role::Record);
            }
        }
        for reading in readings[..3].iter().flatten() {
            if let Some(end) = reading
                .each_end()
                .find(|end| self.proves(*end, reading.stored))
            {
                let fault = Some((24, "checksum-mismatch"));
                return frame(reading, end, reading.stored, fault, Role::Mismatched);
            }
        }
        Step::Fault(self.fault_code(p))
    }

    /// Returns the code of a fault of check 6.
    pub fn fault_code(&self, p: usize) -> &'static str {
        if p == 0 {
            "missing-head"
        } else if self.length_word(p) == Some(0) {
            "zero-gap"
        } else if self.stated_ends(p).is_none() {
            "bad-length"
        } else if self.reading_a(p).is_none() {
            "bad-record"
        } else {
            "checksum-mismatch"
        }
    }

    /// Returns the code of a torn write at `y`, if the frame there was not written completely (ETW-051).
    pub fn torn_code(&self, y: usize) -> Option<&'static str> {
        let is_zero = |from: usize, to: usize| {
            self.bytes[from..to.min(self.size())]
                .iter()
                .all(|byte| *byte == 0)
        };
        let Some(word) = self.length_word(y) else {
            return Some("torn-length");
        };
        if word == 0 {
            return is_zero(y, (y / 512 + 1) * 512).then_some("torn-sector");
        }
        let (record, padding) = self.stated(y)?;
        if record + padding as u64 > (self.size() - y - 8) as u64 {
            return Some("torn-record");
        }
        let (mut from, end) = (y + 8, y + 8 + record as usize);
        while from < end {
            let to = end.min((from / 512 + 1) * 512);
            if is_zero(from, to) {
                return Some("torn-sector");
            }
            from = to;
        }
        None
    }

    /// Returns whether bytes 8 to 10, as far as they are in the file, look like those of a candidate.
    pub fn looks_like_a_frame(&self, p: usize) -> bool {
        let bytes = &self.bytes[(p + 8).min(self.size())..(p + 11).min(self.size())];
        let expected = [8..=8, 1..=5, 0x10..=0x10];
        bytes
            .iter()
            .zip(expected)
            .all(|(byte, range)| range.contains(byte))
    }
}
