// The page of the server. Arguments: its address, with the file lock_wrong.ere of the tutorial, and the
// path of a file beside it, gone.ere.
import fs from "node:fs";
import http from "node:http";
import { main, open, check, equal, accessible, narrow, shot, until } from "./common.mjs";

const address = process.argv[2];
const base = address.split("#")[0];
const end = (faults, what) => equal(faults, [], what);

// run runs a command to its end.
async function run(page, command, file) {
  await page.goto(`${base}#file=${file}`);
  await page.reload();
  await page.selectOption("#command", command);
  await page.click("#start");
  await page.waitForSelector("#summary");
}

async function verdictsAndStates(browser) {
  const { page, faults, context } = await open(browser);
  await run(page, "check", "lock_wrong.ere");
  check((await page.textContent("#summary")).includes("1 violated"), "the summary names the violation");
  check((await page.textContent("#line-24")).includes("violated"), "the line of the property has its verdict");
  const link = page.locator("#trace-0");
  check((await link.boundingBox()).height < 30, "the number of states is not broken");
  await page.reload();
  await page.waitForSelector("#summary");
  await accessible(page, "the specification");
  await shot(page, "specification");
  await narrow(page, "the specification");

  await page.click("#trace-0");
  await page.waitForSelector("#state-title");
  check((await page.textContent("#state-title")).startsWith("State 6"), "a trace opens at its end");
  equal(await page.locator(".states tbody tr").count(), 7, "states of the run");
  const lasting = await page.getAttribute("#lasting", "href");
  check(!lasting.includes("run="), "the link that lasts does not name the run");
  await page.fill("#expression", "exists C:client. holds(C)");
  await page.click("#evaluate");
  await page.waitForSelector(".states thead th:nth-child(3)");
  equal(await page.locator(".states tbody td:nth-child(3)").allTextContents(), ["false", "false", "false", "false", "false", "true", "true"], "the values of an expression");
  await page.click("#why-exclusive");
  await page.waitForSelector("#reason");
  check((await page.textContent("#reason")).includes("A = B is false"), "the reason names the false part");
  await page.click("#picture");
  await page.waitForSelector("svg.structure");
  check(await page.locator("svg.structure .added").count() > 0, "the picture of a step marks what is new");
  await accessible(page, "states");
  await page.click("#picture");
  await until(page, () => !document.querySelector("svg.structure"));
  await shot(page, "explorer");
  await page.emulateMedia({ media: "print" });
  await shot(page, "printed");
  await page.emulateMedia({ media: "screen" });
  await narrow(page, "states");

  // Only the keyboard: to the first state, two forward, and another step.
  await page.locator("#state-6").focus();
  await page.keyboard.press("Home");
  await until(page, () => document.querySelector("#state-title")?.textContent.startsWith("State 0"));
  await page.keyboard.press("ArrowRight");
  await until(page, () => document.querySelector("#state-title")?.textContent.startsWith("State 1"));
  const choices = await page.locator(".choice .call").allTextContents();
  check(choices.includes("ask(c = client1)") && choices.includes("give(c = client0)"), `the steps are ${choices}`);
  await page.keyboard.press(String(choices.indexOf("give(c = client0)") + 1));
  await until(page, () => document.querySelector("#state-title")?.textContent.includes("give"));
  equal(await page.locator(".states tbody tr").count(), 3, "another step begins another run");
  const shared = page.url();
  await page.goBack();
  await until(page, () => document.querySelectorAll(".states tbody tr").length === 7);
  const other = await context.newPage();
  await other.goto(shared);
  await other.waitForSelector("#state-title");
  check((await other.textContent("#state-title")).includes("give"), "an address can be shared");

  // A search for a state, and a mistake in an expression.
  await page.goto(`${base}#file=lock_wrong.ere&view=state`);
  await page.waitForSelector("#until");
  await page.fill("#until", "forall C. holds(C)");
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelectorAll(".states tbody tr").length === 7);
  await page.fill("#until", "nonsense(");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[role=alert]");
  await page.keyboard.press("Escape");
  await page.locator("#keys").click();
  await accessible(page, "the table of keys");
  await page.locator("#keys-close").click();
  end(faults, "faults");
}

