//! Reading all segments of a log: heads, runs of frames and searches (ETW-009, ETW-025 to ETW-042).

use std::collections::HashSet;

use crate::frame::*;

#[derive(Clone, Copy, PartialEq)]
pub enum GapKind {
    /// No content is lost.
    Note,
    /// Content is lost, but not because of a fault in a frame.
    Loss,
    /// A fault of check 6 (ETW-020).
    Fault,
    /// A fault of check 6 after which ETW-030 continues.
    Continued,
}

/// A lost range that is not a frame.
#[derive(Clone, Copy)]
pub struct Gap {
    pub segment: usize,
    pub from: usize,
    pub to: usize,
    pub code: &'static str,
    pub kind: GapKind,
}

/// The data of a record: a segment, and a range of its bytes.
type Data = (usize, (usize, usize));

/// The next record that the head of a file may repeat (ETW-009).
#[derive(Clone, Copy, Default, PartialEq)]
enum Repeated {
    Metadata,
    State,
    #[default]
    Nothing,
}

/// A summary of the records so far.
#[derive(Clone, Copy, Default)]
pub struct Past {
    term: u64,
    commit: u64,
    marker: u64,
    pub state: Option<Data>,
    pub metadata: Option<Data>,
    /// The number of frames up to the last state.
    after_state: usize,
    repeated: Repeated,
    /// The number of frames of this file after its head.
    records: usize,
}

/// A state to which the log can be reset.
#[derive(Clone, Copy)]
struct Checkpoint {
    frames: usize,
    gaps: usize,
    past: Past,
}

/// The mark of a run (ETW-032).
#[derive(Clone, Copy)]
enum Mark {
    None,
    /// The start of the file, or the fault before a candidate.
    Before(Past),
    /// A lost frame at this offset, with the seed before it.
    Frame(Checkpoint, usize, u32),
}

enum RunEnd {
    Content(usize, u32),
    Fault(usize, u32, &'static str),
    /// The record at this offset does not continue the log.
    Break(Mark, usize),
}

#[derive(Default)]
pub struct Log {
    pub segments: Vec<Segment>,
    pub frames: Vec<Frame>,
    pub gaps: Vec<Gap>,
    pub past: Past,
    /// The running checksum.
    pub seed: Option<u32>,
    heads: Vec<u32>,
    /// The number of bytes that searches in this file tried without success (ETW-033).
    in_vain: usize,
    /// The frames that ETW-031 has already tried as candidates.
    tried: HashSet<usize>,
}

impl Log {
    pub fn read(segments: Vec<Segment>) -> Log {
        let mut log = Log {
            segments,
            ..Log::default()
        };
        for segment in 0..log.segments.len() {
            log.read_segment(segment);
        }
        log
    }

    pub fn data(&self, data: Data) -> &[u8] {
        &self.segments[data.0].bytes[data.1 .0..data.1 .1]
    }

    pub fn data_of(&self, frame: &Frame) -> &[u8] {
        self.data((frame.segment, frame.data))
    }

