// The numbers that the page shows are those of the files.
import assert from "node:assert/strict";
import path from "node:path";
import { before, test } from "node:test";

import { readTable, sumOf, sumsBy } from "./csv.mjs";
import { writeManyRanks } from "./many_ranks.mjs";
import {
  checkQuiet,
  checkSeconds,
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

const manyRanks = temporaryPath("grid");

before(() => writeManyRanks(manyRanks, 4, 6));

for (const [name, profile] of [
  ["the sample", sample],
  ["a grid", manyRanks],
]) {
  const operations = readTableLater(profile, "operations");
  const amounts = ["calls", "bytes_sent", "bytes_received", "time_s"];
  let page = null;
  const withPage = async (check) => {
    page ??= await open(reportOf(profile));
    await check(page);
    checkQuiet(page);
  };
  const checkAmounts = (row, sums, about) => {
    assert.equal(row.Calls, exactCount(sums.calls), about);
    assert.equal(row.Volume, exactBytes(sums.bytes_sent + sums.bytes_received), about);
  };

  test(`communicators of ${name}`, () =>
    withPage(async () => {
      const sums = sumsBy(operations(), ["comm"], amounts);
      const listed = readTable(profile, "communicators");
      const rows = await tableOf(page, "communicators");
      assert.equal(rows.length, listed.length);
      const all = sumOf(operations(), "time_s");
      for (const { comm, size } of listed) {
        const row = rows.find((one) => one.Communicator.replace(/^▾?(level \d+: )?/, "") === comm);
        assert.equal(row.Size, exactCount(Number(size)), comm);
        const of = sums.get(comm) ?? { calls: 0, bytes_sent: 0, bytes_received: 0, time_s: 0 };
        checkAmounts(row, of, comm);
        checkSeconds(row.Time, of.time_s, comm);
        const share = (of.time_s / all) * 100;
        assert.ok(
          row["MPI time"] === `${share.toFixed(1)} %` || (share < 0.05 && row["MPI time"] === "<0.1 %"),
          `${comm}: ${row["MPI time"]}`,
        );
      }
    }));

  test(`operations of ${name}`, () =>
    withPage(async () => {
      const sums = sumsBy(operations(), ["comm", "op"], amounts);
      const byRank = sumsBy(operations(), ["comm", "op", "rank"], ["time_s"]);
      const slowest = (key) =>
        Math.max(...[...byRank].filter(([one]) => one.startsWith(`${key} `)).map(([, { time_s }]) => time_s));
      const rows = await tableOf(page, "operations");
      assert.equal(rows.length, sums.size);
      for (const row of rows) {
        const key = `${row.Communicator} ${row.Call}`;
        checkAmounts(row, sums.get(key), key);
        checkSeconds(row.Max, slowest(key), key);
        checkSeconds(row["A call"], sums.get(key).time_s / sums.get(key).calls, key);
      }
    }));

  test(`regions of ${name}`, () =>
    withPage(async () => {
      const sums = sumsBy(readTable(profile, "regions"), ["region"], ["entered", "wall_s", "mpi_s"]);
      const rows = await tableOf(page, "regions");
      assert.equal(rows.length, sums.size);
      for (const row of rows) {
        const within = [...sums].filter(([region]) => `${region}/`.startsWith(`${row.Region}/`)).map(([, of]) => of);
        const all = (column) => within.reduce((sum, of) => sum + of[column], 0);
        const alone = sums.get(row.Region);
        const ranks = Number(row.Ranks);
        assert.equal(row.Entered, exactCount(alone.entered), row.Region);
        checkSeconds(row.Mean, all("wall_s") / ranks, row.Region);
        checkSeconds(row.Exclusive, alone.wall_s / ranks, row.Region);
        checkSeconds(row["MPI time"], all("mpi_s"), row.Region);
      }
    }));

  test(`pairs of ${name}, in each class and communicator`, () =>
    withPage(async () => {
      const peers = readTable(profile, "peers");
      await drawn(page, "pairs");
      const section = page.locator("#pairs");
      const bytes = peers.reduce((sum, row) => sum + Number(row.bytes), 0);
      const checkPairs = async (wanted, about) => {
        const sums = sumsBy(wanted, ["src", "dst"], ["messages", "bytes"]);
        const rows = await tableOf(page, "pairs");
        assert.equal(rows.length, sums.size, about);
        for (const row of rows) {
          const of = sums.get(`${row.From.replace("rank ", "")} ${row.To.replace("rank ", "")}`);
          assert.equal(row.Messages, exactCount(of.messages), about);
          assert.equal(row.Bytes, exactBytes(of.bytes), about);
          assert.equal(row["Of all bytes"], `${((100 * of.bytes) / bytes).toFixed(6)} %`, about);
        }
      };
      await checkPairs(peers, "all");
      for (const comm of new Set(peers.map((row) => row.comm))) {
        await section.getByRole("combobox", { name: /^Communicator/ }).selectOption({ label: comm });
        await checkPairs(
          peers.filter((row) => row.comm === comm),
          comm,
        );
      }
      await section.getByRole("combobox", { name: /^Communicator/ }).selectOption({ label: "all" });
      for (const [value, label] of [
        ["p2p", "point-to-point"],
        ["internal", "internal"],
      ]) {
        await section.getByRole("combobox", { name: /^Class/ }).selectOption({ label });
        await checkPairs(
          peers.filter((row) => row.class === value),
          value,
        );
      }
    }));
}

test("windows of time are those of the file, and a part of them is shown when one zooms in", async () => {
  const profile = path.join(sample, "..", "sample-when");
  const page = await open(reportOf(profile));
  const rows = readTable(profile, "when");
  const times = sumsBy(rows, ["rank", "begin_s"], ["mpi_s"]);
  const windows = new Map(rows.map((row) => [row.begin_s, Number(row.end_s) - Number(row.begin_s)]));
  await drawn(page, "when");
  const cells = () => page.evaluate(() => document.querySelector("#when .chart").chart.getOption().series[1].data);
  const all = await cells();
  assert.equal(all.length, 4 * windows.size);
  const begins = [...windows.keys()].sort((a, b) => a - b);
  for (const [column, row, share] of all) {
    const wanted = (times.get(`${row} ${begins[column]}`)?.mpi_s ?? 0) / windows.get(begins[column]);
    assert.ok(Math.abs(share - wanted) < 1e-4, `${row} ${column}: ${share} instead of ${wanted}`);
  }
  assert.match(await said(page, "when", "ArrowRight", "ArrowRight"), /^rank 0, 250\.0 ms to 750\.0 ms: in MPI \d/);
  await page.keyboard.press("+");
  assert.ok((await cells()).length < all.length / 2);
  await page.locator("#when").getByRole("radio", { name: "collective", exact: true }).check({ force: true });
  await page.locator("#when").getByRole("button", { name: "Whole run" }).click();
  const calls = sumsBy(rows.filter((row) => row.kind === "collective"), ["rank", "begin_s"], ["mpi_s"]);
  const [, , share] = (await cells())[5];
  assert.ok(Math.abs(share - calls.get(`0 ${begins[5]}`).mpi_s / windows.get(begins[5])) < 1e-4);
  checkQuiet(page);
  await page.close();
});

test("a report of a selection shows that and nothing else", async () => {
  const page = await open(reportOf(manyRanks, "--comm", "W_s2.*", "--rank", "0-11"));
  const isSelected = ({ comm }) => comm.startsWith("W_s2.");
  const operations = readTable(manyRanks, "operations").filter((row) => isSelected(row) && Number(row.rank) < 12);
  const sums = sumsBy(operations, ["comm", "op"], ["calls", "time_s"]);
  const rows = await tableOf(page, "operations");
  assert.equal(rows.length, sums.size);
  for (const row of rows) {
    const of = sums.get(`${row.Communicator} ${row.Call}`);
    assert.equal(row.Calls, exactCount(of.calls));
    checkSeconds(row["A call"], of.time_s / of.calls, row.Communicator);
  }
  assert.match(await page.locator("#head").textContent(), /12 of 24 on/);
  assert.match(await page.locator("#head .note").textContent(), /a part .*: communicator W_s2\.\*, rank 0-11\./);

  const ranks = await tableOf(page, "ranks");
  assert.deepEqual(
    ranks.map((row) => Number(row.Rank)).sort((a, b) => a - b),
    Array.from({ length: 12 }, (_, rank) => rank),
  );
  await drawn(page, "pairs");
  const peers = readTable(manyRanks, "peers");
  const pairs = peers.filter((row) => isSelected(row) && (Number(row.src) < 12 || Number(row.dst) < 12));
  assert.equal((await tableOf(page, "pairs")).length, sumsBy(pairs, ["src", "dst"], []).size);
  assert.match(await page.locator("#regions .lead").textContent(), /known as a whole/);
  checkQuiet(page);
});

test("what is binned or added up loses nothing", async () => {
  const profile = temporaryPath("wide");
  writeManyRanks(profile, 2, 2050); // 4,100 ranks, and a communicator for each of 2,050 columns
  const page = await open(reportOf(profile));
  const operations = readTable(profile, "operations");
  const sum = (rows, column) => rows.reduce((all, row) => all + Number(row[column].replaceAll(/[^\d.]/g, "")), 0);

  assert.match(await page.locator("#head .note").textContent(), /1,000 that cost most time .* 1,054 further ones/);
  const communicators = await tableOf(page, "communicators");
  assert.equal(communicators.length, 1001);
  assert.equal(sum(communicators, "Calls"), sumOf(operations, "calls"));
  assert.equal(sum(communicators, "Volume"), sumOf(operations, "bytes_sent") + sumOf(operations, "bytes_received"));

  assert.match(await page.locator("#ranks .lead").textContent(), /4 neighbours share a bar/);
  const listed = readTable(profile, "ranks");
  const [, told] = (await said(page, "ranks", "ArrowRight", "ArrowRight")).match(/^ranks 4–7.*in MPI, most .*\(([\d.]+ s)\)$/);
  checkSeconds(told, Math.max(...listed.slice(4, 8).map((rank) => Number(rank.mpi_s))), "ranks 4–7");
  const ranks = await tableOf(page, "ranks"); // all of them, however many share a bar
  assert.equal(ranks.length, listed.length);
  checkSeconds(ranks.find((row) => row.Rank === "4")["MPI time"], Number(listed[4].mpi_s), "rank 4");
  checkQuiet(page);
  await page.close();
});

test("the head sums up the run", async () => {
  const page = await open(reportOf(sample));
  const facts = await page
    .locator("#head .facts > div")
    .evaluateAll((all) =>
      Object.fromEntries(all.map((one) => [one.querySelector("dt").textContent, one.querySelector("dd").textContent])),
    );
  assert.equal(await page.locator("h1").textContent(), "solver");
  assert.match(facts["In MPI"], /^33\.3 %13\.50 s of 40\.50 s,/); // 13.500506 s of 40.5 s
  assert.equal(facts.Ranks, "4 on 2 hosts");
  assert.equal(facts["Wall time"], "10.50 s");
  assert.equal(facts.Calls, exactCount(sumOf(readTable(sample, "operations"), "calls")));
  assert.equal(facts.Library, "Open MPI v4.1.4 (MPI 3.1)");
  assert.equal(await page.locator("#head .note").textContent(), "Dropped requests: 3 (not followed to their end, for lack of memory)");
  await page.close();
});

function readTableLater(profile, name) {
  let rows = null;
  return () => (rows ??= readTable(profile, name));
}
