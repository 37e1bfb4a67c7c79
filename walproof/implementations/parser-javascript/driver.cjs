// Driver: lists the fields that the package of JavaScript parsers finds (walproof/parsers/README.md).
"use strict";

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");

const build = process.argv[2];
const parsers = require(path.join(build, "package"));
const models = JSON.parse(fs.readFileSync(path.join(build, "models.json"), "utf8"));
const runtime = require(path.join(build, "package/node_modules/kaitai-struct/package.json"));

const camel = (id) => id.replace(/_+(\w)/g, (_, letter) => letter.toUpperCase());
const plus = (at, size) => (at === null ? null : at + size);
const shown = (at) => (at === null ? "-" : at);

/** The fields of each type, by its constructor. */
const fields = new Map();
for (const model of Object.values(models)) {
  for (const [name, listed] of Object.entries(model.types)) {
    const [outer, ...inner] = name.split(".");
    // The package also contains grammars that are only imported, each as a separate module.
    const top = parsers[outer] ?? require(path.join(build, "package/lib", outer))[outer];
    const type = inner.reduce((place, step) => place[step], top);
    fields.set(type, listed.map((field) => ({ ...field, key: camel(field.id) })));
  }
}

function bytesLine(bytes) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length <= 32) return `b ${buffer.length} ${buffer.toString("hex")}`;
  const digest = createHash("sha256").update(buffer).digest("hex").slice(0, 16);
  return `b ${buffer.length} sha256:${digest}`;
}

function scalar(value, field) {
  if (typeof value === "string") return bytesLine(Buffer.from(value));
  if (value instanceof Uint8Array) return bytesLine(value);
  if (field.kind === "float") {
    const bits = Buffer.alloc(8);
    bits.writeDoubleBE(value);
    return `f ${bits.toString("hex")}`;
  }
  return `i ${BigInt.asIntN(64, parsers.exact(value))}`;
}

class Walk {
  lines = [];

  object(object, name, at) {
    for (const field of fields.get(object.constructor)) {
      const inner = name ? `${name}.${field.id}` : field.id;
      if (field.instance) this.instance(object, field, inner);
      else at = this.field(object, object[field.key], field, inner, at);
    }
    return at;
  }

  field(parent, value, field, name, at) {
    if (!field.array) return this.value(parent, value, field, name, at);
    if (value === undefined || value === null) {
      this.lines.push(`${name} ${shown(at)} -`);
      return at;
    }
    this.lines.push(`${name} ${shown(at)} [ ${value.length}`);
    value.forEach((element, i) => {
      at = this.value(parent, element, field, `${name}[${i}]`, at);
    });
    return at;
  }

  value(parent, value, field, name, at) {
    if (value === undefined || value === null) {
      this.lines.push(`${name} ${shown(at)} -`);
      return at;
    }
    if (value._io !== undefined) {
      const size = value._io.size;
      this.lines.push(`${name} ${shown(at)} { ${size}`);
      const after = this.object(value, name, at);
      return value._io === parent._io ? after : plus(at, size);
    }
    this.lines.push(`${name} ${shown(at)} ${scalar(value, field)}`);
    if (field.width !== undefined) return plus(at, field.width);
    return field.by_length || (field.kind === "switch" && value instanceof Uint8Array)
      ? plus(at, value.length)
      : null;
  }

  instance(object, field, name) {
    let value;
    try {
      value = object[field.key];
    } catch {
      this.lines.push(`${name} - !`);
      return;
    }
    this.field(object, value, field, name, null);
  }
}

function listing(grammar, bytes) {
  let top;
  try {
    top = parsers.parse(parsers[models[grammar].top], bytes);
  } catch {
    return ["!"];
  }
  const walk = new Walk();
  walk.object(top, "", 0);
  return walk.lines;
}

function reply(request) {
  const { seq } = request;
  if (request.cmd === "hello") {
    return {
      name: "parser-javascript",
      version: runtime.version,
      language: "JavaScript",
      formats: ["*"],
      profiles: ["structure"],
      reports: ["structure", "absent", "unknown-enums"],
      homepage: "https://kaitai.io",
      issues: "https://github.com/kaitai-io/kaitai_struct/issues",
    };
  }
  if (request.profile !== "structure") return { seq, skipped: "lists fields only" };
  if (!models[request.grammar]) return { seq, skipped: `no parser of ${request.grammar}` };
  const lines = listing(request.grammar, fs.readFileSync(request.path));
  const said = createHash("sha256");
  for (const line of lines) said.update(`${line}\n`);
  const structure = { fields: lines.length, sha256: said.digest("hex") };
  if (request.listing) structure.listing = lines;
  return { seq, structure };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  if (request.cmd === "bye") process.exit(0);
  process.stdout.write(`${JSON.stringify(reply(request))}\n`);
});
