// A complete Walproof adapter: skeletons/javascript/adapter.mjs with a reader and a writer of LevelDB logs in it.
//
//   walproof check --cmd 'node conformance/examples/javascript/adapter.mjs' --format leveldb-log
//
// By hand: node adapter.mjs read leveldb-log FILE [strict]
import { existsSync } from 'node:fs';
import { open, readFile, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const hello = {
  name: 'example-javascript',
  version: '1.0.0',
  language: 'JavaScript',
  formats: ['leveldb-log'],
  profiles: ['recover', 'strict', 'write', 'append'],
  reports: ['records', 'at', 'size', 'verdict', 'reason', 'end', 'lost'],
};

async function read(format, path, profile, context) {
  return { answer: new Reader(await readFile(path)).answer(profile) };
}

// Makes a log, or goes on with the one that is there where its end is.
async function write(cmd, format, path, records, context) {
  let position = 0;
  if (cmd === 'append') {
    const before = new Reader(await readFile(path)).answer('recover');
    if (before.end === null) return { refused: `start a new file: ${before.reason}` };
    if (records.length === 0) return { done: true }; // which changes nothing
    position = before.end;
    await truncate(path, position);
  }
  const log = await open(path, cmd === 'write' ? 'wx' : 'a');
  for (const { payload } of records) {
    for (const part of framed(Buffer.from(payload, 'hex'), position)) {
      await log.writeFile(part);
      position += part.length;
    }
  }
  await log.close();
  return { done: true };
}

const BLOCK = 32768;
const HEADER = 7;
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4];

// Reads the bytes of a log as spec/leveldb-log.md says.
class Reader {
  records = [];
  lost = [];
  open = null; // a record whose FIRST was read and whose LAST was not
  zerosFrom = null;
  torn = null;
  first = null; // the first damage, and how many records are before it
  inStep = true;

  constructor(log) {
    this.log = log;
  }

  // All that is whole or, with 'strict', what is before the first damage.
  answer(profile) {
    const { log, records, lost } = this;
    if (foreignDialect(log)) {
      return { verdict: 'refused', reason: 'foreign-dialect', records, lost, end: null };
    }
    for (let base = 0; base < log.length; base += BLOCK) this.block(base);
    if (this.open) this.tear(this.open.at, this.open.end, 'torn-record');
    let end = this.zerosFrom ?? log.length;
    if (this.torn) {
      end = this.torn.from;
      lost.push(this.torn);
    }
    if (!this.first) {
      const verdict = this.torn ? 'torn' : 'intact';
      return { verdict, reason: this.torn?.reason ?? null, records, lost, end };
    }
    const damaged = { verdict: 'damaged', reason: this.first.reason };
    if (profile === 'strict') {
      const rest = { from: this.first.from, to: log.length, reason: this.first.reason };
      return { ...damaged, records: records.slice(0, this.first.records), lost: [rest], end: null };
    }
    lost.sort((a, b) => a.from - b.from);
    return { ...damaged, records, lost, end: this.inStep ? end : null };
  }

  // The physical records of one block.
  block(base) {
    const { log } = this;
    const end = Math.min(base + BLOCK, log.length);
    if (this.zerosFrom !== null && !isZero(log.subarray(base, end))) {
      this.lose(this.zerosFrom, base, 'zero-gap');
      this.loseOpen();
      this.zerosFrom = null;
    }
    for (let at = base; at < end && base + BLOCK - at >= HEADER; ) {
      // what is left after the loop is the trailer
      const short = end - at < HEADER;
      const length = short ? 0 : log.readUInt16LE(at + 4);
      const type = short ? 0 : log[at + 6];
      const after = at + HEADER + length;
      if (length === 0 && type === 0 && isZero(log.subarray(at, end))) {
        this.zerosFrom ??= at;
        return;
      }
      if (short) return this.tear(at, end, 'torn-header');
      if (after > base + BLOCK) return this.loseRest(at, end, 'bad-length');
      if (after > end) return this.tear(at, end, 'torn-payload');
      if (length === 0 && type === 0) return this.loseRest(at, end, 'zero-header');
      if (maskedCrc(log.subarray(at + 6, after)) !== log.readUInt32LE(at)) {
        return this.loseRest(at, end, 'checksum-mismatch');
      }
      this.fragment(type, log.subarray(at + HEADER, after), at, after);
      at = after;
    }
  }

