// The details of one result: vector, damage, expected and actual side by side, and the command to repeat it.

const MARKS = { same: "", missing: "−", extra: "+", different: "≠" };
const SPOKEN = { same: "", missing: "missing: ", extra: "extra: ", different: "different: " };

function resultDetail(result) {
  const [implementation, vectorIndex, profile, classIndex, ms, detail] = result;
  const vector = DATA.vectors[vectorIndex];
  const owner = DATA.implementations[implementation];
  const body = make("div", { class: "detail" }, make("p", { class: "sentence" }, vector.title));
  const facts = make("dl", { class: "facts" });
  const fact = (name, ...value) => facts.append(make("dt", {}, name), make("dd", {}, ...value));
  const text = (place) => (detail < 0 ? null : DATA.texts[DATA.details[detail][place]] || null);
  fact("vector", make("code", {}, vector.id), ` ${vector.kind}, ${number.format(vector.size)} B`);
  fact(vector.requirements.length === 1 ? "requirement" : "requirements",
    ...vector.requirements.map(requirementButton));
  if (vector.damage.length) {
    fact("damage", ...vector.damage.map((each) => make("code", { class: "damage" }, each)));
  }
  if (vector.control) fact("control", make("code", {}, vector.control), " ", controlBadge(result));
  if (vector.context) fact("context", make("code", {}, JSON.stringify(vector.context)));
  if (vector.to_write) fact("to write", ...vector.to_write.map((each) => make("code", { class: "damage" }, each)));
  if (vector.input) fact("log", make("code", {}, vector.input));
  if (text(0)) fact(classIndex === SKIPPED ? "why" : "difference", text(0));
  if (text(1)) fact("cause", text(1));
  if (text(3)) fact("reported", link(text(3), text(3)) || text(3));
  if (ms !== null) fact("time", `${ms} ms`);
  body.append(facts);
  if (detail >= 0) {
    const [, , , , , lines, bars, fields] = DATA.details[detail];
    if (lines.length) body.append(sideBySide(lines, result));
    if (fields.length) {
      body.append(make("h4", {}, "Fields"),
        make("pre", { tabindex: "0" }, fields.map((each) => DATA.texts[each]).join("\n")));
    }
    for (const bar of bars) body.append(drawBar(bar));
    if (text(2)) {
      body.append(make("h4", {}, "stderr (tail)"), make("pre", { tabindex: "0" }, text(2)));
    }
    body.append(make("h4", {}, "Repeat it"), command(text(4)));
    if (text(8)) body.append(make("h4", {}, "See the messages and keep the log"), command(text(8)));
  }
  const upstream = link(owner.issues, `Bug reports of ${owner.name}`);
  if (upstream && classIndex !== PASS) body.append(make("p", { class: "quiet" }, upstream));
  return body;
}

function requirementButton(id) {
  return make("button", { type: "button", class: "id", title: `All results for ${id}`,
    onclick: () => showResults({ requirement: id, all: true }) }, id);
}

/** The result of the control decides whether the pair counts. */
function controlBadge([implementation, vectorIndex, profile]) {
  const control = DATA.vectors[vectorIndex].control;
  const found = DATA.results.find((each) => each[0] === implementation && each[2] === profile
    && DATA.vectors[each[1]].id === control);
  return found ? badge(found[3]) : make("span", { class: "quiet" }, "not run");
}

function sideBySide(lines, result) {
  const answered = lines.some((line) => DATA.sides[line[3]][0]);
  const written = ["write", "append"].includes(DATA.profiles[result[2]]);
  const heading = !answered ? `actual: no answer (${CLASSES[result[3]].label})`
    : written ? "actual: the file, read back" : "actual";
  const body = make("tbody");
  for (const [label, kindIndex, expected, actual, note] of lines) {
    const kind = DATA.kinds[kindIndex];
    body.append(make("tr", { class: `k-${kind}` },
      make("th", { scope: "row" }, DATA.texts[label]),
      make("td", { class: "sign", "aria-hidden": "true" }, MARKS[kind]),
      side(expected, ""),
      side(actual, SPOKEN[kind], note === undefined ? null : DATA.texts[note])));
  }
  return make("div", { class: "scroll", tabindex: "0", "aria-label": "Expected and actual" },
    make("table", { class: "sides" },
      make("thead", {}, make("tr", {}, make("th"), make("th"),
        make("th", { scope: "col" }, "expected"), make("th", { scope: "col" }, heading))),
      body));
}

function side(index, spoken, note) {
  const [what, where, absent] = DATA.sides[index];
  return make("td", { class: absent ? "absent" : null },
    spoken ? make("span", { class: "sr" }, spoken) : null,
    make("span", { class: "payload" }, what),
    where ? make("span", { class: "where" }, where) : null,
    note ? make("span", { class: "note" }, note) : null);
}

/** Records and lost ranges over the length of one file. */
function drawBar([file, size, expected, actual]) {
  const figure = make("figure", { class: "bar" },
    make("figcaption", {},
      make("span", {}, file || "the log"),
      make("span", { class: "key" }, make("i", { class: "seg record" }), "record ",
        make("i", { class: "seg lost" }), "lost"),
      make("span", {}, `0 … ${number.format(size)} B`)));
  for (const [name, flat] of [["expected", expected], ["actual", actual]]) {
    if (!flat) continue;
    const lane = make("div", { class: "lane" });
    const ranges = [];
    for (let i = 0; i < flat.length; i += 3) {
      const [start, stop, lost] = flat.slice(i, i + 3);
      const range = `[${number.format(start)}, ${number.format(stop)})`;
      const segment = make("span", { class: `seg ${lost ? "lost" : "record"}`,
        title: `${lost ? "lost" : "record"} ${range}` });
      segment.style.left = `${(100 * start) / size}%`;
      segment.style.width = `${(100 * (stop - start)) / size}%`;
      lane.append(segment);
      if (lost) ranges.push(range);
    }
    const said = ranges.length ? `lost ${ranges.slice(0, 20).join(", ")}` : "nothing lost";
    lane.setAttribute("role", "img");
    lane.setAttribute("aria-label", `${name}: ${said}`);
    figure.append(make("span", { class: "lane-name" }, name), lane);
  }
  return figure;
}

function command(text) {
  const code = make("code", {}, text);
  const button = make("button", { type: "button", class: "plain-button", onclick: async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Some browsers do not let a local page write to the clipboard: then only select the text.
      getSelection().selectAllChildren(code);
      copied = document.execCommand("copy");
    }
    button.textContent = copied ? "✓ Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 1600);
  } }, "Copy");
  return make("div", { class: "command" }, code, button);
}
