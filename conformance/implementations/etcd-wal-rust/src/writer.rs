//! Writing and appending (ETW-070 to ETW-074).

use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::answer::answer;
use crate::files::segments;
use crate::frame::*;
use crate::reader::Log;

struct Record {
    kind: u64,
    payload: Vec<u8>,
}

/// A log that is being written.
struct Writer {
    /// The folder of the log, if it is one.
    folder: Option<PathBuf>,
    segment_size: u64,
    file: fs::File,
    sequence: u64,
    seed: u32,
    offset: u64,
    synced: u64,
    metadata: Option<Vec<u8>>,
    state: Option<Vec<u8>>,
    /// The index of the last entry, or of a later marker with a higher index.
    index: u64,
}

fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Returns a frame (ETW-003 to ETW-005).
fn frame(kind: u64, checksum: u32, data: &[u8]) -> Vec<u8> {
    let mut record = vec![8, kind as u8, 0x10];
    put_varint(&mut record, checksum.into());
    if !data.is_empty() {
        record.push(0x1a);
        put_varint(&mut record, data.len() as u64);
        record.extend(data);
    }
    let padding = usual_padding(record.len());
    let flags = if padding == 0 {
        0
    } else {
        0x80 | padding as u64
    };
    let mut bytes = (record.len() as u64 | flags << 56).to_le_bytes().to_vec();
    bytes.extend(record);
    bytes.resize(bytes.len() + padding, 0);
    bytes
}

fn parse(record: &Value) -> Option<Record> {
    let kind = match record["record_type"].as_str() {
        None if record["record_type"].is_null() => ENTRY,
        Some("entry") => ENTRY,
        Some("metadata") => METADATA,
        Some("state") => STATE,
        Some("snapshot") => SNAPSHOT,
        _ => return None,
    };
    let digits = record["payload"].as_str()?;
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let payload = (0..digits.len())
        .step_by(2)
        .map(byte)
        .collect::<Option<Vec<u8>>>()?;
    payload_fields(kind, &payload)?;
    Some(Record { kind, payload })
}

/// Writes or appends records. Returns the reason for a refusal.
pub fn write(
    append: bool,
    path: &Path,
    records: &[Value],
    context: &Value,
) -> io::Result<Option<&'static str>> {
    let Some(records) = records.iter().map(parse).collect::<Option<Vec<Record>>>() else {
        return Ok(Some("a record has an unknown type or an invalid payload"));
    };
    let segment_size = context["segment_size"].as_u64().unwrap_or(0);
    let mut log = Log::default();
    let mut end = None;
    if append {
        let segments = segments(path)?;
        if segments.is_empty() {
            return Ok(Some("the folder has no segments"));
        }
        log = Log::read(segments);
        let answer = answer(&mut log, path.is_dir(), false);
        if answer.end.is_none() {
            return Ok(Some("the log is damaged"));
        }
        end = answer
            .end
            .map(|(_, at)| (at as u64, answer.verdict == "torn"));
    }
    let known = log.past.metadata.map(|data| log.data(data).to_vec());
    let mut metadata = records
        .iter()
        .filter(|record| record.kind == METADATA)
        .map(|record| &record.payload);
    if let Some(first) = known.as_ref().or(metadata.clone().next()) {
        if metadata.any(|other| other != first) {
            return Ok(Some("the metadata differs from that of the log"));
        }
    }
    let mut writer = if let Some((end, torn)) = end {
        if records.is_empty() {
            return Ok(None);
        }
        let last = log.segments.last().unwrap();
        let folder = path.is_dir().then(|| path.to_path_buf());
        let file = OpenOptions::new()
            .write(true)
            .open(folder.as_ref().map_or(path.into(), |f| f.join(&last.name)))?;
        if torn {
            file.set_len(end)?;
        }
        let mut index = 0;
        for record in log.frames.iter().filter(|frame| frame.role == Role::Record) {
            let payload = log.data_of(record);
            if record.kind == ENTRY {
                index = last_index(index, record.kind, payload);
            }
        }
        let (sequence, seed) = (last.sequence, log.frames.last().unwrap().seed);
        Writer {
            folder,
            segment_size,
            file,
            sequence,
            seed,
            offset: end,
            synced: end,
            metadata: known,
            state: None,
            index,
        }
    } else {
        let folder = (context["folder"] == true).then(|| path.to_path_buf());
        if let Some(folder) = &folder {
            fs::create_dir(folder)?;
        }
        let file = fs::File::create(
            folder
                .as_ref()
                .map_or(path.into(), |folder| folder.join(segment_name(0, 0))),
        )?;
        let (metadata, state) = (None, None);
        let mut writer = Writer {
            folder,
            segment_size,
            file,
            sequence: 0,
            seed: 0,
            offset: 0,
            synced: 0,
            metadata,
            state,
            index: 0,
        };
        writer.begin_file()?;
        writer
    };
    for (number, record) in records.iter().enumerate() {
        let starts_save = number == 0
            || !(records[number - 1].kind == ENTRY && matches!(record.kind, ENTRY | STATE));
        let ends_save = match record.kind {
            ENTRY => !records
                .get(number + 1)
                .is_some_and(|next| matches!(next.kind, ENTRY | STATE)),
            kind => kind == STATE,
        };
        writer.put_record(record, starts_save, ends_save)?;
    }
    Ok(None)
}

