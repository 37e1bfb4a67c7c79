//! A reader and a writer of LevelDB logs, as spec/leveldb-log.md says.

const BLOCK: usize = 32768;
const HEADER: usize = 7;
const FULL: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

/// What a log holds. Records are offset, size and payload.
pub struct Found {
    pub verdict: &'static str,
    pub reason: Option<&'static str>,
    pub records: Vec<(usize, usize, Vec<u8>)>,
    pub lost: Vec<Lost>,
    pub end: Option<usize>,
}

#[derive(Clone)]
pub struct Lost {
    pub from: usize,
    pub to: usize,
    pub reason: &'static str,
}

/// A record whose FIRST was read and whose LAST was not.
struct Open {
    at: usize,
    end: usize,
    data: Vec<u8>,
}

pub struct Reader<'a> {
    log: &'a [u8],
    records: Vec<(usize, usize, Vec<u8>)>,
    lost: Vec<Lost>,
    open: Option<Open>,
    zeros_from: Option<usize>,
    torn: Option<Lost>,
    /// The first damage, as far as the end of the log, and how many records are before it.
    damage: Option<(Lost, usize)>,
    in_step: bool,
}

impl<'a> Reader<'a> {
    pub fn new(log: &'a [u8]) -> Reader<'a> {
        Reader {
            log,
            records: vec![],
            lost: vec![],
            open: None,
            zeros_from: None,
            torn: None,
            damage: None,
            in_step: true,
        }
    }

    /// All that is whole or, if `strict`, what is before the first damage.
    pub fn answer(mut self, strict: bool) -> Found {
        let (mut verdict, mut reason, mut end) = ("intact", None, Some(self.log.len()));
        if foreign_dialect(self.log) {
            (verdict, reason, end) = ("refused", Some("foreign-dialect"), None);
        } else {
            for base in (0..self.log.len()).step_by(BLOCK) {
                self.block(base);
            }
            if let Some(open) = &self.open {
                self.tear(open.at, open.end, "torn-record");
            }
            end = self.zeros_from.or(end);
        }
        if let Some(torn) = self.torn {
            (verdict, reason, end) = ("torn", Some(torn.reason), Some(torn.from));
            self.lost.push(torn);
        }
        if let Some((rest, before)) = self.damage {
            (verdict, reason) = ("damaged", Some(rest.reason));
            end = end.filter(|_| self.in_step && !strict);
            if strict {
                self.records.truncate(before);
                self.lost = vec![rest];
            }
        }
        self.lost.sort_by_key(|lost| lost.from);
        Found {
            verdict,
            reason,
            records: self.records,
            lost: self.lost,
            end,
        }
    }

    /// The physical records of one block.
    fn block(&mut self, base: usize) {
        let log = self.log;
        let end = log.len().min(base + BLOCK);
        if let Some(from) = self.zeros_from {
            if !is_zero(&log[base..end]) {
                self.lose(from, base, "zero-gap");
                self.lose_open();
                self.zeros_from = None;
            }
        }
        let mut at = base;
        // What is left after the loop is the trailer.
        while at < end && base + BLOCK - at >= HEADER {
            let rest = &log[at..end];
            if is_zero(&rest[rest.len().min(4)..rest.len().min(HEADER)]) && is_zero(rest) {
                self.zeros_from = self.zeros_from.or(Some(at));
                return;
            }
            let &[c0, c1, c2, c3, l0, l1, kind, ..] = rest else {
                return self.tear(at, end, "torn-header");
            };
            let length = usize::from(u16::from_le_bytes([l0, l1]));
            let after = at + HEADER + length;
            if after > base + BLOCK {
                return self.lose_rest(at, end, "bad-length");
            }
            if after > end {
                return self.tear(at, end, "torn-payload");
            }
            if kind == 0 && length == 0 {
                return self.lose_rest(at, end, "zero-header");
            }
            if masked_crc(&log[at + 6..after]) != u32::from_le_bytes([c0, c1, c2, c3]) {
                return self.lose_rest(at, end, "checksum-mismatch");
            }
            self.fragment(kind, &log[at + HEADER..after], at, after);
            at = after;
        }
    }

    /// A physical record whose checksum holds.
    fn fragment(&mut self, kind: u8, data: &[u8], at: usize, end: usize) {
        match (kind, &mut self.open) {
            (FULL | FIRST, open) => {
                if open.as_ref().is_some_and(|open| !open.data.is_empty()) {
                    self.lose_open();
                }
                let data = data.to_vec();
                self.open = Some(Open { at, end, data });
            }
            (MIDDLE | LAST, Some(open)) => {
                open.end = end;
                open.data.extend_from_slice(data);
            }
            (MIDDLE | LAST, None) => self.lose(at, end, "orphan-fragment"),
            _ => {
                self.lose(at, end, "unknown-type");
                self.lose_open();
            }
        }
        if kind == FULL || kind == LAST {
            if let Some(Open { at, end, data }) = self.open.take() {
                self.records.push((at, end - at, data));
            }
        }
    }

    fn lose(&mut self, from: usize, to: usize, reason: &'static str) {
        if self.damage.is_none() {
            let from = self.open.as_ref().map_or(from, |open| open.at.min(from));
            let to = self.log.len();
            self.damage = Some((Lost { from, to, reason }, self.records.len()));
        }
        self.lost.push(Lost { from, to, reason });
    }

    fn lose_open(&mut self) {
        if let Some(Open { at, end, .. }) = self.open {
            self.lose(at, end, "incomplete-record");
            self.open = None;
        }
    }

    /// A length that cannot be trusted: only the next block gets a reader back in step.
    fn lose_rest(&mut self, at: usize, end: usize, reason: &'static str) {
        self.lose(at, end, reason);
        self.lose_open();
        self.in_step = end % BLOCK == 0;
    }

    /// The log ends inside a write; that of an open record began at its FIRST.
    fn tear(&mut self, at: usize, to: usize, reason: &'static str) {
        let from = self.open.take().map_or(at, |open| open.at);
        self.torn = Some(Lost { from, to, reason });
    }
}

/// A record as a writer appends it to a log of `position` bytes.
pub fn framed(payload: &[u8], position: usize) -> Vec<u8> {
    let (mut out, mut rest, mut begin) = (vec![], payload, true);
    loop {
        let mut left = BLOCK - (position + out.len()) % BLOCK;
        if left < HEADER {
            out.resize(out.len() + left, 0);
            left = BLOCK;
        }
        let (data, after) = rest.split_at(rest.len().min(left - HEADER));
        let kind = match (begin, after.is_empty()) {
            (true, true) => FULL,
            (true, false) => FIRST,
            (false, false) => MIDDLE,
            (false, true) => LAST,
        };
        let covered = [&[kind], data].concat();
        out.extend(masked_crc(&covered).to_le_bytes());
        out.extend((data.len() as u16).to_le_bytes());
        out.extend(covered);
        (rest, begin) = (after, false);
        if rest.is_empty() {
            return out;
        }
    }
}

/// Whether the first physical record is one of RocksDB's or Pebble's own.
fn foreign_dialect(log: &[u8]) -> bool {
    let &[c0, c1, c2, c3, l0, l1, kind, ..] = log else {
        return false;
    };
    let checksum = u32::from_le_bytes([c0, c1, c2, c3]);
    let length = usize::from(u16::from_le_bytes([l0, l1]));
    let holds = |header: usize| {
        let end = header + length;
        end <= log.len().min(BLOCK) && masked_crc(&log[6..end]) == checksum
    };
    let plain =
        matches!((kind, length), (9, 4) | (130, 24)) || kind == 10 && length > 0 && length % 6 == 0;
    plain && holds(HEADER)
        || matches!(kind, 5 | 6 | 7 | 8 | 11 | 131) && holds(11)
        || matches!(kind, 9..=12) && holds(19)
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// CRC-32C, masked (LDB-007).
fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
        .rotate_right(15)
        .wrapping_add(0xa282_ead8)
}
