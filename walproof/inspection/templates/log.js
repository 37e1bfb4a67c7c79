// The log: its fields, bytes, records and lost ranges, and a way to build elements.

const DATA = JSON.parse(document.getElementById("data").textContent);
const F = DATA.fields;
const COUNT = F.name.length;
const [WINDOW_START, WINDOW_END] = DATA.window;
const FOLD = 512;

/** Build an element. Text is always set as text, so that nothing in a log is parsed as HTML. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const hex = (number) => `0x${number.toString(16)}`;

/** The last index in `low … high` for which `fits` is true, or low - 1 (binary search). */
function lastThat(low, high, fits) {
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

const fieldEnd = (i) => F.start[i] + F.size[i];
const spec = (i) => DATA.specs[F.spec[i]];
const note = (i) => (F.note[i] < 0 ? null : DATA.notes[F.note[i]]);
// Fields are in log order, outer fields first.
const hasFields = (i) => i + 1 < COUNT && F.parent[i + 1] === i;
const DEPTH = new Uint8Array(COUNT);
const LAST_INSIDE = new Int32Array(COUNT);
const LEAVES = [];
for (let i = 0; i < COUNT; i += 1) {
  LAST_INSIDE[i] = i;
  DEPTH[i] = F.parent[i] < 0 ? 0 : DEPTH[F.parent[i]] + 1;
  if (!hasFields(i) && F.size[i] > 0) LEAVES.push(i);
}
for (let i = COUNT - 1; i > 0; i -= 1) {
  const outer = F.parent[i];
  if (outer >= 0) LAST_INSIDE[outer] = Math.max(LAST_INSIDE[outer], LAST_INSIDE[i]);
}

/** The colour of a field's name and bytes: one for each name of a number, none for bytes. */
const isNumber = (i) => spec(i)[0] !== "bytes";
const NUMBERS = [...new Set(LEAVES.filter(isNumber).map((i) => F.name[i]))].sort();
const colour = (i) => `c${i < 0 || hasFields(i) ? 0 : (NUMBERS.indexOf(F.name[i]) % 5) + 1}`;

function path(i) {
  const steps = [];
  for (let at = i; at >= 0; at = F.parent[at]) steps.unshift(F.name[at]);
  return steps.join(".");
}

/** The field with this path, or -1; each step is searched inside the previous one. */
function fieldAt(wanted) {
  let found = -1;
  for (let i = 0; i < COUNT; ) {
    const whole = path(i);
    if (whole === wanted) return i;
    if (wanted.startsWith(`${whole}.`)) {
      found = i;
      i += 1;
    } else {
      i = LAST_INSIDE[i] + 1;
    }
    if (found >= 0 && i > LAST_INSIDE[found]) return -1;
  }
  return -1;
}

/** The innermost field that holds the byte at `offset`, or -1. */
function leafAt(offset) {
  const leaf = LEAVES[lastThat(0, LEAVES.length - 1, (n) => F.start[LEAVES[n]] <= offset)];
  return leaf !== undefined && offset < fieldEnd(leaf) ? leaf : -1;
}

const CHUNKS = DATA.bytes.map(([start, base64]) => ({
  start,
  data: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
}));

/** The byte at `offset`, or -1 if it is not on the page. */
function byteAt(offset) {
  const chunk = CHUNKS[lastThat(0, CHUNKS.length - 1, (n) => CHUNKS[n].start <= offset)];
  const at = chunk === undefined ? 0 : offset - chunk.start;
  return chunk !== undefined && at < chunk.data.length ? chunk.data[at] : -1;
}

/** The lost range `{from, to, reason, torn}` that holds the byte at `offset`, or null. */
function lostAt(offset) {
  const found = lastThat(0, DATA.lost.length - 1, (n) => DATA.lost[n][0] <= offset);
  return found >= 0 && offset < DATA.lost[found][1] ? lostRange(found) : null;
}

function lostRange(number) {
  const [from, to, reason, torn] = DATA.lost[number];
  return { number, from, to, reason, torn: torn === 1, word: torn === 1 ? "torn" : "lost" };
}

/** The lost range that holds the whole field. An empty field belongs to the preceding bytes. */
function lostOf(i) {
  const gap = lostAt(F.size[i] ? F.start[i] : Math.max(0, F.start[i] - 1));
  return gap && fieldEnd(i) <= gap.to ? gap : null;
}

/** The number of the record that holds the whole field, or -1. */
function recordOf(i) {
  const start = F.size[i] ? F.start[i] : Math.max(0, F.start[i] - 1);
  const found = lastThat(0, DATA.records.length - 1, (n) => DATA.records[n][0] <= start);
  return found >= 0 && fieldEnd(i) <= DATA.records[found][1] ? DATA.firstRecord + found : -1;
}

/** The decoded record that holds the whole field, or null. */
function meaningOf(i) {
  const record = recordOf(i);
  return record < 0 ? null : DATA.meanings[record - DATA.firstRecord];
}

/** Whether this is the outermost field at the start of a record. */
function beginsRecord(i) {
  const record = recordOf(i);
  if (record < 0 || DATA.records[record - DATA.firstRecord][0] !== F.start[i]) return false;
  return F.parent[i] < 0 || recordOf(F.parent[i]) !== record;
}

const isPrintable = (byte) => byte >= 0x20 && byte < 0x7f;

/** The CSS class of a field's note: whether its check holds. */
const noteClass = (i) => ({ 0: "bad", 1: "good" })[note(i)[1]] || "quiet";

/** A preview of a field of bytes, in about `room` characters. */
function preview(i, room) {
  const bytes = [];
  for (let at = F.start[i]; at < fieldEnd(i) && bytes.length <= room; at += 1) {
    const byte = byteAt(at);
    if (byte < 0) break;
    bytes.push(byte);
  }
  if (!bytes.length) return "";
  const more = bytes.length < F.size[i];
  const text = bytes.slice(0, room).map((b) => (isPrintable(b) ? String.fromCharCode(b) : "."));
  const quote = bytes.every(isPrintable) ? '"' : "|";
  return quote + text.join("") + quote + (more ? "…" : "");
}

/** The byte that a short field repeats, or -1. */
function onlyByte(i) {
  const byte = byteAt(F.start[i]);
  if (F.size[i] < 5 || F.size[i] > 2048) return -1;
  for (let at = F.start[i]; at < fieldEnd(i); at += 1) if (byteAt(at) !== byte) return -1;
  return byte;
}

/** The value of a field as short text. */
function valueText(i, room = 32) {
  if (F.value[i] !== 0) return F.value[i];
  if (F.size[i] === 0) return "empty";
  const only = onlyByte(i);
  if (only >= 0) {
    const one = isPrintable(only) ? `"${String.fromCharCode(only)}"` : only.toString(16);
    return `${plural(F.size[i], "byte")}  ${one.padStart(2, "0")} × ${F.size[i]}`;
  }
  return `${plural(F.size[i], "byte")}  ${preview(i, room)}`;
}
