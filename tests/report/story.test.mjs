// The page begins with what the terminal says first; call sites, what they have made, and what ranks do with their time.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";

import { readTable, sumOf, sumsBy } from "./csv.mjs";
import { splits, writeManySites } from "./many_sites.mjs";
import {
  checkQuiet,
  checkSeconds,
  coloursOf,
  drawn,
  exactBytes,
  exactCount,
  open,
  reportOf,
  said,
  sample,
  tableOf,
  temporaryPath,
} from "./page.mjs";

const profile = temporaryPath("sites");
const uneven = temporaryPath("uneven");
const duplicates = 12;
let report;

before(() => {
  writeManySites(profile, { ranks: 4, duplicates, sites: 30 });
  // The others wait for rank 0, which is nearly always outside MPI.
  cpSync(profile, uneven, { recursive: true });
  const ranks = path.join(uneven, "ranks.csv");
  writeFileSync(ranks, readFileSync(ranks, "utf8").replaceAll(",10,2\n", ",10,9\n").replace(",10,9\n", ",10,0.5\n"));
  report = reportOf(profile);
});

// The lines of the tables, by their names.
function onTheTerminal(...options) {
  const { tables } = JSON.parse(execFileSync(process.env.MPISEE_THROUGH, ["--json", ...options]).toString());
  return Object.fromEntries(tables.map(({ name, lines }) => [name, lines]));
}
// As the terminal rounds: a tie to the even digit.
const percent = (part) => {
  const tenths = part * 1000;
  const rounded = tenths % 1 === 0.5 ? 2 * Math.round(tenths / 2) : Math.round(tenths);
  return `${(rounded / 10).toFixed(1)} %`;
};

for (const [name, from] of [
  ["the sample", () => sample],
  ["a program that makes communicators again and again", () => profile],
  ["a program with uneven work, and what follows from it", () => uneven],
]) {
  test(`the page of ${name} begins with what the terminal says first`, async () => {
    const page = await open(reportOf(from()));
    const first = onTheTerminal(from());
    assert.deepEqual(
      await page
        .locator("#findings li")
        .evaluateAll((all) =>
          all.flatMap((one) =>
            [...one.querySelectorAll(".fact, dd")].map((part) => part.textContent.replaceAll("\u00a0", " ")),
          ),
        ),
      first.findings.flatMap(({ fact, try: advice, more, note, explained_by }) =>
        explained_by ? [fact] : [fact, advice, more, ...(note ? [note] : [])],
      ),
    );
    assert.ok(first.findings.length > 0);
    assert.equal(
      from() === uneven,
      first.findings.some((finding) => finding.explained_by !== null),
    );
    const told = (await page.locator("#findings .highlight").allTextContents()).map((one) => one.replaceAll("\u00a0", " "));
    assert.deepEqual(
      told,
      [...textOnTheTerminal(from()).matchAll(/^(Verdict|By kind|Top call|Most uneven|Top pair|Top sizes) +(.*)$/gm)].map(
        ([, label, text]) => `${label} ${text}`,
      ),
    );
    assert.ok(told.length > 0);

    const lines = await page
      .locator("#efficiency .efficiency")
      .evaluateAll((all) => all.map((one) => [...one.querySelectorAll("strong")].map((part) => part.textContent)));
    const wanted = first.efficiencies.filter(({ times }) => times !== "exclusive");
    assert.deepEqual(
      lines,
      wanted.map((one) => [one.parallel_efficiency, one.load_balance, one.communication_efficiency].map(percent)),
    );
    assert.equal(await page.locator("#efficiency .parts").count(), 0);

    const order = await page.evaluate(() =>
      [...document.querySelectorAll("section .findings, section .efficiencies, #operations .chart, section table")].map(
        (one) => (one.tagName === "TABLE" ? "table" : one.className.split(" ")[0]),
      ),
    );
    assert.deepEqual(order.slice(0, 4), ["findings", "efficiencies", "chart", "table"]);
    checkQuiet(page);
    await page.close();
  });
}

