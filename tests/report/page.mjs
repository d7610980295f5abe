// A report in a browser, and what a test asks of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before } from "node:test";

import { chromium } from "playwright-core";

export const sample = process.env.SAMPLE;
const directory = mkdtempSync(path.join(tmpdir(), "commprof-report-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

export function temporaryPath(name) {
  return path.join(directory, name);
}

// Writes the report of a profile, or of a selection of it, and returns its path.
export function reportOf(profile, ...selection) {
  const file = temporaryPath(`${path.basename(profile)}${selection.join("").replaceAll("/", "")}.html`);
  execFileSync(process.env.MPISEE_THROUGH, ["report", profile, "-o", file, ...selection]);
  return file;
}

let browser = null;
// A view as a page of its own: --html.
export function viewOf(profile, ...options) {
  const file = temporaryPath(`${options.join("").replaceAll("--", "")}.html`);
  writeFileSync(file, execFileSync(process.env.MPISEE_THROUGH, [...options, "--html", profile], { maxBuffer: 64 << 20 }));
  return file;
}
// Whoever imports this has a browser while its tests run.
before(async () => {
  assert.ok(process.env.CHROMIUM, "no chromium found when configuring: it is Debian's package chromium");
  // Chromium's sandbox does not work for root.
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
});
after(() => browser?.close());

// The longest wait for what the page is to show. It only ends a test that would wait for ever: a machine that runs other
// programs as well may need many times the seconds of an idle one.
const mostPatience = 120_000; // ms

// Opens a report from disk. What it complains of and what it loads is in the lists complaints and requests.
export async function open(file, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(mostPatience);
  page.complaints = [];
  page.requests = [];
  page.on("console", (message) => page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.goto(`file://${file}`);
  await page.waitForSelector("html[data-complete]");
  return page;
}

// Nothing was complained of and nothing but the file itself was loaded.
export function checkQuiet(page) {
  assert.deepEqual(page.complaints, []);
  assert.equal(page.requests.length, 1, page.requests.join(" "));
}

// Scrolls to a section's chart and waits until it is drawn.
export async function drawn(page, section) {
  const chart = page.locator(`#${section} .chart`);
  await chart.scrollIntoViewIfNeeded();
  await page.waitForSelector(`#${section} .chart[data-drawn]`);
  return chart;
}

// What is said where the arrow keys lead in a chart.
export async function said(page, section, ...keys) {
  await (await drawn(page, section)).focus();
  for (const key of keys) await page.keyboard.press(key);
  return page.locator(`#${section} [aria-live]`).textContent();
}

// Opens what is folded in a section and waits until it is there. The page makes it when it is told of the opening, which the
// browser does some time after the click.
export async function unfold(page, section) {
  const folded = page.locator(`#${section} details:not([open]) > summary`);
  while ((await folded.count()) > 0) await folded.first().click();
  for (const summary of await page.locator(`#${section} details > summary`).all())
    await summary.locator("xpath=following-sibling::*").first().waitFor();
}

// The colours of a chart with the number of their pixels, most first; those between two colours are few. ECharts draws on
// several canvases, one above the other.
export async function coloursOf(page, section) {
  await drawn(page, section);
  return page.locator(`#${section} .chart canvas`).evaluateAll((layers) => {
    const { width, height } = layers[0];
    const picture = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    for (const layer of layers) picture.drawImage(layer, 0, 0);
    const { data } = picture.getImageData(0, 0, width, height);
    const counts = {};
    for (let i = 0; i < data.length; i += 4) {
      const colour = data[i + 3] === 0 ? "none" : `${data[i]},${data[i + 1]},${data[i + 2]}`;
      counts[colour] = (counts[colour] ?? 0) + 1;
    }
    return Object.entries(counts).sort(([, a], [, b]) => b - a);
  });
}

// A table of a section with all digits and all rows: objects by column. Without a number it is the only one, behind the
// charts or in plain sight.
export async function tableOf(page, section, number = 0) {
  await unfold(page, section);
  await page.locator("#exact").setChecked(true);
  const all = page.locator(`#${section} .table`).getByRole("button", { name: "Show all" });
  if ((await all.count()) > 0) await all.click();
  const tables = page.locator(`#${section} table`);
  return tables.nth(number).evaluate((table) => {
    const columns = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    const text = (cell) => [...cell.childNodes].map((node) => node.textContent).join("");
    return [...table.tBodies[0].rows].map((row) =>
      Object.fromEntries([...row.cells].map((cell, i) => [columns[i], text(cell)])),
    );
  });
}

// What the page is to show for a number, with all digits.
export function exactCount(number) {
  return number.toLocaleString("en-US");
}
export function exactBytes(number) {
  return `${exactCount(number)} B`;
}
// Sums of doubles depend on their order: seconds are compared to the nanosecond.
export function checkSeconds(shown, seconds, about) {
  assert.match(shown, /^[\d,]+\.\d{9} s$/, about);
  const number = Number(shown.replaceAll(",", "").replace(" s", ""));
  assert.ok(Math.abs(number - seconds) <= 1.01e-9 + 1e-12 * seconds, `${about}: ${shown} is not ${seconds}`);
}
