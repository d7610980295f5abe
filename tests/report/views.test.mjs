// Every view draws, answers to mouse and keyboard, and keeps text what is text.
import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { before, test } from "node:test";

import { readTable, sumOf } from "./csv.mjs";
import { writeManyRanks } from "./many_ranks.mjs";
import { writeManySites } from "./many_sites.mjs";
import {
  checkQuiet,
  coloursOf,
  drawn,
  exactBytes,
  exactCount,
  open,
  reportOf,
  said,
  sample,
  temporaryPath,
  unfold,
  viewOf,
} from "./page.mjs";

const charts = ["operations", "pairs", "sizes", "ranks", "regions"];
// Okabe and Ito's colours and the grey of all others.
const coloursOfBars = [
  "0,114,178",
  "230,159,0",
  "0,158,115",
  "204,121,167",
  "86,180,233",
  "213,94,0",
  "240,228,66",
  "154,160,166",
];
const network = path.join(sample, "..", "network");
const hasNetwork = process.env.HAS_NETWORK === "1";
let report;
let reportOfSites; // of a profile with call sites, without messages and regions
const chartsOf = {};

before(() => {
  report = reportOf(sample);
  const profile = temporaryPath("sites");
  writeManySites(profile, { ranks: 4, duplicates: 12, sites: 30 });
  reportOfSites = reportOf(profile);
  chartsOf[report] = charts;
  chartsOf[reportOfSites] = charts.filter((section) => section !== "pairs" && section !== "regions");
});

// A profile like the sample, with other text in a file.
function changedSample(name, file, from, to) {
  const profile = temporaryPath(name);
  cpSync(sample, profile, { recursive: true });
  const text = readFileSync(path.join(profile, file), "utf8");
  assert.ok(text.includes(from));
  writeFileSync(path.join(profile, file), text.replaceAll(from, to));
  return profile;
}

for (const colorScheme of ["light", "dark"]) {
  test(`every chart draws, ${colorScheme}`, async () => {
    const page = await open(report, { colorScheme });
    const background = await page.evaluate(() =>
      getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number),
    );
    assert.equal(background[0] > 128, colorScheme === "light");
    for (const section of charts) {
      const [[first], ...others] = await coloursOf(page, section);
      assert.equal(first, "none", section); // the page's background is behind
      const large = others.filter(([, pixels]) => pixels > 1000).map(([colour]) => colour);
      if (section === "pairs") assert.ok(large.length >= 4, `${section}: ${large}`);
      else
        assert.ok(
          large.some((colour) => coloursOfBars.includes(colour)),
          `${section}: ${large}`,
        );
    }
    checkQuiet(page);
    await page.close();
  });
}

test("each switch changes the drawing", async () => {
  const page = await open(report);
  const options = {
    operations: ["Volume", "Calls", "Time", "Parts of each"],
    pairs: ["Messages", "Bytes"],
    sizes: ["Volume", "Time", "Calls"],
    ranks: ["Operation", "Communicator", "Time in MPI", "Wall time"],
  };
  for (const [section, labels] of Object.entries(options)) {
    for (const label of labels) {
      const before = await coloursOf(page, section);
      await page.locator(`#${section}`).getByRole("radio", { name: label, exact: true }).check({ force: true });
      assert.notDeepEqual(await coloursOf(page, section), before, `${section}: ${label}`);
    }
  }
  checkQuiet(page);
  await page.close();
});

