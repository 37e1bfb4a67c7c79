// The segments of a log, in the order of reading (PRW-001 to PRW-005).
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Return a name as a number, or null if it is not a 64-bit decimal number (PRW-002). */
function toNumber(name) {
  if (!/^[+-]?[0-9]+$/.test(name)) return null;
  const number = BigInt(name[0] === '+' ? name.slice(1) : name);
  return BigInt.asIntN(64, number) === number ? number : null;
}

/** Return the entries of a folder whose names are `prefix` and a number, sorted by number and then by name. */
const listNumbered = (folder, prefix = '') =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name.startsWith(prefix) && toNumber(name.slice(prefix.length)) !== null)
    .map((entry) => ({ name: entry.name, number: toNumber(entry.name.slice(prefix.length)), entry }))
    .sort((a, b) => (a.number === b.number ? a.name < b.name : a.number < b.number) ? -1 : 1);

/** Return the name of a segment, which has at least eight characters. */
export const nameOf = (number) => (number < 0n ? `-${String(-number).padStart(7, '0')}` : String(number).padStart(8, '0'));

/**
 * Return the segments of a folder by number. Among names with the same number, the one that Prometheus would write
 * comes first (PRW-005).
 */
function listSegments(folder, prefix = '') {
  const isOther = ({ name, number }) => Number(name !== nameOf(number));
  return listNumbered(folder).filter(({ entry }) => entry.isFile())
    .sort((a, b) => (a.number === b.number ? isOther(a) - isOther(b) : 0))
    .map(({ name, number }) => ({ number, file: prefix + name, inCheckpoint: prefix !== '' }));
}

/** Mark duplicates, and segments after a gap. The first segment must follow `previous`, unless that is null. */
function markFaults(segments, previous) {
  for (const [i, segment] of segments.entries()) {
    segment.isDuplicate = i > 0 && segment.number === previous;
    segment.isAfterGap = previous !== null && !segment.isDuplicate && segment.number !== previous + 1n;
    previous = segment.number;
  }
  return segments;
}

/**
 * Return the reason to refuse a log, or null, and its segments with their bytes, in the order of reading. A fault of
 * the folder that is not in a segment is in this list as an empty range.
 */
export function openLog(path) {
  const segments = statSync(path).isDirectory() ? openFolder(path) : [{}];
  for (const segment of segments) if (!segment.reason) segment.bytes = readFileSync(segment.file ? join(path, segment.file) : path);
  const first = segments.find(({ bytes }) => bytes);
  if (segments.length === 0) return { refused: 'no-segments' };
  return { refused: first?.bytes.subarray(0, 4).toString('hex') === '43af00ef' ? 'old-format' : null, segments };
}

function openFolder(path) {
  const segments = listSegments(path);
  const faults = [];
  for (const { name, number, entry } of listNumbered(path, 'checkpoint.').reverse()) {
    const replacement = entry.isDirectory() ? listSegments(join(path, name), `${name}/`) : [];
    if (replacement.length > 0) {
      const rest = segments.filter((segment) => segment.number > number);
      const end = rest.length === 0 ? [{ from: 0, to: 0, reason: 'missing-segment' }] : [];
      return [...faults, ...markFaults(replacement, -1n), ...markFaults(rest, number), ...end];
    }
    const range = entry.isFile() ? { file: name, from: 0, to: statSync(join(path, name)).size } : { from: 0, to: 0 };
    faults.push({ ...range, reason: 'bad-checkpoint' });
  }
  return [...faults, ...markFaults(segments, null)];
}
