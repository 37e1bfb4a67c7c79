// The colour scheme that was chosen, before anything is drawn.
"use strict";
try {
  const chosen = localStorage.getItem("walproof-scheme");
  if (chosen) document.documentElement.dataset.scheme = chosen;
} catch { /* a browser that keeps nothing follows the system */ }
