// The playground. Argument: the address of its folder on a server.
import { main, open, check, equal, accessible, narrow, shot, until } from "./common.mjs";

const address = process.argv[2];

async function playground(browser) {
  const { page, faults } = await open(browser);
  await page.goto(address);
  await page.waitForSelector("#editor");
  equal(await page.inputValue("#choose-file"), "lock_wrong.ere", "the first example");
  await page.click("#start");
  await page.waitForSelector("#summary");
  check((await page.textContent("#summary")).includes("1 violated"), "the tutorial's mistake is found");
  await accessible(page, "the playground");
  await shot(page, "playground");
  await narrow(page, "the playground");

  // What is typed is checked as one types: a mistake, and then a lock that is right.
  const text = await page.inputValue("#editor");
  await page.fill("#editor", text.replace("safety [exclusive]", "safety [exclusive"));
  await page.waitForSelector(".problem .messages");
  check(await page.evaluate(() => document.activeElement.id === "editor"), "the focus stays in the editor");
  await page.fill("#editor", text.replaceAll("require request(c);", "require request(c) & free;").replaceAll("grant(c) := true;", "grant(c) := true; free := false;"));
  await until(page, () => document.querySelector("#summary")?.textContent.includes("holds"));

  // The explorer, in an example of its own.
  await page.selectOption("#choose-file", "peterson.ere");
  await until(page, () => document.querySelector("#editor")?.dataset.file === "peterson.ere");
  await page.click("nav >> text=States");
  await page.waitForSelector("#take-1");
  await page.click("#take-1");
  await until(page, () => document.querySelector("#state-title")?.textContent.startsWith("State 1"));
  await page.click("nav >> text=Graph");
  await page.waitForSelector("svg.graph");
  equal(faults, [], "faults");
}

// An address can bring a text.
async function given(browser) {
  const { page, faults } = await open(browser);
  const text = "sort node\nmutable relation on(node)\ninit !on(N)\naction go(n: node) { on(n) := true; }\nsafety [never] !on(N)\ninstance two { node = 2 }\n";
  await page.goto(`${address}?${new URLSearchParams({ name: "own.ere", text })}`);
  await page.waitForSelector("#editor");
  equal(await page.inputValue("#choose-file"), "own.ere", "the text of the address");
  await page.click("#start");
  await page.waitForSelector("#summary");
  check((await page.textContent("#summary")).includes("1 violated"), "the given text is checked");
  equal(faults, [], "faults");
}

// Every example can be checked to its end.
async function examples(browser) {
  const { page, faults } = await open(browser);
  await page.goto(address);
  await page.waitForSelector("#editor");
  for (const name of await page.locator("#choose-file option").allTextContents()) {
    await page.selectOption("#choose-file", name);
    await until(page, (n) => document.querySelector("#editor")?.dataset.file === n, name);
    await page.click("#start");
    await page.waitForSelector("#summary", { timeout: 180_000 });
    console.log(`${name}: ${await page.textContent("#summary")}`);
  }
  equal(faults, [], "faults");
}

await main(playground, given, examples);
