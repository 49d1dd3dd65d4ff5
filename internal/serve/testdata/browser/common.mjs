// What the tests in the browser share: Chromium, checks, and what must be true of every page.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const require = createRequire(import.meta.url);
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// check fails with a message.
export function check(condition, message) {
  if (!condition) throw new Error(message);
}

export function equal(got, want, what) {
  const [g, w] = [JSON.stringify(got), JSON.stringify(want)];
  check(g === w, `${what}: ${g} and not ${w}`);
}

// open opens a page of its own, and collects what must not happen there.
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults = [];
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") faults.push(`console: ${m.text()}`); });
  page.on("pageerror", (e) => faults.push(`error: ${e.message}`));
  page.on("request", (r) => {
    const url = new URL(r.url());
    if (url.protocol.startsWith("http") && url.hostname !== "127.0.0.1") faults.push(`request to ${url.origin}`);
  });
  return { page, faults, context };
}

// accessible has axe look at the page, by the rules of WCAG 2.2 A and AA.
export async function accessible(page, what) {
  await page.evaluate(`${axe}; undefined`);
  const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  const bad = found.violations.filter((v) => ["serious", "critical"].includes(v.impact));
  check(bad.length === 0, `${what}: ${bad.map((v) => `${v.id} at ${v.nodes.map((n) => n.target.join(" ")).slice(0, 4).join(", ")}: ${v.nodes[0].failureSummary}`).join("\n")}`);
  console.log(`axe: ${what}: ${found.passes.length} rules passed, ${found.violations.length} minor findings`);
}

// narrow checks that a page that is enlarged to 200 % on a screen of 1280 pixels needs no scrolling
// from side to side.
export async function narrow(page, what) {
  await page.setViewportSize({ width: 640, height: 400 });
  const over = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > width && !e.closest(".drawing *, .wide *, .lines *, .states *"));
    return [document.documentElement.scrollWidth - width, wide.slice(0, 4).map((e) => e.outerHTML.slice(0, 100))];
  });
  check(over[0] <= 0, `${what}: at 200 % the page is ${over[0]} pixels too wide: ${over[1].join("\n")}`);
  await page.setViewportSize({ width: 1280, height: 800 });
}

// until waits for a condition in the page. (Playwright's own way makes code of text, which the page
// forbids.)
export async function until(page, condition, argument = undefined, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  while (!(await page.evaluate(condition, argument))) {
    check(Date.now() < end, `it does not come true: ${condition}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

// shot keeps a picture of the page, if a folder is given. Otherwise it compares the page with the
// picture that is kept in docs, where the same Chromium and the same fonts made it.
export async function shot(page, name) {
  const bottom = await page.evaluate(() => Math.max(0, ...[...document.querySelectorAll(".panel")].map((p) => p.getBoundingClientRect().bottom)));
  const clip = { x: 0, y: 0, width: 1280, height: bottom > 0 ? Math.min(800, Math.ceil(bottom) + 16) : 800 };
  const folder = process.env.ERELONG_PICTURES;
  const maker = await makerOf(page);
  if (folder) {
    await page.screenshot({ path: path.join(folder, `${name}.png`), clip });
    const file = path.join(folder, "references.json");
    const all = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
    fs.writeFileSync(file, `${JSON.stringify({ ...all, [name]: maker }, null, 2)}\n`);
    return;
  }
  const kept = new URL("../../../../docs/pictures/", import.meta.url);
  const references = JSON.parse(fs.readFileSync(new URL("references.json", kept), "utf8"));
  if (!references[name]) return;
  if (references[name] !== maker) {
    console.log(`left out: the picture ${name} was made by ${references[name]}, and here is ${maker}`);
    return;
  }
  const now = await page.screenshot({ clip });
  const share = await difference(page, now, fs.readFileSync(new URL(`${name}.png`, kept)));
  console.log(`picture: ${name}: ${(100 * share).toFixed(2)} % of the pixels differ`);
  if (share > mostDifferent) {
    fs.writeFileSync(path.join(os.tmpdir(), `erelong-${name}.png`), now);
    check(false, `the page ${name} differs from docs/pictures in ${(100 * share).toFixed(1)} % of its pixels; see ${path.join(os.tmpdir(), `erelong-${name}.png`)}, or make pictures`);
  }
}

// mostDifferent is the share of pixels that may differ from a kept picture. The times of a run are
// other ones each time.
const mostDifferent = 0.03;

// makerOf names what decides how text is drawn: the browser, and the widths of texts in its fonts.
async function makerOf(page) {
  const widths = await page.evaluate(() => ["sans-serif", "system-ui", "monospace", "ui-monospace"].map((font) => {
    const context = document.createElement("canvas").getContext("2d");
    context.font = `100px ${font}`;
    return context.measureText("State 6 → give(c = client1) Wij").width.toFixed(2);
  }));
  return `Chromium ${page.context().browser().version()}, text widths ${widths.join(" ")}`;
}

// difference gives the share of pixels that differ between two pictures.
async function difference(page, one, other) {
  const blank = await page.context().newPage();
  const share = await blank.evaluate(async ([a, b]) => {
    const pixels = async (text) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "image/png" }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      canvas.getContext("2d").drawImage(bitmap, 0, 0);
      return { width: bitmap.width, height: bitmap.height, data: canvas.getContext("2d").getImageData(0, 0, bitmap.width, bitmap.height).data };
    };
    const [x, y] = [await pixels(a), await pixels(b)];
    if (x.width !== y.width || Math.abs(x.height - y.height) > 40) return 1;
    let other = 0;
    const height = Math.min(x.height, y.height);
    for (let i = 0; i < 4 * x.width * height; i += 4) {
      if ([0, 1, 2].some((k) => Math.abs(x.data[i + k] - y.data[i + k]) > 32)) other++;
    }
    return other / (x.width * height);
  }, [one.toString("base64"), other.toString("base64")]);
  await blank.close();
  return share;
}

// main runs the parts of a test, and ends with an error if one of them fails.
export async function main(...parts) {
  const browser = await chromium.launch({ executablePath: process.env.ERELONG_CHROMIUM, args: ["--no-sandbox"] });
  let failed = false;
  for (const part of parts) {
    try {
      await part(browser);
      console.log(`ok: ${part.name}`);
    } catch (e) {
      failed = true;
      console.log(`FAILED: ${part.name}: ${e.message}`);
    }
  }
  await browser.close();
  process.exit(failed ? 1 : 0);
}
