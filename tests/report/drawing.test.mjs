// What the charts draw and where: whole titles, numbers in maps, bars that can be seen, all of it without scrolling; and the
// views that addresses name.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { constants, inflateSync } from "node:zlib";

import { readTable, sumsBy } from "./csv.mjs";
import { writeManyRanks } from "./many_ranks.mjs";
import { checkQuiet, open, reportOf, sample, startBrowser, stopBrowser, temporaryPath } from "./page.mjs";

const charts = ["operations", "ranks", "regions", "pairs", "sizes"];
let report;
let reportOfMany; // 1,200 ranks
let reportOfGrid; // 8 ranks

before(async () => {
  report = reportOf(sample);
  const write = (name, rows, columns) => {
    const profile = temporaryPath(name);
    writeManyRanks(profile, rows, columns);
    return reportOf(profile);
  };
  reportOfMany = write("many", 30, 40);
  reportOfGrid = write("grid", 2, 4);
  await startBrowser();
});
after(stopBrowser);

// The rectangles and words of a section's chart as they are drawn: {type, text, fill, left, top, right, bottom}, in pixels of
// the chart, and the chart's size.
function drawingOf(page, section) {
  return page.locator(`#${section} .chart`).evaluate(({ chart }) => ({
    width: chart.getWidth(),
    height: chart.getHeight(),
    shapes: chart
      .getZr()
      .storage.getDisplayList(true)
      .filter((one) => !one.ignore && !one.invisible)
      .map((one) => {
        const box = one.getBoundingRect().clone();
        if (one.transform) box.applyTransform(one.transform);
        const { x: left, y: top, width, height } = box;
        const { text, fill } = one.style;
        return { type: one.type, text, fill, left, top, right: left + width, bottom: top + height };
      }),
  }));
}
const isColour = (fill) => /^#|^rgb/.test(fill ?? "") && !/^rgba.*,0\)$/.test(fill); // and not transparent
const wordsIn = ({ shapes }) => shapes.filter(({ type, text }) => type === "tspan" && text);

const descent = 3; // of a letter such as "g" below the box of its word, in pixels

for (const width of [1280, 800, 390]) {
  test(`all words of charts are whole in a window of ${width} pixels`, async () => {
    for (const file of [report, reportOfMany]) {
      const page = await open(file, { viewport: { width, height: 900 } });
      const words = [];
      for (const section of charts) {
        const drawing = await drawingOf(page, section);
        for (const word of wordsIn(drawing)) {
          words.push(word.text);
          assert.ok(
            word.left >= -0.5 && word.top >= -0.5 && word.right <= drawing.width + 0.5 && word.bottom + descent <= drawing.height,
            `${file}, ${section}, ${drawing.width} x ${drawing.height}: ${JSON.stringify(word)}`,
          );
        }
      }
      for (const title of ["Rank in MPI_COMM_WORLD", "Bytes of one call on one rank", "From rank", "To rank"])
        assert.ok(words.includes(title), title);
      await page.close();
    }
  });
}

test("titles of axes do not cover the numbers beside them", async () => {
  const page = await open(reportOfMany);
  for (const section of ["ranks", "pairs", "sizes"]) {
    const words = wordsIn(await drawingOf(page, section));
    for (const title of words.filter(({ text }) => /^(From rank|To rank|Rank in|Bytes of)/.test(text))) {
      const covered = words.filter(
        (word) =>
          word !== title &&
          Math.min(word.right, title.right) - Math.max(word.left, title.left) > 1 &&
          Math.min(word.bottom, title.bottom) - Math.max(word.top, title.top) > 1,
      );
      assert.deepEqual(covered, [], title.text);
    }
  }
  await page.close();
});

// With the number of a cell on one line or on two.
const numbersIn = (drawing) => wordsIn(drawing).map(({ text }) => text);

test("cells of a map hold their numbers where there is room, and lines between them", async () => {
  const page = await open(reportOfGrid);
  const profile = temporaryPath("grid");
  const pairs = [...sumsBy(readTable(profile, "peers"), ["src", "dst"], ["bytes", "messages"]).values()];
  const bytes = await drawingOf(page, "pairs");
  const cells = bytes.shapes.filter(
    ({ type, left, top, right, bottom, fill }) =>
      type === "rect" && right - left > 40 && bottom - top > 40 && isColour(fill),
  );
  assert.equal(cells.length, pairs.length);
  const units = numbersIn(bytes).filter((text) => /(B|KiB|MiB)$/.test(text));
  assert.equal(units.length, pairs.length + 2); // and the two ends of the scale
  // Neighbours of a rank are two cells apart: between their cells is an empty one, and a pixel on either side of it.
  const gaps = cells.flatMap((one) =>
    cells
      .filter((other) => other.top === one.top && other.left > one.left)
      .map((other) => other.left - one.right - (one.right - one.left)),
  );
  assert.ok(Math.min(...gaps) >= 1 && Math.min(...gaps) <= 3, `${gaps}`);

  await page.locator("#pairs").getByRole("radio", { name: "Messages", exact: true }).check({ force: true });
  const messages = numbersIn(await drawingOf(page, "pairs"));
  for (const { messages: number } of pairs) assert.ok(messages.includes(number.toLocaleString("en-US")), `${number}`);
  await page.close();
});

