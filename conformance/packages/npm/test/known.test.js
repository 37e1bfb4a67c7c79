import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { canonical, differences } from "../comparing.js";
import { Known } from "../known.js";
import { run } from "../runner.js";

const entry = (vector, profile, result, difference) => ({ vector, profile, result, difference, cause: "why" });
const failures = [
  entry("a/one", "recover", "fail", "records [0123abcd]"),
  entry("a/two", "append", "fail", "files [0123abcd]"),
  entry("a/three", "recover", "crash", "it fell"),
];

/** Runs `use` with the path of a list. */
function withList(body, use) {
  const folder = mkdtempSync(join(tmpdir(), "walproof-"));
  try {
    const path = join(folder, "known.json");
    writeFileSync(path, JSON.stringify(body));
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the list is strict both ways", () => {
  const known = withList({ causes: { why: "Because." }, failures }, (path) => new Known(path));
  for (const [vector, profile, result, difference, expected] of [
    ["a/one", "recover", "fail", "in other words [0123abcd]", "known-failure"],
    ["a/one", "recover", "fail", "records [ffffffff]", "fail"],
    ["a/one", "recover", "crash", "", "crash"],
    ["a/one", "recover", "pass", "", "unexpected-pass"],
    ["a/one", "recover", "skipped", "not today", "skipped"],
    ["a/one", "strict", "fail", "records [0123abcd]", "fail"],
    ["a/two", "append", "fail", "whatever", "known-failure"],
    ["a/three", "recover", "crash", "elsewhere", "known-failure"],
    ["a/four", "recover", "pass", "", "pass"],
  ]) {
    const [found, why] = known.compared({ vector, profile, result, difference });
    assert.equal(found, expected, `${vector} ${profile} ${result}`);
    assert.equal(found === "known-failure", why === "Because.");
  }
  assert.deepEqual(known.strangers("a", new Set(["a/one", "a/two"])), ["a/three"]);
});

test("an update writes what is new and takes off what is right", () => {
  withList({ causes: { why: "Because." }, failures }, (path) => {
    const known = new Known(path, true);
    const updated = (vector, profile, result, difference) => known.updated({ vector, profile, result, difference })[0];
    assert.equal(updated("a/one", "recover", "pass", ""), "pass");
    assert.equal(updated("a/two", "append", "fail", "whatever"), "known-failure");
    assert.equal(updated("a/three", "recover", "fail", "é [ffffffff]"), "known-failure");
    assert.equal(updated("a/four", "recover", "timeout", "no answer"), "known-failure");
    assert.equal(updated("a/five", "recover", "skipped", "not today"), "skipped");
    assert.equal(updated("a/six", "recover", "pass", ""), "pass");
    assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), {
      causes: { unexplained: "", why: "Because." },
      failures: [
        { ...entry("a/four", "recover", "timeout", "no answer"), cause: "unexplained" },
        entry("a/three", "recover", "fail", "é [ffffffff]"),
        entry("a/two", "append", "fail", "files [0123abcd]"),
      ],
    });
    const row = { vector: "a/three", profile: "recover", result: "fail", difference: "[ffffffff]" };
    assert.deepEqual(new Known(path).compared(row), ["known-failure", "Because."]);
    known.forget(["a/four", "a/three"]);
    assert.equal(JSON.parse(readFileSync(path, "utf8")).failures.length, 1);
    known.forget(["a/two"]);
    assert.equal(existsSync(path), false, "an empty list is removed");
  });
  assert.throws(() => new Known(undefined, true), /no file of known failures/);
});

test("a list that does not hold together", () => {
  withList({ causes: {}, failures }, (path) => assert.throws(() => new Known(path), /the cause why is not there/));
  assert.equal(new Known("none.json").failures.size, 0);
  const gone = [entry("leveldb-log/gone", "recover", "fail", "")];
  withList({ causes: { why: "" }, failures: gone }, (known) => {
    assert.throws(() => run("leveldb-log", "file:///none.mjs", { known }), /leveldb-log\/gone/);
  });
  assert.throws(() => run("nothing", "file:///none.mjs"), /no vectors of nothing/);
});

test("canonical texts, and what ranges cover", () => {
  assert.equal(
    canonical({ b: [1, true, null], a: "é\u007f\n\"🦀 ~" }),
    '{"a": "\\u00e9\\u007f\\n\\"\\ud83e\\udd80 ~", "b": [1, true, null]}',
  );
  const halves = [{ from: 1, to: 4 }, { from: 4, to: 9 }, { from: 20, to: 20 }];
  assert.deepEqual(differences({ lost: halves }, { lost: [{ from: 1, to: 9 }] }, ["lost"]), []);
  assert.equal(differences({ lost: halves }, { lost: [{ from: 1, to: 8 }] }, ["lost"]).length, 1);
});
