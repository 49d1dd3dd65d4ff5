// Mermaid itself draws diagrams. Argument: a file of JSON, a list of texts with what each must show.
import fs from "node:fs";
import { createRequire } from "node:module";
import { main, open, check, equal } from "./common.mjs";

const library = createRequire(import.meta.url).resolve("mermaid/dist/mermaid.min.js");

async function mermaid(browser) {
  const { page, faults } = await open(browser);
  await page.addScriptTag({ path: library });
  for (const [i, { text, shows }] of JSON.parse(fs.readFileSync(process.argv[2], "utf8")).entries()) {
    const shown = await page.evaluate(async ([id, source]) => {
      window.mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
      const { svg } = await window.mermaid.render(id, source);
      document.body.innerHTML = svg;
      return [...document.querySelectorAll("text")].map((e) => e.textContent);
    }, [`diagram${i}`, text]).catch((e) => { throw new Error(`${e.message}\n${text}`); });
    for (const want of shows) check(shown.includes(want), `${want} is not among ${JSON.stringify(shown)} of\n${text}`);
    check(await page.locator("svg [aria-roledescription=error]").count() === 0, "the drawing is an error");
  }
  equal(faults, [], "faults");
}

await main(mermaid);
