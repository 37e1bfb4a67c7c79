// A test for each vector under node:test. README.md has an example, RUNNERS.md the rules.
import { appendFileSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { differences, normalised, pin, prefixes, sha256, toWrite } from "./comparing.js";
import { vectors } from "./index.js";
import { Known } from "./known.js";

export { Refused, Skip } from "./reasons.js";

const WEIGHT = ["pass", "skipped", "fail", "crash", "timeout"]; // the last is what came of several requests
const PROFILES = { read: ["recover", "strict"], truncations: ["recover"], write: ["write"], append: ["append"] };
const START = 60_000; // milliseconds for the module to be imported
const FREE = "the writer is free here: only walproof check reads what it left";

/**
 * Makes a test of each vector of a format, in each profile that is asked. `module` is the URL of a module that exports
 * `read(request)`, `write(request)` or `append(request)`; it runs in a worker, which is ended if it hangs.
 */
export function run(format, module, options = {}) {
  const subject = {
    reports: ["records", "signals"], profiles: ["recover"], choose: () => true, patience: 5, worker: {},
    results: process.env.WALPROOF_RESULTS, ...options, host: new Host(module, options.worker),
  };
  const all = [...vectors(format)];
  if (all.length === 0) throw new Error(`no vectors of ${format}`);
  const known = new Known(subject.known);
  const strangers = known.strangers(format, new Set(all.map(({ id }) => id)));
  if (known.updates) known.forget(strangers);
  else if (strangers.length) throw new Error(`${subject.known}: no vectors: ${strangers.join(", ")}`);
  for (const vector of all.filter(subject.choose)) {
    for (const profile of PROFILES[vector.operation].filter((one) => subject.profiles.includes(one))) {
      test(`${vector.id}/${profile}`, async (t) => {
        const [kind, difference] = await new Case(subject, vector, profile).judge();
        const row = { vector: vector.id, profile, result: kind, difference };
        if (subject.results) appendFileSync(subject.results, `${JSON.stringify(row)}\n`);
        const [found, why] = known.updates ? known.updated(row) : known.compared(row);
        const text = `${found}: ${why}\n${difference}`.trim();
        if (found === "skipped" || found === "known-failure") t.skip(text);
        else if (found !== "pass") throw new Error(`${text}\n${vector.title}\n${vector.requirements.join(" ")}`);
      });
    }
  }
  after(() => subject.host.end());
}

/** The worker in which a subject runs; another one after a death. */
class Host {
  constructor(module, options) {
    Object.assign(this, { module: String(module), options, worker: null });
  }

  /** What the function did: ["done", result], or refused, skipped, crash, timeout with a text. */
  async call(name, request, ms) {
    if (this.worker === null) {
      const options = { ...this.options, workerData: this.module };
      this.worker = new Worker(new URL("worker.js", import.meta.url), options);
      const [kind, said] = await this.heard(() => {}, START); // the clock of a request is not that of an import
      if (kind !== "ready") return [kind, said];
    }
    return this.heard((worker) => worker.postMessage({ name, request }), ms);
  }

  /** The next word of the worker, after `say` was called; a crash and a time-out are its end. */
  async heard(say, ms) {
    const { worker } = this;
    let timer;
    const [kind, said] = await new Promise((resolve) => {
      const crash = (error) => resolve(["crash", String(error?.stack ?? error)]);
      worker.once("message", resolve).once("messageerror", crash).once("error", crash);
      worker.once("exit", (code) => crash(`it ended with ${code}`));
      timer = setTimeout(() => resolve(["timeout", `no answer in ${ms} ms`]), ms);
      say(worker);
    });
    clearTimeout(timer);
    for (const event of ["message", "messageerror", "error", "exit"]) worker.removeAllListeners(event);
    if (kind === "crash" || kind === "timeout") {
      this.worker = null;
      worker.on("error", () => {}); // whatever it still says
      await worker.terminate();
    }
    return [kind, said];
  }

  async end() {
    await this.worker?.terminate();
  }
}

class Case {
  constructor(subject, vector, profile) {
    Object.assign(this, { subject, vector, profile, isFile: statSync(vector.path).isFile(), own: basename(vector.path) });
    this.slug = vector.id.split("/")[1];
  }

  /** What came of it, and what differs. */
  async judge() {
    const { vector, profile } = this;
    const files = vector.files();
    if (profile === "write" || profile === "append") return this.written(files);
    if (vector.operation !== "truncations") {
      const strict = profile === "strict" ? "_strict" : "";
      const accepted = (vector.accept ?? []).map((other) => other[`answer${strict}`]);
      return this.read(files, [vector[`expect${strict}`], ...accepted]);
    }
    let worst = ["pass", ""];
    for (const [length, expect] of prefixes(vector)) {
      const cut = new Map([...files].map(([name, data]) => [name, data.subarray(0, length)]));
      const [kind, text] = await this.read(cut, [expect]);
      if (WEIGHT.indexOf(kind) > WEIGHT.indexOf(worst[0])) worst = [kind, `prefix of ${length}: ${text}`];
      if (kind === "crash" || kind === "timeout") break;
    }
    return worst;
  }

  /** Runs `use` with the path of a scratch copy. */
  async withCopy(files, use) {
    const folder = mkdtempSync(join(tmpdir(), "walproof-"));
    try {
      const place = join(folder, this.neutral(this.own));
      for (const [name, data] of files) {
        const target = this.isFile ? place : join(place, name);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, data);
      }
      return await use(place);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  call(place) {
    const { vector, profile, subject } = this;
    const { format, context = {} } = vector;
    const request = { format, path: place, profile, context, records: toWrite(vector) };
    const name = profile === "write" || profile === "append" ? profile : "read";
    return subject.host.call(name, request, (vector.limits?.wall_ms ?? 2000) * subject.patience);
  }

  read(files, right) {
    return this.withCopy(files, async (place) => {
      const [kind, answer] = await this.call(place);
      if (kind !== "done") return [kind === "refused" ? "crash" : kind, answer];
      const actual = normalised(answer);
      const { reports } = this.subject;
      let wrong = differences(right[0], actual, reports);
      if (right.slice(1).some((other) => differences(other, actual, reports).length === 0)) wrong = [];
      if (!this.isAt(place, files)) wrong.push("the reader changed the log it read");
      return wrong.length ? ["fail", `${wrong.join("; ")} [${pin(actual, reports)}]`] : ["pass", ""];
    });
  }

  written(files) {
    const { vector } = this;
    const before = this.profile === "write" ? new Map() : files;
    return this.withCopy(before, async (place) => {
      const [kind, text] = await this.call(place);
      if (kind === "refused") return this.refused(place, before, text);
      if (kind !== "done") return [kind, text];
      if (vector.must_refuse) return ["fail", "the writer says done where it must refuse"];
      if (this.profile === "write") {
        if (!this.isAt(place, files)) return ["fail", "bytes: the log is not what it should be"];
        const wrong = this.filesWrong(place, vector.after);
        return wrong ? ["fail", wrong] : ["pass", ""];
      }
      const found = [];
      for (const owed of [vector.after, ...(vector.accept ?? []).map((other) => other.after)]) {
        found.push(this.filesWrong(place, owed));
        if (found.at(-1)) continue;
        return owed.files.every((file) => file.sha256) ? ["pass", ""] : ["skipped", FREE];
      }
      return ["fail", found[0]];
    });
  }

  refused(place, before, why) {
    const { vector } = this;
    if (!vector.must_refuse && !vector.may_refuse) return ["fail", `the writer refused: ${why}`];
    const same = this.profile === "write" ? !lstatSync(place, { throwIfNoEntry: false }) : this.isAt(place, before);
    if (!same) return ["fail", "the writer refused, and changed the log"];
    const named = (name) => (this.isFile ? this.own : `${this.own}/${name}`);
    const files = [...before].map(([name, data]) => ({ name: named(name), size: data.length }));
    const wrong = this.filesWrong(place, { files, free: vector.after.free });
    return wrong ? ["fail", `the writer refused, and changed what is there: ${wrong}`] : ["pass", ""];
  }

  /** A name without that of the vector: nobody may go by it. Other names mean something. */
  neutral(name) {
    return name.startsWith(this.slug) ? `case${name.slice(this.slug.length)}` : name;
  }

  /** Whether just these files are at a place. */
  isAt(place, files) {
    const there = statSync(place, { throwIfNoEntry: false });
    if (!there || there.isFile() !== this.isFile) return false;
    if (this.isFile) return readFileSync(place).equals(files.get(this.own));
    const found = below(place);
    return found.size === files.size && [...files].every(([name, data]) => found.has(name) && readFileSync(join(place, name)).equals(data));
  }

  /** What is wrong with the files in the folder of a place. */
  filesWrong(place, { files, bytes = [], free = [] }) {
    const folder = dirname(place);
    const leaves = (freedom) => free.some((one) => one.freedom === freedom);
    const isNeutral = this.neutral(this.own) !== this.own;
    const stated = (name) => (isNeutral && name.startsWith("case") ? this.slug + name.slice(4) : name);
    const there = new Map([...below(folder)].map(([name, size]) => [stated(name), size]));
    const wrong = [];
    for (const { name, size } of files) {
      const [fitting] = [...there.keys()].sort().filter((one) => one === name || matches(one, name));
      if (fitting === undefined) wrong.push(`${name} is missing`);
      else if (there.get(fitting) !== size && !leaves("preallocation")) {
        wrong.push(`${name}: expected ${size} bytes, found ${there.get(fitting)}`);
      }
      there.delete(fitting);
    }
    if (!leaves("other-files")) wrong.push(...[...there.keys()].map((name) => `${name} should not be there`));
    const data = (name) => {
      const file = join(folder, this.neutral(name));
      return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : Buffer.alloc(0);
    };
    for (const { name, at, hex } of bytes) {
      if (data(name).subarray(at, at + hex.length / 2).toString("hex") !== hex) wrong.push(`${name} at ${at}: expected ${hex}`);
    }
    for (const file of files.filter((one) => one.sha256)) {
      if (sha256(data(file.name)) !== file.sha256) wrong.push(`${file.name}: other bytes`);
    }
    return wrong.join(", ");
  }
}

/** Whether a name is one of a shell pattern. */
function matches(name, pattern) {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
  return new RegExp(`^${escaped}$`, "s").test(name);
}

/** Sizes of what is below a folder and no folder itself, by names with /. */
export function below(folder, above = "") {
  const found = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [path, name] = [join(folder, entry.name), `${above}${entry.name}`];
    if (entry.isDirectory()) for (const [inner, size] of below(path, `${name}/`)) found.set(inner, size);
    else found.set(name, lstatSync(path).size);
  }
  return found;
}
