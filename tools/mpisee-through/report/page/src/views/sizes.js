// Shows the sizes of calls.
import { choice, details, element, selection } from "../dom.js";
import { both } from "../format.js";
import { chosenCommunicators, communicatorChoices } from "../lines.js";
import { seriesOf, StackedBars } from "../stacked_bars.js";
import { tableWithText } from "../view_table.js";

const measures = {
  time: { label: "Time", kind: "seconds", of: (row) => row.time },
  volume: { label: "Volume", kind: "bytes", of: (row) => row.sent + row.received },
  calls: { label: "Calls", kind: "count", of: (row) => row.calls },
};

class SizeBars {
  #profile;
  #bars = new StackedBars("tall");
  #measure = "time";
  #communicators = { name: "all communicators", places: null };

  constructor(profile) {
    this.#profile = profile;
    const choices = Object.entries(measures).map(([value, { label }]) => [value, label]);
    const names = communicatorChoices(profile.lines, (one) => one.totals.calls > 0);
    const controls = element(
      "div",
      { class: "controls noprint" },
      selection("Communicator", names, (value) => {
        this.#communicators = chosenCommunicators(profile, value);
        this.#draw();
      }),
      choice("Show", choices, this.#measure, (value) => {
        this.#measure = value;
        this.#draw();
      }),
    );
    this.elements = [controls, this.#bars.element];
    this.#draw();
  }

  #draw() {
    const { sizes, operations, operationsByTime, calls } = this.#profile;
    const measure = measures[this.#measure];
    const { name, places } = this.#communicators;
    const rows = calls.filter((row) => places === null || places.has(row.communicator));
    const series = seriesOf(operationsByTime, (key) => operations[key], new Set(rows.map((row) => row.operation)));
    const seriesOfKey = new Map(series.flatMap((one) => [...one.keys].map((key) => [key, one])));
    for (const one of series) one.values = sizes.map(() => 0);
    const all = sizes.map(() => 0);
    for (const row of rows) {
      seriesOfKey.get(row.operation).values[row.size] += measure.of(row);
      all[row.size] += measure.of(row);
    }
    this.#bars.show({
      describe: `${measure.label} by size of call, on ${name}.`,
      categories: sizes.map(({ label }) => ({ label, title: label })),
      series,
      kind: measure.kind,
      lines: (size) => [["all operations", both(measure.kind, all[size])]],
      axisName: "Bytes of one call on one rank",
    });
  }
}

function sizesTable(profile) {
  return tableWithText(profile.json.tables.sizes, {
    caption: "Operations of each communicator by size of call",
    noun: "size",
  });
}

export function sizes(profile) {
  return [
    element(
      "p",
      { class: "lead" },
      "The size of a call is the bytes that it sends and receives on one rank; the classes are powers of two.",
    ),
    ...new SizeBars(profile).elements,
    details("Sizes as a table", () => sizesTable(profile)),
  ];
}
