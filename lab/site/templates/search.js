// The search: every word must begin a word of the title or of the text. The index is a script.
"use strict";

const MOST = 60;
let entries = [];

function walproofIndex(found) {
  entries = found.map(([kind, title, place, text]) => ({
    kind, title, place, text,
    head: title.toLowerCase(), words: `${title} ${kind} ${text}`.toLowerCase().split(/[^a-z0-9]+/),
  }));
}

// How well an entry fits: 0 not at all; a title that is what was typed comes first.
function fits(entry, typed, parts) {
  if (entry.head === typed) return 100;
  let sum = entry.head.startsWith(typed) ? 20 : entry.head.includes(typed) ? 10 : 0;
  for (const part of parts) {
    const inTitle = entry.head.split(/[^a-z0-9]+/).some((word) => word.startsWith(part));
    if (!inTitle && !entry.words.some((word) => word.startsWith(part))) return 0;
    sum += inTitle ? 4 : 1;
  }
  return sum + (entry.kind === "vector" ? 0 : 1);
}

function search(text) {
  const typed = text.trim().toLowerCase();
  const parts = typed.split(/[^a-z0-9]+/).filter(Boolean);
  if (!parts.length) return [];
  return entries
    .map((entry) => [fits(entry, typed, parts), entry])
    .filter(([score]) => score > 0)
    .sort((a, b) => b[0] - a[0])
    .map(([, entry]) => entry);
}

function element(tag, text, name) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function show(text) {
  const found = search(text);
  const list = document.getElementById("results");
  list.replaceChildren(...found.slice(0, MOST).map((entry) => {
    const item = document.createElement("li");
    const link = element("a", entry.title);
    link.href = document.body.dataset.root + entry.place;
    item.append(link, " ", element("span", entry.kind, "tag"));
    if (entry.text) item.append(element("p", entry.text, "quiet"));
    return item;
  }));
  const more = found.length > MOST ? `, the first ${MOST}` : "";
  document.getElementById("found").textContent = text.trim()
    ? `${found.length.toLocaleString("en")} found${more}`
    : `${entries.length.toLocaleString("en")} entries`;
}

function begin() {
  const form = document.getElementById("search");
  const field = document.getElementById("words");
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", () => {
    const query = field.value ? `?q=${encodeURIComponent(field.value)}` : location.pathname;
    try { history.replaceState(null, "", query); } catch { /* not from every disk */ }
    show(field.value);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    document.querySelector("#results a")?.focus();
  });
  show(field.value);
  field.focus();
}

const index = document.createElement("script");
index.src = `${document.body.dataset.root}assets/search-index.js`;
index.addEventListener("load", begin);
document.head.append(index);
