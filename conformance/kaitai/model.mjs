// Prints the compiler's resolved model of Kaitai grammars, as JSON.
//
//   node model.mjs --modules DIR GRAMMAR.ksy...
//
// --modules is the folder whose node_modules holds the compiler. The output is an object: path of
// the grammar → {classes, enums} or {error}. Types are resolved, byte order and encoding are pushed
// down, and expressions are trees: the meaning of a file without its notation. Nodes keep the names
// of the compiler's Scala classes in "_"; "path" is their position in the YAML document.
//
// The npm package has no such output. Its bundle is not minified, so it is loaded as text with two
// lines added; each hook must match exactly once, so that another version fails loudly.

import fs from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";

const { values: options, positionals: grammars } = parseArgs({
  allowPositionals: true,
  options: { modules: { type: "string" } },
});
const require = createRequire(path.resolve(options.modules, "package.json"));
const YAML = require("yaml");
const compiler = hooked(require.resolve("kaitai-struct-compiler"));

function hooked(file) {
  let text = fs.readFileSync(file, "utf8");
  const hooks = [
    [/^ *var specs = \$as_Lio_kaitai_struct_format_ClassSpecs\(specs\$2\);$/m, "$&\nglobalThis.resolvedSpecs(specs);"],
  ];
  for (const [line, replacement] of hooks) {
    const found = text.match(new RegExp(line.source, "gm"))?.length ?? 0;
    if (found !== 1) throw new Error(`${file}: expected one ${line}, found ${found}: another version?`);
    text = text.replace(line, replacement);
  }
  const module = new Module(file);
  module.filename = file;
  module.paths = Module._nodeModulePaths(path.dirname(file));
  module._compile(text, file);
  return module.exports;
}

function load(file) {
  const document = YAML.parseDocument(fs.readFileSync(file, "utf8"), {
    version: "1.2",
    intAsBigInt: true,
  });
  if (document.errors.length) throw new Error(`${file}: ${document.errors[0].message}`);
  YAML.visit(document, {
    Scalar: (_, node) => {
      // Above 2^53 a number keeps its digits only as text, which the compiler reads as well.
      if (typeof node.value !== "bigint") return;
      const number = Number(node.value);
      node.value = Number.isSafeInteger(number) ? number : String(node.value);
    },
  });
  return document.toJS();
}

/** Returns the fields of a Scala object, without the mangled class name as prefix. */
function fields(object) {
  return Object.entries(object)
    .filter(([key]) => key.includes("__f_"))
    .map(([key, value]) => [key.slice(key.indexOf("__f_") + 4), value]);
}

const className = (object) => object.constructor.name.replace(/^\$c_/, "");
const field = (object, name) => fields(object).find(([key]) => key === name)?.[1];
const qualified = (spec) => plain(field(spec, "name"));

function plain(value) {
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return value;
  const name = className(value);
  if (name === "s_Some") return plain(value.get__O());
  if (name === "s_None$") return null;
  if (name === "sci_Nil$" || value.iterator__sc_Iterator) return items(value);
  if (/BigInt/.test(name)) return { big: String(value) };
  if (name === "RTLong") return { big: String(value) };
  const short = name.replace(/^.*[_$](?=[A-Za-z0-9]+\$?$)/, "").replace(/\$$/, "");
  // References, not containment: a class may hold a field of its own type.
  if (short === "ClassSpec" || short === "EnumSpec") return { _: short, name: qualified(value) };
  const result = { _: short };
  for (const [key, inner] of fields(value)) {
    if (key !== "doc" && key !== "_doc") result[key] = plain(inner);
  }
  return result;
}

function items(collection) {
  const result = [];
  const iterator = collection.iterator__sc_Iterator();
  while (iterator.hasNext__Z()) {
    const item = iterator.next__O();
    const pair = className(item ?? {}) === "T2";
    result.push(pair ? [plain(item._1__O()), plain(item._2__O())] : plain(item));
  }
  return result;
}

function describe(spec, into) {
  const meta = field(spec, "meta");
  into.classes.push({
    name: qualified(spec),
    path: plain(field(spec, "path")),
    id: plain(field(meta, "id")),
    params: plain(field(spec, "params")),
    seq: plain(field(spec, "seq")),
    instances: plain(field(spec, "instances")),
  });
  for (const [name, inner] of entries(field(spec, "enums"))) {
    into.enums.push({
      name: [...qualified(spec), name],
      path: plain(field(inner, "path")),
      members: plain(field(inner, "map")),
    });
  }
  for (const [, inner] of entries(field(spec, "types"))) describe(inner, into);
}

function entries(map) {
  const result = [];
  const iterator = map.iterator__sc_Iterator();
  while (iterator.hasNext__Z()) {
    const item = iterator.next__O();
    result.push([item._1__O(), item._2__O()]);
  }
  return result;
}

async function model(file) {
  const found = { classes: [], enums: [] };
  globalThis.resolvedSpecs = (specs) => {
    for (const [, spec] of entries(specs)) describe(spec, found);
  };
  const importer = {
    importYaml: async (name) => load(path.join(path.dirname(file), `${name}.ksy`)),
  };
  // Any target works; this one has no special rules.
  await compiler.compile("javascript", load(file), importer, false);
  return found;
}

const models = {};
for (const grammar of grammars) {
  try {
    models[grammar] = await model(grammar);
  } catch (error) {
    models[grammar] = { error: String(error?.message ?? error).trim() };
  }
}
process.stdout.write(JSON.stringify(models));