    fn gap(&mut self, segment: usize, from: usize, to: usize, code: &'static str, kind: GapKind) {
        self.gaps.push(Gap {
            segment,
            from,
            to,
            code,
            kind,
        });
    }

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            frames: self.frames.len(),
            gaps: self.gaps.len(),
            past: self.past,
        }
    }

    /// Removes everything that was read after a checkpoint. The removed frames do not become candidates again.
    fn roll_back(&mut self, to: Checkpoint) {
        self.tried
            .extend(self.frames.drain(to.frames..).map(|frame| frame.at));
        self.gaps.truncate(to.gaps);
        self.past = to.past;
    }

    fn read_segment(&mut self, i: usize) {
        if i > 0 && self.segments[i].sequence > self.segments[i - 1].sequence + 1 {
            self.gap(i, 0, 0, "missing-file", GapKind::Loss);
            self.seed = None;
        }
        self.past.records = 0;
        self.past.repeated = if i == 0 {
            Repeated::Nothing
        } else {
            Repeated::Metadata
        };
        self.in_vain = 0;
        self.tried.clear();
        let start = self.checkpoint();
        let content = self.segments[i].content;
        if content == 0 {
            return self.gap(i, 0, 0, "missing-head", GapKind::Note);
        }
        if i == 0 {
            self.seed = Some(0);
        }
        let mut mark = Mark::None;
        let head = self.read_head(i);
        self.segments[i].tried.set(0);
        let mut end = match head {
            Head::Read(p, seed, continues) => {
                if !continues {
                    mark = Mark::Before(start.past);
                }
                self.read_run(i, p, seed, mark)
            }
            Head::Copy => RunEnd::Break(Mark::Before(start.past), 0),
            Head::Missing => match self.search(i, 0, self.seed, "missing-head", mark) {
                Some(end) => end,
                None => return self.seed = None,
            },
        };
        loop {
            let (y, seed, code) = match end {
                RunEnd::Content(_, seed) => return self.seed = Some(seed),
                RunEnd::Fault(y, seed, code) => (y, seed, code),
                RunEnd::Break(Mark::Frame(checkpoint, y, seed), p) => {
                    self.roll_back(checkpoint);
                    let tried = &self.segments[i].tried;
                    tried.set(tried.get() + p - y);
                    (y, seed, self.segments[i].fault_code(y))
                }
                RunEnd::Break(..) => {
                    self.roll_back(start);
                    return self.gap(i, 0, content, "broken-chain", GapKind::Loss);
                }
            };
            end = match self.search(i, y, Some(seed), code, mark) {
                Some(end) => end,
                None => return self.seed = None,
            };
        }
    }

    /// Reads the head of a file (ETW-040, ETW-041).
    fn read_head(&mut self, i: usize) -> Head {
        let segment = &self.segments[i];
        let is_head = |reading: &Reading| reading.is_checksum_record();
        let Some(head) = segment.reading_a(0).filter(is_head) else {
            let Some(Step::Frame(mut frame)) = self.seed.map(|seed| segment.step(i, 0, seed))
            else {
                return Head::Missing;
            };
            if frame.data != NO_DATA {
                self.gap(i, 0, 0, "missing-head", GapKind::Note);
                return Head::Read(0, self.seed.unwrap(), true);
            }
            if frame.kind != CHECKSUM {
                frame.fault = Some((40, "bad-type"));
            }
            frame.role = Role::Framing;
            self.frames.push(frame);
            self.heads.push(frame.seed);
            return Head::Read(frame.end, frame.seed, true);
        };
        let (end, stored) = (segment.end_of(&head), head.stored);
        let proven = |checksum| segment.proves(end, checksum) && !segment.proves(end, stored);
        let padding = (end != head.ends[0]).then_some((25, "bad-length"));
        let (mut seed, mut fault, mut continues) = (stored, padding, true);
        let differs = self.seed != Some(stored);
        if let Some(running) = self.seed.filter(|running| differs && proven(*running)) {
            (seed, fault) = (running, Some((41, "bad-crc")));
        } else if differs && i > 0 {
            continues = false;
        }
        let is_copy = !continues && self.heads.contains(&stored);
        self.heads.push(stored);
        if is_copy {
            return Head::Copy;
        }
        if !continues && self.seed.is_some() {
            self.gap(i, 0, 0, "broken-chain", GapKind::Loss);
        }
        let (kind, data, role) = (head.kind, head.data, Role::Framing);
        self.frames.push(Frame {
            segment: i,
            at: 0,
            end,
            kind,
            data,
            seed,
            fault,
            role,
        });
        Head::Read(end, seed, continues)
    }

    /// Reads frames up to a fault, the end of the content or a record that does not continue the log.
    fn read_run(&mut self, i: usize, mut p: usize, mut seed: u32, mut mark: Mark) -> RunEnd {
        loop {
            let mut frame = match self.segments[i].step(i, p, seed) {
                Step::End => return RunEnd::Content(p, seed),
                Step::Fault(code) => return RunEnd::Fault(p, seed, code),
                Step::Frame(frame) => frame,
            };
            let before = self.checkpoint();
            self.classify(&mut frame);
            if matches!(frame.role, Role::Mismatched | Role::UnknownType) {
                if let Mark::None = mark {
                    mark = Mark::Frame(before, p, seed);
                }
            }
            let is_mark = matches!(mark, Mark::Frame(_, at, _) if at == p);
            if frame.role != Role::Mismatched
                && !is_mark
                && !self.continues(&frame, before.past.records, mark)
            {
                return RunEnd::Break(mark, p);
            }
            self.frames.push(frame);
            (p, seed) = (frame.end, frame.seed);
        }
    }

    /// Decides whether a frame is a record, and lists the faults of its type and payload (ETW-009, ETW-026 to
    /// ETW-028).
    fn classify(&mut self, frame: &mut Frame) {
        if frame.kind != CHECKSUM {
            self.past.records += 1;
        }
        if matches!(frame.role, Role::Mismatched | Role::Unproven) {
            return;
        }
        if frame.is_checksum_record() {
            frame.role = Role::Framing;
            return;
        }
        if !matches!(frame.kind, METADATA | ENTRY | STATE | SNAPSHOT) {
            frame.role = Role::UnknownType;
            frame.fault = Some((26, "bad-type"));
            return;
        }
        if let Some(kind) = self.repeats(frame) {
            frame.role = Role::Framing;
            self.past.repeated = if kind == METADATA {
                Repeated::State
            } else {
                Repeated::Nothing
            };
            if frame.kind != kind {
                frame.list((9, "bad-type"));
            }
            return;
        }
        let is_first_metadata = frame.kind == METADATA && self.past.metadata.is_none();
        self.past.repeated = match self.past.repeated {
            Repeated::Metadata if is_first_metadata => Repeated::State,
            _ => Repeated::Nothing,
        };
        let data = (frame.segment, frame.data);
        match (frame.kind, payload_fields(frame.kind, self.data(data))) {
            (_, None) => frame.list((27, "bad-payload")),
            (METADATA, _) => match self.past.metadata {
                Some(first) if self.data(first) != self.data(data) => {
                    frame.list((28, "metadata-conflict"))
                }
                Some(_) => (),
                None => self.past.metadata = Some(data),
            },
            (STATE, Some([term, _, commit])) => {
                self.past.term = self.past.term.max(term);
                self.past.commit = self.past.commit.max(commit);
                self.past.state = Some(data);
                self.past.after_state = self.frames.len() + 1;
            }
            (SNAPSHOT, Some([index, ..])) => self.past.marker = self.past.marker.max(index),
            _ => (),
        }
    }

    /// Returns the type of the record that the head of a later file repeats, if the frame has its payload.
    fn repeats(&self, frame: &Frame) -> Option<u64> {
        let payload = self.data_of(frame);
        let has_payload = |data: Option<Data>| data.is_some_and(|data| self.data(data) == payload);
        if self.past.repeated == Repeated::Metadata && has_payload(self.past.metadata) {
            return Some(METADATA);
        }
        if self.past.repeated == Repeated::Nothing || payload_fields(STATE, payload).is_none() {
            return None;
        }
        let mut later = self.frames[self.past.after_state.min(self.frames.len())..].iter();
        let is_state = has_payload(self.past.state)
            || later.any(|other| other.role == Role::Record && self.data_of(other) == payload);
        is_state.then_some(STATE)
    }

    /// Returns whether a record continues the log (ETW-032). `records` is the number of records before it in the
    /// file.
    fn continues(&self, frame: &Frame, records: usize, mark: Mark) -> bool {
        let past = match mark {
            Mark::None => return true,
            Mark::Before(past) => past,
            Mark::Frame(checkpoint, ..) => checkpoint.past,
        };
        let payload = self.data_of(frame);
        let Some(fields) = payload_fields(frame.kind, payload) else {
            return true;
        };
        match frame.kind {
            METADATA => records == 0,
            ENTRY => fields[2] > past.commit,
            STATE => {
                let repeated = past.state.is_some_and(|state| self.data(state) == payload);
                fields[0] >= past.term && fields[2] >= past.commit && (!repeated || records < 2)
            }
            SNAPSHOT => fields[0] >= past.marker,
            _ => true,
        }
    }

    /// Searches the next frame after the fault `y` (ETW-030, ETW-031, ETW-033). Returns the end of the run that it
    /// finds, or lists the rest as lost. `mark` is that of a run by ETW-030.
    fn search(
        &mut self,
        i: usize,
        y: usize,
        seed: Option<u32>,
        code: &'static str,
        mark: Mark,
    ) -> Option<RunEnd> {
        let (size, content) = (self.segments[i].size(), self.segments[i].content);
        for x in y + 1..content {
            let segment = &self.segments[i];
            let Some(reading) = segment.candidate(x) else {
                continue;
            };
            if self.in_vain > 2 * size || segment.is_over_limit() {
                break;
            }
            if let Some(seed) = seed.filter(|seed| segment.fits(&reading, *seed)) {
                self.gap(i, y, x, code, GapKind::Continued);
                return Some(self.read_run(i, x, seed, mark));
            }
            let end = reading.ends[0];
            self.in_vain += end - x;
            if self.tried.contains(&x) {
                continue;
            }
            if !segment.proves(end, reading.stored) {
                self.in_vain += segment.stated_size(end);
                continue;
            }
            let start = self.checkpoint();
            let mark = Mark::Before(self.past);
            self.gap(i, y, x, code, GapKind::Fault);
            let (kind, data, seed) = (reading.kind, reading.data, reading.stored);
            let (fault, role) = (Some((31, "unproven")), Role::Unproven);
            let mut candidate = Frame {
                segment: i,
                at: x,
                end,
                kind,
                data,
                seed,
                fault,
                role,
            };
            let continues = self.continues(&candidate, start.past.records, mark);
            self.classify(&mut candidate);
            self.frames.push(candidate);
            let run_end = self.read_run(i, end, seed, mark);
            let (accepted, p) = match run_end {
                RunEnd::Content(p, _) => (continues, p),
                RunEnd::Fault(p, ..) => (continues && self.may_be_torn(i, p), p),
                RunEnd::Break(_, p) => (false, p),
            };
            if accepted {
                return Some(run_end);
            }
            self.in_vain += p - end;
            self.roll_back(start);
        }
        self.gap(i, y, content, code, GapKind::Fault);
        None
    }

    fn may_be_torn(&self, i: usize, p: usize) -> bool {
        let segment = &self.segments[i];
        let in_front = self
            .frames
            .iter()
            .rev()
            .take_while(|frame| frame.segment == i)
            .take(2)
            .count();
        segment.last
            && in_front == 2
            && segment.looks_like_a_frame(p)
            && segment.torn_code(p).is_some()
    }
}

enum Head {
    /// The offset and the seed after the head, and whether the head continues the previous file.
    Read(usize, u32, bool),
    /// The head stores the checksum of an earlier head.
    Copy,
    Missing,
}
