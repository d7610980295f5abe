// Every section draws, has the profile's numbers, answers to the mouse, and keeps text what is text.
import assert from "node:assert/strict";
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { before, test } from "node:test";

import { readTable, sumOf } from "./csv.mjs";
import { writeManyRanks } from "./many_ranks.mjs";
import { closeQuiet, drawing, exactCount, open, pageOf, sample, tableOf, temporaryPath, unfold } from "./page.mjs";

const samples = path.join(sample, "..");
const network = path.join(samples, "network");
const hasNetwork = process.env.HAS_NETWORK === "1";
const drawn = ["operations", "ranks", "regions", "matrix", "sizes"];
let report;
before(() => {
  report = pageOf("report", sample);
});

// The colours of the marks of a section's picture.
const colours = (page, section) =>
  page.locator(`#${section} .drawing svg :is(rect, path, circle)`).evaluateAll((all) =>
    all.map((one) => getComputedStyle(one).fill).filter((fill) => fill !== "none"),
  );

for (const colorScheme of ["light", "dark"])
  for (const width of [1000, 1400])
    test(`every section draws, ${colorScheme}, ${width} pixels`, async () => {
      const page = await open(report, { colorScheme, viewport: { width, height: 900 } });
      const brightness = await page.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]));
      assert.equal(brightness > 128, colorScheme === "light");
      for (const section of drawn) assert.ok(new Set(await colours(page, section)).size > (section === "regions" ? 0 : 1), section);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await closeQuiet(page);
    });

test("tables have the sums of the profile's rows", async () => {
  const page = await open(report);
  const rows = readTable(sample, "operations");
  const operations = await tableOf(page, "operations");
  assert.ok(operations.length > 5);
  for (const line of operations) {
    const calls = sumOf(rows.filter(({ comm, op }) => comm === line.Communicator && op === line.Call), "calls");
    assert.equal(line.Calls, exactCount(calls), `${line.Call} on ${line.Communicator}`);
  }
  const all = sumOf(rows, "calls");
  const number = (text) => Number(text.replaceAll(",", ""));
  const sum = (lines) => lines.reduce((total, line) => total + number(line.Calls), 0);
  assert.equal(sum(operations), all);
  assert.equal(sum(await tableOf(page, "sizes")), all);
  assert.equal(sum(await tableOf(page, "sites")), all);
  assert.equal((await tableOf(page, "ranks", 1)).length, readTable(sample, "ranks").length);
  await closeQuiet(page);
});

test("what is chosen is drawn and listed", async () => {
  const page = await open(report);
  for (const [section, label, value] of [["operations", "Show", "Volume"], ["sizes", "Show", "Calls"], ["matrix", "Show", "Messages"]]) {
    const before = await drawing(page, section);
    await page.locator(`#${section}`).getByRole("combobox", { name: label }).first().selectOption({ label: value });
    assert.notEqual(await drawing(page, section), before, `${section}: ${value}`);
  }
  const before = await drawing(page, "sizes");
  await page.locator("#sizes").getByRole("combobox", { name: "Communicator" }).selectOption({ label: "W" });
  assert.notEqual(await drawing(page, "sizes"), before);
  const lines = await tableOf(page, "sizes");
  assert.ok(lines.length > 0 && lines.every((line) => line.Communicator === "W"));
  await page.locator("#matrix").getByRole("combobox", { name: "Of" }).selectOption({ label: "class p2p" });
  const sent = sumOf(readTable(sample, "peers").filter((row) => row.class === "p2p"), "messages");
  const shown = (await tableOf(page, "matrix")).reduce((sum, line) => sum + Number(line.Messages.replaceAll(",", "")), 0);
  assert.equal(shown, sent);
  await closeQuiet(page);
});

test("a mark tells its numbers", async () => {
  const page = await open(report);
  const svg = page.locator("#matrix .drawing svg");
  await svg.scrollIntoViewIfNeeded();
  const box = await svg.boundingBox();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.17 * box.height);
  assert.match(await page.locator("#matrix [aria-label=tip]").textContent(), /From 0, To 1.*Bytes: /s);
  await closeQuiet(page);
});

