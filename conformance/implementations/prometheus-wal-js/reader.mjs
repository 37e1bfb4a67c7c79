// Records, lost ranges, verdict and end of a log (PRW-020 to PRW-062).
import { Decompressor } from './compression.mjs';
import { openLog } from './files.mjs';
import { FIRST, frameAt, FULL, HEADER, isSound, LAST, MAX_DATA, MIDDLE, PAGE, pageEnd, SNAPPY, withOtherLength, ZSTD } from './frame.mjs';

/** Return the offset after the last nonzero byte. */
function contentEnd(bytes) {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return end;
}

/** Return the offset of the first nonzero byte from `at` on. Such a byte must exist. */
function firstNonZero(bytes, at) {
  while (bytes[at] === 0) at++;
  return at;
}

const rangeOf = ({ file }, from, to, reason) => ({ ...(file && { file }), from, to, reason });

/** Return the answer for a log. */
export function readLog(path, { continued = false } = {}, strict = false) {
  const { refused, segments } = openLog(path);
  if (refused) return { verdict: 'refused', reason: refused, records: [], lost: [], end: null };
  const reader = new LogReader(continued);
  const last = segments.filter(({ bytes, isDuplicate }) => bytes && !isDuplicate && contentEnd(bytes) > 0).at(-1);
  for (const segment of segments) reader.read(segment, segment === last && !segment.inCheckpoint);
  const { records, lost, damage, torn, lastFrameEnd } = reader;
  if (damage === null) {
    const { segment: { file }, at } = torn ?? { segment: segments.at(-1), at: lastFrameEnd };
    const verdict = torn ? { verdict: 'torn', reason: 'torn-record' } : { verdict: 'intact', reason: null };
    return { ...verdict, records, lost, end: file ? { file, at } : at };
  }
  const { reason, segment, start, recordCount, earlier } = damage;
  const answer = { verdict: 'damaged', reason, records, lost, end: null };
  if (!strict) return answer;
  const later = segments.slice(segments.indexOf(segment) + 1).filter(({ bytes, file }) => bytes || file);
  const toEnd = (each, at) => rangeOf(each, at, each.bytes?.length ?? each.to, reason);
  answer.lost = [...earlier, toEnd(segment, start), ...later.map((each) => toEnd(each, 0))];
  return { ...answer, records: records.slice(0, recordCount) };
}

class LogReader {
  records = [];
  lost = [];
  damage = null; // the first damage in the order of reading
  torn = null;
  lastFrameEnd = 0; // in the segment read last
  #logBytes = 0; // bytes of the segments before the current one
  #decompressor = new Decompressor();

  constructor(continued) {
    this.continued = continued;
  }

  /** List a lost range. `start` is where the profile strict stops. */
  lose(segment, reason, from, to, start = from) {
    this.lost.push(rangeOf(segment, from, to, reason));
    if (reason === 'torn-record') this.torn = { segment, at: from };
    else this.damage ??= { reason, segment, start, recordCount: this.records.length, earlier: this.lost.slice(0, -1) };
  }

  read(segment, isLast) {
    const { bytes } = segment;
    if (!bytes) return this.lose(segment, segment.reason, segment.from, segment.to);
    if (segment.isDuplicate) return this.lose(segment, 'duplicate-segment', 0, bytes.length);
    const firstRange = this.lost.length;
    this.lastFrameEnd = 0;
    if (segment.isAfterGap) this.lose(segment, 'missing-segment', 0, 0);
    this.#readFrames(segment, isLast);
    this.#logBytes += bytes.length;
    this.lost.push(...this.lost.splice(firstRange).sort((a, b) => a.from - b.from));
  }

  #readFrames(segment, isLast) {
    const { bytes } = segment;
    const size = bytes.length;
    const content = contentEnd(bytes);
    let open = null; // the open record
    let otherLengthsTried = -1; // the end of the last page in which PRW-024 was tried
    let p = 0;

    const endOpenRecord = () => {
      if (open) this.lose(segment, 'unfinished-record', open.at, open.end);
      open = null;
    };
    const skip = (reason, to) => {
      if (reason) this.lose(segment, reason, p, Math.min(to, size), open?.at ?? p);
      endOpenRecord();
      p = to;
    };
    const stop = () => { // PRW-040, PRW-042
      this.lose(segment, isLast ? 'torn-record' : 'unfinished-record', open?.at ?? p, size);
    };

    while (p < content) {
      const B = pageEnd(p);
      const next = firstNonZero(bytes, p);
      if (next >= B) {
        const isPadding = B - p < HEADER || (this.continued && p % PAGE !== 0);
        skip(isPadding ? null : 'zero-page', isPadding ? B : next - (next % PAGE));
        continue;
      }
      if (size - p < HEADER) {
        if (B - p >= HEADER) return stop();
        skip('nonzero-padding', B);
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
          if (type === 0 || B - p < HEADER) skip('nonzero-padding', B);
          else if (isUnfinished(frame, B, size, content)) return stop();
          else skip(q > B || (frame.length === 0 && frame.checksum === 0) ? 'bad-length' : 'checksum-mismatch', B);
          continue;
        }
        frame = other;
      } else if (isLast && type === FULL && frame.length === 0 && content === p + 1 && Math.min(B, size) - content > 6) {
        return stop(); // PRW-041
      }
      const begins = type === FULL || type === FIRST;
      if (type < FULL || type > LAST) skip('unknown-type', frame.q); // PRW-026
      else if (!begins && !open) skip('orphan-fragment', frame.q); // PRW-027
      else if (begins && open && frame.length === MAX_DATA) { // PRW-028
        open.end = frame.q;
        endOpenRecord();
      } else {
        if (begins) endOpenRecord();
        open ??= { at: p, parts: [], flags: [], code: null, isMixed: false };
        addFrame(open, frame, bytes, B);
        if (type === FULL || type === LAST) {
          this.#finish(segment, open);
          open = null;
        }
      }
      p = this.lastFrameEnd = frame.q;
    }
    if (open) stop();
  }

  /** Add a complete record to the answer, to the lost ranges, or to both. */
  #finish(segment, { at, end, parts, flags, code, isMixed }) {
    const content = Buffer.concat(parts);
    const { payload, compression, reason } = this.#decompressor.decode(content, flags, this.#logBytes + end);
    const found = reason ?? code ?? (isMixed ? 'mixed-flags' : null);
    if (found) this.lose(segment, found, at, end);
    if (!reason) this.records.push({ ...(segment.file && { file: segment.file }), at, size: end - at, compression, payload });
  }
}

/** Add a frame to a record. The record keeps the code of the first frame that has one (PRW-024, PRW-030). */
function addFrame(record, { p, q, type, flags, length, badLength }, bytes, B) {
  const isShort = q > B || ((type === FIRST || type === MIDDLE) && q !== B);
  record.isMixed ||= record.flags.length > 0 ? flags !== record.flags[0] : flags === (SNAPPY | ZSTD) && !(type === FULL && length === 0);
  record.code ??= badLength ? 'bad-length' : isShort ? 'short-fragment' : null;
  record.parts.push(bytes.subarray(p + HEADER, q));
  record.flags.push(flags);
  record.end = q;
}

/** Return whether a frame that is not sound, with a type other than 0, is an unfinished write (PRW-040). */
function isUnfinished({ p, q }, B, size, content) {
  const sector = q - 1 - ((q - 1) % 512);
  return q <= B && (q > size || (p < sector && content <= sector) || content === p + 1);
}