// The terminal's first page as text, no line of it broken.
function textOnTheTerminal(...options) {
  return execFileSync(process.env.MPISEE_THROUGH, options, {
    env: { ...process.env, LC_ALL: "C.UTF-8", COLUMNS: "10000" },
  }).toString();
}

test("what may follow from busy processors stands below them on the page", async () => {
  const crowded = temporaryPath("crowded");
  cpSync(profile, crowded, { recursive: true });
  const ranks = path.join(crowded, "ranks.csv");
  const [header, ...rows] = readFileSync(ranks, "utf8").trimEnd().split("\n");
  writeFileSync(ranks, [`${header},cpu_s,queued_s`, ...rows.map((row) => `${row.replace(/,10,2$/, ",10,9")},5,4.9`), ""].join("\n"));
  const wanted = [...textOnTheTerminal(crowded).matchAll(/^ +May follow from this: (.*)$/gm)].map(([, text]) => text);
  assert.ok(wanted.length > 0);
  const page = await open(reportOf(crowded));
  const shown = await page
    .locator("#findings dl > div")
    .evaluateAll((all) => all.map((one) => [...one.children].map((part) => part.textContent.replaceAll("\u00a0", " "))));
  assert.deepEqual(
    shown.filter(([title]) => title === "Perhaps").map(([, text]) => text),
    wanted,
  );
  checkQuiet(page);
  await page.close();
});

