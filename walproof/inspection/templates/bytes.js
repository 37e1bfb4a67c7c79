// The hex grid: rows of bytes, with marks at the start of lost ranges and blocks and at
// `end`, and folds that replace the inside of long data.

class Bytes {
  constructor(pane) {
    this.pane = pane;
    this.open = new Set();
    this.perRow = 0;
    this.rows = new Rows(pane, (row) => this.drawRow(row));
    this.digits = Math.max(5, String(DATA.size).length);
    new ResizeObserver(() => this.fit()).observe(pane);
    this.fit();
  }

  /** The number of bytes in a row that fit the width. */
  fit() {
    const probe = make("span", { class: "probe" }, "0".repeat(100));
    this.pane.append(probe);
    const columns = this.pane.clientWidth / (probe.getBoundingClientRect().width / 100) - 4;
    probe.remove();
    const room = (n) => 2 + this.digits + 2 + 3 * n + Math.floor((n - 1) / 8) + 1 + n;
    const perRow = [32, 16, 8].find((n) => room(n) <= columns) || 4;
    if (perRow === this.perRow) return;
    const [top] = this.perRow ? this.rows.inView() : [0];
    const place = this.perRow ? this.offsetOf(top) : WINDOW_START;
    this.perRow = perRow;
    this.layOut();
    if (place > WINDOW_START) this.rows.reveal(this.rowOf(place), true);
  }

  /** Cut the window into segments of rows. */
  layOut() {
    const floor = (offset) => offset - (offset % this.perRow);
    this.segments = [];
    this.total = 0;
    let at = WINDOW_START;
    const bytesTo = (to) => {
      const count = Math.ceil((to - floor(at)) / this.perRow);
      if (to > at) this.push({ kind: "bytes", from: at, to }, count);
      at = Math.max(at, to);
    };
    for (const stop of this.stops()) {
      bytesTo(stop.from); // a mark breaks its row in two
      this.push(stop, 1);
      if (stop.kind === "fold") at = stop.to;
    }
    bytesTo(WINDOW_END);
    this.rows.reset(this.total);
  }

  push(segment, count) {
    segment.row = this.total;
    this.total += count;
    this.segments.push(segment);
  }

  stops() {
    const stops = [];
    for (let i = 0; i < COUNT; i = LAST_INSIDE[i] + 1) {
      if (hasFields(i)) stops.push({ kind: "unit", from: F.start[i], field: i, order: 2 });
    }
    DATA.lost.forEach(([from, to], number) => {
      if (to > WINDOW_START && from < WINDOW_END) {
        stops.push({ kind: "lost", from: Math.max(from, WINDOW_START), number, order: 1 });
      }
    });
    if (DATA.end !== null && DATA.end >= WINDOW_START && DATA.end <= WINDOW_END) {
      stops.push({ kind: "end", from: DATA.end, order: 0 });
    }
    for (const leaf of LEAVES) {
      if (F.size[leaf] <= FOLD || this.open.has(leaf)) continue;
      const from = Math.ceil((F.start[leaf] + FOLD / 4) / 32) * 32;
      const to = Math.floor((fieldEnd(leaf) - FOLD / 4) / 32) * 32;
      if (from >= WINDOW_START && to <= WINDOW_END) {
        stops.push({ kind: "fold", from, to, field: leaf, order: 3 });
      }
    }
    return stops.sort((a, b) => a.from - b.from || a.order - b.order);
  }

  segmentOfRow(row) {
    return this.segments[lastThat(0, this.segments.length - 1, (n) => this.segments[n].row <= row)];
  }

  /** The first offset that a row shows. */
  offsetOf(row) {
    const segment = this.segmentOfRow(row);
    if (!segment) return WINDOW_START;
    if (segment.kind !== "bytes" || row === segment.row) return segment.from;
    return segment.from - (segment.from % this.perRow) + (row - segment.row) * this.perRow;
  }

  rowOf(offset) {
    let n = lastThat(0, this.segments.length - 1, (k) => this.segments[k].from <= offset);
    while (n > 0 && !["bytes", "fold"].includes(this.segments[n].kind)) n -= 1;
    // The mark of this offset may precede its row, so check the next row too.
    while (n + 1 < this.segments.length && this.end(n) <= offset) n += 1;
    const segment = this.segments[n];
    if (!segment || segment.kind !== "bytes") return segment ? segment.row : 0;
    const start = segment.from - (segment.from % this.perRow);
    return segment.row + Math.max(0, Math.floor((offset - start) / this.perRow));
  }