test("a table sorts and can be searched", async () => {
  const page = await open(report);
  const table = page.locator("#operations .table").first();
  const calls = async () => (await tableOf(page, "operations")).map((line) => Number(line.Calls.replaceAll(",", "")));
  const inOrder = await calls();
  const head = table.getByRole("columnheader", { name: "Calls" });
  await head.getByRole("button").click();
  assert.deepEqual(await calls(), [...inOrder].sort((a, b) => b - a));
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  await head.getByRole("button").click();
  assert.deepEqual(await calls(), [...inOrder].sort((a, b) => a - b));
  await head.getByRole("button").click();
  assert.deepEqual(await calls(), inOrder);
  await table.getByRole("searchbox").fill("allreduce");
  assert.ok((await tableOf(page, "operations")).every((line) => line.Call === "Allreduce"));
  await closeQuiet(page);
});

test("findings lead to sections", async () => {
  const page = await open(pageOf("report", path.join(samples, "sample-waits")));
  const links = await page.locator("#findings li a").evaluateAll((all) => all.map((one) => one.hash));
  assert.ok(links.length > 0);
  for (const link of links) assert.equal(await page.locator(link).count(), 1, link);
  assert.ok((await tableOf(page, "waits")).length > 0);
  await closeQuiet(page);
});

test("text from a profile stays text", async () => {
  const profile = temporaryPath("hostile");
  cpSync(sample, profile, { recursive: true });
  const hostile = "</script><img src=x onerror=alert(1)>";
  for (const name of ["communicators", "operations", "peers"]) {
    const file = path.join(profile, `${name}.csv`);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("W_a1", hostile));
  }
  const page = await open(pageOf("report", profile));
  assert.equal(await page.locator("img").count(), 0);
  assert.ok((await tableOf(page, "operations")).some((line) => line.Communicator === hostile));
  await closeQuiet(page);
});

test("other pages are drawn by the same renderer, without preformatted text", async () => {
  const runs = [1, 2, 4, 8].map((ranks) => path.join(samples, "sample-scaling", `ranks-${ranks}`));
  const pages = [
    [["--ranks", sample], 1],
    [["--operations", "--by", "size", sample, path.join(samples, "sample-tuned")], 2],
    [["--when", path.join(samples, "sample-when")], 2],
    [["compare", sample, path.join(samples, "sample-tuned")], 0],
    [["scaling", ...runs], 1],
    ...(hasNetwork ? [[["place", sample], 0], [["links", "--fabric", network, sample], 1]] : []),
  ];
  for (const [options, pictures] of pages) {
    const page = await open(pageOf(...options));
    assert.equal(await page.locator(".drawing svg").count(), pictures, options.join(" "));
    assert.ok((await page.locator("table tbody tr").count()) > 0, options.join(" "));
    assert.equal(await page.locator("#sections pre").count(), 0, options.join(" "));
    await closeQuiet(page);
  }
});

test("a network has a line for each half of a cable", { skip: !hasNetwork }, async () => {
  const page = await open(pageOf("links", sample, "--fabric", network));
  assert.equal(await page.locator(".drawing svg [aria-label=link] path").count(), 16);
  await closeQuiet(page);
});

test("many ranks have a page of bounded size", async () => {
  const profile = temporaryPath("many");
  writeManyRanks(profile, 32, 32);
  const file = pageOf("report", profile);
  assert.ok(statSync(file).size < 6e6, `${statSync(file).size} bytes`);
  const page = await open(file);
  assert.ok((await page.locator("tr").count()) < 500);
  assert.ok((await colours(page, "matrix")).length > 3000);
  assert.ok((await page.locator("#ranks .drawing svg rect").count()) >= 512);
  await closeQuiet(page);
});

for (const colorScheme of ["light", "dark"])
  test(`axe finds nothing, ${colorScheme}`, async () => {
    const page = await open(report, { colorScheme, bypassCSP: true });
    for (const section of drawn) await unfold(page, section);
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve("axe-core") });
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200)]), []);
    await page.close();
  });

test("the page prints, and has the licences of its parts", async () => {
  const page = await open(report);
  assert.ok((await page.pdf({ format: "A4" })).length > 50_000);
  const licences = await page.locator("#foot details pre").textContent();
  assert.equal(`${licences}\n`, readFileSync(process.env.LICENCES, "utf8"));
  await closeQuiet(page);
});
