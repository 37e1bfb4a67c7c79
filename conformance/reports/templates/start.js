// Draw the page, and update it after changes of the address and keys.

drawRun();
drawTheme();
drawSummary();
drawMatrices();
drawFilters();
const asked = readAddress();
refresh(true);
if (asked) document.getElementById("results").scrollIntoView();

addEventListener("hashchange", () => {
  // The link that skips to the results is not a filter.
  if (location.hash === "#results") return;
  readAddress();
  refresh(true);
});

addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    controls.text.focus();
    controls.text.select();
  } else if (event.key === "Escape" && document.activeElement === controls.text) {
    controls.text.value = "";
    filter.text = "";
    refresh();
  }
});
