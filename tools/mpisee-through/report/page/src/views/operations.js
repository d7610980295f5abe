// What each communicator spends on each operation: stacked bars, and the same as a table.
import { choice, details, element } from "../dom.js";
import { both, count } from "../format.js";
import { seriesOf, StackedBars } from "../stacked_bars.js";
import { Table } from "../table.js";

const measures = {
  time: { label: "Time", kind: "seconds", of: (totals) => totals.time },
  volume: { label: "Volume", kind: "bytes", of: (totals) => totals.volume },
  calls: { label: "Calls", kind: "count", of: (totals) => totals.calls },
};
const barsAtFirst = 15;
const barHeight = 30;

function sumOf(communicator, keys, measure) {
  let sum = 0;
  for (const key of keys) {
    const totals = communicator.operations.get(key);
    if (totals) sum += measure.of(totals);
  }
  return sum;
}

function tooltipLines(communicator, { name, keys }, shownMeasure) {
  const others = Object.entries(measures).filter(([key]) => key !== shownMeasure);
  const lines = others.map(([, measure]) => [
    `${measure.label}, ${name}`,
    both(measure.kind, sumOf(communicator, keys, measure)),
  ]);
  const measure = measures[shownMeasure];
  lines.push([`${measure.label}, all`, both(measure.kind, measure.of(communicator.totals))]);
  return lines;
}

class OperationBars {
  #profile;
  #bars = new StackedBars();
  #measure = "time";
  #relative = false;
  #limit = barsAtFirst;
  #more = element("p", { class: "more noprint" });

  constructor(profile) {
    this.#profile = profile;
    const choices = Object.entries(measures).map(([value, { label }]) => [value, label]);
    const controls = element(
      "div",
      { class: "controls noprint" },
      choice("Show", choices, this.#measure, (value) => {
        this.#measure = value;
        this.#draw();
      }),
      choice(
        "Bars",
        [
          ["amounts", "Amounts"],
          ["parts", "Parts of each"],
        ],
        "amounts",
        (value) => {
          this.#relative = value === "parts";
          this.#draw();
        },
      ),
    );
    this.elements = [controls, this.#bars.element, this.#more];
    this.#draw();
  }

  #draw() {
    const measure = measures[this.#measure];
    const used = this.#profile.communicators
      .filter((one) => measure.of(one.totals) > 0)
      .sort((a, b) => measure.of(b.totals) - measure.of(a.totals));
    const shown = used.slice(0, this.#limit);
    const series = seriesOf(
      this.#profile.operationsByTime,
      (key) => this.#profile.operations[key],
      new Set(shown.flatMap((one) => [...one.operations.keys()])),
    );
    for (const one of series) one.values = shown.map((communicator) => sumOf(communicator, one.keys, measure));
    this.#bars.show({
      describe: `${measure.label} of ${shown.length} communicators, each by operation.`,
      categories: shown.map((one) => ({ label: one.name })),
      series,
      kind: measure.kind,
      lines: (category, index) => tooltipLines(shown[category], series[index], this.#measure),
      horizontal: true,
      relative: this.#relative,
      height: 74 + barHeight * Math.max(shown.length, 1),
    });
    this.#drawMore(used.length);
  }

  #drawMore(all) {
    if (all <= this.#limit) {
      this.#more.replaceChildren(all === 0 ? "Nothing to show." : "");
      return;
    }
    this.#more.replaceChildren(
      `The first ${count(this.#limit)} of ${count(all)} communicators. `,
      element(
        "button",
        {
          type: "button",
          onclick: () => {
            this.#limit *= 2;
            this.#draw();
          },
        },
        `Show ${this.#limit} more`,
      ),
    );
  }
}

function operationsTable(profile) {
  const rows = profile.communicators.flatMap((communicator) =>
    [...communicator.operations].map(([operation, totals]) => ({
      communicator: communicator.name,
      operation: profile.operations[operation],
      totals,
      spread: totals.spread ?? {},
    })),
  );
  rows.sort((a, b) => b.totals.time - a.totals.time);
  const columns = [
    { label: "Communicator", kind: "text", value: (row) => row.communicator },
    { label: "Operation", kind: "text", value: (row) => row.operation },
    { label: "Calls", kind: "count", value: (row) => row.totals.calls },
    { label: "Sent", kind: "bytes", value: (row) => row.totals.sent },
    { label: "Received", kind: "bytes", value: (row) => row.totals.received },
    { label: "Time", kind: "seconds", value: (row) => row.totals.time },
    { label: "Mean of ranks", kind: "seconds", value: (row) => row.spread.mean },
    { label: "Fastest rank", kind: "seconds", value: (row) => row.spread.min },
    { label: "Slowest rank", kind: "seconds", value: (row) => row.spread.max },
  ];
  return new Table(columns, rows, {
    caption: "Operations of each communicator. A rank of the communicator that never made the call counts with 0 s.",
    search: (row) => `${row.communicator} ${row.operation}`,
    noun: "operation",
  }).element;
}

export function operations(profile) {
  return [
    element(
      "p",
      { class: "lead" },
      "What each communicator spends on which MPI call, over all ranks. Volume is bytes sent plus bytes received.",
    ),
    ...new OperationBars(profile).elements,
    details("Operations as a table", () => operationsTable(profile)),
  ];
}
