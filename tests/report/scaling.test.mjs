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
