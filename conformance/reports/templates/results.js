// The list of results and the filters above it. The filter is kept in the address.

const PAGE = 100;
const NOT_PASS = new Set(CLASSES.map((_, i) => i).filter((i) => i !== PASS && i !== SKIPPED));
const ALL = new Set(CLASSES.map((_, i) => i));
const EMPTY = { implementation: null, format: null, group: null, profile: null, requirement: "",
  text: "", classes: NOT_PASS, order: "severity" };
let filter = { ...EMPTY };
let shown = PAGE;
let controls = {};

/** Show the results of a new filter, and scroll to them. */
function showResults({ all, ...wanted }) {
  filter = { ...EMPTY, order: filter.order, ...(all ? { classes: ALL } : {}), ...wanted };
  refresh();
  const section = document.getElementById("results");
  section.scrollIntoView({ block: "start" });
  section.focus({ preventScroll: true });
}

function matches([implementation, vectorIndex, profile, classIndex, , detail]) {
  const vector = DATA.vectors[vectorIndex];
  // Baselines fail nearly everything; they are listed only if selected by name.
  if (filter.implementation === null ? isBaseline(implementation)
    : filter.implementation !== implementation) return false;
  if (!filter.classes.has(classIndex)) return false;
  if (filter.group && filter.group !== vector.group) return false;
  if (filter.format && filter.format !== vector.format) return false;
  if (filter.profile !== null && filter.profile !== profile) return false;
  if (filter.requirement
    && !vector.requirements.some((id) => id.includes(filter.requirement.toUpperCase()))) return false;
  if (!filter.text) return true;
  const said = detail < 0 ? [] : DATA.details[detail].slice(0, 3).map((i) => DATA.texts[i] || "");
  const hay = [vector.id, vector.title, ...vector.damage, DATA.implementations[implementation].name,
    CLASSES[classIndex].label, ...said].join("\n").toLowerCase();
  return filter.text.toLowerCase().split(/\s+/).every((word) => hay.includes(word));
}

const ORDERS = {
  severity: ["worst first", (a, b) => a[3] - b[3] || a[0] - b[0] || a[1] - b[1]],
  implementation: ["by implementation", (a, b) => a[0] - b[0] || a[3] - b[3] || a[1] - b[1]],
  vector: ["by vector", (a, b) => a[1] - b[1] || a[3] - b[3] || a[0] - b[0]],
};

function drawFilters() {
  const form = document.getElementById("filters");
  const option = (value, text) => make("option", { value }, text);
  const select = (label, options, change) => {
    const box = make("select", { onchange: () => { change(box.value); refresh(); } }, ...options);
    form.append(make("label", {}, make("span", {}, label), box));
    return box;
  };
  const input = (label, hint, change) => {
    const box = make("input", { type: "search", placeholder: hint, autocomplete: "off",
      oninput: () => { change(box.value.trim()); refresh(); } });
    form.append(make("label", { class: "grow" }, make("span", {}, label), box));
    return box;
  };
  controls.text = input("Search", "vector, damage, cause …   ( / )", (v) => { filter.text = v; });
  controls.implementation = select("Implementation", [option("", "all under test"),
    ...DATA.implementations.map((each, i) => each.status === "ran"
      ? option(i, each.baseline ? `${each.name} (baseline)` : each.name) : null).filter(Boolean)],
  (v) => { filter.implementation = v === "" ? null : Number(v); });
  const groups = [...new Set(DATA.matrices.flatMap((each) => each.groups))];
  controls.group = select("Group", [option("", "all"), ...groups.map((g) => option(g, g))],
    (v) => { filter.group = v || null; filter.format = null; });
  controls.profile = select("Profile", [option("", "all"),
    ...DATA.profiles.map((name, i) => option(i, name))],
  (v) => { filter.profile = v === "" ? null : Number(v); });
  controls.requirement = input("Requirement", "LDB-028", (v) => { filter.requirement = v; });
  const ids = [...new Set(DATA.vectors.flatMap((each) => each.requirements))].sort();
  controls.requirement.setAttribute("list", "requirement-ids");
  form.append(make("datalist", { id: "requirement-ids" }, ...ids.map((id) => option(id, id))));
  controls.order = select("Order", Object.entries(ORDERS).map(([key, [text]]) => option(key, text)),
    (v) => { filter.order = v; });
  form.append(drawClassBoxes());
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("reset").addEventListener("click", () => {
    filter = { ...EMPTY, order: filter.order };
    refresh();
  });
}

