// The matrix: implementations × groups. A click on a cell lists its results.

function drawMatrices() {
  const place = document.getElementById("matrices");
  for (const matrix of DATA.matrices) {
    const heading = DATA.matrices.length > 1 ? matrix.format : "Matrix";
    place.append(
      make("h2", {}, heading),
      make(
        "p",
        { class: "quiet" },
        "A cell shows passed and run vectors. The score of reading counts pairs: a damaged log counts " +
          "only together with its control. Writes and appends have a separate score. Skipped vectors " +
          "are in no score.",
      ),
      make("div", { class: "scroll", tabindex: "0", "aria-label": `Matrix of ${matrix.format}` },
        matrixTable(matrix)),
    );
  }
  const missing = DATA.implementations.filter((each) => each.status !== "ran");
  if (!missing.length) return;
  const list = make("dl", { class: "not-run" });
  for (const each of missing) {
    list.append(
      make("dt", {}, each.name, " ", make("span", { class: `status ${each.status}` }, each.status)),
      make("dd", {}, each.because || "no reason was given"),
    );
  }
  place.append(make("h3", {}, "Not run"), list);
}

function matrixTable(matrix) {
  const head = make("tr", {}, make("th", { scope: "col" }, "implementation"),
    make("th", { scope: "col", class: "pairs" }, "pairs"));
  const written = [...matrix.lines, ...matrix.baselines].some((line) => line.written[1]);
  if (written) head.append(make("th", { scope: "col", class: "pairs" }, "written"));
  for (const group of matrix.groups) head.append(make("th", { scope: "col" }, group));
  const table = make("table", { class: "matrix" }, make("thead", {}, head));
  table.append(matrixBody(matrix, matrix.lines, written));
  if (matrix.baselines.length) {
    const note = make("tr", { class: "rule" }, make("th", { colspan: matrix.groups.length + (written ? 3 : 2),
      scope: "rowgroup" }, make("span", {}, make("b", {}, "Null baselines"),
      " — trivial readers, for comparison of the scores")));
    const body = matrixBody(matrix, matrix.baselines, written);
    body.prepend(note);
    body.classList.add("baselines");
    table.append(body);
  }
  table.addEventListener("keydown", moveInMatrix);
  return table;
}

function matrixBody(matrix, lines, written) {
  const body = make("tbody");
  for (const line of lines) {
    const each = DATA.implementations[line.implementation];
    const facts = [each.version, each.language].filter(Boolean).join(" · ");
    const row = make("tr", {},
      make("th", { scope: "row", 
        title: [each.name, facts, each.title, `reports ${each.reports.join(", ")}`].filter(Boolean).join("\n") },
        make("span", { class: "name" }, link(each.homepage, each.name) || each.name),
        make("span", { class: "facts" }, facts)),
      pairsCell(line.pairs));
    if (written) row.append(line.written[1] ? pairsCell(line.written) : make("td", { class: "pairs" }));
    for (const group of matrix.groups) {
      row.append(make("td", {}, cellButton(matrix, line, group)));
    }
    body.append(row);
  }
  return body;
}

function pairsCell([passed, total]) {
  const meter = make("span", { class: "meter", "aria-hidden": "true" }, make("span"));
  meter.firstChild.style.width = `${total ? (100 * passed) / total : 0}%`;
  return make("td", { class: "pairs" }, make("b", {}, passed), `/${total}`, meter);
}

function cellButton(matrix, line, group) {
  const counts = line.cells[group];
  if (!counts) return make("span", { class: "empty", title: "nothing was run" }, "·");
  const run = counts.reduce((a, b) => a + b, 0) - counts[SKIPPED];
  const worst = counts.findIndex((count) => count > 0);
  const name = DATA.implementations[line.implementation].name;
  const marks = make("span", { class: "marks" });
  const said = [];
  counts.forEach((count, index) => {
    if (!count) return;
    if (index !== PASS) said.push(`${count} ${CLASSES[index].label}`);
    // Beside something worse, neither passes nor skipped results need a mark.
    if (index >= PASS && worst < PASS) return;
    marks.append(make("span", { class: `mark t-${CLASSES[index].name}` },
      `${CLASSES[index].glyph}${index === PASS ? "" : count}`));
  });
  return make(
    "button",
    {
      type: "button",
      class: `cell c-${CLASSES[worst].name}`,
      "aria-label": `${name}, ${group}: ${[`${counts[PASS]} of ${run} passed`, ...said].join(", ")}`,
      title: [`${counts[PASS]} of ${run} passed`, ...said].join(", "),
      "data-cell": `${line.implementation}/${matrix.format}/${group}`,
      onclick: () =>
        showResults({ implementation: line.implementation, format: matrix.format, group, all: true }),
    },
    make("span", { class: "n" }, ...(run ? [make("b", {}, counts[PASS]), `/${run}`] : ["none"])),
    marks,
  );
}

/** Arrow keys move between cells, as in a spreadsheet. */
function moveInMatrix(event) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const from = event.target.closest("td");
  if (!step || !from) return;
  event.preventDefault();
  const rows = [...event.currentTarget.querySelectorAll("tr")];
  let row = rows.indexOf(from.parentElement);
  let column = from.cellIndex;
  for (;;) {
    row += step[0];
    column += step[1];
    const cell = rows[row] && rows[row].cells[column];
    if (!rows[row] || column < 0 || column >= from.parentElement.cells.length) return;
    const button = cell && cell.querySelector("button");
    if (button) {
      button.focus();
      return;
    }
  }
}

/** Mark the cell whose results are listed. */
function markCell(filter) {
  const wanted = filter.group
    ? `${filter.implementation}/${filter.format}/${filter.group}`
    : null;
  for (const cell of document.querySelectorAll("[data-cell]")) {
    if (cell.dataset.cell === wanted) cell.setAttribute("aria-current", "true");
    else cell.removeAttribute("aria-current");
  }
}
