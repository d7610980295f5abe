// The visible part of the matrix of pairs, and the controls for it.
import { Side } from "./cells.js";
import { element } from "./dom.js";

// The part of all bins that is larger by a factor, around the middle of a side.
export function scaled(side, factor, bins) {
  const before = side.last - side.first + 1;
  const wanted = Math.min(Math.max(Math.round(before * factor), 2), bins);
  const first = Math.round(side.first + (before - wanted) / 2);
  const begin = Math.min(Math.max(first, 0), bins - wanted);
  return new Side(begin, begin + wanted - 1);
}

export class Zoom {
  #pairs;
  #ranks;
  #changed;
  #inputs = {};

  // changed(): called when another part becomes visible.
  constructor(pairs, ranks, changed) {
    this.#pairs = pairs;
    this.#ranks = ranks;
    this.#changed = changed;
    this.from = this.to = this.#all();
    const button = (text, act) => element("button", { type: "button", onclick: act }, text);
    this.element = element(
      "div",
      { class: "controls noprint" },
      this.#range("from", "From ranks"),
      this.#range("to", "To ranks"),
      button("Zoom in", () => this.#scale(0.5)),
      button("Zoom out", () => this.#scale(2)),
      button("All ranks", () => this.look(this.#all(), this.#all())),
    );
    this.#fillInputs();
  }

  look(from, to) {
    this.from = from;
    this.to = to;
    this.#fillInputs();
    this.#changed();
  }

  // Handles a key. Returns whether it was one of its own.
  key(event) {
    const factor = { "+": 0.5, "-": 2 }[event.key];
    if (factor) this.#scale(factor);
    else if (event.key === "0") this.look(this.#all(), this.#all());
    else return false;
    return true;
  }

  #all() {
    return new Side(0, this.#pairs.bins - 1);
  }

  #range(side, label) {
    const input = (end) => {
      const properties = { type: "number", min: 0, max: this.#ranks - 1, "aria-label": `${label}, ${end}` };
      this.#inputs[`${side} ${end}`] = element("input", { ...properties, onchange: () => this.#readInputs() });
      return this.#inputs[`${side} ${end}`];
    };
    return element("span", { class: "field" }, element("span", {}, label), input("first"), "–", input("last"));
  }

  #readInputs() {
    const bin = (key) => {
      const rank = Math.min(Math.max(Number(this.#inputs[key].value) || 0, 0), this.#ranks - 1);
      return Math.floor(rank / this.#pairs.perBin);
    };
    const side = (name) => {
      const ends = [bin(`${name} first`), bin(`${name} last`)];
      return new Side(Math.min(...ends), Math.max(...ends));
    };
    this.look(side("from"), side("to"));
  }

  #fillInputs() {
    const { perBin } = this.#pairs;
    for (const name of ["from", "to"]) {
      this.#inputs[`${name} first`].value = this[name].first * perBin;
      this.#inputs[`${name} last`].value = Math.min((this[name].last + 1) * perBin, this.#ranks) - 1;
    }
  }

  #scale(factor) {
    this.look(scaled(this.from, factor, this.#pairs.bins), scaled(this.to, factor, this.#pairs.bins));
  }
}
