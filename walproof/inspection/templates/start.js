// The page as a whole: one field is highlighted by pointing, one is pinned by click or keys.

const byId = (id) => document.getElementById(id);
let hovered = -1;
let kept = -1;

const bytes = new Bytes(byId("bytes"));
const tree = new Tree(byId("tree"));
const map = DATA.size ? new LogMap(byId("map"), goToOffset) : null;
if (!map) byId("map").hidden = true;
bytes.rows.onDraw = tree.rows.onDraw = relight;

function relight() {
  for (const [name, i] of [["hover", hovered], ["kept", kept]]) {
    const last = i < 0 ? -1 : LAST_INSIDE[i];
    bytes.light(name, i, last);
    tree.light(name, i, last);
  }
  if (map) {
    const [top, bottom] = bytes.rows.inView();
    const to = bottom + 1 < bytes.total ? bytes.offsetOf(bottom + 1) : WINDOW_END;
    map.look(bytes.offsetOf(top), to);
  }
}

function hover(i, from) {
  if (i === hovered) return;
  hovered = i;
  if (i >= 0 && from === "tree" && F.size[i]) bytes.reveal(F.start[i]);
  if (i >= 0 && from === "bytes") tree.reveal(i);
  relight();
  if (kept < 0) drawDetails(byId("details"), i);
}

function keep(i, { inTree = true, inBytes = true } = {}) {
  kept = i;
  if (i >= 0) {
    if (inTree) tree.expose(i);
    if (inTree) tree.reveal(i);
    if (inBytes) bytes.reveal(Math.min(F.start[i], Math.max(WINDOW_START, WINDOW_END - 1)));
    byId("tree").setAttribute("aria-activedescendant", `field-${i}`);
    history.replaceState(null, "", `#field=${path(i)}`);
  } else {
    byId("tree").removeAttribute("aria-activedescendant");
    history.replaceState(null, "", location.pathname + location.search);
  }
  relight();
  drawDetails(byId("details"), i < 0 ? hovered : i);
}

function goToOffset(wanted) {
  const offset = Math.max(0, Math.min(DATA.size - 1, Math.round(wanted)));
  const inside = offset >= WINDOW_START && offset < WINDOW_END;
  const page = `[${WINDOW_START}, ${WINDOW_END})`;
  const how = `run walproof inspect ${DATA.file} --from ${offset} --html OUT`;
  say(inside ? "" : `Offset ${offset} is not on this page, ${page}: ${how}.`);
  const near = Math.max(WINDOW_START, Math.min(WINDOW_END - 1, offset));
  bytes.reveal(near, true);
  const leaf = leafAt(near);
  if (leaf >= 0) tree.reveal(leaf);
  return inside ? leaf : -1;
}

const say = (text) => byId("said").replaceChildren(text);

function go(where) {
  const text = where.trim();
  if (/^(0x[0-9a-f]+|\d+)$/i.test(text)) {
    const leaf = goToOffset(Number(text));
    if (leaf >= 0) keep(leaf);
    return;
  }
  const i = fieldAt(text);
  say(i < 0 ? `No field ${text} on this page.` : "");
  if (i >= 0) keep(i);
}

const fieldOf = (event) => {
  const element = event.target.closest("[data-field]");
  return element ? Number(element.dataset.field) : -1;
};
for (const from of ["bytes", "tree"]) {
  const pane = byId(from);
  pane.addEventListener("pointermove", (event) => hover(fieldOf(event), from));
  pane.addEventListener("pointerleave", () => hover(-1, from));
}
byId("bytes").addEventListener("click", (event) => {
  if (event.target.closest("button")) return;
  const i = fieldOf(event);
  if (i >= 0) keep(i === kept ? -1 : i, { inBytes: false });
});
byId("tree").addEventListener("click", (event) => {
  const i = fieldOf(event);
  if (i < 0) return;
  if (event.target.closest(".twist") && hasFields(i)) tree.toggle(i);
  else keep(i === kept ? -1 : i, { inTree: false });
});
byId("tree").addEventListener("dblclick", (event) => tree.toggle(fieldOf(event)));

