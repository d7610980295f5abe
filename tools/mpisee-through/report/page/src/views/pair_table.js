// Lists the busiest pairs of the visible part of the matrix.
import { element } from "../dom.js";
import { count, plural } from "../format.js";
import { lineOfValues, tableOfView } from "../view_table.js";

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
  #nameOf;
  #columns;
  #table;
  #bytes;
  #status = element("p", { class: "status" });

  // view: the tool's columns of pairs. nameOf(first bin, last bin): the name of ranks.
  constructor(view, pairs, nameOf) {
    this.#pairs = pairs;
    this.#nameOf = nameOf;
    this.#columns = view.columns;
    this.#bytes = pairs.bytes.reduce((sum, bytes) => sum + bytes, 0);
    this.#table = tableOfView(view, {
      caption: "Pairs of ranks in sight of the map, in the selected communicator and class",
      noun: "pair",
    });
    this.element = element("div", {}, this.#status, this.#table.element);
  }

  // The line of a pair.
  #lineOf({ from, to, messages, bytes }) {
    return lineOfValues(this.#columns, {
      src: this.#nameOf(from, from),
      dst: this.#nameOf(to, to),
      messages,
      bytes,
      bytes_share: this.#bytes > 0 ? bytes / this.#bytes : null,
    });
  }

  show(rows, sight, unit) {
    const all = busiest(this.#pairs, rows, sight, unit);
    this.#status.textContent =
      all.length > mostRows
        ? `The ${count(mostRows)} busiest of ${count(all.length)} pairs in sight.`
        : `${plural(all.length, "pair")} in sight.`;
    this.#table.setRows(all.slice(0, mostRows).map((one) => this.#lineOf(one)));
  }
}
