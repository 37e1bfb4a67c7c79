// The golden vectors of Walproof: journal files (write-ahead logs) and the expected answers. index.d.ts has the types.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the vectors. */
export const folder = fileURLToPath(new URL("vectors", import.meta.url));

/** The contents of index.json: the version of the set, counts, ids and hashes. */
export const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));

/** A log and the expected answer, with the fields of the vector's description. */
export class Vector {
  constructor(description) {
    Object.assign(this, description);
  }

  /** The log: a file, or a folder for a multi-file log. */
  get path() {
    return join(folder, this.format, this.input);
  }

  /** Returns the bytes of the log: a Map of file name, with / between the names of nested folders, to Buffer. */
  files() {
    if (statSync(this.path).isFile()) return new Map([[this.input, readFileSync(this.path)]]);
    const paths = readdirSync(this.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .sort();
    return new Map(paths.map((path) => [relative(this.path, path).split(sep).join("/"), readFileSync(path)]));
  }

  /** Returns the correct answers of a reader in a profile, "recover" or "strict"; the first is the expected answer. */
  answers(profile = "recover") {
    const suffix = profile === "strict" ? "_strict" : "";
    const accepted = (this.accept ?? []).map((other) => other[`answer${suffix}`]);
    return [this[`expect${suffix}`], ...accepted].filter((answer) => answer !== undefined);
  }
}

/** Returns the vector with an id; throws if there is none. */
export function load(id) {
  return new Vector(JSON.parse(readFileSync(join(folder, `${id}.json`), "utf8")));
}

/** Yields the vectors of a format, or of all formats, in order of id. */
export function* vectors(format) {
  for (const { id } of index.vectors) {
    if (format === undefined || id.startsWith(`${format}/`)) yield load(id);
  }
}
