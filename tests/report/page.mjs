// A page in a browser, and what a test asks of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
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

let files = 0;
// Writes a page, mpisee-through … --html FILE, and returns its path.
export function pageOf(...options) {
  files += 1;
  const file = temporaryPath(`${files}.html`);
  execFileSync(process.env.MPISEE_THROUGH, [...options, ...(options[0] === "report" ? ["-o"] : ["--html"]), file]);
  return file;
}

let browser = null;
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

// An empty page. What it complains of and what it loads will be in the lists complaints and requests.
export async function newPage(options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(mostPatience);
  page.complaints = [];
  page.requests = [];
  page.on("console", (message) => page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("request", (request) => page.requests.push(request.url()));
  return page;
}

// Opens a page from disk.
export async function open(file, options = {}) {
  const page = await newPage(options);
  await page.goto(`file://${file}`);
  await page.waitForSelector("html[data-complete]");
  return page;
}

// Closes the page, of which nothing was complained and which loaded nothing but its file.
export async function closeQuiet(page) {
  assert.deepEqual(page.complaints, []);
  assert.equal(page.requests.length, 1, page.requests.join(" "));
  await page.close();
}

// Unfolds all tables of a section.
export async function unfold(page, section) {
  for (const details of await page.locator(`#${section} details`).all())
    await details.evaluate((one) => {
      one.open = true;
    });
}

// A table of a section with all rows: objects by column, with all digits, which numbers have under the mouse.
export async function tableOf(page, section, number = 0) {
  await unfold(page, section);
  const all = page.locator(`#${section} .table`).nth(number).getByRole("button", { name: "Show all" });
  if ((await all.count()) > 0) await all.click();
  return page.locator(`#${section} table`).nth(number).evaluate((table) => {
    const columns = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    return [...table.tBodies[0].rows].map((row) => Object.fromEntries([...row.cells].map((cell, i) => [columns[i], cell.title || cell.textContent])));
  });
}

// The markup of a section's picture.
export const drawing = (page, section, number = 0) => page.locator(`#${section} .drawing`).nth(number).innerHTML();

// What the page is to show for a number, with all digits.
export const exactCount = (number) => number.toLocaleString("en-US");