test("arrow keys tell the numbers of a chart", async () => {
  const page = await open(report);
  const operations = readTable(sample, "operations");
  const calls = (comm, op) =>
    exactCount(
      sumOf(
        operations.filter((row) => row.comm === comm && row.op === op),
        "calls",
      ),
    );
  // W_a1 has most time, and Allreduce, whose part would be the first, was not called on it.
  assert.match(
    await said(page, "operations", "ArrowDown"),
    new RegExp(`^W_a1: Send 3\\.751 s \\(3\\.750500000 s\\).*Calls, Send ${calls("W_a1", "Send")},`),
  );
  assert.match(
    await said(page, "operations", "ArrowRight"),
    new RegExp(`^W_a1: Recv .*Calls, Recv ${calls("W_a1", "Recv")},`),
  );

  const bytes = (src, dst) =>
    exactBytes(
      sumOf(
        readTable(sample, "peers").filter((row) => row.src === src && row.dst === dst),
        "bytes",
      ),
    );
  const [first, second] = [bytes("0", "1"), bytes("0", "2")];
  assert.ok((await said(page, "pairs", "ArrowDown")).startsWith("rank 0 to rank 1: bytes "));
  assert.ok((await said(page, "pairs")).includes(`(${first})`));
  assert.ok(
    (await said(page, "pairs", "ArrowRight")).includes(`rank 0 to rank 2: bytes `) &&
      (await said(page, "pairs")).includes(`(${second})`),
  );

  await page.locator("#ranks").getByRole("radio", { name: "Operation", exact: true }).check({ force: true });
  assert.match(
    await said(page, "ranks", "ArrowRight", "ArrowRight"),
    /^rank 1, node1: Allreduce 1\.000 s \(1\.000000000 s\), in MPI 3\.500 s \(3\.500252000 s\)/,
  );
  assert.match(await said(page, "regions", "ArrowDown", "ArrowDown"), /^solve: in MPI 6\.500 s \(6\.500000000 s\)/);
  await page.locator("#sizes").getByRole("radio", { name: "Calls", exact: true }).check({ force: true });
  assert.match(await said(page, "sizes", "ArrowRight"), /all operations 1,235,075$/); // 1,234,567 + 8 + 500 of no bytes
  checkQuiet(page);
  await page.close();
});

test("the mouse tells the numbers of a chart", async () => {
  const page = await open(report);
  const box = await (await drawn(page, "pairs")).locator("canvas").first().boundingBox();
  // Rank 1 to rank 3, in a map of 4 x 4 within its margins.
  await page.mouse.move(box.x + 56 + ((box.width - 72) * 7) / 8, box.y + 56 + ((box.height - 120) * 3) / 8);
  const tip = page.locator("#pairs .tip");
  await tip.waitFor();
  assert.equal(await tip.locator("strong").textContent(), "rank 1 to rank 3");
  const bytes = sumOf(
    readTable(sample, "peers").filter((row) => row.src === "1" && row.dst === "3"),
    "bytes",
  );
  assert.equal(await tip.locator("dd").first().textContent(), `6.258 MiB (${exactBytes(bytes)})`);
  await page.close();
});

test("tables are searched and sorted", async () => {
  const page = await open(report);
  const section = page.locator("#communicators");
  const names = () => section.locator("tbody th .name").allTextContents();
  assert.deepEqual(await names(), ["W", "W_a1", "W_s2.2", "W_s2.2_c1.0", "W_s2.0", "W_s2.0_d1", "SELF"]);
  const calls = section.getByRole("columnheader", { name: "Calls" });
  await calls.getByRole("button").click();
  assert.equal(await calls.getAttribute("aria-sort"), "descending");
  assert.deepEqual(await names(), ["W_s2.0", "W", "W_a1", "W_s2.2", "W_s2.0_d1", "SELF", "W_s2.2_c1.0"]);
  await calls.getByRole("button").press("Enter");
  assert.deepEqual(await names(), ["W_s2.2_c1.0", "W_s2.0_d1", "SELF", "W_s2.2", "W_a1", "W", "W_s2.0"]);
  await section.getByRole("searchbox").fill("GRID, f"); // the name that the program gave W_a1
  assert.deepEqual(await names(), ["W_a1"]);
  assert.equal(await section.getByRole("status").textContent(), "1 communicator found");
  await page.close();
});

test("a part of the tree is folded", async () => {
  const page = await open(report);
  const names = page.locator("#communicators tbody th .name");
  const fold = page.getByRole("button", { name: "What was made from W_s2.0", exact: true });
  await fold.press("Enter");
  assert.deepEqual(await names.allTextContents(), ["W", "W_a1", "W_s2.2", "W_s2.2_c1.0", "W_s2.0", "SELF"]);
  assert.equal(await fold.getAttribute("aria-expanded"), "false");
  await page.getByRole("button", { name: "What was made from W", exact: true }).click();
  assert.deepEqual(await names.allTextContents(), ["W", "SELF"]);
  await page.locator("#communicators").getByRole("searchbox").fill("_d1"); // finds what is folded, too
  assert.deepEqual(await names.allTextContents(), ["W_s2.0_d1"]);
  await page.close();
});

