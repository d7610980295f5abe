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

function axisOfRanks(points) {
  return doubling(count, { name: "Ranks", min: points[0].ranks, max: points.at(-1).ranks, splitLine: { show: false } });
}

function chartOf(spec) {
  const chart = new LineChart();
  chart.show(spec);
  return chart.element;
}

const lead = (text) => element("p", { class: "lead" }, text);
const plainTable = (view, caption) => tableOfView(view, { caption, noun: "line", search: null }).element;

// The lines of a table of a document of --json.
const linesOf = ({ tables }, name) => tables.find((table) => table.name === name).lines;
const pointsOf = (scaling) => linesOf(scaling, "points").filter(({ comm }) => comm === "");

// The speed-up relative to the fewest ranks.
function speedUp({ scaling }) {
  const points = pointsOf(scaling);
  const [first] = points;
  const isWeak = scaling.run.scaling === "weak";
  const pointAt = ({ ranks, wall_s, ...one }) => {
    const times = one[isWeak ? "weak_speed_up" : "strong_speed_up"];
    return {
      at: [ranks, times],
      title: plural(ranks, "rank"),
      lines: [["speed-up", times.toFixed(2)], ["of the ideal", share((times * first.ranks) / ranks)], ["wall time", seconds(wall_s)]],
    };
  };
  const ends = [first.ranks, points.at(-1).ranks].map((ranks) => ({ at: [ranks, ranks / first.ranks] }));
  return [
    chartOf({
      describe: "Speed-up against ranks, and the ideal.",
      xAxis: axisOfRanks(points),
      yAxis: doubling((times) => kinds.ratio.short(times)),
      lines: [
        { name: "measured", colour: curve(0), points: points.map(pointAt) },
        { name: "ideal", colour: muted, points: ends, dashes: "dotted" },
      ],
    }),
  ];
}

// The first columns are times and factors, those from the share of MPI on say where the time goes.
const placeOfShares = ({ columns }) => columns.findIndex(({ key }) => key === "mpi_share");
const withColumns = (view, places) => ({
  name: view.name,
  columns: places.map((place) => view.columns[place]),
  lines: view.lines.map((line) => places.map((place) => line[place])),
});
const range = (begin, end) => Array.from({ length: end - begin }, (_, i) => begin + i);

function efficiencies({ scaling, values: view }) {
  const points = pointsOf(scaling);
  const values = withColumns(view, range(0, placeOfShares(view)));
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
function whereTimeGoes({ values }) {
  const view = withColumns(values, [0, ...range(placeOfShares(values), values.columns.length)]);
  const { columns, lines } = view;
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

function fillHead({ facts, scaling }) {
  const { program } = scaling.run;
  document.title = `Scaling of ${program}, commprof`;
  document.getElementById("head").append(
    element("p", { class: "kicker" }, "Scaling of an MPI program"),
    element("h1", {}, program),
    ...facts.map((text) => element("p", {}, `${text}.`)),
    ...scaling.notes.map(({ text }) => element("p", { class: "note" }, text)),
  );
}

// The page, as main.js builds it.
export function scaling(json) {
  const isKnown = json.scaling.run.scaling !== "unclear";
  const hasLines = pointsOf(json.scaling).length > 1;
  const all = [
    ["speed-up", isKnown ? "Speed-up" : "Speed-up, if the scaling is strong", speedUp, hasLines],
    ["efficiencies", "Efficiencies", efficiencies, true],
    ["time", "Where the time goes", whereTimeGoes, true],
  ];
  const sections = all.filter(([, , , has]) => has).map(([name, title, make]) => [name, title, () => make(json)]);
  return { fillHead: () => fillHead(json), sections };
}
