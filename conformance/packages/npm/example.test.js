// Tests a small reader of LevelDB logs with the vectors. Copy it, and replace read with your reader.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { index, vectors } from "@walproof/vectors";

// The vectors that the reader is known to fail, because it supports neither preallocated space nor other dialects.
const knownFailures = readFileSync("known-failures.txt", "utf8").trim().split("\n");
const LONGEST_PAYLOAD_IN_FULL_BYTES = 4096;

const BLOCK_BYTES = 32768, HEADER_BYTES = 7;
const FULL = 1, FIRST = 2, MIDDLE = 3, LAST = 4;

/** Returns the verdict, payloads and lost ranges of a log, up to the first damage. */
function read(log) {
  const payloads = [];
  let at = 0, parts = [], recordStart = 0, isOpen = false;
  const stop = (verdict) => ({ verdict, payloads, lost: [{ from: recordStart, to: log.length }] });
  while (at < log.length) {
    const leftInBlock = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (leftInBlock < HEADER_BYTES) {
      at += leftInBlock;
      continue;
    }
    if (!isOpen) [parts, recordStart] = [[], at];
    if (log.length - at < HEADER_BYTES) return stop("torn");
    const end = at + HEADER_BYTES + log.readUInt16LE(at + 4);
    if (end > at + leftInBlock) return stop("damaged");
    if (end > log.length) return stop("torn");
    const fragment = log[at + 6];
    const fits = (isOpen ? [MIDDLE, LAST] : [FULL, FIRST]).includes(fragment);
    if (!fits || maskedCrc32c(log.subarray(at + 6, end)) !== log.readUInt32LE(at)) return stop("damaged");
    parts.push(log.subarray(at + HEADER_BYTES, end));
    isOpen = fragment === FIRST || fragment === MIDDLE;
    if (!isOpen) payloads.push(Buffer.concat(parts));
    at = end;
  }
  return isOpen ? stop("torn") : { verdict: "intact", payloads, lost: [] };
}

const CRC32C = Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit += 1) byte = (byte >>> 1) ^ (byte & 1 ? 0x82f63b78 : 0);
  return byte;
});

function maskedCrc32c(data) {
  let crc = -1;
  for (const byte of data) crc = (crc >>> 8) ^ CRC32C[(crc ^ byte) & 0xff];
  crc = ~crc;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** Returns a payload as the vectors contain it: in hexadecimal, or the SHA-256 of a long payload. */
function payloadText(payload) {
  if (payload.length <= LONGEST_PAYLOAD_IN_FULL_BYTES) return payload.toString("hex");
  return createHash("sha256").update(payload).digest("hex");
}

/** Returns whether verdict, records and lost ranges match one answer. */
function isRight(answer, { verdict, payloads, lost }) {
  const record = ({ payload, payload_sha256 }) => payload ?? payload_sha256;
  const range = ({ from, to }) => [from, to];
  const right = [answer.verdict, answer.records.map(record), answer.lost.map(range)];
  return JSON.stringify(right) === JSON.stringify([verdict, payloads.map(payloadText), lost.map(range)]);
}

for (const vector of vectors("leveldb-log")) {
  if (vector.operation !== "read") continue;
  test(vector.id, () => {
    const found = read(vector.files().get(vector.input));
    const passes = vector.answers("strict").some((answer) => isRight(answer, found));
    const isKnown = knownFailures.includes(vector.id);
    assert.notEqual(passes, isKnown, `known failure: ${isKnown}, found ${JSON.stringify(found)}`);
  });
}

test("every log has the size that its vector states", () => {
  const all = [...vectors()];
  assert.equal(all.length, index.counts.vectors);
  for (const vector of all) {
    const sizes = [...vector.files().values()].map((data) => data.length);
    assert.equal(sizes.reduce((sum, size) => sum + size, 0), vector.size, vector.id);
  }
});
