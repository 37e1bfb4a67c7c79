// A list of known failures, strict both ways: the form that walproof check writes.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { canonical } from "./comparing.js";

/**
 * A list of known failures; throws for one that does not hold together. `updates` is whether what is found is written to
 * it: WALPROOF_UPDATE_KNOWN=1 says so.
 */
export class Known {
  constructor(path, updates = process.env.WALPROOF_UPDATE_KNOWN === "1") {
    Object.assign(this, { path, updates });
    if (updates && !path) throw new Error("WALPROOF_UPDATE_KNOWN is set, and no file of known failures is named");
    this.load();
  }

  load() {
    const { path } = this;
    const { causes = {}, failures = [] } = path && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    const lost = failures.find(({ cause }) => !(cause in causes));
    if (lost) throw new Error(`${path}: ${lost.vector}: the cause ${lost.cause} is not there`);
    this.causes = causes;
    this.failures = new Map(failures.map((one) => [canonical([one.vector, one.profile]), one]));
  }

  /** What is listed of a format and is no vector any more. */
  strangers(format, ids) {
    const listed = [...this.failures.values()].map(({ vector }) => vector);
    return listed.filter((id) => id.startsWith(`${format}/`) && !ids.has(id));
  }

  /** A result, held against the list: its class then, and what the list has to say. */
  compared({ vector, profile, result, difference }) {
    const entry = this.failures.get(canonical([vector, profile]));
    if (!entry || result === "skipped") return [result, ""];
    if (result === "pass") return ["unexpected-pass", "listed as a known failure, but right"];
    if (entry.result === result && samePin(profile, entry.difference, difference)) {
      return ["known-failure", this.causes[entry.cause]];
    }
    return [result, `listed with another failure: ${entry.result} ${entry.difference}`];
  }

  /** Writes a result to the list, if it is not there: its class then, and what was done. */
  updated(row) {
    const { vector, profile, result, difference } = row;
    const [found, why] = this.compared(row);
    if (["pass", "skipped", "known-failure"].includes(found)) return [found, why];
    this.load(); // another test may have written to the same file
    const key = canonical([vector, profile]);
    const cause = this.failures.get(key)?.cause ?? "unexplained"; // nobody has looked yet
    this.failures.delete(key);
    if (result !== "pass") this.failures.set(key, { vector, profile, result, difference, cause });
    this.save();
    return result === "pass" ? ["pass", `taken off ${this.path}`] : ["known-failure", `written to ${this.path}, cause ${cause}`];
  }

  /** Takes off the list what is about vectors that are no more. */
  forget(vectors) {
    for (const [key, { vector }] of [...this.failures]) if (vectors.includes(vector)) this.failures.delete(key);
    if (vectors.length) this.save();
  }

  /** Writes the list; an empty one is removed. */
  save() {
    const order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
    const failures = [...this.failures.values()].sort((one, other) => order(one.vector, other.vector) || order(one.profile, other.profile));
    const used = [...new Set(failures.map(({ cause }) => cause))].sort();
    this.causes = Object.fromEntries(used.map((cause) => [cause, this.causes[cause] ?? ""]));
    if (failures.length === 0) return rmSync(this.path, { force: true });
    writeFileSync(this.path, `${JSON.stringify({ causes: this.causes, failures }, null, 1)}\n`);
  }
}

/** Of a read of one log, what was said; else the class is all. */
function samePin(profile, listed, found) {
  const [one, other] = [listed, found].map((text) => /\[[0-9a-f]{8}\]$/.exec(text)?.[0]);
  const reads = ["recover", "strict"].includes(profile) && !found.startsWith("prefix of ");
  return !reads || !one || !other || one === other;
}
