import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { hasPayload, index, load, vectors } from "../index.js";

test("every vector loads, and its log has its hash", () => {
  let count = 0;
  let single = 0;
  for (const vector of vectors()) {
    count += 1;
    assert.ok(vector.title && vector.expect.verdict, vector.id);
    assert.equal(vector.operation === "read", vector.expect_strict !== undefined, vector.id);
    const files = vector.files();
    if (files.size !== 1 || !files.has(vector.input)) continue;
    single += 1;
    const found = createHash("sha256").update(files.get(vector.input)).digest("hex");
    assert.equal(found, vector.sha256, vector.id);
  }
  assert.equal(count, index.counts.vectors);
  assert.ok(single > 1000);
});

test("the vectors of one format", () => {
  const found = [...vectors("leveldb-log")];
  assert.equal(found.length, index.counts.by_format["leveldb-log"]);
});

test("an answer", () => {
  const { expect } = load("leveldb-log/first-then-full");
  assert.equal(expect.verdict, "damaged");
  assert.deepEqual(expect.lost, [{ from: 12, to: 24, reason: "incomplete-record" }]);
  assert.ok(hasPayload(expect.records[0], "alpha"));
  assert.ok(!hasPayload(expect.records[1], "bravo"));
  assert.throws(() => load("leveldb-log/nobody"), /no vector/);
});