async function chartAndGraph(browser) {
  const { page, faults } = await open(browser, { colorScheme: "dark" });
  await run(page, "check", "stubborn.ere");
  const trace = new URLSearchParams((await page.getAttribute("[id^=trace-]", "href")).slice(1));
  trace.set("view", "chart");
  await page.goto(`${base}#${trace}`);
  await page.waitForSelector("svg.chart");
  check(await page.locator("svg.chart .message.arrived").count() > 0, "the chart has messages");
  equal(await page.locator("svg.chart .lane-name").allTextContents(), ["sender", "receiver"], "the lanes");
  await accessible(page, "the chart");
  await shot(page, "chart");
  await narrow(page, "the chart");
  await page.locator("svg.chart a").nth(2).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("#state-title");

  await page.goto(`${base}#file=lock_wrong.ere&view=graph`);
  await page.waitForSelector("svg.graph");
  check(await page.locator("svg.graph .node.violates").count() > 0, "the graph marks violations");
  const [root, frame] = [await page.locator("svg.graph .node.here").boundingBox(), await page.locator(".drawing").boundingBox()];
  check(root.x >= frame.x && root.x + root.width <= frame.x + frame.width, "the present state is in view");
  await page.fill("#by", "exists C:client. holds(C)");
  await page.keyboard.press("Enter");
  await until(page, () => document.querySelectorAll("svg.graph .node").length === 2);
  await accessible(page, "the graph");
  await shot(page, "graph");
  await narrow(page, "the graph");
  await page.locator("svg.graph a").nth(1).click();
  await page.waitForSelector("#state-title");
  check((await page.textContent("#state-title")).startsWith("State 3"), "a node leads to its nearest state");
  end(faults, "faults");
}

async function report(browser) {
  const { page, faults } = await open(browser);
  await run(page, "check", "lock_wrong.ere");
  await page.goto(base + await page.getAttribute('a[href^="report/"]', "href"));
  await page.waitForSelector("svg.chart");
  await accessible(page, "the report");
  await shot(page, "report");
  await narrow(page, "the report");
  end(faults, "faults");
}

async function models(browser) {
  const { page, faults } = await open(browser);
  await run(page, "check", "door.xta");
  await page.click("[id^=trace-]");
  await page.waitForSelector("#state-title");
  check((await page.textContent("#zone")).includes("1 < x"), "the zone has all moments of the step");
  await page.click("text=Chart");
  await page.waitForSelector("svg.chart");
  check(await page.locator("svg.chart .time").count() > 1, "the chart has the moments");
  check((await page.textContent("details pre")).startsWith("sequenceDiagram"), "the chart stands as text, too");
  await page.goto(`${base}#file=door.xta&view=state`);
  await until(page, () => [...document.querySelectorAll(".choice .call")].some((e) => e.textContent === "wait 2"));
  await page.locator(".choice .call", { hasText: "wait 2" }).click();
  await page.locator(".choice .call", { hasText: "p a -> b" }).click();
  await until(page, () => document.querySelector("#state-title")?.textContent.startsWith("State 2"));
  await accessible(page, "states of timed automata");
  await shot(page, "timed");
  await narrow(page, "states of timed automata");
  end(faults, "faults");
}

async function rankings(browser) {
  const { page, faults } = await open(browser);
  await run(page, "live", "ticket_lock.ere");
  await page.goto(`${base}#file=ticket_lock.ere&view=state`);
  await page.locator(".choice .call", { hasText: "get(" }).first().click();
  await page.waitForSelector(".ranks");
  const head = (await page.locator(".ranks thead th").allTextContents()).join(" ");
  check(head.includes("ticket(C) - now") && head.includes("for C = client"), `the ranking functions are ${head}`);
  check((await page.locator(".ranks tbody td").allTextContents()).some((x) => /^[0-9]+$/.test(x)), "a ranking function has a value");
  await accessible(page, "ranking functions");
  await shot(page, "rankings");
  await narrow(page, "ranking functions");
  end(faults, "faults");
}