fn segment_name(sequence: u64, index: u64) -> String {
    format!("{sequence:016x}-{index:016x}.wal")
}

/// Returns the last index before the one in the name of the next file (ETW-072).
fn last_index(before: u64, kind: u64, payload: &[u8]) -> u64 {
    match (kind, payload_fields(kind, payload)) {
        (ENTRY, Some([_, _, index])) => index,
        (SNAPSHOT, Some([index, ..])) => before.max(index),
        _ => before,
    }
}

impl Writer {
    fn put(&mut self, kind: u64, data: &[u8]) -> io::Result<()> {
        self.seed = crc32c::crc32c_append(self.seed, data);
        let bytes = frame(kind, self.seed, data);
        self.file.seek(SeekFrom::Start(self.offset))?;
        self.offset += bytes.len() as u64;
        self.file.write_all(&bytes)
    }

    /// Writes the head of a new file (ETW-009, ETW-074).
    fn begin_file(&mut self) -> io::Result<()> {
        self.offset = 0;
        self.file.set_len(self.segment_size)?;
        self.put(CHECKSUM, &[])?;
        for (kind, data) in [
            (METADATA, self.metadata.clone()),
            (STATE, self.state.clone()),
        ] {
            if let Some(data) = data {
                self.put(kind, &data)?;
            }
        }
        self.synced = self.offset;
        Ok(())
    }

    /// Writes a record. After a Save, begins a new file if ETW-071 requires it.
    fn put_record(
        &mut self,
        record: &Record,
        starts_save: bool,
        ends_save: bool,
    ) -> io::Result<()> {
        self.put(record.kind, &record.payload)?;
        self.index = last_index(self.index, record.kind, &record.payload);
        let vote = |state: &[u8]| {
            payload_fields(STATE, state).map_or([0, 0], |[term, vote, _]| [term, vote])
        };
        let mut sync = record.kind != STATE || !starts_save;
        match record.kind {
            METADATA => self.metadata = Some(record.payload.clone()),
            STATE => {
                sync |= vote(&record.payload) != vote(self.state.as_deref().unwrap_or_default());
                self.state = Some(record.payload.clone());
            }
            _ => (),
        }
        if ends_save
            && self.folder.is_some()
            && self.segment_size > 0
            && self.synced >= self.segment_size
        {
            self.file.set_len(self.offset)?;
            self.sequence += 1;
            let name = segment_name(self.sequence, self.index + 1);
            self.file = fs::File::create(self.folder.as_ref().unwrap().join(name))?;
            return self.begin_file();
        }
        if sync && (ends_save || record.kind != ENTRY) {
            self.synced = self.offset;
        }
        Ok(())
    }
}