byId("tree").addEventListener("keydown", (event) => {
  const row = kept < 0 ? -1 : tree.rowOf(kept);
  const keepRow = (n) => keep(tree.shown[Math.max(0, Math.min(tree.shown.length - 1, n))]);
  const page = Math.max(1, Math.floor(byId("tree").clientHeight / tree.rows.height) - 1);
  const actions = {
    ArrowDown: () => keepRow(row + 1),
    ArrowUp: () => keepRow(row - 1),
    PageDown: () => keepRow(row + page),
    PageUp: () => keepRow(row - page),
    Home: () => keepRow(0),
    End: () => keepRow(tree.shown.length - 1),
    ArrowRight: () => (tree.closed[kept] ? tree.toggle(kept, false) : keepRow(row + 1)),
    ArrowLeft: () => {
      if (hasFields(kept) && !tree.closed[kept]) tree.toggle(kept, true);
      else if (F.parent[kept] >= 0) keep(F.parent[kept]);
    },
    Enter: () => tree.toggle(kept),
  };
  if (!COUNT || !actions[event.key] || (kept < 0 && !/Down|Home|End/.test(event.key))) return;
  event.preventDefault();
  actions[event.key]();
});

byId("bytes").addEventListener("keydown", (event) => {
  if (!LEAVES.length || event.target !== byId("bytes")) return;
  const at = kept < 0 ? WINDOW_START : F.start[kept];
  const n = kept < 0 ? -1 : lastThat(0, LEAVES.length - 1, (k) => F.start[LEAVES[k]] <= at);
  const leaf = (k) => keep(LEAVES[Math.max(0, Math.min(LEAVES.length - 1, k))]);
  const byte = (offset) => {
    const found = leafAt(Math.max(WINDOW_START, Math.min(WINDOW_END - 1, offset)));
    if (found >= 0) keep(found);
  };
  const actions = {
    ArrowRight: () => leaf(n + 1),
    ArrowLeft: () => leaf(n - 1),
    ArrowDown: () => byte(kept < 0 ? at : Math.max(at + bytes.perRow, fieldEnd(kept))),
    ArrowUp: () => byte(at - bytes.perRow),
    Home: () => leaf(0),
    End: () => leaf(LEAVES.length - 1),
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") keep(-1);
});
byId("go").addEventListener("submit", (event) => {
  event.preventDefault();
  go(byId("where").value);
});

const SCHEMES = ["", "light", "dark"];
function setScheme(scheme) {
  document.documentElement.dataset.scheme = scheme;
  byId("scheme").textContent = { "": "◐ auto", light: "○ light", dark: "● dark" }[scheme];
}
byId("scheme").addEventListener("click", () => {
  const now = SCHEMES.indexOf(document.documentElement.dataset.scheme || "");
  setScheme(SCHEMES[(now + 1) % SCHEMES.length]);
});
setScheme("");

function drawTally() {
  const parts = [plural(DATA.recordCount, "record")];
  if (DATA.lostCount) {
    parts.push(`${plural(DATA.lostCount, "lost range")} of ${plural(DATA.lostBytes, "byte")}`);
  }
  if (DATA.verdict !== "refused") {
    const resume = `safe to append at ${DATA.end}`;
    parts.push(DATA.end === null ? "not safe to append" : resume);
  }
  if (WINDOW_START > 0 || WINDOW_END < DATA.size) {
    parts.push(`this page shows [${WINDOW_START}, ${WINDOW_END})`);
  }
  if (DATA.stopped) parts.push(`the grammar does not fit further: ${DATA.stopped}`);
  byId("tally").textContent = parts.join(" · ");
}
drawTally();
drawKey(byId("key"));
drawLostList(byId("lost"), goToOffset);
drawDetails(byId("details"), -1);
relight();

function goToHash() {
  const [, kind, value] = /^#(field|offset)=(.*)$/.exec(location.hash) || [];
  if (kind) go(decodeURIComponent(value.replace(/%(?![0-9a-f]{2})/gi, "%25")));
}
window.addEventListener("hashchange", goToHash);
goToHash();
