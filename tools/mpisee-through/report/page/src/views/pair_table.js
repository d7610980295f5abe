// Lists the busiest pairs of the visible part of the matrix.
import { element } from "../dom.js";
import { count, plural } from "../format.js";
import { Table } from "../table.js";

const mostRows = 1000;

// Sums over communicators and classes, the largest first. rows: those of the pairs to count.
function busiest(pairs, rows, { from, to }, unit) {
  const sums = new Map();
  const isInSight = (side, bin) => bin === pairs.bins || side.holds(bin);
  for (const i of rows) {
    if (!isInSight(from, pairs.from[i]) || !isInSight(to, pairs.to[i])) continue;
    const key = pairs.from[i] * (pairs.bins + 1) + pairs.to[i];
    const sum = sums.get(key) ?? { from: pairs.from[i], to: pairs.to[i], messages: 0, bytes: 0 };
    sum.messages += pairs.messages[i];
    sum.bytes += pairs.bytes[i];
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b[unit] - a[unit]);
}

export class PairTable {
  #pairs;
  #table;
  #status = element("p", { class: "status" });

  // nameOf(first bin, last bin): the name of ranks.
  constructor(pairs, nameOf) {
    this.#pairs = pairs;
    const columns = [
      {
        label: "From",
        kind: "count",
        value: (row) => row.from * pairs.perBin,
        cell: (row) => nameOf(row.from, row.from),
      },
      { label: "To", kind: "count", value: (row) => row.to * pairs.perBin, cell: (row) => nameOf(row.to, row.to) },
      { label: "Bytes", kind: "bytes", value: (row) => row.bytes },
      { label: "Messages", kind: "count", value: (row) => row.messages },
    ];
    this.#table = new Table(columns, [], {
      caption: "Pairs of ranks in sight of the map, in the selected communicator and class",
      search: (row) => `${nameOf(row.from, row.from)} to ${nameOf(row.to, row.to)}`,
      noun: "pair",
    });
    this.element = element("div", {}, this.#status, this.#table.element);
  }

  show(rows, sight, unit) {
    const all = busiest(this.#pairs, rows, sight, unit);
    this.#status.textContent =
      all.length > mostRows
        ? `The ${count(mostRows)} busiest of ${count(all.length)} pairs in sight.`
        : `${plural(all.length, "pair")} in sight.`;
    this.#table.setRows(all.slice(0, mostRows));
  }
}
