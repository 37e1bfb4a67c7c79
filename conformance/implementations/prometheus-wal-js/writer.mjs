// Writes logs and appends to them (PRW-070 to PRW-073).
import { appendFileSync, existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compress } from './compression.mjs';
import { nameOf, openLog } from './files.mjs';
import { crc32c, FIRST, FULL, HEADER, LAST, MAX_DATA, MIDDLE, PAGE, pageEnd } from './frame.mjs';
import { readLog } from './reader.mjs';

/** The reason why a writer changes nothing. */
export class Refused extends Error {}

/** The new bytes of a segment, which begin at the offset `at`. */
class Segment {
  chunks = [];

  constructor(at = 0) {
    this.at = at;
    this.#padFullPage();
  }

  /** Write a record in frames, each of which holds as much as fits into the page. */
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

/** Return the new bytes of each segment. The first segment is continued at `at`. */
function encode(payloads, { segment_size: size = 134217728, compression }, inFolder, at = 0) {
  const segments = [new Segment(at)];
  for (const payload of payloads) {
    const record = compress(payload, compression);
    const used = segments.at(-1).at;
    const rest = MAX_DATA - (used % PAGE) + MAX_DATA * (size / PAGE - Math.floor(used / PAGE) - 1);
    if (inFolder && record.content.length > rest) {
      segments.at(-1).pad();
      segments.push(new Segment());
    }
    segments.at(-1).add(record);
  }
  return segments.map(({ chunks }) => Buffer.concat(chunks));
}

/** Refuse a size of segments that is not a number of pages, even if it is not needed (PRW-071). */
function checkContext({ segment_size: size = PAGE }) {
  if (size <= 0 || size % PAGE !== 0) throw new Refused(`segment_size is not a multiple of ${PAGE}`);
}

/** Write a new log of payloads. */
export function writeLog(path, payloads, context = {}) {
  checkContext(context);
  const segments = encode(payloads, context, context.folder);
  if (context.folder) mkdirSync(path);
  segments.forEach((bytes, i) => writeFileSync(context.folder ? join(path, nameOf(BigInt(i))) : path, bytes, { flag: 'wx' }));
}

/** Append payloads to a log as after a restart. */
export function appendToLog(path, payloads, context = {}) {
  checkContext(context);
  const { end, verdict, reason } = readLog(path);
  if (end === null) throw new Refused(`the log is ${verdict}: ${reason}`);
  if (payloads.length === 0) return;
  if (typeof end === 'number') {
    const [bytes] = encode(payloads, context, false, end);
    truncateSync(path, end);
    appendFileSync(path, bytes);
    return;
  }
  const next = openLog(path).segments.at(-1).number + 1n;
  const segments = encode(payloads, context, true);
  const paths = segments.map((_, i) => join(path, nameOf(next + BigInt(i))));
  const isFull = next + BigInt(paths.length) > 2n ** 63n; // a larger number is not a segment (PRW-002)
  if (isFull || paths.some(existsSync)) throw new Refused('the next segment has no free name');
  if (verdict === 'torn') truncateSync(join(path, end.file), end.at);
  segments.forEach((bytes, i) => writeFileSync(paths[i], bytes, { flag: 'wx' }));
}
