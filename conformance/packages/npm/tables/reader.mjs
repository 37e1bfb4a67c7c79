// A reader that is a table: the project's own tests give one to the runner of every language.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { canonical, sha256 } from "../comparing.js";
import { below, Refused, Skip } from "../runner.js";

const { acts } = JSON.parse(readFileSync(process.argv[2], "utf8"));

export function read(request) {
  const { answer } = act(request);
  const records = answer.records.map((one) => ({ ...one, payload: Buffer.from(one.payload, "hex") }));
  return { ...answer, records };
}

export function write(request) {
  act(request);
}

export const append = write;

function act({ format, path, profile, context, records }) {
  const shown = records.map((one) => ({ ...one, payload: one.payload.toString("hex") }));
  const parts = [format, profile, basename(path), canonical(context), contents(path), canonical(shown)];
  const found = acts[sha256(parts.join("\n"))];
  if (found === undefined || found.skip) throw new Skip(found?.skip ?? "not in the table");
  if (found.hang) for (;;);
  if (found.raise) throw new Error(found.raise);
  if (found.change) {
    const last = names(path).at(-1);
    appendFileSync(last === undefined ? path : join(path, last), Buffer.alloc(1));
  }
  if (found.refuse) throw new Refused(found.refuse);
  if (found.files) {
    rmSync(path, { recursive: true, force: true });
    for (const [name, data] of Object.entries(found.files)) {
      const target = join(dirname(path), name);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, Buffer.from(data, "hex"));
    }
  }
  return found;
}

/** What is below a folder; nothing is below a file. */
function names(path) {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? [...below(path).keys()].sort() : [];
}

function contents(path) {
  if (!existsSync(path)) return "-";
  if (statSync(path).isFile()) return sha256(readFileSync(path));
  return sha256(names(path).map((name) => `${sha256(readFileSync(join(path, name)))}  ${name}\n`).join(""));
}
