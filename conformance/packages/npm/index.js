// The golden vectors of Walproof: logs, and the answers that readers owe (index.d.ts has the types).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

/** The folder of the vectors. */
export const folder = fileURLToPath(new URL("vectors", import.meta.url));

/** What vectors/index.json says of the set. */
export const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));

/** A vector: the fields of its description, and the bytes of its log. */
export class Vector {
  constructor(body) {
    Object.assign(this, body);
  }

  /** Where the log is: a file, or a folder for a log of several files. */
  get path() {
    return join(folder, this.format, this.input);
  }

  /** The bytes of the log: name, with / between those of folders, to Buffer. */
  files() {
    if (statSync(this.path).isFile()) return new Map([[this.input, readFileSync(this.path)]]);
    const found = new Map();
    const walk = (above) => {
      const entries = readdirSync(join(this.path, ...above), { withFileTypes: true });
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const steps = [...above, entry.name];
        if (entry.isDirectory()) walk(steps);
        else found.set(steps.join("/"), readFileSync(join(this.path, ...steps)));
      }
    };
    walk([]);
    return found;
  }
}

/** The vector of an id; throws if there is none. */
export function load(id) {
  if (!index.vectors.some((row) => row.id === id)) throw new Error(`no vector ${id}`);
  return new Vector(JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8")));
}

/** The vectors of a format, or all, in order of id. */
export function* vectors(format) {
  for (const { id } of index.vectors) {
    if (format !== undefined && !id.startsWith(`${format}/`)) continue;
    yield new Vector(JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8")));
  }
}

/** Whether a record of an answer has this payload (bytes). */
export function hasPayload(record, payload) {
  if (record.payload !== undefined) return record.payload === Buffer.from(payload).toString("hex");
  return record.payload_sha256 === createHash("sha256").update(payload).digest("hex");
}
