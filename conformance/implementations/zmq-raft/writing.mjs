// Writes logs and appends to them with zmq-raft's classes.
import fs from 'node:fs';
import path from 'node:path';
import {
  FileLog, FilePersistence, IndexFile, LogEntry, SnapshotFile, lendSnapshot, msgpack, placeOf, placesIn, settle, toldIndex,
  withFolder,
} from './zmq_raft.mjs';

/** A refusal of zmq-raft to write these records or to append to this log. */
export class Refused extends Error {}

/** Returns the result of a step; an exception is zmq-raft's refusal. */
async function unlessRefused(step) {
  try {
    return await step();
  } catch (error) {
    throw error instanceof Refused ? error : new Refused(error.message);
  }
}

const ZEROS = '00'.repeat(12);
const payloadOf = (record) => Buffer.from(record.payload, 'hex');

function partsOf({ request_id = ZEROS, entry_type = 0, term = '1', ...record }) {
  return [Buffer.from(request_id, 'hex'), entry_type, Number(term), payloadOf(record)];
}

async function addEntries(file, records, raw) {
  for (const record of records) {
    const bytes = raw ? payloadOf(record) : LogEntry.build(...partsOf(record));
    const [unwritten] = await file.write(bytes, record.index === undefined ? undefined : Number(record.index));
    if (unwritten) throw new Refused(`the file is full at ${file.nextIndex}`);
  }
}

export async function writeIndex(place, { records, context }) {
  await withFolder(async (folder) => {
    const first = toldIndex(place, context) ?? Number(records[0]?.index ?? 1);
    const file = await unlessRefused(() => new IndexFile(folder, first, context.capacity).ready());
    await unlessRefused(() => addEntries(file, records, context.entries === 'raw'));
    await file.close();
    fs.copyFileSync(file.filename, place);
  });
}

export async function appendToIndex(place, { records, context }) {
  await withFolder(async (folder) => {
    const link = placeOf(folder, toldIndex(place, context) ?? 1);
    fs.symlinkSync(path.resolve(place), link);
    const file = await unlessRefused(() => new IndexFile(link).ready());
    await unlessRefused(() => addEntries(file, records, context.entries === 'raw'));
    await file.close();
  });
}

export async function writeSnapshot(place, { records: [record, another] }) {
  if (record === undefined || another !== undefined) throw new Refused('SnapshotFile holds one snapshot');
  const data = payloadOf(record);
  const [index, term] = [Number(record.index), Number(record.term)];
  const file = await unlessRefused(() => new SnapshotFile(place, index, term, data.length).ready());
  await file.write(data, 0, data.length);
  await file.sync();
  await file.close();
}

/** FilePersistence accepts one object, so bytes that msgpack-lite does not decode as one value cannot be written. */
function changesIn(record) {
  const values = [];
  const decoder = new msgpack.Decoder();
  decoder.on('data', (value) => values.push(value));
  decoder.decode(payloadOf(record));
  decoder.end();
  if (values.length !== 1) throw new Refused(`the payload is ${values.length} values`);
  return values[0];
}

async function update(place, { records, context }) {
  const updates = await unlessRefused(() => records.map((record) => [changesIn(record), record.rotate]));
  const known = Object.assign({}, ...updates.map(([changes]) => changes));
  const initial = context.initial ?? Object.fromEntries(Object.keys(known).map((key) => [key, null]));
  const file = await unlessRefused(() => new FilePersistence(place, initial).ready());
  await settle(); // FilePersistence still removes temporary files, such as the file of a rotation
  for (const [changes, rotate] of updates) await (rotate ? file.rotate(changes) : file.update(changes));
  await file.close();
}

export const writeState = update;
export const appendToState = update;

async function addToLog(root, { records, context }, acknowledged) {
  const options = { indexFileCapacity: context.capacity };
  const places = placesIn(root, context);
  await withFolder(async (folder) => {
    const snap = places.isBare ? await lendSnapshot(folder, places) : places.snap;
    const log = await unlessRefused(() => new FileLog(places.logdir, snap, options).ready());
    await unlessRefused(async () => {
      for (const [before, record] of records.entries()) {
        if (record.index === undefined) await log.appendEntry(...partsOf(record));
        else await log.appendEntries([LogEntry.build(...partsOf(record))], Number(record.index));
        await acknowledged?.(before + 1);
      }
    });
    await log.close();
  });
}

export async function writeDirectory(root, request, acknowledged) {
  fs.mkdirSync(path.join(root, 'log'), { recursive: true });
  const { context, records: [first, ...others] } = request;
  const isSnapshot = first?.index !== undefined && first.entry_type === undefined;
  const wanted = isSnapshot ? first : context.snapshot;
  if (wanted !== undefined) await writeSnapshot(path.join(root, 'snap'), { records: [wanted] });
  try {
    await addToLog(root, isSnapshot ? { context, records: others } : request, acknowledged);
  } catch (error) {
    // FileLog expects this folder, but may not have written a file to it.
    const made = fs.readdirSync(root, { recursive: true });
    if (made.length === 1) fs.rmSync(root, { recursive: true });
    throw error;
  }
}

export const appendToDirectory = addToLog;
