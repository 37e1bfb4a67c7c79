// Records, lost ranges, verdict and end of a log (PRW-020 to PRW-062).
import { Decompressor } from './compression.mjs';
import { openLog } from './files.mjs';
import { FIRST, frameAt, FULL, HEADER, isSound, LAST, MAX_DATA, MIDDLE, PAGE, pageEnd, SNAPPY, withOtherLength, ZSTD } from './frame.mjs';

const TORN = 'torn-record';

/** Return the end of the last byte that is not zero. */
function contentEnd(bytes) {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

/** Return the first offset from `at` on whose byte is not zero; there is such a byte. */
function firstNonZero(bytes, at) {
  while (bytes[at] === 0) at++;
  return at;
}

/** Return the answer for a log. */
export function readLog(path, { continued = false } = {}, strict = false) {
  const log = openLog(path);
  if (log.refused) return { verdict: 'refused', reason: log.refused, records: [], lost: [], end: null };
  const reader = new LogReader(continued);
  const withContent = log.segments.filter(({ duplicate, bytes }) => !duplicate && contentEnd(bytes) > 0).at(-1);
  for (const fault of log.before) reader.lose(fault);
  for (const segment of log.segments) reader.read(segment, segment === withContent && !segment.inCheckpoint);
  for (const fault of log.after) reader.lose(fault);
  const { records, lost, damage, torn } = reader;
  const place = (segment, at) => (segment.file === undefined ? at : { file: segment.file, at });
  if (damage === null) {
    const last = log.segments.at(-1);
    return { verdict: torn ? 'torn' : 'intact', reason: torn ? TORN : null, records, lost,
      end: torn ? place(torn.segment, torn.from) : place(last, reader.lastFrameEnd) };
  }
  const answer = { verdict: 'damaged', reason: damage.reason, records, lost, end: null };
  return strict ? { ...answer, ...cutAtDamage(log, records, damage) } : answer;
}

/** Return the records and lost ranges of the profile strict (PRW-062). */
function cutAtDamage({ segments, before }, records, { reason, range, segment, start, recordCount }) {
  const later = segment ? segments.slice(segments.indexOf(segment) + 1) : before.includes(range) ? segments : [];
  const lost = [
    segment ? rangeOf(segment, start, segment.bytes.length, reason) : range,
    ...later.map((other) => rangeOf(other, 0, other.bytes.length, reason)),
  ];
  return { records: records.slice(0, recordCount), lost };
}

const rangeOf = ({ file }, from, to, reason) => (file === undefined ? { from, to, reason } : { file, from, to, reason });

class LogReader {
  records = [];
  lost = [];
  damage = null; // the first damage in the order of reading
  torn = null;
  lastFrameEnd = 0; // in the segment read last
  #logBytes = 0; // bytes of the segments before the current one
  #decompressor = new Decompressor();
  #continued;

  constructor(continued) {
    this.#continued = continued;
  }

  /** List a lost range. `start` is where the profile strict stops. */
  lose(range, segment = null, start = range.from) {
    this.lost.push(range);
    if (range.reason === TORN) this.torn = { segment, from: range.from };
    else this.damage ??= { reason: range.reason, range, segment, start, recordCount: this.records.length };
  }

  read(segment, isLast) {
    const firstRange = this.lost.length;
    const { bytes } = segment;
    this.lastFrameEnd = 0;
    if (segment.afterGap) this.lose(rangeOf(segment, 0, 0, 'missing-segment'), segment);
    if (segment.duplicate) this.lose(rangeOf(segment, 0, bytes.length, 'duplicate-segment'), segment);
    else {
      this.#readFrames(segment, isLast);
      this.#logBytes += bytes.length;
    }
    this.lost.push(...this.lost.splice(firstRange).sort((a, b) => a.from - b.from));
  }

  #readFrames(segment, isLast) {
    const { bytes } = segment;
    const size = bytes.length;
    const content = contentEnd(bytes);
    let open = null; // the open record
    let otherLengthsTried = -1; // the end of the page in which PRW-024 was tried last
    let p = 0;

    const lose = (reason, from, to, start = from) =>
      this.lose(rangeOf(segment, from, Math.min(to, size), reason), segment, start);
    const endOpenRecord = () => {
      if (open) lose('unfinished-record', open.at, open.end);
      open = null;
    };
    const fault = (reason, to) => {
      lose(reason, p, to, open?.at ?? p);
      endOpenRecord();
      p = to;
    };
    const unfinishedWrite = () => lose(isLast ? TORN : 'unfinished-record', open?.at ?? p, size); // PRW-040, PRW-042

    while (p < content) {
      const B = pageEnd(p);
      if (bytes[p] === 0) {
        const next = firstNonZero(bytes, p);
        if (next >= B) {
          if (B - p < HEADER || (this.#continued && p % PAGE !== 0)) { // PRW-021
            endOpenRecord();
            p = B;
          } else fault('zero-page', next - (next % PAGE));
          continue;
        }
      }
      if (size - p < HEADER) {
        if (B - p >= HEADER) return unfinishedWrite();
        fault('nonzero-padding', B);
        continue;
      }
      let frame = frameAt(bytes, p);
      const { type, q } = frame;
      if (!isSound(bytes, frame)) {
        let other = null;
        if (type >= FULL && type <= LAST && otherLengthsTried !== B) {
          otherLengthsTried = B;
          other = withOtherLength(bytes, frame);
        }
        if (other === null) {
          if (type === 0 || B - p < HEADER) fault('nonzero-padding', B);
          else if (isUnfinished(frame, B, size, content)) return unfinishedWrite();
          else if (q > B || (frame.length === 0 && frame.checksum === 0)) fault('bad-length', B);
          else fault('checksum-mismatch', B);
          continue;
        }
        frame = other;
      } else if (isLast && type === FULL && frame.length === 0 && content === p + 1 && Math.min(B, size) - content > 6) {
        return unfinishedWrite(); // PRW-041
      }
      this.lastFrameEnd = frame.q;
      if (type < FULL || type > LAST) fault('unknown-type', frame.q); // PRW-026
      else if (!open && (type === MIDDLE || type === LAST)) fault('orphan-fragment', frame.q); // PRW-027
      else if (open && (type === FULL || type === FIRST) && frame.length === MAX_DATA) { // PRW-028
        open.end = frame.q;
        endOpenRecord();
      } else {
        if (type === FULL || type === FIRST) endOpenRecord();
        open ??= { at: p, parts: [], flags: [], code: null };
        addFrame(open, frame, bytes, B);
        if (type === FULL || type === LAST) {
          this.#finish(segment, open);
          open = null;
        }
      }
      p = frame.q;
    }
    if (open) unfinishedWrite();
  }

  /** Return or lose a complete record. */
  #finish(segment, { at, end, parts, flags, code }) {
    const content = Buffer.concat(parts);
    const { payload, compression, reason } = this.#decompressor.decode(content, flags, this.#logBytes + end);
    const listed = reason ?? (content.length === 0 && code === 'mixed-flags' ? null : code);
    if (listed) this.lose(rangeOf(segment, at, end, listed), segment);
    if (reason) return;
    this.records.push({ ...(segment.file && { file: segment.file }), at, size: end - at, compression, payload });
  }
}

/** Add a frame to a record, with the code of the first frame to which one applies (PRW-024, PRW-030, PRW-032). */
function addFrame(record, { p, q, type, flags, badLength }, bytes, B) {
  const isShort = q > B || ((type === FIRST || type === MIDDLE) && q !== B);
  const isMixed = flags === (SNAPPY | ZSTD) || (record.flags.length > 0 && flags !== record.flags[0]);
  record.code ??= badLength ? 'bad-length' : isShort ? 'short-fragment' : isMixed ? 'mixed-flags' : null;
  record.parts.push(bytes.subarray(p + HEADER, q));
  record.flags.push(flags);
  record.end = q;
}

/** Return whether a frame that is not sound, with a type other than 0, is an unfinished write (PRW-040). */
function isUnfinished({ p, q }, B, size, content) {
  const sector = q - 1 - ((q - 1) % 512);
  return q <= B && (q > size || (p < sector && content <= sector) || content === p + 1);
}