test("all can be reached with the keyboard", async () => {
  const page = await open(report);
  const reached = new Set();
  for (let i = 0; i < 150; i += 1) {
    await page.keyboard.press("Tab");
    const place = await page.evaluate(() => {
      const at = document.activeElement;
      if (at === document.body) return null;
      return `${at.closest("section, nav, footer")?.id ?? "top"}: ${at.type ?? at.className ?? ""} ${at.tagName}`.trim();
    });
    if (place === null) break;
    reached.add(place);
  }
  for (const section of charts)
    assert.ok(
      [...reached].some((one) => one.startsWith(`${section}: chart`)),
      `chart of ${section}`,
    );
  for (const place of [
    "communicators: search INPUT",
    "communicators: button BUTTON",
    "pairs: number INPUT",
    "pairs: select-one SELECT",
    "operations: radio INPUT",
    "contents: checkbox INPUT",
  ]) {
    assert.ok(reached.has(place), `${place} in ${[...reached].join(", ")}`);
  }
  await page.close();
});

test("nothing is in the way of those who cannot see", async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const files = [report, reportOfSites];
  if (hasNetwork) {
    const reportOfLinks = reportOf(sample, "--fabric", network);
    chartsOf[reportOfLinks] = [...charts, "links"];
    files.push(reportOfLinks);
  }
  for (const file of files) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(file, { colorScheme });
      for (const section of chartsOf[file]) await drawn(page, section);
      for (const section of ["communicators", ...chartsOf[file]]) await unfold(page, section);
      await page.evaluate(axe);
      const found = await page.evaluate(async () =>
        (await window.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
      );
      assert.deepEqual(found, [], `${file}, ${colorScheme}`);
      await page.close();
    }
  }
});

test("text of a program is never markup", async () => {
  const hostile = "</script><img src=x onerror=alert(1)><b>&amp;";
  const profile = changedSample("hostile", "communicators.csv", '"grid, fine"', `"${hostile}"`);
  const run = path.join(profile, "run.json");
  writeFileSync(
    run,
    readFileSync(run, "utf8").replace('"./solver"', JSON.stringify(`./${hostile.replaceAll("/", "")}`)),
  );
  for (const file of ["operations.csv", "regions.csv", "peers.csv"]) {
    const table = path.join(profile, file);
    writeFileSync(table, readFileSync(table, "utf8").replaceAll("solve", hostile.replaceAll("/", "")));
  }
  const page = await open(reportOf(profile));
  for (const section of charts) await drawn(page, section);
  await said(page, "regions", "ArrowDown", "ArrowDown");
  assert.equal(await page.locator("img, b").count(), 0);
  assert.equal(await page.locator("h1").textContent(), hostile.replaceAll("/", ""));
  assert.ok((await page.locator("#communicators").textContent()).includes(`"${hostile}"`));
  assert.ok((await page.locator("#regions .tip").textContent()).includes(hostile.replaceAll("/", "")));
  checkQuiet(page);
  await page.close();
});

test("a profile without pairs and regions says so", async () => {
  const profile = changedSample("bare", "run.json", '"peers.csv"', '"x"');
  const run = path.join(profile, "run.json");
  writeFileSync(run, readFileSync(run, "utf8").replaceAll('"regions.csv"', '"y"'));
  const { rmSync } = await import("node:fs");
  for (const file of ["peers.csv", "regions.csv"]) rmSync(path.join(profile, file));
  const page = await open(reportOf(profile));
  for (const section of ["pairs", "regions"]) {
    assert.match(await page.locator(`#${section}`).textContent(), /This profile was written without/);
  }
  checkQuiet(page);
  await page.close();
});

test("the links of a network are drawn and told", { skip: !hasNetwork }, async () => {
  const file = reportOf(sample, "--fabric", network);
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(file, { colorScheme, viewport: { width: 390, height: 800 } });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const drawing = page.locator("#links svg");
    // Two halves of each of the 8 cables, of which 8 halves carry something.
    assert.equal(await drawing.locator("path").count(), 16);
    assert.equal(await drawing.locator('path:not([stroke="#dddddd"])').count(), 8);
    assert.match(await said(page, "links", "ArrowDown"), /^leaf2 port 1 to node2 port 1: bytes 12\.52 MiB /);
    assert.equal(await drawing.locator(".marked").count(), 1);
    const busiest = page.locator("#links table").nth(1).locator("tbody tr");
    assert.equal(await busiest.count(), 8);
    assert.match(await busiest.first().textContent(), /W_a1\s99\.9\s%, W\s0\.1\s%/);
    assert.match(await page.locator("#links .about").textContent(), /adaptive routing/);
    checkQuiet(page);
    await page.close();
  }
  const page = await open(report);
  assert.equal(await page.locator("#links, nav a[href='#links']").count(), 0);
  await page.close();
});