test("cells without room have no numbers", async () => {
  const page = await open(reportOfMany);
  const units = numbersIn(await drawingOf(page, "pairs")).filter((text) => /B$/.test(text));
  assert.equal(units.length, 2, `${units}`); // the ends of the scale
  await page.close();
});

test("the bar of a communicator with little time can be seen, and has its number", async () => {
  const page = await open(report);
  const drawing = await drawingOf(page, "operations");
  const times = sumsBy(readTable(sample, "operations"), ["comm"], ["time_s"]);
  const used = [...times.values()].map(({ time_s: seconds }) => seconds).filter((seconds) => seconds > 0);
  assert.ok(Math.max(...used) / Math.min(...used) > 1e6); // at 1,000 pixels, less than a thousandth of one
  const isBar = ({ type, fill, left, right }) => type === "rect" && isColour(fill) && right - left >= 2;
  const rows = new Set(drawing.shapes.filter(isBar).filter(({ top }) => top > 50).map(({ top }) => Math.round(top)));
  assert.equal(rows.size, used.length);
  const least = `${Number((Math.min(...used) * 1e6).toPrecision(4))} µs`;
  assert.ok(wordsIn(drawing).some(({ text }) => text === least), least);
  await page.close();
});

test("sizes are shown by time first", async () => {
  const page = await open(report);
  assert.ok(await page.locator("#sizes").getByRole("radio", { name: "Time", exact: true }).isChecked());
  assert.match(await page.locator("#sizes .chart").getAttribute("aria-label"), /^Time by size of call/);
  await page.close();
});

for (const [name, section] of [
  ...["findings", "efficiency", ...charts, "sites", "communicators"].map((one) => [one, one]),
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

test("the list of sections leads to a section", async () => {
  const page = await open(report);
  await page.locator("#contents a", { hasText: "Sizes" }).click();
  assert.ok((await page.evaluate(() => scrollY)) > 500);
  await page.close();
});

test("charts are drawn without scrolling", async () => {
  for (const file of [report, reportOfMany]) {
    const page = await open(file);
    assert.equal(await page.locator(".chart[data-drawn]").count(), charts.length);
    assert.equal(await page.evaluate(() => scrollY), 0);
    checkQuiet(page);
    await page.close();
  }
});

// The browser by itself, as scripts call it: it takes its picture when the page calls itself loaded.
function headless(...options) {
  const all = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1280,7000", ...options, `file://${report}`];
  execFileSync(process.env.CHROMIUM, all, { stdio: "ignore", timeout: 240_000 });
}

test("charts are in a plain screenshot", async () => {
  const picture = temporaryPath("picture.png");
  headless("--force-device-scale-factor=1", `--screenshot=${picture}`);
  const page = await open(report, { viewport: { width: 1280, height: 7000 } });
  const boxes = [];
  for (const section of charts) boxes.push(await page.locator(`#${section} .chart`).boundingBox());
  const colours = await page.evaluate(
    async ([bytes, all]) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))]));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return all.map(({ x, y, width, height }) => {
        const counts = new Map();
        const { data } = canvas.getImageData(x, y, width, height);
        for (let i = 0; i < data.length; i += 4) {
          const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
          counts.set(colour, (counts.get(colour) ?? 0) + 1);
        }
        return [...counts.values()].filter((pixels) => pixels > 500).length;
      });
    },
    [readFileSync(picture).toString("base64"), boxes],
  );
  // Each has its background and at least one colour besides.
  charts.forEach((section, i) => assert.ok(colours[i] >= 2, `${section}: ${colours[i]} colours`));
  await page.close();
});

// The colours with which the pages of a PDF fill areas, each as often as it is chosen.
function coloursOnPaper(file) {
  const bytes = readFileSync(file);
  const counts = new Map();
  for (const { index, 0: begin } of bytes.toString("latin1").matchAll(/\bstream\r?\n/g)) {
    let text = "";
    try {
      text = inflateSync(bytes.subarray(index + begin.length), { finishFlush: constants.Z_SYNC_FLUSH }).toString("latin1");
    } catch {
      continue; // not compressed, or the end of another one
    }
    for (const [, ...channels] of text.matchAll(/([\d.]+) ([\d.]+) ([\d.]+) rg\b/g)) {
      const colour = channels.map((channel) => Math.round(Number(channel) * 255)).join(",");
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  }
  return counts;
}

test("charts are in print", async () => {
  const [paper, without] = [temporaryPath("paper.pdf"), temporaryPath("without.pdf")];
  headless(`--print-to-pdf=${paper}`);
  const all = coloursOnPaper(paper);
  assert.ok(all.has("8,29,88"), "the map"); // the end of its scale
  const page = await open(report);
  for (const section of charts.filter((one) => one !== "pairs")) {
    // Each chart adds to the colours of bars.
    await page.locator(`#${section} .chart`).evaluate((chart) => (chart.hidden = true));
    await page.pdf({ path: without });
    await page.locator(`#${section} .chart`).evaluate((chart) => (chart.hidden = false));
    const rest = coloursOnPaper(without);
    assert.ok(all.get("0,114,178") > (rest.get("0,114,178") ?? 0), section);
  }
  await page.close();
});
