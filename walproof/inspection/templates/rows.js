// A virtual list: many rows of equal height, of which only the visible ones exist.

class Rows {
  /** `draw(row)` returns the element of a row. `onDraw` is called when other rows become visible. */
  constructor(pane, draw) {
    this.pane = pane;
    this.draw = draw;
    this.onDraw = () => {};
    this.count = 0;
    this.space = make("div", { class: "space", role: "presentation" });
    pane.append(this.space);
    pane.addEventListener("scroll", () => this.update(), { passive: true });
    new ResizeObserver(() => this.update()).observe(pane);
  }

  get height() {
    return this.rowHeight || (this.rowHeight = parseFloat(getComputedStyle(this.pane).lineHeight));
  }

  /** Set the number of rows and redraw. */
  reset(count = this.count) {
    this.count = count;
    this.first = this.last = -1;
    this.space.style.height = `${count * this.height}px`;
    this.update();
  }

  update() {
    const spare = 12;
    const top = Math.floor(this.pane.scrollTop / this.height);
    const bottom = Math.ceil((this.pane.scrollTop + this.pane.clientHeight) / this.height);
    const first = Math.max(0, top - spare);
    const last = Math.min(this.count, bottom + spare);
    if (first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const rows = [];
    for (let row = first; row < last; row += 1) {
      const element = this.draw(row);
      element.style.top = `${row * this.height}px`;
      rows.push(element);
    }
    this.space.replaceChildren(...rows);
    this.onDraw();
  }

  /** The visible rows; the first and last may be partly visible. */
  inView() {
    const top = Math.floor(this.pane.scrollTop / this.height);
    const bottom = Math.ceil((this.pane.scrollTop + this.pane.clientHeight) / this.height);
    return [top, Math.min(this.count, bottom) - 1];
  }

  /** Scroll as little as needed to show a row, or move it to the upper third. */
  reveal(row, upper = false) {
    const top = row * this.height;
    const room = this.pane.clientHeight;
    const hidden = top < this.pane.scrollTop || top + this.height > this.pane.scrollTop + room;
    if (!hidden && !upper) return;
    this.pane.scrollTop = Math.max(0, top - Math.floor(room / 3));
    this.update();
  }
}