  end(n) {
    const segment = this.segments[n];
    return segment.kind === "bytes" || segment.kind === "fold" ? segment.to : segment.from;
  }

  reveal(offset, upper = false) {
    this.rows.reveal(this.rowOf(offset), upper);
  }

  drawRow(row) {
    const segment = this.segmentOfRow(row);
    if (segment.kind === "bytes") return this.drawBytes(segment, this.offsetOf(row));
    if (segment.kind === "fold") return this.drawFold(segment);
    if (segment.kind === "lost") return this.drawLost(segment);
    if (segment.kind === "end") {
      const text = `= end ${DATA.end}: safe to truncate here and append`;
      return make("div", { class: "row mark end" }, text);
    }
    const text = `${F.name[segment.field]} at ${F.start[segment.field]}`;
    return make("div", { class: "row mark unit", "data-field": segment.field }, text);
  }

  drawLost(segment) {
    const gap = lostRange(segment.number);
    const since = gap.from < segment.from ? `since ${gap.from}, ` : "";
    const text = `${gap.torn ? "~" : "x"} ${gap.word} [${gap.from}, ${gap.to}) `;
    return make(
      "div",
      { class: `row mark ${gap.word}` },
      text,
      make("strong", {}, gap.reason),
      ` ${since}${plural(gap.to - gap.from, "byte")}`,
    );
  }

  drawFold(segment) {
    const count = plural(segment.to - segment.from, "byte");
    const has = byteAt(segment.from) >= 0 && byteAt(segment.to - 1) >= 0;
    const label = `${has ? "⋯" : "⋯ not on this page:"} ${count} of ${path(segment.field)}`;
    const gap = lostAt(segment.from);
    const show = () => {
      this.open.add(segment.field);
      this.layOut();
    };
    return make(
      "div",
      { class: `row mark fold ${gap ? `in-${gap.word}` : ""}`, "data-field": segment.field },
      gap ? make("span", { class: `margin ${gap.word}` }, gap.torn ? "~ " : "x ") : "  ",
      has ? make("button", { type: "button", onclick: show }, "show") : null,
      has ? " " : null,
      label,
    );
  }

  drawBytes(segment, offset) {
    const start = offset - (offset % this.perRow);
    const stop = Math.min(start + this.perRow, segment.to);
    const codes = [];
    const characters = [];
    const gapOfRow = lostAt(offset);
    codes.push(this.blanks(0, offset - start));
    characters.push(" ".repeat(offset - start));
    for (let at = offset; at < stop; ) {
      const leaf = leafAt(at);
      const gap = lostAt(at);
      const to = leaf < 0 ? at + 1 : Math.min(stop, fieldEnd(leaf));
      let code = "";
      let text = "";
      for (let each = at; each < to; each += 1) {
        const byte = byteAt(each);
        const column = each - start;
        if (each > at) code += this.separator(column);
        code += byte < 0 ? "··" : byte.toString(16).padStart(2, "0");
        text += byte >= 0 && isPrintable(byte) ? String.fromCharCode(byte) : ".";
      }
      const look = {
        class: `run ${colour(leaf)}${gap ? ` in-${gap.word}` : ""}`,
        "data-field": leaf < 0 ? null : leaf,
      };
      if (at > start) codes.push(this.separator(at - start));
      codes.push(make("span", look, code));
      characters.push(make("span", look, text));
      at = to;
    }
    codes.push(this.blanks(stop - start, this.perRow));
    const sign = gapOfRow ? (gapOfRow.torn ? "~ " : "x ") : "  ";
    return make(
      "div",
      { class: "row" },
      make("span", { class: `margin ${gapOfRow ? gapOfRow.word : ""}` }, sign),
      make("span", { class: "offset" }, `${String(offset).padStart(this.digits)}  `),
      ...codes,
      "  ",
      ...characters,
    );
  }

  separator(column) {
    return column % 8 === 0 ? "  " : " ";
  }

  /** Blanks in place of the bytes of columns `from … to - 1`. */
  blanks(from, to) {
    let text = "";
    for (let column = from; column < to; column += 1) {
      text += `${column ? this.separator(column) : ""}  `;
    }
    return text;
  }

  /** Highlight the runs of the fields `from … to`, which are adjacent in the log. */
  light(name, from, to) {
    for (const run of this.pane.querySelectorAll("[data-field]")) {
      const field = Number(run.dataset.field);
      const lit = from >= 0 && field >= from && field <= to && !run.classList.contains("unit");
      run.classList.toggle(name, lit);
    }
  }
}
