// How evenly the time in MPI is spread over the ranks.
import { choice, details, element } from "../dom.js";
import { both, count, rankNames } from "../format.js";
import { seriesOf, StackedBars } from "../stacked_bars.js";
import { Table } from "../table.js";

const parts = {
  byOperation: { label: "Operation", nameOf: (profile, key) => profile.operations[key] },
  byCommunicator: { label: "Communicator", nameOf: (profile, key) => profile.communicators[key].name },
};
const orders = { rank: "Rank", time: "Time in MPI" };

function byTime(table) {
  const sums = new Map();
  table.of.forEach((key, i) => sums.set(key, (sums.get(key) ?? 0) + table.time[i]));
  return [...sums].sort(([, a], [, b]) => b - a).map(([key]) => key);
}

// Those that hold ranks: of a selection, not all do.
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
  #parts = "byOperation";
  #order = "rank";

  constructor(profile) {
    this.#profile = profile;
    const controls = element(
      "div",
      { class: "controls noprint" },
      choice(
        "Parts",
        Object.entries(parts).map(([value, { label }]) => [value, label]),
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
    const table = ranks[this.#parts];
    const bins = binsOf(profile);
    if (this.#order === "time") bins.sort((a, b) => ranks.mpi[b] / ranks.ranks[b] - ranks.mpi[a] / ranks.ranks[a]);
    const placeOf = new Map(bins.map((bin, place) => [bin, place]));
    const order = this.#parts === "byOperation" ? profile.operationsByTime : byTime(table);
    const series = seriesOf(order, (key) => parts[this.#parts].nameOf(profile, key), new Set(table.of));
    const seriesOfKey = new Map(series.flatMap((one) => [...one.keys].map((key) => [key, one])));
    for (const one of series) one.values = bins.map(() => 0);
    table.bin.forEach((bin, i) => {
      seriesOfKey.get(table.of[i]).values[placeOf.get(bin)] += table.time[i] / ranks.ranks[bin];
    });
    this.#bars.show({
      describe: `Time in MPI of each rank, by ${parts[this.#parts].label.toLowerCase()}.`,
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
  const { ranks } = profile;
  const single = ranks.perBin === 1;
  const columns = [
    {
      label: single ? "Rank" : "Ranks",
      kind: "count",
      value: (bin) => bin * ranks.perBin,
      cell: single ? null : (bin) => nameOfBin(profile, bin),
    },
    { label: "Host", kind: "text", value: (bin) => hostOfBin(profile, bin) },
    { label: "Wall time", kind: "seconds", value: (bin) => ranks.wall[bin] },
    { label: "In MPI", kind: "seconds", value: (bin) => ranks.mpi[bin] },
    { label: "Share", kind: "share", value: (bin) => (ranks.wall[bin] > 0 ? ranks.mpi[bin] / ranks.wall[bin] : NaN) },
    ...(single
      ? []
      : [
          { label: "Least in MPI", kind: "seconds", value: (bin) => ranks.mpi_min[bin] },
          { label: "Most in MPI", kind: "seconds", value: (bin) => ranks.mpi_max[bin] },
        ]),
  ];
  return new Table(
    columns,
    binsOf(profile),
    {
      caption: single ? "Time of each rank" : "Time of ranks, summed over each group",
      search: (bin) => `${nameOfBin(profile, bin)} ${hostOfBin(profile, bin)}`,
      noun: single ? "rank" : "group",
    },
  ).element;
}

export function ranks(profile) {
  const { perBin } = profile.ranks;
  const binned =
    perBin > 1 ? ` There are many ranks: ${count(perBin)} neighbours share a bar, which shows their mean.` : "";
  const selected = profile.json.selection ? " Bars are of what is selected, the table of all that the rank did." : "";
  return [
    element(
      "p",
      { class: "lead" },
      `Time in MPI of each rank. Uneven bars mean that some wait for others.${binned}${selected}`,
    ),
    ...new RankBars(profile).elements,
    details("Ranks as a table", () => ranksTable(profile)),
  ];
}
