// The real speedscope opens what export writes, and shows the time that is in it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";

import { readTable, sumOf } from "./csv.mjs";
import { newPage, sample, temporaryPath } from "./page.mjs";

const site = path.join(path.dirname(createRequire(import.meta.url).resolve("speedscope/package.json")), "dist/release/index.html");

async function opened(format, profile, suffix) {
  const file = temporaryPath(`exported${suffix}`);
  execFileSync(process.env.MPISEE_THROUGH, ["export", format, profile, "-o", file]);
  // As its own command does.
  const script = temporaryPath(`load${suffix}.js`);
  writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, "${readFileSync(file).toString("base64")}")`);
  const page = await newPage();
  await page.goto(`file://${site}#localProfilePath=${script}`);
  await page.getByText("Sandwich").click();
  await page.waitForSelector("table:visible td:visible");
  assert.deepEqual(page.complaints.filter((text) => /error|cannot|failed|not supported/i.test(text)), []);
  return page;
}

// Of the frame: its total as text, "12.34s (5.6%)".
const totalOf = (page, frame) =>
  page.locator("tr:visible", { hasText: frame }).first().evaluate((row) => [...row.cells].map((cell) => cell.textContent).join(" "));

for (const [format, suffix] of [
  ["speedscope", ".speedscope.json"],
  ["collapsed", ".txt"],
]) {
  test(`speedscope opens ${format}`, async () => {
    const page = await opened(format, sample, suffix);
    const all = await totalOf(page, "main");
    const calls = readTable(sample, "operations");
    const main = sumOf(calls.filter((row) => row.region === "main"), "time_s");
    const share = (100 * main) / sumOf(calls, "time_s");
    const [, told] = all.match(/\(([\d.]+)%\)/);
    assert.ok(Math.abs(Number(told) - share) < 1, `${all}: ${share} %`);
    await page.close();
  });
}

test("speedscope opens the trace for Perfetto", async () => {
  const page = await opened("perfetto", path.join(path.dirname(sample), "sample-when"), ".json.gz");
  await page.close();
});
