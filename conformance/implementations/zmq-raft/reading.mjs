// Reads logs with zmq-raft's classes: their records, and their messages about damage.
import fs from 'node:fs';
import path from 'node:path';
import {
  FileLog, FilePersistence, IndexFile, LogEntry, SnapshotFile, lendSnapshot, msgpack, placeOf, placesIn, toldIndex,
  withFolder,
} from './zmq_raft.mjs';

class Answer {
  records = [];
  signals = [];

  /** Runs one step of the reading; an exception becomes a signal. Returns whether it succeeded. */
  async try(step) {
    try {
      await step();
      return true;
    } catch (error) {
      this.signals.push(`${error.name}: ${error.message}`);
      return false;
    }
  }
}

/** Returns an entry's bytes as a record; throws zmq-raft's exception for bytes that are not an entry. */
function entryOf(bytes, index, raw) {
  if (raw) return { index: String(index), payload: bytes.toString('hex') };
  const entry = LogEntry.bufferToLogEntry(bytes, index);
  return {
    index: String(index),
    term: String(entry.readEntryTerm()),
    entry_type: entry.entryType,
    request_id: entry.readRequestKey('hex'),
    payload: entry.readEntryData().toString('hex'),
  };
}

export async function index(file, { context, profile }) {
  const answer = new Answer();
  const first = toldIndex(file, context) ?? Number(firstIndexIn(file));
  await withFolder(async (folder) => {
    let log;
    const opened = await answer.try(async () => {
      const place = placeOf(folder, first);
      fs.symlinkSync(path.resolve(file), place);
      log = new IndexFile(place);
      await log.ready();
    });
    if (!opened) return;
    for (let next = log.firstAllowedIndex; next < log.nextIndex; ++next) {
      const went = await answer.try(async () => {
        const bytes = await log.read(next, 1);
        const place = { at: log.getByteOffset(next), size: bytes.length };
        answer.records.push({ ...place, ...entryOf(bytes, next, context.entries === 'raw') });
      });
      if (!went && profile === 'strict') break;
    }
    await log.close();
  });
  return answer;
}

function firstIndexIn(file) {
  const head = fs.readFileSync(file).subarray(16, 24);
  return head.length === 8 ? head.readBigUInt64LE() : 1;
}

export async function snapshot(file) {
  const answer = new Answer();
  await answer.try(async () => {
    const snap = await new SnapshotFile(file).ready();
    try {
      answer.records.push(await snapshotRecord(snap));
    } finally {
      await snap.close();
    }
  });
  return answer;
}

async function snapshotRecord(snap) {
  const data = await snap.read(0, snap.dataSize);
  const number = (value) => (Number.isSafeInteger(value) ? String(value) : value.toFixed(0));
  return {
    at: 0,
    size: snap.dataOffset + snap.dataSize,
    index: number(snap.logIndex),
    term: number(snap.logTerm),
    payload: data.toString('hex'),
  };
}

/**
 * FilePersistence returns only the merged state, and only for the keys that its owner passes. The updates therefore
 * come from its decoder, and are returned only if FilePersistence opens the file. At least one key is passed, as an
 * owner does. Without a key, FilePersistence would open any file, even one with values that are not updates.
 */
export async function state(file) {
  const answer = new Answer();
  const bytes = fs.readFileSync(file);
  const { updates, keys } = decode(bytes);
  const initial = Object.fromEntries((keys.length ? keys : ['currentTerm']).map((key) => [key, undefined]));
  await answer.try(async () => {
    const persistence = new FilePersistence(file, initial);
    await persistence.ready();
    const data = persistence[Symbol.for('data')];
    const merged = Object.fromEntries(keys.filter((key) => key in data).map((key) => [key, data[key]]));
    await persistence.close();
    answer.records = updates;
    if (updates.length) updates[updates.length - 1].state = toJson(merged);
  });
  return answer;
}

/** Returns the values of the file up to the first one that msgpack-lite cannot decode. */
function decode(bytes) {
  const decoder = new msgpack.Decoder();
  decoder.write(bytes);
  const updates = [];
  const keys = new Set();
  try {
    while (decoder.offset < bytes.length) {
      const at = decoder.offset;
      const value = decoder.fetch();
      const size = decoder.offset - at;
      Object.keys(value ?? {}).forEach((key) => keys.add(key));
      updates.push({
        at, size, update: toJson(value), payload: bytes.subarray(at, at + size).toString('hex'),
      });
    }
  } catch {
    // FilePersistence fails with the same error, and reports it.
  }
  return { updates, keys: [...keys] };
}

function toJson(value) {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    const eight = Buffer.alloc(8);
    eight.writeDoubleBE(value);
    return { float: eight.toString('hex') };
  }
  if (Buffer.isBuffer(value)) return { bin: value.toString('hex') };
  if (Array.isArray(value)) return value.map(toJson);
  if (value !== null && typeof value === 'object') {
    if (value.constructor?.name === 'ExtBuffer') return { ext: [value.type, value.buffer.toString('hex')] };
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  }
  return value ?? null;
}

/** Opens FileLog in read-only mode; a missing snapshot, which FileLog requires, is created in another folder. */
export async function directory(root, { context, profile }) {
  const answer = new Answer();
  await withFolder(async (folder) => {
    const places = placesIn(root, context);
    const { logdir, snap, isBare } = places;
    let log;
    const opened = await answer.try(async () => {
      let place = snap;
      if (!fs.existsSync(snap)) {
        // In read-write mode FileLog itself creates a snapshot at index 0.
        place = await lendSnapshot(folder, places);
      }
      log = await new FileLog(logdir, place, true).ready();
    });
    if (!opened) return;
    const { logIndex, dataSize } = log.snapshot;
    const entryAt = (index) => answer.try(async () => {
      const bytes = await log.getEntry(index);
      const entry = entryOf(bytes, index, context.entries === 'raw');
      const at = await log._indexFileOf(index, (file) => file.getByteOffset(index));
      const file = path.relative(root, await log.findIndexFilePathOf(index));
      answer.records.push({ file, at, size: bytes.length, ...entry });
    });
    if (!isBare && (logIndex > 0 || dataSize > 0)) {
      await answer.try(async () => {
        const file = path.relative(root, snap);
        answer.records.push({ file, ...(await snapshotRecord(log.snapshot)) });
      });
    }
    for (let index = log.firstIndex; index <= log.lastIndex; ++index) {
      if (!(await entryAt(index)) && profile === 'strict') break;
    }
    await log.close();
  });
  return answer;
}