  // A physical record whose checksum holds.
  fragment(type, data, at, end) {
    if (type === FULL || type === FIRST) {
      if (this.open?.parts.some((part) => part.length)) this.loseOpen();
      this.open = { at, end, parts: [data] };
    } else if (type !== MIDDLE && type !== LAST) {
      this.lose(at, end, 'unknown-type');
      return this.loseOpen();
    } else if (!this.open) {
      return this.lose(at, end, 'orphan-fragment');
    } else {
      this.open.end = end;
      this.open.parts.push(data);
    }
    if (type === FULL || type === LAST) {
      const { at, parts } = this.open;
      this.records.push({ at, size: end - at, payload: Buffer.concat(parts).toString('hex') });
      this.open = null;
    }
  }

  lose(from, to, reason) {
    const before = Math.min(from, this.open?.at ?? from);
    this.first ??= { from: before, reason, records: this.records.length };
    this.lost.push({ from, to, reason });
  }

  loseOpen() {
    if (this.open) this.lose(this.open.at, this.open.end, 'incomplete-record');
    this.open = null;
  }

  // A length that cannot be trusted: only the next block gets a reader back in step.
  loseRest(at, end, reason) {
    this.lose(at, end, reason);
    this.loseOpen();
    this.inStep = end % BLOCK === 0;
  }

  // The log ends inside a write; that of an open record began at its FIRST.
  tear(at, end, reason) {
    this.torn = { from: this.open?.at ?? at, to: end, reason };
    this.open = null;
  }
}

const isZero = (bytes) => bytes.every((byte) => byte === 0);

// Whether the first physical record is one of RocksDB's or Pebble's own.
function foreignDialect(log) {
  if (log.length < HEADER) return false;
  const length = log.readUInt16LE(4);
  const type = log[6];
  const sizes = []; // that the header has in the dialects of this type
  if ([5, 6, 7, 8, 11, 131].includes(type)) sizes.push(11);
  if ([9, 10, 11, 12].includes(type)) sizes.push(19);
  if ((type === 9 && length === 4) || (type === 130 && length === 24)) sizes.push(HEADER);
  if (type === 10 && length > 0 && length % 6 === 0) sizes.push(HEADER);
  return sizes.some((size) => {
    const end = size + length;
    return end <= Math.min(BLOCK, log.length) && maskedCrc(log.subarray(6, end)) === log.readUInt32LE(0);
  });
}

// What a writer appends to a log of position bytes, part by part.
function* framed(rest, position) {
  for (let begin = true; begin || rest.length; begin = false) {
    let left = BLOCK - (position % BLOCK);
    if (left < HEADER) {
      yield Buffer.alloc(left);
      position += left;
      left = BLOCK;
    }
    const data = rest.subarray(0, left - HEADER);
    rest = rest.subarray(data.length);
    const type = rest.length ? (begin ? FIRST : MIDDLE) : begin ? FULL : LAST;
    const physical = Buffer.concat([Buffer.alloc(HEADER), data]);
    physical.writeUInt8(type, 6);
    physical.writeUInt16LE(data.length, 4);
    physical.writeUInt32LE(maskedCrc(physical.subarray(6)), 0);
    yield physical;
    position += physical.length;
  }
}

const TABLE = Uint32Array.from({ length: 256 }, (_, crc) => {
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  return crc;
});

// CRC-32C, masked (LDB-007).
function maskedCrc(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 0xff];
  crc = ~crc;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

// ---- The protocol: nothing to fill in from here on. ----

const reply = (message) => process.stdout.write(JSON.stringify(message) + '\n');

// Carries out a request that names a log.
async function answer({ cmd, format, path, profile, records, context }) {
  if (cmd !== 'write' && !existsSync(path)) return { skipped: 'nothing is at this path' };
  if (cmd === 'read') return await read(format, path, profile, context);
  return await write(cmd, format, path, records, context);
}

const [form, format, path, profile = 'recover'] = process.argv.slice(2);
if (form === 'read') {
  const result = await answer({ cmd: 'read', format, path, profile, context: {} });
  reply(result.answer ?? result);
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.cmd === 'bye') break;
    reply(request.cmd === 'hello' ? hello : { seq: request.seq, ...(await answer(request)) });
  }
  process.stdin.destroy(); // or the open pipe would keep the process alive after bye
}
