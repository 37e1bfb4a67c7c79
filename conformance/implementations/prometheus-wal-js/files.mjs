// The segments of a log, in the order of reading (PRW-001 to PRW-005).
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const CHECKPOINT = 'checkpoint.';
const byBytes = (a, b) => (a.name < b.name ? -1 : 1);

/** Return a name as a number, or null if it is not a decimal number of 64 bits (PRW-002). */
function toNumber(name) {
  if (!/^[+-]?[0-9]+$/.test(name)) return null;
  const number = BigInt(name[0] === '+' ? name.slice(1) : name);
  return BigInt.asIntN(64, number) === number ? number : null;
}

const compare = (a, b) => (a.number === b.number ? byBytes(a, b) : a.number < b.number ? -1 : 1);

/** Return the segments of a folder by number, each followed by its duplicates (PRW-005). */
function listSegments(folder, prefix = '') {
  const preferred = (segment) => (/^[0-9]{8}$/.test(segment.name) ? 0 : 1);
  const segments = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && toNumber(entry.name) !== null)
    .map(({ name }) => ({ name, number: toNumber(name), file: prefix + name, inCheckpoint: prefix !== '' }))
    .sort((a, b) => (a.number === b.number ? preferred(a) - preferred(b) : 0) || compare(a, b));
  segments.forEach((segment, i) => { segment.duplicate = i > 0 && segments[i - 1].number === segment.number; });
  return segments;
}

/** Mark the segments in front of which a number is missing; `next` is the expected number, or null for any. */
function markGaps(segments, next) {
  for (const segment of segments.filter(({ duplicate }) => !duplicate)) {
    segment.afterGap = next !== null && segment.number !== next;
    next = segment.number + 1n;
  }
}

/**
 * Return the segments of a log with their bytes, and the faults of the folder: `before` all segments and `after` them.
 * `refused` is a reason not to read the log, or null.
 */
export function openLog(path) {
  if (!statSync(path).isDirectory()) return load(path, { segments: [{ name: '' }], before: [], after: [] });
  const segments = listSegments(path);
  const checkpoints = readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name.startsWith(CHECKPOINT) && toNumber(name.slice(CHECKPOINT.length)) !== null)
    .map((entry) => ({ name: entry.name, number: toNumber(entry.name.slice(CHECKPOINT.length)), entry }))
    .sort(compare).reverse();
  if (segments.length + checkpoints.length === 0) return { refused: 'no-segments' };
  const log = { segments, before: [], after: [] };
  for (const { name, number, entry } of checkpoints) {
    const replaced = entry.isDirectory() ? listSegments(join(path, name), `${name}/`) : [];
    if (replaced.length > 0) {
      const rest = segments.filter((segment) => segment.number > number);
      markGaps(replaced, 0n);
      markGaps(rest, number + 1n);
      log.segments = [...replaced, ...rest];
      if (rest.length === 0) log.after.push({ from: 0, to: 0, reason: 'missing-segment' });
      return load(path, log);
    }
    const range = entry.isFile() ? { file: name, from: 0, to: statSync(join(path, name)).size } : { from: 0, to: 0 };
    log.before.push({ ...range, reason: 'bad-checkpoint' });
  }
  markGaps(segments, null);
  return load(path, log);
}

function load(path, log) {
  for (const segment of log.segments) segment.bytes = readFileSync(segment.file ? join(path, segment.file) : path);
  const old = log.segments[0]?.bytes.subarray(0, 4).toString('hex') === '43af00ef'; // PRW-003
  return { ...log, refused: old ? 'old-format' : null };
}
