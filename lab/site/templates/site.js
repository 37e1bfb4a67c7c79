// The scripts of every page: tables that scroll, and the list of vectors.
"use strict";

// Elements that scroll must be reachable by keyboard; other elements must not be a stop of the Tab key.
function reachable() {
  for (const box of document.querySelectorAll(".scroll, pre")) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    if (!scrolls) {
      box.removeAttribute("tabindex");
      box.removeAttribute("role");
      continue;
    }
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    if (!box.hasAttribute("aria-label")) {
      const heading = box.querySelector("caption, th")?.textContent.trim();
      box.setAttribute("aria-label", heading ? `Table: ${heading}` : "Text that scrolls");
    }
  }
}

// Opens the closed elements that contain the target of the link.
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = target; box; box = box.parentElement?.closest("details")) {
    if (box.tagName === "DETAILS") box.open = true;
  }
}

// Filters the list of vectors.
function filterRows() {
  const form = document.getElementById("filter");
  if (!form) return;
  const names = [...document.querySelectorAll("table.grid thead th.up")].map((one) => one.textContent.trim());
  const right = /^$|\bc-(skipped|unexpected-pass)\b/;
  const said = document.getElementById("filtered");
  const apply = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const group = form.elements.group.value;
    const column = names.indexOf(form.elements.who.value);
    let shown = 0;
    for (const body of document.querySelectorAll("table.grid tbody")) {
      let here = 0;
      for (const row of body.querySelectorAll("tr:not(.group)")) {
        const text = row.cells[0].textContent.toLowerCase();
        const isShown = (!group || body.dataset.group === group) &&
          words.every((word) => text.includes(word)) &&
          (column < 0 || !right.test(row.cells[column + 1].className));
        row.hidden = !isShown;
        here += isShown;
      }
      body.hidden = here === 0;
      shown += here;
    }
    said.textContent = `${shown.toLocaleString("en")} vector${shown === 1 ? "" : "s"}`;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
}

for (const marks of document.querySelectorAll(".marks")) marks.open = matchMedia("(min-width: 64rem)").matches;
openTarget();
addEventListener("hashchange", openTarget);
reachable();
addEventListener("resize", reachable);
document.addEventListener("toggle", reachable, true);
filterRows();
