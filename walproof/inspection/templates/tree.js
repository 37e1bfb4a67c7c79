// The fields as a tree with collapsible nodes.

class Tree {
  constructor(pane) {
    this.pane = pane;
    this.closed = new Uint8Array(COUNT);
    this.rows = new Rows(pane, (row) => this.drawRow(row));
    if (COUNT > 600) {
      for (let i = 0; i < COUNT; i += 1) this.closed[i] = DEPTH[i] > 0 && hasFields(i) ? 1 : 0;
    }
    this.layOut();
  }

  layOut() {
    const shown = [];
    for (let i = 0; i < COUNT; i = this.closed[i] ? LAST_INSIDE[i] + 1 : i + 1) shown.push(i);
    this.shown = shown;
    this.rows.reset(shown.length);
  }

  /** The row of a field, or of the collapsed field that hides it. */
  rowOf(i) {
    return lastThat(0, this.shown.length - 1, (row) => this.shown[row] <= i);
  }

  /** Expand the fields around a field. */
  expose(i) {
    let opened = false;
    for (let outer = F.parent[i]; outer >= 0; outer = F.parent[outer]) {
      opened = opened || this.closed[outer] === 1;
      this.closed[outer] = 0;
    }
    if (opened) this.layOut();
  }

  toggle(i, close = !this.closed[i]) {
    if (!hasFields(i) || Boolean(this.closed[i]) === close) return;
    this.closed[i] = close ? 1 : 0;
    this.layOut();
  }

  reveal(i) {
    this.rows.reveal(this.rowOf(i));
  }

  drawRow(row) {
    const i = this.shown[row];
    const inner = hasFields(i);
    const gap = lostOf(i);
    const twist = inner ? (this.closed[i] ? "▸" : "▾") : "";
    const sign = gap ? (gap.torn ? "~" : "x") : "";
    const element = make(
      "div",
      {
        class: `row${gap ? ` in-${gap.word}` : ""}`,
        id: `field-${i}`,
        role: "treeitem",
        "aria-level": DEPTH[i] + 1,
        "aria-expanded": inner ? String(!this.closed[i]) : null,
        "data-field": i,
      },
      make("span", { class: `margin ${gap ? gap.word : ""}` }, sign),
      make("span", { class: "twist", "aria-hidden": "true" }, twist),
      make("span", { class: `name ${colour(i)}` }, F.name[i]),
      make("span", { class: "value" }, ...this.value(i, gap)),
      make("span", { class: "offset" }, String(F.start[i])),
    );
    element.style.setProperty("--depth", DEPTH[i]);
    return element;
  }

  value(i, gap) {
    const parts = [];
    const part = (name, text) => parts.push(make("span", { class: name }, text), " ");
    const says = () => note(i) && part(noteClass(i), note(i)[0]);
    if (!hasFields(i)) {
      parts.push(valueText(i), "  ");
      says();
      return parts;
    }
    if (F.value[i]) part(`tag ${gap ? gap.word : recordOf(i) < 0 ? "quiet" : ""}`, F.value[i]);
    if (F.value[i] && gap && gap.from === F.start[i]) part("reason", gap.reason);
    says();
    part("quiet", `${F.size[i]} B`);
    if (beginsRecord(i) && meaningOf(i)) part("says", meaningOf(i));
    return parts;
  }

  light(name, from, to) {
    const top = from < 0 ? -1 : this.shown[this.rowOf(from)];
    for (const row of this.rows.space.children) {
      const field = Number(row.dataset.field);
      row.classList.toggle(name, from >= 0 && (field === top || (field >= from && field <= to)));
      if (name === "kept") row.setAttribute("aria-selected", String(field === from));
    }
  }
}
