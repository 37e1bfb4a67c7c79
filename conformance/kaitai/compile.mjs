// Compiles Kaitai grammars to parsers in one language.
//
//   node compile.mjs --modules DIR --target LANGUAGE --out DIR [--debug] GRAMMAR.ksy...
//
// --modules is the folder whose node_modules holds the compiler, --target one of its languages
// (python, java, javascript, go ...), --debug keeps the offset of every field in the parsers.
// On success it prints nothing; on failure FILE:LINE:COLUMN: error: WHY on stderr, with exit code 1.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";

const { values: options, positionals: grammars } = parseArgs({
  allowPositionals: true,
  options: {
    modules: { type: "string" },
    target: { type: "string" },
    out: { type: "string" },
    debug: { type: "boolean", default: false },
  },
});
const require = createRequire(path.resolve(options.modules, "package.json"));
const compiler = require("kaitai-struct-compiler");
const YAML = require("yaml");

/** An error at a position in a file. */
class GrammarError extends Error {
  constructor(file, position, why) {
    const { line, col } = position ?? { line: 1, col: 1 };
    super(`${file}:${line}:${col}: error: ${why}`);
  }
}

function readText(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    throw new GrammarError(file, null, error.code === "ENOENT" ? "no such file" : error.message);
  }
}

/** One .ksy file: its contents and their positions. */
class Grammar {
  constructor(file) {
    this.file = file;
    this.lines = new YAML.LineCounter();
    // intAsBigInt: a number above 2^53 must be rejected, but JavaScript would round it.
    this.document = YAML.parseDocument(readText(file), {
      lineCounter: this.lines,
      version: "1.2",
      intAsBigInt: true,
      prettyErrors: false,
    });
    for (const error of [...this.document.errors, ...this.document.warnings]) {
      throw new GrammarError(file, this.lines.linePos(error.pos[0]), error.message);
    }
    if (!YAML.isMap(this.document.contents)) throw new GrammarError(file, null, "expected a map");
    YAML.visit(this.document, {
      Scalar: (_, node) => {
        if (typeof node.value !== "bigint") return;
        if (!Number.isSafeInteger(Number(node.value))) {
          throw new GrammarError(file, this.lines.linePos(node.range[0]), "quote this number");
        }
        node.value = Number(node.value);
      },
    });
    this.content = this.document.toJS();
  }

  /** Returns line and column of the deepest node on a path such as /types/record/seq/0/size. */
  position(keys) {
    let node = this.document.contents;
    let offset = node?.range?.[0] ?? 0;
    for (const key of keys.split("/").filter(Boolean)) {
      if (YAML.isMap(node)) {
        const pair = node.items.find((item) => String(item.key.value) === key);
        if (!pair) break;
        offset = pair.key.range[0];
        node = pair.value;
      } else if (YAML.isSeq(node)) {
        node = node.items[Number(key)];
        if (!node) break;
        offset = node.range[0];
      } else break;
    }
    return this.lines.linePos(offset);
  }
}

// Keywords of Rust that a grammar may use as the id of a field.
const RUST_WORDS =
  "as|break|const|continue|dyn|else|enum|extern|false|fn|for|if|impl|in|let|loop|match|mod|move|mut|" +
  "pub|ref|return|static|struct|trait|true|type|unsafe|use|where|while|async|await|abstract|become|" +
  "box|do|final|gen|macro|override|priv|try|typeof|unsized|virtual|yield";

/** Steps that the compiler's command line performs, but its npm package does not. */
const FINISH = {
  // The compiler writes ids that are keywords of Rust unchanged, but `type: RefCell<u8>` is not valid Rust.
  rust: (text) =>
    text
      .replace(new RegExp(`^( +)(${RUST_WORDS}): RefCell<`, "gm"), "$1r#$2: RefCell<")
      .replace(new RegExp(`\\b(self|self_rc)\\.(${RUST_WORDS})(?=[.(])`, "g"), "$1.r#$2")
      .replace(new RegExp(`[)]\\.(${RUST_WORDS})(?=[(])`, "g"), ").r#$1")
      .replace(new RegExp(`\\bpub fn (${RUST_WORDS})\\(`, "g"), "pub fn r#$1("),
  // Relative imports, so that the parsers of a grammar and its imports form a package at any path.
  python: (text, modules) =>
    text.replace(/^import (\w+)$/gm, (all, name) =>
      modules.has(name) ? `from . import ${name}` : all,
    ),
  go: (text) => (/^package /m.test(text) ? text : `package parsers\n\n${text}`),
};

/** Returns the file of an import. An import such as /common/bcd may be in any folder above. */
function importedFile(name, folder, isAbsolute) {
  const file = path.join(folder, name);
  const above = path.dirname(path.resolve(folder));
  if (!isAbsolute || fs.existsSync(file) || above === path.resolve(folder)) return file;
  const found = importedFile(name, above, true);
  return fs.existsSync(found) ? found : file;
}

async function compile(file) {
  const main = new Grammar(file);
  const read = new Map([["(main)", main], [main.content.meta?.id, main]]);
  const importer = {
    importYaml: async (name, mode) => {
      const imported = new Grammar(importedFile(`${name}.ksy`, path.dirname(file), mode === "abs"));
      read.set(name, imported).set(imported.content.meta?.id, imported);
      return imported.content;
    },
  };
  let output;
  try {
    output = await compiler.compile(options.target, main.content, importer, options.debug);
  } catch (error) {
    if (error instanceof GrammarError) throw error;
    const message = String(error?.message ?? error).trim();
    // "name: /yaml/path:\n\terror: why"; errors of the language stage have no path.
    const [, name, keys, why] = message.match(/^(.*?): (\/[^:]*):\s*(?:error: )?(.*)$/s) ?? [];
    const grammar = read.get(name) ?? main;
    // An error in an imported file already contains its position; the compiler wraps it in the position of the import.
    const nested = why?.match(/(\S+:\d+:\d+: error: .*)$/s);
    if (nested) {
      const { line, col } = grammar.position(keys);
      throw new Error(`${nested[1]} (imported at ${grammar.file}:${line}:${col})`);
    }
    if (keys) throw new GrammarError(grammar.file, grammar.position(keys), `${why} [${keys}]`);
    throw new GrammarError(file, null, `${options.target}: ${message}`);
  }
  const modules = new Set(Object.keys(output).map((name) => path.parse(name).name));
  for (const [name, text] of Object.entries(output)) {
    const target = path.join(options.out, name); // join: Java and Go names start with a slash
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, FINISH[options.target]?.(text, modules) ?? text);
  }
}

if (!compiler.languages.includes(options.target)) {
  const known = compiler.languages.join(" ");
  console.error(`compile.mjs: no target ${options.target}; there are ${known}`);
  process.exit(1);
}
for (const grammar of grammars) {
  try {
    await compile(grammar);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
