// The details of one field.

/** Text with `code` in backquotes. */
function prose(text) {
  return text.split("`").map((part, n) => (n % 2 ? make("code", {}, part) : part));
}

function drawDetails(pane, i) {
  if (i < 0) {
    pane.replaceChildren(make("p", { class: "quiet hint" }, COUNT
      ? "Point at a byte or a field for its details. Click to pin it, press Escape to unpin."
      : "The log has no fields."));
    return;
  }
  const [kind, doc, ids] = spec(i);
  const start = F.start[i];
  const last = fieldEnd(i) - 1;
  const facts = [
    ["offset", `${start} (${hex(start)})${last > start ? ` to ${last} (${hex(last)})` : ""}`],
    ["size", plural(F.size[i], "byte")],
    ["type", kind],
    ["bytes", F.size[i] ? make("code", {}, firstBytes(i, 32)) : null],
    ["value", hasFields(i) ? null : valueText(i, 120)],
    ["check", noteOf(i)],
    ["answer", answerOf(i)],
    ["says", meaningOf(i)],
  ];
  const list = make("dl", {});
  for (const [name, value] of facts) {
    if (value) list.append(make("dt", {}, name), make("dd", {}, value));
  }
  const gap = lostOf(i);
  const lostIds = gap ? DATA.reasons[gap.reason] || [] : [];
  pane.replaceChildren(
    make("h2", {}, ...path(i).split(/(?=\.)/).flatMap((step) => [step, make("wbr")])),
    list,
    doc ? make("p", { class: "doc" }, ...prose(doc)) : "",
    ...rules(ids, "Requirements"),
    ...rules(lostIds.filter((id) => !ids.includes(id)), gap ? `Why ${gap.reason}` : ""),
  );
  pane.scrollTop = 0;
}

function firstBytes(i, most) {
  const shown = [];
  for (let at = F.start[i]; at < fieldEnd(i) && shown.length < most; at += 1) {
    const byte = byteAt(at);
    if (byte < 0) break;
    shown.push(byte.toString(16).padStart(2, "0"));
  }
  return shown.join(" ") + (shown.length < F.size[i] ? " …" : "");
}

function noteOf(i) {
  return note(i) && make("span", { class: noteClass(i) }, note(i)[0]);
}

function answerOf(i) {
  const gap = lostOf(i);
  if (gap) {
    const text = `${gap.word} with [${gap.from}, ${gap.to}): ${gap.reason}`;
    return make("span", { class: gap.torn ? "torn" : "bad" }, text);
  }
  const record = recordOf(i);
  if (record < 0) return null;
  const [from, to] = DATA.records[record - DATA.firstRecord];
  return `in record ${record}, [${from}, ${to})`;
}

function rules(ids, heading) {
  const known = ids.filter((id) => DATA.rules[id]);
  if (!ids.length) return [];
  if (!known.length) return [make("h3", {}, heading), make("p", {}, ids.join(", "))];
  return [
    make("h3", {}, heading),
    ...known.map((id) => {
      const [level, text] = DATA.rules[id];
      return make("p", {}, make("strong", {}, `${id} (${level})`), " ", ...prose(text));
    }),
  ];
}
