// The page of scaling: how well a program uses more ranks, and how well it did at earlier commits. The numbers are those
// of --json.
import { categoryAxis, colours, valueAxis } from "./chart.js";
import { element } from "./dom.js";
import { brief, count, kinds, plural, seconds, share } from "./format.js";
import { LineChart } from "./line_chart.js";
import { mostSeries, StackedBars } from "./stacked_bars.js";
import { tableOfView, valueOf } from "./view_table.js";

const curve = (i) => (theme) => theme.curves[i % theme.curves.length];
const muted = (theme) => theme.muted;

const doubling = (format, more) => (theme) => valueAxis(theme, format, { type: "log", logBase: 2, ...more });
const shares = (theme) => valueAxis(theme, (part) => brief("share", part), { min: 0 });

function axisOfRanks(points, most = points.at(-1).ranks) {
  return doubling(count, { name: "Ranks", min: points[0].ranks, max: most, splitLine: { show: false } });
}

function chartOf(spec) {
  const chart = new LineChart();
  chart.show(spec);
  return chart.element;
}

const lead = (text) => element("p", { class: "lead" }, text);
const plainTable = (view, caption) => tableOfView(view, { caption, noun: "line", search: null }).element;

// The speed-up relative to the fewest ranks.
function speedUp({ scaling, beyond }) {
  const { points, extrapolation } = scaling;
  const [first] = points;
  const isWeak = scaling.scaling === "weak";
  const ofMoreRanks = ({ ranks }, wall) => ((isWeak ? ranks / first.ranks : 1) * first.wall_s) / wall;
  const pointAt = (ranks, times, wall, more = []) => ({
    at: [ranks, times],
    title: plural(ranks, "rank"),
    lines: [["speed-up", times.toFixed(2)], ["of the ideal", share((times * first.ranks) / ranks)], ["wall time", seconds(wall)], ...more],
  });
  const measured = points.map((one) => pointAt(one.ranks, one[isWeak ? "weak_speed_up" : "strong_speed_up"], one.wall_s));
  const most = extrapolation.times.at(-1)?.ranks ?? points.at(-1).ranks;
  const ends = [first.ranks, most].map((ranks) => ({ at: [ranks, ranks / first.ranks] }));
  const lines = [
    { name: "measured", colour: curve(0), points: measured },
    { name: "ideal", colour: muted, points: ends, dashes: "dotted" },
  ];
  const [last] = measured[measured.length - 1].at.slice(1);
  const band = [[points.at(-1).ranks, last, last]];
  if (extrapolation.times.length > 0) {
    const predicted = extrapolation.times.map((one) => {
      const interval = `${seconds(one.low_s)} to ${seconds(one.high_s)}`;
      return pointAt(one.ranks, ofMoreRanks(one, one.wall_s), one.wall_s, [["with 95 % probability", interval]]);
    });
    lines.push({ name: "extrapolated", colour: curve(0), points: [measured.at(-1), ...predicted], dashes: "dashed" });
    for (const one of extrapolation.times) band.push([one.ranks, ofMoreRanks(one, one.high_s), ofMoreRanks(one, one.low_s)]);
  }
  return [
    chartOf({
      describe: "Speed-up against ranks, and the ideal.",
      xAxis: axisOfRanks(points, most),
      yAxis: doubling((times) => kinds.ratio.short(times)),
      lines,
      band,
    }),
    ...beyond.map((text, i) => (i === 0 ? lead(`Beyond the runs: ${text}.`) : element("p", {}, `${text}.`))),
  ];
}

function efficiencies({ scaling: { points }, values }) {
  const factors = values.columns.filter(({ kind, key }) => kind === "share" && key in points[0]);
  const lineOf = ({ key, title }, i) => ({
    name: title.trim(),
    colour: curve(i),
    points: points
      .filter((one) => one[key] !== null)
      .map((one) => ({ at: [one.ranks, one[key]], title: plural(one.ranks, "rank"), lines: [[title.trim(), share(one[key])]] })),
  });
  const chart = { describe: "Efficiencies against ranks.", xAxis: axisOfRanks(points), yAxis: shares, lines: factors.map(lineOf) };
  return [
    ...(points.length > 1 ? [chartOf(chart)] : []),
    lead(
      "Global efficiency is parallel efficiency times computation scalability; parallel efficiency is load balance times communication efficiency.",
    ),
    plainTable(values, "Times and factors"),
  ];
}