function drawClassBoxes() {
  const present = new Set(DATA.results.map((each) => each[3]));
  const set = make("fieldset", {}, make("legend", {}, "Classes"));
  controls.classes = new Map();
  CLASSES.forEach((each, index) => {
    if (!present.has(index)) return;
    const box = make("input", { type: "checkbox", onchange: () => {
      filter.classes = new Set(filter.classes);
      if (box.checked) filter.classes.add(index); else filter.classes.delete(index);
      refresh();
    } });
    controls.classes.set(index, box);
    set.append(make("label", { class: "chip" }, box, badge(index)));
  });
  return set;
}

/** Update controls, list, matrix and address after a change of the filter. */
function refresh(keepAddress = false) {
  controls.text.value = document.activeElement === controls.text ? controls.text.value : filter.text;
  if (document.activeElement !== controls.requirement) controls.requirement.value = filter.requirement;
  for (const key of ["implementation", "group", "profile", "order"]) {
    controls[key].value = filter[key] === null ? "" : filter[key];
  }
  for (const [index, box] of controls.classes) box.checked = filter.classes.has(index);
  shown = PAGE;
  document.getElementById("reset").hidden = isUnfiltered();
  markCell(filter);
  drawList();
  if (!keepAddress) writeAddress();
}

function isUnfiltered() {
  return Object.keys(EMPTY).every((key) => key === "order" || filter[key] === EMPTY[key]);
}

function drawList() {
  const found = DATA.results.filter(matches).sort(ORDERS[filter.order][1]);
  const list = document.getElementById("list");
  list.replaceChildren(...found.slice(0, shown).map(resultRow));
  const total = DATA.results.filter(([i]) => filter.implementation === i
    || (filter.implementation === null && !isBaseline(i))).length;
  const count = document.getElementById("count");
  count.textContent = found.length
    ? `${number.format(found.length)} of ${plural(total, "result")}` : "Nothing matches this filter.";
  if (found.length === 1) list.firstChild.open = true;
  const more = document.getElementById("more");
  more.hidden = found.length <= shown;
  more.textContent = `Show ${Math.min(PAGE, found.length - shown)} more`;
  more.onclick = () => {
    const first = shown;
    shown += PAGE;
    drawList();
    list.children[first].querySelector("summary").focus();
  };
}

function resultRow(result) {
  const [implementation, vectorIndex, profile, classIndex, ms, detail] = result;
  const vector = DATA.vectors[vectorIndex];
  const difference = detail < 0 ? null : DATA.texts[DATA.details[detail][0]];
  const slug = vector.id.slice(vector.format.length + 1);
  const prefix = DATA.matrices.length > 1 ? `${vector.format}/` : "";
  const row = make("details", { class: "result" },
    make("summary", {},
      badge(classIndex),
      make("span", { class: "who" }, make("b", {}, DATA.implementations[implementation].name),
        make("span", { class: "quiet" }, ` ${DATA.profiles[profile]}`)),
      make("span", { class: "what" }, make("code", {}, prefix + slug),
        make("span", { class: "title" }, vector.title)),
      make("span", { class: "difference" }, difference || (ms === null ? "" : `${ms} ms`))));
  row.addEventListener("toggle", () => {
    if (row.open && row.children.length === 1) row.append(resultDetail(result));
  });
  return row;
}

function writeAddress() {
  const parts = new URLSearchParams();
  if (filter.implementation !== null) parts.set("implementation", DATA.implementations[filter.implementation].name);
  if (filter.profile !== null) parts.set("profile", DATA.profiles[filter.profile]);
  for (const key of ["format", "group", "requirement", "text"]) {
    if (filter[key]) parts.set(key, filter[key]);
  }
  if (filter.order !== EMPTY.order) parts.set("order", filter.order);
  if (filter.classes !== NOT_PASS) {
    parts.set("classes", filter.classes === ALL ? "all"
      : [...filter.classes].map((index) => CLASSES[index].name).join(" "));
  }
  const address = parts.toString();
  history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
}

function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const index = (list, name) => { const i = list.indexOf(name); return i < 0 ? null : i; };
  const classes = parts.get("classes");
  filter = { ...EMPTY,
    implementation: index(DATA.implementations.map((each) => each.name), parts.get("implementation")),
    profile: index(DATA.profiles, parts.get("profile")),
    format: parts.get("format"), group: parts.get("group"),
    requirement: parts.get("requirement") || "", text: parts.get("text") || "",
    order: parts.get("order") in ORDERS ? parts.get("order") : EMPTY.order };
  if (classes === "all") filter.classes = ALL;
  else if (classes) {
    filter.classes = new Set(classes.split(" ").map((name) => CLASSES.findIndex((c) => c.name === name)));
  }
  return [...parts].length > 0;
}
