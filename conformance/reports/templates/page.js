// The data, the head of the page, the colour scheme, and functions to build elements.

const DATA = JSON.parse(document.getElementById("data").textContent);
const CLASSES = DATA.classes;
const PASS = CLASSES.findIndex((each) => each.name === "pass");
const SKIPPED = CLASSES.findIndex((each) => each.name === "skipped");
const number = new Intl.NumberFormat("en");

/** Build an element. Text is always set as text: nothing from the report is read as HTML. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Return a link, but only to the web: an address in a report is not trusted. */
function link(address, text) {
  if (!/^https?:\/\//.test(address || "")) return null;
  return make("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, text);
}

function plural(count, noun) {
  return `${number.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Return the mark of a class, which does not depend on colour alone. */
function badge(classIndex, text) {
  const each = CLASSES[classIndex];
  return make(
    "span",
    { class: `badge c-${each.name}`, title: each.meaning },
    make("span", { class: "glyph", "aria-hidden": "true" }, each.glyph),
    text === undefined ? each.label : text,
  );
}

const isBaseline = (implementation) => DATA.implementations[implementation].baseline;

function drawRun() {
  const tested = DATA.implementations.filter((each) => !each.baseline);
  const ran = tested.filter((each) => each.status === "ran");
  const formats = DATA.matrices.map((each) => each.format).join(", ");
  const parts = [
    formats,
    plural(DATA.vectors.length, "vector"),
    plural(ran.length, "implementation"),
    `${DATA.started.replace("T", " ").replace(/(\.\d+)?Z$/, "")} UTC`,
    `${DATA.seconds.toFixed(1)} s`,
    DATA.mode,
    `walproof ${DATA.walproof}`,
  ];
  if (DATA.kept) {
    parts.push(DATA.kept);
  }
  if (DATA.isolation) {
    parts.push(`isolation: ${DATA.isolation.by.join(", ")}`);
    if (DATA.isolation.could.length) {
      parts.push(`not isolated: a program could ${DATA.isolation.could.join("; ")}`);
    }
  }
  document.getElementById("run").append(parts.join("  ·  "));
}

/** Draw a bar of all results, and for each class a button that is legend and filter. */
function drawSummary() {
  const counts = CLASSES.map(() => 0);
  for (const [implementation, , , classIndex] of DATA.results) {
    if (!isBaseline(implementation)) counts[classIndex] += 1;
  }
  const total = counts.reduce((a, b) => a + b, 0);
  const order = CLASSES.map((_, index) => index).filter((index) => counts[index])
    .sort((a, b) => (b === PASS) - (a === PASS) || b - a);
  const bar = make("div", { class: "tally", "aria-hidden": "true" });
  const legend = make("ul", { class: "legend", "aria-label": "Result classes" });
  for (const index of order) {
    const part = make("span", { class: `c-${CLASSES[index].name}` });
    part.style.flexGrow = counts[index];
    bar.append(part);
    legend.append(
      make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: "legend-item",
            onclick: () => showResults({ classes: new Set([index]) }),
          },
          badge(index, ""),
          make("b", {}, number.format(counts[index])),
          ` ${CLASSES[index].label}`,
          make("span", { class: "meaning" }, CLASSES[index].meaning),
        ),
      ),
    );
  }
  const wrong = order.reduce((sum, i) => sum + (CLASSES[i].expected ? 0 : counts[i]), 0);
  const broken = DATA.implementations.filter((each) => each.status === "broken").length;
  const parts = [];
  if (wrong) parts.push(`${number.format(wrong)} of ${plural(total, "result")}`);
  if (broken) parts.push(plural(broken, "broken implementation"));
  const verdict = parts.length
    ? make("p", { class: "verdict bad" }, `✗ Not as expected: ${parts.join(" and ")}`)
    : make("p", { class: "verdict good" }, `✓ All is as expected: ${plural(total, "result")}`);
  document.getElementById("summary").append(verdict, bar, legend);
}

const SCHEMES = { auto: "◐ auto", light: "○ light", dark: "● dark" };

/** Use the system's colour scheme or the chosen one; save the choice if possible. */
function drawTheme() {
  const button = document.getElementById("theme");
  const names = Object.keys(SCHEMES);
  let current = "auto";
  try {
    current = localStorage.getItem("walproof-scheme") || "auto";
  } catch {
    // A browser may deny storage to a local page; then the choice is not saved.
  }
  const apply = () => {
    document.documentElement.dataset.scheme = current;
    button.textContent = SCHEMES[current] || SCHEMES.auto;
    button.setAttribute("aria-label", `Colour scheme: ${current}`);
  };
  button.addEventListener("click", () => {
    current = names[(names.indexOf(current) + 1) % names.length];
    try {
      localStorage.setItem("walproof-scheme", current);
    } catch {
      // As above.
    }
    apply();
  });
  apply();
}
