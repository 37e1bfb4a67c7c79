// The bar of the whole log: records, lost ranges, and the visible part.

const KINDS = { r: "record", l: "lost", t: "torn", z: "zeros" };
const KEY = { r: "records", l: "lost", t: "torn", z: "zero-fill" };

class LogMap {
  constructor(bar, onGo) {
    this.bar = bar;
    this.view = make("div", { class: "view" });
    for (const [kind, from, to] of DATA.map) this.add(KINDS[kind], from, to);
    if (WINDOW_START > 0) this.add("outside", 0, WINDOW_START);
    if (WINDOW_END < DATA.size) this.add("outside", WINDOW_END, DATA.size);
    if (DATA.end !== null) this.add("tick", DATA.end, DATA.end);
    bar.append(this.view);
    bar.setAttribute("aria-valuemin", "0");
    bar.setAttribute("aria-valuemax", String(DATA.size));
    const place = (event) => {
      const box = bar.getBoundingClientRect();
      return Math.round(((event.clientX - box.left) / box.width) * DATA.size);
    };
    bar.addEventListener("pointerdown", (event) => {
      bar.setPointerCapture(event.pointerId);
      onGo(place(event));
    });
    bar.addEventListener("pointermove", (event) => {
      if (event.buttons) onGo(place(event));
    });
    bar.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
      if (!step) return;
      event.preventDefault();
      onGo(this.at + (step * (WINDOW_END - WINDOW_START)) / 100);
    });
  }

  add(name, from, to) {
    const run = make("div", { class: `seg ${name}` });
    run.style.left = `${(100 * from) / DATA.size}%`;
    run.style.width = `${(100 * (to - from)) / DATA.size}%`;
    this.bar.append(run);
  }

  /** Mark the visible part of the grid. */
  look(from, to) {
    this.at = from;
    this.view.style.left = `${(100 * from) / DATA.size}%`;
    this.view.style.width = `${(100 * (to - from)) / DATA.size}%`;
    this.bar.setAttribute("aria-valuenow", String(from));
    this.bar.setAttribute("aria-valuetext", `offset ${from}`);
  }
}

function drawKey(list) {
  const kinds = new Set(DATA.map.map(([kind]) => kind));
  for (const [kind, word] of Object.entries(KEY)) {
    if (!kinds.has(kind)) continue;
    list.append(make("li", {}, make("i", { class: `seg ${KINDS[kind]}` }), word));
  }
  const rest = DATA.verdict === "refused" ? "not read" : "framing";
  list.append(make("li", {}, make("i", { class: "seg" }), rest));
  if (DATA.end !== null) {
    list.append(make("li", {}, make("i", { class: "seg tick" }), `end ${DATA.end}`));
  }
}

function drawLostList(list, onGo) {
  const most = 50;
  for (let n = 0; n < Math.min(most, DATA.lost.length); n += 1) {
    const gap = lostRange(n);
    const text = `${gap.torn ? "~" : "x"} ${gap.from}–${gap.to} ${gap.reason}`;
    const onclick = () => onGo(gap.from);
    const button = make("button", { type: "button", class: gap.word, onclick }, text);
    list.append(make("li", {}, button));
  }
  if (DATA.lostCount > most) list.append(make("li", {}, `and ${DATA.lostCount - most} more`));
}
