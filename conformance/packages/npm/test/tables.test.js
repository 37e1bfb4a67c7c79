import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../runner.js";

const folder = process.env.WALPROOF_TABLES;
const names = folder ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
for (const name of names) {
  const path = join(folder, name);
  const { formats, reports, profiles, patience, vectors } = JSON.parse(readFileSync(path, "utf8"));
  const chosen = new Set(vectors);
  const beside = (ending) => path.replace(/json$/, ending);
  for (const format of formats) {
    run(format, new URL("../tables/reader.mjs", import.meta.url), {
      reports, profiles, patience, known: beside("known"), results: beside("npm"),
      choose: ({ id }) => chosen.has(id), worker: { argv: [path] },
    });
  }
}