// The sample with more in its run.json.
function sampleWith(name, more) {
  const changed = temporaryPath(name);
  cpSync(sample, changed, { recursive: true });
  const file = path.join(changed, "run.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...more }));
  return changed;
}

const group = {
  ranks: "0-3", state: "in_mpi", has_ended: true, operation: "Recv", comm: "W", peer: "from any", longest_s: 0, shortest_s: 0,
  at_least: true, place: null, pending: ["2 Irecv from 3 on W"], waits_for: "", certain: false, any: false, chain: [],
};
const state = { ranks: 4, running: 0, ended: 4, without_file: "", groups: [group], stuck: [], stuck_ranks: 0 };

test("the page has what the terminal says that the profile lacks, and what ranks were in at the end", async () => {
  const unfinished = sampleWith("unfinished", {
    unfinished: { ranks_missing: "", last_record_s: 2, problems: ["spool/0.spool: cut off"], state },
    left_out: { operations: { only: [], without: ["Iprobe*"] }, communicators: { only: ["2-"], without: [] } },
    not_seen: ["MPI_New", "MPI_Newer"],
    folded: { communicators: 1200 },
  });
  const text = textOnTheTerminal(unfinished);
  const wanted = [...text.matchAll(/^(Unfinished|Damaged|Left out|Not seen|Dropped|Folded) +(.*)$/gm)];
  assert.equal(wanted.length, 6, text);
  const page = await open(reportOf(unfinished));
  assert.deepEqual(
    await page.locator("#head .note").allTextContents(),
    wanted.map(([, label, fact]) => `${label} ${fact}`),
  );
  const [, title, lines] = text.match(/\n\n(When it ended)\n(.*?)\n\n/s);
  assert.equal(await page.locator("#findings .state h3").textContent(), title);
  assert.equal((await page.locator("#findings .state pre").textContent()).replaceAll("\u00a0", " "), lines);
  assert.match(await page.locator("#head .kicker").textContent(), /unfinished/);
  assert.match(await page.title(), /unfinished/);
  checkQuiet(page);
  await page.close();
});

test("the page of a finished run does not call it unfinished", async () => {
  const page = await open(report);
  assert.doesNotMatch(`${await page.locator("#head").textContent()} ${await page.title()}`, /unfinished/i);
  assert.equal(await page.locator("#findings .state").count(), 0);
  await page.close();
});

test("the page has the terminal's waiting of communicators", async () => {
  const waits = path.join(path.dirname(sample), "sample-waits");
  const text = textOnTheTerminal(waits);
  const page = await open(reportOf(waits));
  const head = text.match(/^Communicator .*$/m)[0];
  const wanted = text
    .slice(text.indexOf(head) + head.length + 1)
    .split("\n\n")[0]
    .split("\n")
    .map((line) => line.split(/ {2,}/))
    .map((cells) => [cells[0], cells[head.split(/ {2,}/).indexOf("Waiting")]]);
  assert.ok(wanted.length > 1 && wanted.every(([, share]) => /%$/.test(share)), text);
  const rows = await tableOf(page, "communicators");
  for (const [name, share] of wanted) {
    const row = rows.find((one) => one.Communicator.replace(/^▾?(level \d+: )?/, "") === name);
    assert.equal(`${Number(row.Waiting.replace(" %", "")).toFixed(1)} %`, share, name);
  }
  assert.equal(rows.find((one) => one.Communicator.endsWith("SELF")).Waiting, "-");
  await page.close();
});

test("a page without findings says why, and one of a part has no efficiencies", async () => {
  const page = await open(reportOf(sample, "--op", "Iprobe*"));
  assert.deepEqual(onTheTerminal("--op", "Iprobe*", sample).findings, []);
  assert.match(await page.locator("#findings .lead").textContent(), /^None: nothing is above the thresholds/);
  assert.match(await page.locator("#efficiency .lead").textContent(), /^Efficiencies are of all that ranks do\./);
  assert.equal(await page.locator("#efficiency .efficiency").count(), 0);
  await page.close();
});

test("call sites have the calls of the files, by function and line where they are known", async () => {
  const page = await open(report);
  const sums = sumsBy(readTable(profile, "operations"), ["site", "op"], ["calls", "bytes_sent", "time_s"]);
  const labels = new Map(readTable(profile, "sites").map(({ site, line }) => [site, line ? `steps.c:${line}` : site]));
  labels.set("app+0x10", "setup, grid.c:88").set("", "(not known)");
  const rows = await tableOf(page, "sites");
  assert.equal(rows.length, sums.size);
  for (const [key, of] of sums) {
    const [site, op] = key.split(" ");
    const row = rows.find((one) => one["Call site"].endsWith(labels.get(site)) && one.Call === op);
    assert.ok(row, key);
    assert.equal(row.Calls, exactCount(of.calls), key);
    assert.equal(row.Volume, exactBytes(of.bytes_sent), key);
    checkSeconds(row["A call"], of.time_s / of.calls, key);
  }
  const times = rows.map(({ "Call site": label, Call: op }) => {
    const [site] = [...labels].find(([, text]) => label.endsWith(text));
    return sums.get(`${site} ${op}`).time_s;
  });
  assert.deepEqual(
    times,
    [...times].sort((a, b) => b - a),
  );
  assert.equal(rows.find((row) => row.Call === "Allreduce").Communicator, `W_d${duplicates} +${duplicates - 1}`);
  assert.match(await page.locator("#sites").textContent(), /\/dev\/null\/app is not there: its call sites have no lines\./);
  checkQuiet(page);
  await page.close();
});

test("call sites are searched, and selected by communicator", async () => {
  const page = await open(report);
  const section = page.locator("#sites");
  const shown = () => section.locator("tbody tr").evaluateAll((all) => all.map((row) => row.cells[0].textContent));
  const search = section.getByRole("searchbox");
  await search.fill("/SRC/MAIN.C:7"); // what it is inlined into
  assert.deepEqual(await shown(), ["setup, grid.c:88"]);
  await search.fill("step_17");
  assert.deepEqual(await shown(), ["step_17, steps.c:18"]);
  assert.equal(await section.getByRole("status").textContent(), "1 call site found");
  await search.fill("");

  const control = section.getByRole("combobox", { name: /^Communicator/ });
  const ofWall = async () => (await tableOf(page, "sites")).find(({ Call: op }) => op === "Comm_dup")["Of wall"];
  assert.equal(await ofWall(), "10.000000 %"); // 5 s of the 50 s of five threads
  await control.selectOption({ label: "W" });
  assert.equal(await ofWall(), "10.000000 %");
  await control.selectOption({ label: `W_d${duplicates}` });
  assert.deepEqual(await shown(), ["app+0x20"]);
  const [one] = await tableOf(page, "sites");
  assert.equal(one.Calls, exactCount(duplicates));
  await control.selectOption({ label: `all of W_d{1-${duplicates}}` });
  const [all] = await tableOf(page, "sites");
  assert.equal(all.Calls, exactCount((duplicates * (duplicates + 1)) / 2)); // 1 + 2 + … on each in turn
  await page.close();
});

test("a call site selects what the bars of communicators show", async () => {
  const page = await open(report);
  const section = page.locator("#operations");
  assert.match(await said(page, "operations", "ArrowDown"), /^W: Comm_dup 5\.000 s/);
  await section.getByRole("combobox", { name: /^Call site/ }).selectOption({ label: "app+0x20: Allreduce" });
  const calls = exactCount((duplicates * (duplicates + 1)) / 2);
  assert.match(
    await said(page, "operations", "ArrowDown"),
    new RegExp(`^Comm_dup at grid\\.c:88: ${duplicates} communicators of 4 ranks: Allreduce .*Calls, Allreduce ${calls},`),
  );
  assert.match(await section.locator(".chart").getAttribute("aria-label"), /^Time of 1 communicators, .* at app\+0x20\./);
  await page.close();
});

test("communicators that one call site has made are one line, which can be opened", async () => {
  const page = await open(report);
  const section = page.locator("#communicators");
  const table = section.locator("table").first();
  const names = async () =>
    (await table.locator("tbody th").allTextContents()).map((text) => text.replace(/^[▸▾]?(level \d+: )?/, ""));
  const group = `Comm_dup at grid.c:88: ${duplicates} communicators of 4 ranks`;
  const others = Array.from({ length: splits }, (_, i) => `W_s${duplicates + 1 + i}.0`);
  assert.deepEqual(new Set(await names()), new Set(["W", "SELF", group, ...others]));
  const rows = await tableOf(page, "communicators");
  const row = rows.find((one) => one.Communicator.endsWith(group));
  const below = readTable(profile, "operations").filter(({ comm }) => comm.startsWith("W_d"));
  assert.equal(row.Calls, exactCount(sumOf(below, "calls")));
  assert.equal(row.Size, "4");
  checkSeconds(row.Time, sumOf(below, "time_s"));

  const fold = section.getByRole("button", { name: `Each of ${group}`, exact: true });
  assert.equal(await fold.getAttribute("aria-expanded"), "false");
  await fold.press("Enter");
  assert.equal(await fold.getAttribute("aria-expanded"), "true");
  const opened = await names();
  assert.equal(opened.length, 3 + splits + duplicates);
  assert.deepEqual(
    opened.slice(opened.indexOf(group) + 1).slice(0, duplicates), // most time first
    Array.from({ length: duplicates }, (_, i) => `W_d${duplicates - i}`),
  );
  await fold.press("Enter");
  await table.getByRole("columnheader", { name: "Calls" }).getByRole("button").click();
  assert.equal((await names()).length, 3 + splits); // closed in another order, too
  await section.getByRole("searchbox", { name: "Search communicators" }).fill("w_d7");
  assert.deepEqual(await names(), ["W_d7"]);
  checkQuiet(page);
  await page.close();
});

test("bars of ranks reach to the wall time", async () => {
  const page = await open(report);
  assert.match(
    await said(page, "ranks", "ArrowRight"),
    /^rank 0, node0: outside MPI 8\.000 s \(8\.000000000 s\), in MPI 2\.000 s .*, wall time 10\.00 s/,
  );
  assert.match(await said(page, "ranks", "ArrowUp"), /^rank 0, node0: in MPI 2\.000 s/);
  assert.match(await page.locator("#ranks .lead").textContent(), /does not say how much of that is waiting/);
  await page.close();
});

// The report with other data.
function changedReport(name, change) {
  const file = temporaryPath(`${name}.html`);
  const changed = readFileSync(report, "utf8").replace(
    /(<script type="application\/json" id="data">)(.*?)(<\/script>)/s,
    (_, begin, json, end) => {
      const data = JSON.parse(json);
      change(data);
      return begin + JSON.stringify(data).replaceAll("<", "\\u003c") + end;
    },
  );
  writeFileSync(file, changed);
  return file;
}

test("waiting is a part of the bars of ranks where it is known", async () => {
  const seconds = (numbers) => Buffer.from(new Float64Array(numbers).buffer).toString("base64");
  const page = await open(
    changedReport("waits", (data) => {
      Object.assign(data.ranks, { knows_waiting: true, waiting: seconds([0.5, 1, 1.5, 0]) });
    }),
  );
  assert.match(await said(page, "ranks", "ArrowRight", "ArrowUp"), /^rank 0, node0: waiting for others 500\.0 ms/);
  assert.match(await said(page, "ranks", "ArrowUp"), /^rank 0, node0: other MPI time 1\.500 s/);
  assert.match(await page.locator("#ranks .lead").textContent(), /outside MPI, waiting for others, and other time in MPI/);
  const colours = (await coloursOf(page, "ranks")).filter(([, pixels]) => pixels > 1000).map(([colour]) => colour);
  for (const colour of ["154,160,166", "213,94,0", "0,114,178"]) assert.ok(colours.includes(colour), `${colours}`);
  await page.close();
});

test("a table has each column that the tool declares", async () => {
  const tables = { operations: 0, sites: 0, ranks: 0, sizes: 0, communicators: 1 };
  const page = await open(
    changedReport("columns", (data) => {
      for (const name of ["operations", "sites", "ranks", "sizes", "census"]) {
        const { columns, lines } = data.tables[name].table;
        columns.splice(1, 0, { key: "new", title: "New", kind: "bytes" });
        lines.forEach((line, i) => line.splice(1, 0, i === 0 ? { value: 2048, bound: "at most" } : 1024 + i));
      }
    }),
  );
  for (const [section, number] of Object.entries(tables)) {
    const rows = await tableOf(page, section, number);
    assert.equal(rows[0].New, "at most 2.000 KiB", section);
    assert.equal(rows[1].New, "1,025 B", section);
  }
  const control = page.locator("#sites").getByRole("combobox", { name: /^Communicator/ });
  await control.selectOption({ label: "W" });
  assert.equal((await tableOf(page, "sites"))[0].New, "-"); // not known of a part of the calls
  checkQuiet(page);
  await page.close();
});

test("10,000 call sites, 1,200 communicators and 3,000 ranks are usable", async () => {
  const large = temporaryPath("large");
  const many = { ranks: 3000, duplicates: 1200, sites: 10_100 };
  writeManySites(large, many);
  const page = await open(reportOf(large));
  assert.ok((await page.locator("tr").count()) < 200);

  const sites = page.locator("#sites");
  // The sites of Comm_dup, Comm_split, Barrier and Allreduce cost more than any of the last ones.
  assert.match(await sites.textContent(), /104 further call sites with (<0\.1|[\d.]+) % of the MPI time are left out\./);
  await sites.getByRole("searchbox").fill("step_77,");
  assert.equal(await sites.locator("tbody tr").count(), 1);

  const communicators = page.locator("#communicators");
  const group = `Comm_dup at grid.c:88: ${exactCount(many.duplicates)} communicators of 3,000 ranks`;
  const row = communicators.locator("tr", { hasText: group });
  const calls = (many.duplicates * (many.duplicates + 1)) / 2;
  assert.ok((await row.locator("td").allTextContents()).includes(exactCount(calls)));
  await row.getByRole("button").click();
  assert.equal(await communicators.locator("tbody tr").count(), 50);
  await communicators.getByRole("button", { name: "Show all" }).click();
  const opened = await communicators.locator("tbody th").allTextContents();
  assert.ok(opened.some((text) => /: \d+ further communicators$/.test(text)));

  assert.match(await page.locator("#ranks .lead").textContent(), /2 neighbours share a bar/);
  assert.match(await said(page, "ranks", "ArrowRight"), /^ranks 0–1, node0: outside MPI 8\.000 s/);
  await drawn(page, "operations");
  checkQuiet(page);
  await page.close();
});