async function sweep(browser) {
  const { page, faults, context } = await open(browser);
  await page.goto(`${base}#file=steps.ere`);
  await page.locator("nav >> text=Sweep").click();
  await page.waitForSelector("#sweep");
  equal(await page.inputValue("#sweep"), "Delta=1..3,Phi=1..3", "the instances to begin with");
  await page.fill("#sweep", "Delta=1..8,Phi=1..3x");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[role=alert]");
  await page.fill("#sweep", "Delta=1..8,Phi=1..3");
  await page.keyboard.press("Enter");
  await page.waitForSelector("svg.heat");
  equal(await page.locator("svg.heat .cell").count(), 24, "points");
  equal(await page.locator("svg.heat .cell.violated").count(), 13, "points that violate the property");
  check((await page.textContent("#front")).includes("for every smaller Delta and Phi"), "the direction of the front");
  equal(await page.locator("svg.heat .marked title").allTextContents().then((all) => all.map((x) => x.split(":")[0])), ["Delta=4,Phi=2", "Delta=3,Phi=3"], "the front");
  await accessible(page, "a sweep");
  await shot(page, "sweep");
  await narrow(page, "a sweep");
  const shared = page.url();
  await page.locator("#choose-measure").focus();
  await page.selectOption("#choose-measure", "states");
  await page.waitForSelector("svg.heat .cell.shade");
  check(await page.evaluate(() => document.activeElement.id === "choose-measure"), "the focus stays on what was chosen");
  await accessible(page, "a sweep by states");
  const other = await context.newPage();
  await other.goto(shared);
  await other.waitForSelector("svg.heat .cell.holds");

  // Only the keyboard: from the first point right and up, and into its run.
  await page.goto(shared);
  await page.waitForSelector("svg.heat .cell.holds");
  await page.locator("[aria-label=Map]").focus();
  for (const key of ["ArrowRight", ...Array(7).fill("ArrowRight"), "ArrowUp"]) await page.keyboard.press(key);
  equal(await page.evaluate(() => ["x", "y"].map((k) => document.activeElement.dataset[k])), ["7", "1"], "the arrows lead to the point");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#state-title");
  check((await page.textContent("#state-title")).startsWith("State 3"), "a point leads to its run");

  // The same results, saved and opened again.
  await page.goto(`${base}#file=steps.ere`);
  const results = await page.evaluate(async () => {
    const { run } = await (await fetch("api/start", { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ file: "steps.ere", command: "check", instances: ["Delta=1..8,Phi=1..3"] }) })).json();
    const text = await (await fetch(`events/${run}`)).text();
    return text.trim().split("\n").filter((l) => l.startsWith("data: ")).map((l) => JSON.parse(l.slice(6))).pop().report;
  });
  await page.goto(`${base}#file=steps.ere&view=sweep`);
  await page.setInputFiles("#saved", { name: "saved.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(results)) });
  await page.waitForSelector("svg.heat .cell.violated");
  equal(await page.locator("svg.heat .cell").count(), 24, "points of saved results");
  end(faults, "faults");
}

async function mistakes(browser) {
  const { page, faults } = await open(browser);
  await page.goto(`${base}#file=wrong.ere`);
  await page.waitForSelector(".problem");
  check((await page.textContent(".problem")).includes("line 1"), "a mistake has its line");
  equal(await page.getAttribute(".problem a", "href"), "#file=wrong.ere&line=1", "the line is a link");
  check(await page.locator("#start").isDisabled(), "nothing runs on a file with mistakes");
  await accessible(page, "a file with mistakes");
  await shot(page, "mistakes");
  end(faults, "faults");
}

// The table of all files.
async function several(browser) {
  const { page, faults } = await open(browser);
  await page.goto(`${base}#file=lock_wrong.ere&view=files`);
  await page.waitForSelector("#files");
  // A file that is no longer there does not end the others, nor does another part of the page.
  fs.rmSync(process.argv[3]);
  await page.click("#run-all");
  await page.waitForSelector("#run-all[disabled]");
  await page.goto(`${base}#file=wrong.ere&view=file`);
  await page.goto(`${base}#file=lock_wrong.ere&view=files`);
  await page.waitForSelector("#run-all:not([disabled])", { timeout: 120_000 });
  const rows = Object.fromEntries(await page.locator("#files tbody tr").evaluateAll((list) => list.map((tr) => [tr.children[0].textContent, tr.children[1].textContent])));
  equal(rows["lock_wrong.ere"], "1 property: 1 violated", "the verdicts of a file");
  check(rows["gone.ere"].includes("the file gone.ere cannot be read"), `of a file that is not there the table says ${rows["gone.ere"]}`);
  check(!Object.values(rows).includes("not run yet"), "all files were run");
  check(rows["wrong.ere"].length > 0 && rows["ticket_lock.ere"].includes("hold for all"), `the table is ${JSON.stringify(rows)}`);
  await page.reload();
  await until(page, () => document.querySelector("#files")?.textContent.includes("1 violated"), "the last runs");
  await accessible(page, "the files");
  await shot(page, "files");
  await narrow(page, "the files");
  end(faults, "faults");
}

// A page of another origin that knows everything but the secret, and one that knows even that.
async function hostilePages(browser) {
  for (const target of [new URL(base).origin, base.slice(0, -1)]) {
    const server = http.createServer((_, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(`<!DOCTYPE html><title>evil</title><iframe id="frame" src="${target}/"></iframe><img id="image" src="${target}/icon.svg">
        <form id="form" method="post" enctype="text/plain" target="sink" action="${target}/api/start"><input name='{"file":"lock_wrong.ere","command":"check","x":"' value='"}'></form><iframe name="sink" id="sink"></iframe>`);
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const { page } = await open(browser);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const got = await page.evaluate(async (to) => {
      const out = [];
      const attempt = async (name, f) => { try { out.push([name, await f()]); } catch { /* refused */ } };
      for (const mode of ["cors", "no-cors", "same-origin"]) {
        await attempt(mode, async () => {
          const r = await fetch(`${to}/api/file`, { method: "POST", mode, headers: { "Content-Type": mode === "cors" ? "application/json" : "text/plain" }, body: '{"file":"lock_wrong.ere"}' });
          if (r.type === "opaque") throw new Error("opaque");
          return r.text();
        });
      }
      await attempt("script", () => new Promise((yes, no) => {
        const script = document.createElement("script");
        Object.assign(script, { src: `${to}/app.js`, type: "module", onload: () => yes("loaded"), onerror: no });
        document.head.append(script);
      }));
      await attempt("events", () => new Promise((yes, no) => {
        const source = new EventSource(`${to}/events/1`);
        source.onmessage = () => yes("an event");
        source.onerror = no;
      }));
      if (document.getElementById("image").naturalWidth > 0) out.push(["image", "shown"]);
      document.getElementById("form").submit();
      await new Promise((done) => setTimeout(done, 500));
      return out;
    }, target);
    equal(got, [], `another origin gets answers from ${target}`);
    for (const frame of page.frames().slice(1)) {
      const text = await frame.evaluate(() => document.body?.innerText ?? "").catch(() => "");
      check(!text.includes("erelong "), `the page is framed: ${text}`);
      check(!/"run"/.test(text), `a form begins a run: ${text}`);
    }
    server.close();
  }
}

await main(verdictsAndStates, chartAndGraph, report, models, rankings, sweep, mistakes, several, hostilePages);
