// Writes logs and appends to them (PRW-070 to PRW-073).
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compress } from './compression.mjs';
import { openLog } from './files.mjs';
import { crc32c, FIRST, FULL, HEADER, LAST, MAX_DATA, MIDDLE, PAGE, pageEnd } from './frame.mjs';
import { readLog } from './reader.mjs';

/** The reason why a writer changes nothing. */
export class Refused extends Error {}

/** The new bytes of a segment, from the offset `at` on. */
class Segment {
  chunks = [];

  constructor(at = 0) {
    this.at = at;
    this.#padFullPage();
  }

  /** Write a record in frames that hold as much as fits into the page. */
  add({ content, flag }) {
    let done = 0;
    let isFirst = true;
    for (let isLast = false; !isLast; isFirst = false) {
      const length = Math.min(content.length - done, pageEnd(this.at) - this.at - HEADER);
      isLast = done + length === content.length;
      const frame = Buffer.alloc(HEADER + length);
      content.copy(frame, HEADER, done, done + length);
      frame[0] = flag | (isFirst ? (isLast ? FULL : FIRST) : isLast ? LAST : MIDDLE);
      frame.writeUInt16BE(length, 1);
      frame.writeUInt32BE(crc32c(frame.subarray(HEADER)), 3);
      this.#push(frame);
      this.#padFullPage();
      done += length;
    }
  }

  pad() {
    if (this.at % PAGE !== 0) this.#push(Buffer.alloc(pageEnd(this.at) - this.at));
  }

  #padFullPage() {
    if (pageEnd(this.at) - this.at < HEADER) this.pad(); // PRW-014
  }

  #push(bytes) {
    this.chunks.push(bytes);
    this.at += bytes.length;
  }
}

/** Write a new log of payloads. */
export function writeLog(path, payloads, context = {}) {
  const { folder = false } = context;
  if (folder) {
    const segments = inSegments(payloads, context);
    mkdirSync(path);
    writeSegments(path, 0n, segments);
  } else {
    checkSegmentSize(context);
    writeFileSync(path, oneSegment(new Segment(), payloads, context), { flag: 'wx' });
  }
}

/** Append payloads to a log as after a restart (PRW-073). */
export function appendToLog(path, payloads, context = {}) {
  checkSegmentSize(context);
  const { end, verdict, reason } = readLog(path);
  if (end === null) throw new Refused(`the log is ${verdict}: ${reason}`);
  if (payloads.length === 0) return;
  if (!statSync(path).isDirectory()) {
    cut(path, end);
    writeFileSync(path, oneSegment(new Segment(end), payloads, context), { flag: 'a' });
    return;
  }
  const number = openLog(path).segments.at(-1).number + 1n;
  const segments = inSegments(payloads, context);
  if (segments.some((_, i) => existsSync(join(path, segmentName(number + BigInt(i)))))) throw new Refused('a name is in use');
  if (verdict === 'torn') cut(join(path, end.file), end.at);
  writeSegments(path, number, segments);
}

function checkSegmentSize({ segment_size: size = PAGE }) {
  if (size <= 0 || size % PAGE !== 0) throw new Refused(`segment_size is not a multiple of ${PAGE}`);
}

function oneSegment(segment, payloads, { compression }) {
  for (const payload of payloads) segment.add(compress(payload, compression));
  return Buffer.concat(segment.chunks);
}

/** Divide payloads into segments (PRW-071). */
function inSegments(payloads, context) {
  checkSegmentSize(context);
  const { segment_size: segmentSize = 134217728, compression } = context;
  const segments = [new Segment()];
  for (const payload of payloads) {
    const record = compress(payload, compression);
    const { at } = segments.at(-1);
    const rest = MAX_DATA - (at % PAGE) + MAX_DATA * (segmentSize / PAGE - Math.floor(at / PAGE) - 1);
    if (record.content.length > rest) {
      segments.at(-1).pad();
      segments.push(new Segment());
    }
    segments.at(-1).add(record);
  }
  return segments;
}

function segmentName(number) {
  return number < 0n ? `-${String(-number).padStart(7, '0')}` : String(number).padStart(8, '0');
}

function writeSegments(folder, number, segments) {
  segments.forEach(({ chunks }, i) =>
    writeFileSync(join(folder, segmentName(number + BigInt(i))), Buffer.concat(chunks), { flag: 'wx' }));
}

function cut(path, size) {
  const file = openSync(path, 'r+');
  ftruncateSync(file, size);
  closeSync(file);
}
