// The page of mpisee-through scaling in a browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { checkQuiet, checkSeconds, open, said, sample, tableOf, temporaryPath } from "./page.mjs";

const runs = [1, 2, 4, 8].map((ranks) => path.join(sample, "..", "sample-scaling", `ranks-${ranks}`));
const scaling = (...options) => execFileSync(process.env.MPISEE_THROUGH, ["scaling", ...options], { encoding: "utf8" });

// What a chart of lines was given: the points of each series.
const seriesOf = (page, section, number = 0) =>
  page
    .locator(`#${section} .chart`)
    .nth(number)
    .evaluate(({ chart }) => chart.getOption().series.map(({ name, type, data }) => ({ name, type, data })));

const linesOf = ({ tables }, name) => tables.find((table) => table.name === name).lines;

test("charts and tables have the numbers of --json", async () => {
  const file = temporaryPath("scaling.html");
  const points = linesOf(JSON.parse(scaling(...runs, "--html", file, "--json")), "points").filter(({ comm }) => comm === "");
  const page = await open(file);
  checkQuiet(page);
  const [measured, ideal] = await seriesOf(page, "speed-up");
  assert.deepEqual(measured.data, points.map(({ ranks, strong_speed_up: times }) => [ranks, times]));
  assert.deepEqual(ideal.data[0], [1, 1]);

  const factors = await seriesOf(page, "efficiencies");
  const parallel = factors.find(({ name }) => name === "Parallel efficiency");
  assert.deepEqual(parallel.data, points.map((at) => [at.ranks, at.parallel_efficiency]));

  const parts = await seriesOf(page, "time");
  for (let i = 0; i < points.length; i += 1) {
    const sum = parts.reduce((all, { data }) => all + (data[i] ?? 0), 0);
    assert.ok(Math.abs(sum - 1) < 1e-6, `${points[i].ranks} ranks: ${sum}`);
  }

  const rows = await tableOf(page, "efficiencies");
  assert.deepEqual(rows.map(({ Ranks }) => Ranks), ["1", "2", "4", "8"]);
  for (const [i, row] of rows.entries()) checkSeconds(row["Wall time"], points[i].wall_s, `${row.Ranks} ranks`);
  await page.close();
});

test("the arrow keys say the numbers of a chart", async () => {
  const file = temporaryPath("keys.html");
  scaling(...runs, "--html", file);
  const page = await open(file);
  assert.match(await said(page, "speed-up", "ArrowRight", "ArrowRight"), /^2 ranks: speed-up 1\.91, of the ideal 95\.3 %, wall time 4\.250 s$/);
  assert.match(await said(page, "speed-up", "ArrowLeft", "ArrowLeft"), /^1 rank: speed-up 1\.00,/);
  await page.close();
});

test("a history has a line for each number of ranks", async () => {
  const history = temporaryPath("history");
  for (const [commit, ranks] of [["first", [1]], ["second", [1, 2]]]) {
    mkdirSync(path.join(history, commit), { recursive: true });
    for (const one of ranks)
      cpSync(path.join(sample, "..", "sample-scaling", `ranks-${one}`), path.join(history, commit, `ranks-${one}`), { recursive: true });
  }
  const file = temporaryPath("history.html");
  const lines = linesOf(JSON.parse(scaling("--history", history, "--html", file, "--json")), "history");
  const [onOne, onTwo] = [1, 2].map((ranks) => lines.filter((one) => one.ranks === ranks));
  const page = await open(file);
  checkQuiet(page);
  const walls = await seriesOf(page, "history", 0);
  assert.deepEqual(walls.map(({ name }) => name), ["1 rank", "2 ranks"]);
  assert.deepEqual(walls[0].data, onOne.map(({ wall_s: wall }, i) => [i, wall]));
  assert.deepEqual(walls[1].data, [[1, onTwo[0].wall_s]]);
  const efficiencies = await seriesOf(page, "history", 1);
  assert.deepEqual(efficiencies[0].data, onOne.map(({ parallel_efficiency: share }, i) => [i, share]));
  assert.equal((await tableOf(page, "history")).length, 3);
  await page.close();
});