// The columns are ranks, the share of MPI, and a share for each family of communicators.
function whereTimeGoes({ shares: { columns, lines }, shares: view }) {
  const at = (line, place) => valueOf(line[place]) ?? 0;
  const shown = columns.slice(2, 1 + mostSeries);
  const others = lines.map((line) => at(line, 1) - shown.reduce((sum, _, i) => sum + at(line, 2 + i), 0));
  const rounding = 1e-6;
  const series = [
    { name: "outside MPI", colour: colours.others, values: lines.map((line) => 1 - at(line, 1)) },
    ...shown.map(({ key }, i) => ({ name: key, colour: colours.series[i], values: lines.map((line) => at(line, 2 + i)) })),
    { name: "other communicators", colour: colours.series[mostSeries - 1], values: others.map((part) => (part > rounding ? part : 0)) },
  ].filter(({ values }) => values.some((part) => part > 0));
  const bars = new StackedBars();
  bars.show({
    describe: "Parts of the ranks' wall time, for each number of ranks.",
    categories: lines.map((line) => ({ label: count(at(line, 0)), title: plural(at(line, 0), "rank") })),
    series,
    kind: "share",
    height: 300,
    axisName: "Ranks",
  });
  return [bars.element, plainTable(view, "Where the time goes")];
}

// A line for each number of ranks.
function overCommits(commits, { describe, quantity, format, yAxis }) {
  const numbers = [...new Set(commits.flatMap(({ points }) => points.map(({ ranks }) => ranks)))].sort((a, b) => a - b);
  const lineOf = (ranks, i) => ({
    name: plural(ranks, "rank"),
    colour: curve(i),
    points: commits.flatMap(({ commit, points }, place) => {
      const value = points.find((one) => one.ranks === ranks)?.[quantity] ?? null;
      return value === null ? [] : [{ at: [place, value], title: commit, lines: [[plural(ranks, "rank"), format(value)]] }];
    }),
  });
  const names = commits.map(({ commit }) => commit.slice(0, 12));
  return chartOf({
    describe,
    xAxis: (theme) => categoryAxis(theme, names, { name: "Commits", axisLabel: { color: theme.muted, hideOverlap: true } }),
    yAxis,
    lines: numbers.map(lineOf).filter(({ points }) => points.length > 0),
  });
}

function history({ history: { commits, table } }) {
  const ofSeconds = (theme) => valueAxis(theme, (time) => brief("seconds", time), { min: 0 });
  return [
    lead("Wall time of each commit."),
    overCommits(commits, { describe: "Wall time of each commit.", quantity: "wall_s", format: seconds, yAxis: ofSeconds }),
    lead("Parallel efficiency of each commit."),
    overCommits(commits, {
      describe: "Parallel efficiency of each commit.",
      quantity: "parallel_efficiency",
      format: share,
      yAxis: shares,
    }),
    plainTable(table, "History"),
  ];
}

function fillHead({ program, facts, scaling }) {
  document.title = `Scaling of ${program}, commprof`;
  document.getElementById("head").append(
    element("p", { class: "kicker" }, "Scaling of an MPI program"),
    element("h1", {}, program),
    ...facts.map((text) => element("p", {}, `${text}.`)),
    ...scaling.notes.map((text) => element("p", { class: "note" }, text)),
  );
}

// The page, as main.js builds it.
export function scaling(json) {
  const isKnown = json.scaling.scaling !== "unclear";
  const hasLines = json.scaling.points.length > 1;
  const all = [
    ["history", "History", history, json.history !== null],
    ["speed-up", isKnown ? "Speed-up" : "Speed-up, if the scaling is strong", speedUp, hasLines],
    ["efficiencies", "Efficiencies", efficiencies, true],
    ["time", "Where the time goes", whereTimeGoes, true],
  ];
  const sections = all.filter(([, , , has]) => has).map(([name, title, make]) => [name, title, () => make(json)]);
  return { fillHead: () => fillHead(json), sections };
}
