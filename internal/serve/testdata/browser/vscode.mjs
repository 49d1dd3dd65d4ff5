// The extension in VS Code. Argument: the address of a VS Code in the browser, whose folder has
// lock_wrong.ere of the tutorial.
import { main, open, check, equal, until } from "./common.mjs";

const address = process.argv[2];

// explorer finds the page in the panel.
async function explorer(page) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((done) => setTimeout(done, 200))) {
    for (const frame of page.frames().reverse()) {
      if (await frame.locator("header h1 .brand").count().catch(() => 0)) return frame;
    }
  }
  throw new Error("there is no panel with the page");
}

// command runs a command of VS Code by its name.
async function command(page, name) {
  await page.keyboard.press("F1");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
}

const lens = (page, title) => page.locator(".codelens-decoration a", { hasText: title }).first();
const titled = (frame, start) => until(frame, (s) => document.querySelector("#state-title")?.textContent.startsWith(s), start);

async function panel(browser) {
  const { page } = await open(browser, { viewport: { width: 1700, height: 950 } });
  await page.goto(address);
  await page.locator(".explorer-folders-view >> text=lock_wrong.ere").dblclick();

  // From the initial state, by the pointer and by the keyboard.
  await lens(page, "simulate").click();
  let frame = await explorer(page);
  await titled(frame, "State 0");
  await frame.locator("#take-1").click();
  await titled(frame, "State 1");
  await frame.locator("#state-1").focus();
  await page.keyboard.press("Home");
  await titled(frame, "State 0");
  await page.keyboard.press("2");
  await titled(frame, "State 1");
  await frame.fill("#expression", "exists C:client. holds(C)");
  await frame.click("#evaluate");
  await frame.waitForSelector(".states thead th:nth-child(3)");
  equal(await frame.locator(".states tbody td:nth-child(3)").allTextContents(), ["false", "false"], "the values of an expression");

  // Engines, their events, and the views.
  await frame.locator("nav a", { hasText: "Specification" }).click();
  await frame.selectOption("#command", "check");
  await frame.click("#start");
  await frame.waitForSelector("#summary");
  check((await frame.textContent("#summary")).includes("1 violated"), "the summary names the violation");
  await frame.click("#trace-0");
  await titled(frame, "State 6");
  await frame.locator("nav a", { hasText: "Graph" }).click();
  await frame.waitForSelector("svg.graph");

  // The run that the editor's own check finds, in the same panel.
  await lens(page, "check").click();
  await lens(page, "open in the explorer").click();
  await titled(frame, "State 6");
  equal(await page.locator("iframe.webview").count(), 1, "panels");

  // A panel that was hidden shows what it showed.
  await page.locator(".tab", { hasText: "Explorer: lock_wrong" }).click();
  await command(page, "File: New Untitled Text File");
  await page.locator(".tab.active", { hasText: "Untitled" }).waitFor();
  await page.locator(".tab", { hasText: "Explorer: lock_wrong" }).click();
  frame = await explorer(page);
  await titled(frame, "State 6");

  // A test of the Testing view leads to its run.
  await frame.locator("#step-first").click();
  await titled(frame, "State 0");
  await command(page, "Testing: Focus on Test Explorer View");
  const rows = page.locator(".test-explorer-tree .monaco-list-row");
  await rows.first().waitFor();
  if (!await rows.filter({ hasText: "exclusive" }).count()) {
    await rows.first().click();
    await page.keyboard.press("ArrowRight");
  }
  await rows.filter({ hasText: "exclusive" }).first().click({ button: "right" });
  await page.locator(".monaco-menu .action-label", { hasText: "Open the explorer" }).first().click();
  await titled(frame, "State 6");

  // The page has the colours of the window.
  const colour = () => frame.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await colour();
  await command(page, "Preferences: Toggle between Light/Dark Themes");
  for (let i = 0; await colour() === before; i++) {
    check(i < 100, "the colours stay");
    await new Promise((done) => setTimeout(done, 100));
  }
}

await main(panel);
