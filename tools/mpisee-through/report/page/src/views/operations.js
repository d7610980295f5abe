// Shows the time of each communicator by operation: as stacked bars, and as a table.
import { choice, details, element, selection } from "../dom.js";
import { both, count } from "../format.js";
import { seriesOf, StackedBars } from "../stacked_bars.js";
import { Totals, totalsIn } from "../totals.js";
import { tableWithText } from "../view_table.js";

const measures = {
  time: { label: "Time", kind: "seconds", of: (totals) => totals.time },
  volume: { label: "Volume", kind: "bytes", of: (totals) => totals.volume },
  calls: { label: "Calls", kind: "count", of: (totals) => totals.calls },
};
const barsAtFirst = 15;
const mostSites = 200; // in the control; the table has all sites
const barHeight = 30;

function sumOf(line, keys, measure) {
  let sum = 0;
  for (const key of keys) {
    const totals = line.operations.get(key);
    if (totals) sum += measure.of(totals);
  }
  return sum;
}

function tooltipLines(line, { name, keys }, shownMeasure) {
  const others = Object.entries(measures).filter(([key]) => key !== shownMeasure);
  const lines = others.map(([, measure]) => [
    `${measure.label}, ${name}`,
    both(measure.kind, sumOf(line, keys, measure)),
  ]);
  const measure = measures[shownMeasure];
  lines.push([`${measure.label}, all`, both(measure.kind, measure.of(line.totals))]);
  return lines;
}

class OperationBars {
  #profile;
  #bars = new StackedBars();
  #measure = "time";
  #relative = false;
  #site = null; // index in the profile's list; null for all sites
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
    const sites = this.#profile.sites?.list.slice(0, mostSites) ?? [];
    if (sites.length > 0)
      controls.prepend(
        selection(
          "Call site",
          [["", "all"], ...sites.map((one) => [one.index, `${one.label}: ${profile.operations[one.operation]}`])],
          (value) => {
            this.#site = value === "" ? null : sites[Number(value)];
            this.#draw();
          },
        ),
      );
    this.elements = [controls, this.#bars.element, this.#more];
    this.#draw();
  }

  // The lines with the calls at the selected site, or at all sites.
  #lines() {
    const { lines, lineOfPlace, sites } = this.#profile;
    if (this.#site === null) return lines;
    const selected = new Map();
    for (const part of sites.parts) {
      if (part.site !== this.#site) continue;
      const line = lineOfPlace.get(part.communicator);
      if (!selected.has(line)) selected.set(line, { ...line, totals: new Totals(), operations: new Map() });
      selected.get(line).totals.add(part);
      totalsIn(selected.get(line).operations, this.#site.operation).add(part);
    }
    return [...selected.values()];
  }

  #draw() {
    const measure = measures[this.#measure];
    const used = this.#lines()
      .filter((one) => measure.of(one.totals) > 0)
      .sort((a, b) => measure.of(b.totals) - measure.of(a.totals));
    const shown = used.slice(0, this.#limit);
    const series = seriesOf(
      this.#profile.operationsByTime,
      (key) => this.#profile.operations[key],
      new Set(shown.flatMap((one) => [...one.operations.keys()])),
    );
    for (const one of series) one.values = shown.map((line) => sumOf(line, one.keys, measure));
    const at = this.#site === null ? "" : `, at ${this.#site.label}`;
    this.#bars.show({
      describe: `${measure.label} of ${shown.length} communicators, each by operation${at}.`,
      categories: shown.map((one) => ({ label: one.name, title: one.title })),
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
      `The first ${count(this.#limit)} of ${count(all)} bars. `,
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
  return tableWithText(profile.json.tables.operations, {
    caption: "Operations of each communicator. A rank of the communicator that never made the call counts with 0 s.",
    noun: "operation",
  });
}

export function operations(profile) {
  const joined = profile.lines.some((line) => line.group)
    ? " Communicators of one size that one call site has made again and again are one bar."
    : "";
  return [
    element(
      "p",
      { class: "lead" },
      "What each communicator spends on which MPI call, over all ranks. Volume is bytes sent plus bytes received. " +
        "What is too little to be seen is drawn 3 pixels long." +
        joined,
    ),
    ...new OperationBars(profile).elements,
    details("Operations as a table", () => operationsTable(profile)),
  ];
}
