// What is right: the rules of RUNNERS.md, on answers as plain objects.
import { createHash } from "node:crypto";

const INLINE = 4096; // bytes; of a longer payload there is the SHA-256
const PARTS = ["end", "lost", "reason", "records", "signals", "verdict"];

export const sha256 = (data) => createHash("sha256").update(data).digest("hex");

/** An answer as vectors have it: payloads in hexadecimal, or the SHA-256 of long ones. */
export function normalised(answer) {
  const records = answer.records.map(({ payload, ...fields }) =>
    payload.length > INLINE
      ? { ...fields, payload_sha256: sha256(payload) }
      : { ...fields, payload: Buffer.from(payload).toString("hex") },
  );
  return { ...answer, records };
}

/** The records to write or append, with their payloads in bytes. */
export function toWrite(body) {
  return (body.records ?? []).map(({ payload, fill, ...fields }) => {
    if (payload !== undefined) return { ...fields, payload: Buffer.from(payload, "hex") };
    const { size, ...others } = fields;
    return { ...others, payload: Buffer.alloc(size, Buffer.from(fill, "hex")) };
  });
}

/** What a vector of truncations asks: lengths of prefixes, each with its answer. */
export function* prefixes(body) {
  for (const { from, to, verdict, reason, records, end: stated } of body.table) {
    for (const length of new Set([from, to])) {
      const end = stated === "length" ? length : stated;
      const lost = verdict === "torn" ? [{ from: end, to: length, reason }] : [];
      yield [length, { verdict, reason, records: body.expect.records.slice(0, records), lost, end }];
    }
  }
}

/** What differs in the parts that are reported, one short sentence a part. */
export function differences(expected, actual, reports) {
  const wrong = [];
  if (reports.includes("records")) {
    const fields = reports.filter((one) => !PARTS.includes(one));
    const text = recordDifference(expected.records, actual.records, fields);
    if (text) wrong.push(text);
  }
  for (const part of ["verdict", "reason", "end"]) {
    const [want, got] = [canonical(expected[part]), canonical(actual[part])];
    if (reports.includes(part) && want !== got) wrong.push(`${part}: expected ${want}, found ${got}`);
  }
  if (reports.includes("lost")) {
    const ranges = reports.includes("reason") ? withReasons : merged;
    const [want, got] = [expected, actual].map((one) => canonical(ranges(one.lost ?? [])));
    if (want !== got) wrong.push(`lost: expected ${want}, found ${got}`);
  }
  if (reports.includes("signals")) {
    const { verdict } = expected;
    const silent = !actual.signals?.length;
    if (verdict === "intact" && !silent) {
      wrong.push(`signals: expected none for an intact log, found ${actual.signals}`);
    } else if (["damaged", "refused"].includes(verdict) && silent) {
      wrong.push(`signals: a ${verdict} log, and not a word of it`);
    }
  }
  return wrong;
}

function recordDifference(expected, actual, fields) {
  const count = `records: expected ${expected.length}, found ${actual.length}`;
  for (let number = 0; number < Math.min(expected.length, actual.length); number++) {
    for (const name of ["payload", "payload_sha256", ...fields]) {
      const [want, got] = [expected, actual].map((records) => canonical(records[number][name]));
      if (want === got) continue;
      return `${count}; ${name} of record ${number}: expected ${want.slice(0, 80)}, found ${got.slice(0, 80)}`;
    }
  }
  return expected.length === actual.length ? "" : count;
}

const withReasons = (lost) => lost.map(({ file, from, to, reason }) => [file, from, to, reason]);

/** The bytes that lost ranges cover. */
function merged(lost) {
  const found = [];
  const order = (a, b) => compareTexts(a.file ?? "", b.file ?? "") || a.from - b.from || a.to - b.to;
  for (const { file = "", from, to } of [...lost].sort(order)) {
    const last = found.at(-1);
    if (last?.[0] === file && from <= last[2]) last[2] = Math.max(last[2], to);
    else if (from < to) found.push([file, from, to]);
  }
  return found;
}

/** Digits that stand for all that was said, the wording of signals apart. */
export function pin(actual, reports) {
  const said = Object.fromEntries(PARTS.filter((part) => reports.includes(part)).map((part) => [part, actual[part]]));
  said.signals = Boolean(said.signals?.length);
  return sha256(canonical(said)).slice(0, 8);
}

const compareTexts = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)); // by code point

/** The one text of a value: keys in order, ", " and ": ", all that is not printable ASCII escaped. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const names = Object.keys(value).sort(compareTexts);
    return `{${names.map((name) => `${quoted(name)}: ${canonical(value[name])}`).join(", ")}}`;
  }
  if (typeof value === "string") return quoted(value);
  return String(value ?? null);
}

function quoted(text) {
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[^ -~]/g, escape);
}