for (const [name, section] of [
  ...["findings", "efficiency", ...charts, "communicators"].map((one) => [one, one]),
  ["matrix", "pairs"],
  ["tree", "communicators"],
  ["census", "communicators"],
  ["waits", "ranks"],
  ["collectives", "operations"],
]) {
  test(`the address with #${name} opens at ${section}`, async () => {
    const page = await open(`${report}#${name}`);
    const { top, bottom, isLast } = await page.locator(`#${section} > h2`).evaluate((head) => {
      const box = head.getBoundingClientRect();
      return { ...box.toJSON(), isLast: scrollY + innerHeight >= document.documentElement.scrollHeight - 1 };
    });
    const contents = await page.locator("#contents").boundingBox();
    assert.ok(top >= contents.y + contents.height - 1, `${top}`); // not below the list of sections
    assert.ok(isLast ? bottom < 900 : top < 200, `${top}`);
    await page.close();
  });
}

test("charts are drawn without scrolling", async () => {
  for (const file of [report, reportOfSites]) {
    const page = await open(file);
    assert.equal(await page.locator(".chart[data-drawn]").count(), chartsOf[file].length);
    assert.equal(await page.evaluate(() => scrollY), 0);
    checkQuiet(page);
    await page.close();
  }
});

test("the page and the documentation hold the licences of what is in the page", async () => {
  const page = await open(report);
  assert.equal(`${await page.locator("#foot pre").textContent()}\n`, readFileSync(process.env.LICENCES, "utf8"));
  await page.close();
});

test("1,000 ranks are usable", async () => {
  const profile = temporaryPath("thousand");
  writeManyRanks(profile, 25, 40);
  const file = reportOf(profile);
  const page = await open(file);
  const peers = readTable(profile, "peers");
  const amount = (src, dst) =>
    exactBytes(
      sumOf(
        peers.filter((row) => row.src === String(src) && row.dst === String(dst)),
        "bytes",
      ),
    );
  await drawn(page, "pairs");
  const section = page.locator("#pairs");
  assert.match(await section.locator("> .status").textContent(), /A cell stands for 8 × 8 ranks/);
  await section.getByLabel("From ranks, first").fill("400");
  await section.getByLabel("From ranks, last").fill("409");
  await section.getByLabel("To ranks, first").fill("430");
  await section.getByLabel("To ranks, last").fill("450");
  await section.getByLabel("To ranks, last").press("Tab");
  assert.equal(await section.locator("> .status").textContent(), "");
  assert.ok((await said(page, "pairs", "ArrowDown")).startsWith("rank 400 to rank 440: "));
  assert.ok((await said(page, "pairs")).includes(`(${amount(400, 440)})`));
  await page.keyboard.press("0");
  assert.equal(await section.getByLabel("To ranks, last").inputValue(), "999");

  // Dragging over the upper left quarter.
  const box = await section.locator("canvas").first().boundingBox();
  const left = 56 + 7; // the margin has room for numbers of three digits
  await page.mouse.move(box.x + left + 4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + left + (box.width - left - 16) / 2, box.y + 56 + (box.height - 120) / 2, { steps: 4 });
  await page.mouse.up();
  const last = Number(await section.getByLabel("To ranks, last").inputValue());
  assert.ok(last > 480 && last < 520, `${last}`);
  checkQuiet(page);
  await page.close();
});

test("the page of a view has a table to sort and to search", async () => {
  const page = await open(viewOf(sample, "--operations"));
  assert.equal(await page.title(), "commprof: operations");
  assert.match(await page.locator(".around").first().textContent(), /^Profile {4}/);
  const heads = page.locator("thead th");
  assert.deepEqual((await heads.allTextContents()).slice(0, 3), ["Communicator", "Call", "MPI time"]);
  const firstRow = page.locator("tbody tr").first();
  await heads.filter({ hasText: /^Calls$/ }).getByRole("button").click();
  assert.match(await firstRow.textContent(), /^W_s2\.0Iprobe-none.*1,234,567$/);
  await page.getByRole("searchbox").fill("bcast");
  assert.equal(await page.locator("tbody tr").count(), await page.locator("tbody tr", { hasText: "Bcast" }).count());
  await page.locator("#exact").setChecked(true);
  assert.match(await firstRow.textContent(), /\d\.\d{9} s/);
  checkQuiet(page);
  await page.close();
});
