// Shows the amounts between ranks.
import { selectedRows } from "../cells.js";
import { choice, details, element, selection } from "../dom.js";
import { bytes, count, plural, rankNames } from "../format.js";
import { HeatMap } from "../heat_map.js";
import { chosenCommunicators, communicatorChoices } from "../lines.js";
import { Zoom } from "../zoom.js";
import { PairTable } from "./pair_table.js";

const units = [
  ["bytes", "Bytes"],
  ["messages", "Messages"],
];
const classNames = { p2p: "point-to-point", rma: "one-sided", internal: "internal" };

class PairMap {
  #profile;
  #pairs;
  #zoom;
  #map = new HeatMap((from, to) => this.#zoom.look(from, to));
  #table = null; // created when it is opened
  #selected = { places: null, trafficClass: null };
  #rows;
  #unit = "bytes";
  #status = element("p", { class: "status", role: "status" });

  constructor(profile) {
    this.#profile = profile;
    this.#pairs = profile.pairs;
    this.#rows = selectedRows(this.#pairs, this.#selected);
    this.#zoom = new Zoom(this.#pairs, profile.run.ranks, () => this.#draw());
    this.elements = [
      this.#controls(),
      this.#zoom.element,
      this.#map.element,
      this.#status,
      details("Busiest pairs as a table", () => this.#makeTable()),
    ];
    this.#draw();
  }

  #controls() {
    const used = new Set(this.#pairs.communicator);
    const classes = [...new Set(this.#pairs.class)].sort().map((one) => [one, classNames[this.#pairs.classes[one]]]);
    const select = (key, selected) => {
      this.#selected[key] = selected;
      this.#rows = selectedRows(this.#pairs, this.#selected);
      this.#draw();
    };
    return element(
      "div",
      { class: "controls noprint" },
      selection(
        "Communicator",
        communicatorChoices(this.#profile.lines, (one) => used.has(one.index)),
        (value) => select("places", chosenCommunicators(this.#profile, value).places),
      ),
      selection("Class", [["", "all"], ...classes], (value) =>
        select("trafficClass", value === "" ? null : Number(value)),
      ),
      choice("Show", units, this.#unit, (value) => {
        this.#unit = value;
        this.#draw();
      }),
    );
  }

  #makeTable() {
    this.#table = new PairTable(this.#profile.json.tables.pairs.table, this.#pairs, (first, last) => this.#nameOf(first, last));
    this.#table.show(this.#rows, this.#zoom, this.#unit);
    return this.#table.element;
  }

  #nameOf(firstBin, lastBin) {
    const { perBin, bins } = this.#pairs;
    if (firstBin === bins) return "another world";
    return rankNames(firstBin * perBin, Math.min((lastBin + 1) * perBin, this.#profile.run.ranks) - 1);
  }

  #draw() {
    const { from, to } = this.#zoom;
    const { elsewhere } = this.#map.show({
      describe: `${this.#unit === "bytes" ? "Bytes" : "Messages"} from rank to rank. Plus and minus zoom, 0 shows all ranks.`,
      pairs: this.#pairs,
      rows: this.#rows,
      from,
      to,
      unit: this.#unit,
      nameOf: (first, last) => this.#nameOf(first, last),
      labelOf: (bin) => String(bin * this.#pairs.perBin),
      keys: (event) => this.#zoom.key(event),
    });
    this.#status.textContent = this.#about(elsewhere);
    this.#table?.show(this.#rows, this.#zoom, this.#unit);
  }

  #about(elsewhere) {
    const { perBin } = this.#pairs;
    const ranksPerCell = Math.max(this.#zoom.from.binsPerCell, this.#zoom.to.binsPerCell) * perBin;
    const square = (side) => `${count(side)} × ${count(side)}`;
    const said = [];
    if (this.#rows.length === 0) said.push("No messages here.");
    if (ranksPerCell > perBin)
      said.push(`A cell stands for ${square(ranksPerCell)} ranks; zoom in to tell them apart.`);
    if (elsewhere.messages > 0) {
      const { messages, bytes: size } = elsewhere;
      said.push(`${plural(messages, "message")} with ${bytes(size)} went to or came from other worlds.`);
    }
    return said.join(" ");
  }
}

export function pairs(profile) {
  if (profile.pairs === null)
    return [element("p", { class: "lead" }, profile.json.no_pairs || "This profile was written without who talks to whom.")];
  const { perBin } = profile.pairs;
  const lead =
    "How much data went from rank to rank, counted at the sender. Drag over a part of the map to zoom in." +
    (perBin > 1 ? ` There are too many pairs to hold them all: ${count(perBin)} neighbouring ranks count as one.` : "") +
    (profile.json.pairs.part ? ` ${profile.json.pairs.part}` : "");
  return [element("p", { class: "lead" }, lead), ...new PairMap(profile).elements];
}
