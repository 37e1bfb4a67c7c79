// Opens pages in Chromium, as on a desk, in the dark and on a phone: a picture of each, and what is wrong.
// node look.cjs CHROMIUM SITE OUT PAGE…
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const puppeteer = require("puppeteer-core");

const VIEWS = {
  light: { width: 1280, height: 900, scheme: "light" },
  dark: { width: 1280, height: 900, scheme: "dark" },
  phone: { width: 390, height: 844, scheme: "light", isMobile: true, hasTouch: true },
};
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];

async function look(browser, axe, site, out, place, name, view) {
  const page = await browser.newPage();
  const wrong = [];
  page.on("console", (said) => { if (said.type() === "error") wrong.push(`console: ${said.text()}`); });
  page.on("pageerror", (error) => wrong.push(`script: ${error}`));
  page.on("requestfailed", (asked) => wrong.push(`not loaded: ${asked.url()}`));
  await page.setViewport(view);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: view.scheme }]);
  const [file, query] = place.split("?");
  await page.goto(pathToFileURL(path.join(site, file)).href + (query ? `?${query}` : ""), { waitUntil: "load" });
  await page.screenshot({ path: path.join(out, `${place.replace(/[^\w.-]+/g, "_")}-${name}.png`) });
  const tooWide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth + 1 ? `${scrollWidth} pixels of ${clientWidth}` : "";
  });
  if (tooWide) wrong.push(`wider than the window: ${tooWide}`);
  await page.evaluate(axe);
  const found = await page.evaluate((rules) => axe.run(document, { preload: false, runOnly: rules }), RULES);
  for (const one of found.violations) wrong.push(`axe ${one.id}, ${one.nodes.length} times: ${one.nodes[0].html.slice(0, 200)}`);
  await page.close();
  return wrong;
}

async function main() {
  const [chromium, site, out, ...places] = process.argv.slice(2);
  const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
  let count = 0;
  try {
    for (const place of places) {
      for (const [name, view] of Object.entries(VIEWS)) {
        for (const one of await look(browser, axe, site, out, place, name, view)) {
          count += 1;
          console.log(`${place}, ${name}: ${one}`);
        }
      }
    }
  } finally {
    await browser.close();
  }
  console.log(`${places.length} pages in ${Object.keys(VIEWS).length} views: ${count || "nothing"} wrong`);
  process.exitCode = count ? 1 : 0;
}

main();
