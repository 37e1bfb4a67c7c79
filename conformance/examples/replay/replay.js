// Recreate damaged logs from controls and edits: node replay.js vectors/leveldb-log/*.json
const { isDeepStrictEqual } = require("util"), fs = require("fs"), path = require("path");
const load = (file) => ({ ...JSON.parse(fs.readFileSync(file)), folder: path.dirname(file) });
const named = (vector, id) => load(path.join(vector.folder, "..", id + ".json"));

function input(vector) { // bytes by file name; the name is "" in a single-file log
  const log = path.join(vector.folder, vector.input);
  if (fs.statSync(log).isFile()) return { "": fs.readFileSync(log) };
  const names = fs.readdirSync(log, { recursive: true });
  const files = names.filter((name) => fs.statSync(path.join(log, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(path.join(log, name))]));
}

const bytes = (vector, parts) => Buffer.concat([parts].flat().map((part) => {
  if (typeof part === "string") return Buffer.from(part, "hex");
  if ("fill" in part) return Buffer.alloc(part.size, part.fill, "hex");
  return input(named(vector, part.copy))[part.file ?? ""].subarray(part.at, part.at + part.size);
}));

function replay(vector) {
  const files = input(named(vector, vector.made_by.source ?? vector.control));
  for (const edit of (vector.made_by.damage ?? []).flatMap((operation) => operation.edits)) {
    if (edit.delete) { delete files[edit.file]; continue; }
    const old = files[edit.file] ?? Buffer.alloc(0), rest = old.subarray(edit.at + edit.remove);
    const start = old.subarray(0, edit.at);
    files[edit.file] = Buffer.concat([start, bytes(vector, edit.insert), rest]);
  }
  return files;
}

for (const file of process.argv.slice(2)) {
  const vector = load(file);
  if (vector.control && vector.operation !== "write")
    console.log(isDeepStrictEqual(replay(vector), input(vector)), file);
}
