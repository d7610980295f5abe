// Shows how each rank spends its time, and how evenly the time in MPI is spread over the ranks.
import { colours } from "../chart.js";
import { choice, details, element } from "../dom.js";
import { both, count, rankNames } from "../format.js";
import { seriesOf, StackedBars } from "../stacked_bars.js";
import { tableOfView, tableWithText } from "../view_table.js";

const parts = { wall: "Wall time", operation: "Operation", communicator: "Communicator" };
const orders = { rank: "Rank", time: "Time in MPI" };

function sortedByTime(table, keyOf) {
  const sums = new Map();
  table.of.forEach((of, i) => sums.set(keyOf(of), (sums.get(keyOf(of)) ?? 0) + table.time[i]));
  return [...sums].sort(([, a], [, b]) => b - a).map(([key]) => key);
}

// The parts of each bin's wall time.
function partsOfWall({ ranks }, bins) {
  const part = (name, colour, of) => ({
    name,
    colour,
    values: bins.map((bin) => Math.max(of(bin), 0) / ranks.ranks[bin]),
  });
  const [other, moving, , , , waiting] = colours.series;
  const inMpi = (bin) => ranks.wall[bin] - ranks.outside[bin];
  const outside = part("outside MPI", colours.others, (bin) => ranks.outside[bin]);
  if (!ranks.knowsWaiting) return [outside, part("in MPI", other, inMpi)];
  return [
    outside,
    part("waiting for others", waiting, (bin) => ranks.waiting[bin]),
    ...(ranks.knowsMoving ? [part("moving data", moving, (bin) => ranks.moving[bin])] : []),
    part("other MPI time", other, (bin) => inMpi(bin) - ranks.waiting[bin] - ranks.moving[bin]),
  ];
}

// Each bin's time in MPI, by operation or by communicator.
function partsOfMpi(profile, kind, bins) {
  const { ranks } = profile;
  const byOperation = kind === "operation";
  const table = byOperation ? ranks.byOperation : ranks.byCommunicator;
  const keyOf = byOperation ? (of) => of : (of) => profile.lineOfPlace.get(of);
  const nameOf = byOperation ? (key) => profile.operations[key] : (line) => line.name;
  const order = byOperation ? profile.operationsByTime : sortedByTime(table, keyOf);
  const series = seriesOf(order, nameOf, new Set(table.of.map(keyOf)));
  const seriesOfKey = new Map(series.flatMap((one) => [...one.keys].map((key) => [key, one])));
  for (const one of series) one.values = bins.map(() => 0);
  const placeOf = new Map(bins.map((bin, place) => [bin, place]));
  table.bin.forEach((bin, i) => {
    seriesOfKey.get(keyOf(table.of[i])).values[placeOf.get(bin)] += table.time[i] / ranks.ranks[bin];
  });
  return series;
}

// The bins with ranks: in a selection, some have none.
function binsOf({ ranks }) {
  return [...ranks.ranks.keys()].filter((bin) => ranks.ranks[bin] > 0);
}
function nameOfBin({ run, ranks }, bin) {
  const first = bin * ranks.perBin;
  const last = Math.min(first + ranks.perBin, run.ranks) - 1;
  const names = rankNames(first, last);
  return ranks.ranks[bin] > last - first ? names : `${count(ranks.ranks[bin])} of ${names}`;
}
function hostOfBin({ ranks }, bin) {
  return ranks.hostNames[ranks.host[bin]] + (ranks.several_hosts[bin] ? " …" : "");
}

class RankBars {
  #profile;
  #bars = new StackedBars("tall");
  #parts = "wall";
  #order = "rank";

  constructor(profile) {
    this.#profile = profile;
    const controls = element(
      "div",
      { class: "controls noprint" },
      choice(
        "Parts",
        Object.entries(parts),
        this.#parts,
        (value) => {
          this.#parts = value;
          this.#draw();
        },
      ),
      choice("Order", Object.entries(orders), this.#order, (value) => {
        this.#order = value;
        this.#draw();
      }),
    );
    this.elements = [controls, this.#bars.element];
    this.#draw();
  }

  #draw() {
    const profile = this.#profile;
    const { ranks } = profile;
    const bins = binsOf(profile);
    if (this.#order === "time") bins.sort((a, b) => ranks.mpi[b] / ranks.ranks[b] - ranks.mpi[a] / ranks.ranks[a]);
    const isWall = this.#parts === "wall";
    const series = isWall ? partsOfWall(profile, bins) : partsOfMpi(profile, this.#parts, bins);
    this.#bars.show({
      describe: isWall
        ? "What each rank does with its time."
        : `Time in MPI of each rank, by ${parts[this.#parts].toLowerCase()}.`,
      categories: bins.map((bin) => ({
        label: String(bin * ranks.perBin),
        title: `${nameOfBin(profile, bin)}, ${hostOfBin(profile, bin)}`,
      })),
      series,
      kind: "seconds",
      lines: (place) => this.#lines(bins[place]),
      axisName: "Rank in MPI_COMM_WORLD",
    });
  }

  #lines(bin) {
    const { ranks } = this.#profile;
    if (ranks.perBin === 1)
      return [
        ["in MPI", both("seconds", ranks.mpi[bin])],
        ["wall time", both("seconds", ranks.wall[bin])],
      ];
    return [
      ["in MPI, mean", both("seconds", ranks.mpi[bin] / ranks.ranks[bin])],
      ["in MPI, least", both("seconds", ranks.mpi_min[bin])],
      [`in MPI, most (rank ${ranks.max_rank[bin]})`, both("seconds", ranks.mpi_max[bin])],
    ];
  }
}

function ranksTable(profile) {
  return tableWithText(profile.json.tables.ranks, { caption: "Time of each rank, the slowest first", noun: "rank" });
}

// Tables of what is known of waiting, and of requests that are pending while the program computes or waits.
function waitTables(profile) {
  const tables = {
    waits: ["Waiting", "operation"],
    causes: ["Who makes others wait", "cause"],
    pairs: ["Who waits for whom", "pair"],
    pending: ["Requests that are pending", "operation"],
  };
  return Object.entries(tables)
    .filter(([name]) => profile.json.tables.waits[name].lines.length > 0)
    .map(([name, [title, noun]]) =>
      details(`${title}, as a table`, () => {
        const caption = `${title}, the longest first`;
        return tableOfView(profile.json.tables.waits[name], { caption, noun }).element;
      }),
    );
}

export function ranks(profile) {
  const { perBin, knowsWaiting, knowsMoving } = profile.ranks;
  const inMpi = knowsWaiting
    ? `waiting for others, ${knowsMoving ? "moving data in calls of which waiting is known, " : ""}and other time in MPI.`
    : "and in MPI. This profile does not say how much of that is waiting; " +
      "where the time in MPI is uneven, some wait for others.";
  const binned =
    perBin > 1 ? ` There are many ranks: ${count(perBin)} neighbours share a bar, which shows their mean.` : "";
  const selected = profile.json.selection
    ? " Operations and communicators are of what is selected, the wall time and the table of all that the rank did."
    : "";
  return [
    element(
      "p",
      { class: "lead" },
      `The time of each rank: outside MPI, ${inMpi}${binned}${selected}`,
    ),
    ...new RankBars(profile).elements,
    details("Ranks as a table", () => ranksTable(profile)),
    ...waitTables(profile),
  ];
}
