// A table of a document, as the tool declares it: it can be searched, filtered by a column, and sorted by a click. It may have
// a picture (drawing.js), which shows the lines that the filters leave. Nothing is added up here.
import { element, button, selection, textAround } from "./dom.js";
import { drawingOf } from "./drawing.js";
import { count, kinds, plural, unknown } from "./format.js";

const linesAtFirst = 15;
const mostChoices = 300; // of a filter

const isObject = (cell) => cell !== null && typeof cell === "object";
export const valueOf = (cell) => (isObject(cell) ? cell.value : cell);
// The number by which a cell is sorted, or that its text stands for.
export const numberOf = (cell) => (isObject(cell) && cell.by !== undefined ? cell.by : valueOf(cell));
const isText = ({ kind }) => kind === "name" || kind === "figure" || kind === "flag";
const indentOf = (text) => text.length - text.trimStart().length;

export function textOf({ kind }, cell, all = false) {
  const value = valueOf(cell);
  if (value === null || value === undefined) return unknown;
  if (kind === "flag") return value ? "yes" : "no";
  if (isText({ kind })) return value;
  const text = kinds[kind][all ? "exact" : "short"](value);
  return cell.bound ? `${cell.bound} ${text}` : text;
}

// The names in a column, each once.
const namesIn = ({ place }, lines) => [...new Set(lines.map((line) => valueOf(line[place])))].filter((name) => name?.trim());

// The columns that lines can be filtered by: names that several lines have.
function filtersOf(columns, lines) {
  return columns.filter((column) => {
    if (column.kind !== "name" || lines.length < 6) return false;
    const { length } = namesIn(column, lines);
    return length > 1 && length <= mostChoices && length <= lines.length / 2;
  });
}

export class Table {
  #table;
  #columns;
  #shown; // columns
  #sort = null; // {column, falling}, or null
  #wanted = "";
  #chosen = new Map(); // column → value
  #limit = linesAtFirst;
  #heads;
  #body = element("tbody");
  #status = element("p", { class: "status", role: "status" });
  #more = element("p", { class: "more noprint" });
  #drawing = null;

  // isOneOfSeveral: the table needs a title.
  constructor(table, isOneOfSeveral) {
    this.#table = table;
    this.#columns = table.columns.map((column, place) => ({ ...column, title: column.title.trim(), place }));
    this.#shown = this.#columns.filter(({ drawn }) => !drawn);
    this.#heads = this.#shown.map((column) => this.#head(column));
    const { drawing, title, above, below, hidden, noun } = table;
    const name = title || table.name[0].toUpperCase() + table.name.slice(1).replaceAll("_", " ");
    const controls = element("div", { class: "controls noprint" }, this.#filters(drawing?.choose));
    if (drawing) this.#drawing = drawingOf(drawing, this.#columns, name);
    const isFolded = drawing && (drawing.as === "cells" || drawing.upright || (drawing.as === "lines" && table.lines.length > 30));
    const made = this.#element(name, noun);
    this.element = element(
      "div",
      { class: "part" },
      title || isOneOfSeveral ? element("h3", {}, name) : null,
      textAround(above),
      this.#drawing?.controls ? element("div", { class: "controls noprint" }, this.#drawing.controls, controls) : controls,
      this.#drawing?.element,
      isFolded ? element("details", {}, element("summary", {}, `${name}, as a table`), made) : made,
      hidden > 0 ? element("p", { class: "more" }, `Not shown: ${plural(hidden, noun)}.`) : null,
      textAround(below),
    );
    this.#draw();
    this.#redraw();
  }

  // needed: the key of a column of which one value is always chosen, because the lines of all values are no whole.
  #filters(needed) {
    return filtersOf(this.#columns, this.#table.lines).map((column) => {
      const values = namesIn(column, this.#table.lines);
      const isNeeded = column.key === needed;
      if (isNeeded) this.#chosen.set(column, values[0]);
      const choose = (value) => {
        if (value === "" && !isNeeded) this.#chosen.delete(column);
        else this.#chosen.set(column, value);
        this.#draw();
        this.#redraw();
      };
      const choices = values.map((value) => [value, value.trim()]);
      return selection(column.title, isNeeded ? choices : [["", "all"], ...choices], choose);
    });
  }

  #element(name, noun) {
    const { lines } = this.#table;
    const find = (event) => {
      this.#wanted = event.target.value.trim().toLowerCase();
      this.#draw();
    };
    const search = element(
      "div",
      { class: "controls noprint" },
      element("label", { class: "field" }, element("span", {}, `Search ${noun}s`), element("input", { type: "search", oninput: find })),
      this.#status,
    );
    const table = element("table", { "aria-label": name }, element("thead", {}, element("tr", {}, this.#heads)), this.#body);
    return element(
      "div",
      { class: "table" },
      lines.length > 8 ? search : null,
      element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `${name}, table` }, table),
      this.#more,
    );
  }

  #head(column) {
    return element("th", { scope: "col", class: column.kind }, button(column.title, () => this.#sortBy(column)));
  }

  // The first click sorts by falling numbers or rising names, the third one restores the order.
  #sortBy(column) {
    const fallsAtFirst = !isText(column) || this.#table.lines.some((line) => line[column.place]?.by !== undefined);
    const again = this.#sort?.column === column;
    if (again && this.#sort.falling !== fallsAtFirst) this.#sort = null;
    else this.#sort = { column, falling: again ? !fallsAtFirst : fallsAtFirst };
    this.#draw();
  }

  // The lines that the filters leave.
  #filtered() {
    const chosen = [...this.#chosen];
    return this.#table.lines.filter((line) => chosen.every(([{ place }, value]) => valueOf(line[place]) === value));
  }

  #lines() {
    let lines = this.#filtered();
    if (this.#wanted)
      lines = lines.filter((line) => line.map(valueOf).join(" ").toLowerCase().includes(this.#wanted));
    if (!this.#sort) return lines;
    const { column, falling } = this.#sort;
    // Unknown numbers are the smallest.
    const key = (line) => numberOf(line[column.place]) ?? -Infinity;
    const compare = (a, b) =>
      typeof key(a) === "string" && typeof key(b) === "string"
        ? key(a).trim().localeCompare(key(b).trim(), "en", { numeric: true })
        : Number(key(a)) - Number(key(b)) || 0;
    return [...lines].sort(falling ? (a, b) => compare(b, a) : compare);
  }

  #redraw() {
    this.#drawing?.show(this.#filtered());
  }

  #draw() {
    const lines = this.#lines();
    this.#shown.forEach((column, i) => {
      const sorted = this.#sort?.column === column && (this.#sort.falling ? "descending" : "ascending");
      this.#heads[i].setAttribute("aria-sort", sorted || "none");
    });
    this.#body.replaceChildren(...lines.slice(0, this.#limit).map((line) => this.#row(line)));
    this.#status.textContent = this.#wanted ? `${plural(lines.length, this.#table.noun)} found` : "";
    const showAll = () => {
      this.#limit = Infinity;
      this.#draw();
    };
    if (lines.length === 0) this.#more.replaceChildren(this.#table.if_empty.trim() || "Nothing to show.");
    else if (lines.length <= this.#limit) this.#more.replaceChildren();
    else
      this.#more.replaceChildren(
        `The first ${count(this.#limit)} of ${plural(lines.length, this.#table.noun)}. `,
        button("Show all", showAll),
      );
  }

  #row(line) {
    const cells = this.#shown.map((column, i) => {
      const cell = line[column.place];
      const text = textOf(column, cell);
      const made = element(i === 0 ? "th" : "td", { class: column.kind, scope: i === 0 ? "row" : null }, text.trim());
      if (!isText(column) && text !== unknown) made.title = textOf(column, cell, true);
      if (column.kind === "share" && text !== unknown) made.style.setProperty("--part", Math.min(Math.max(valueOf(cell), 0), 1));
      if (i === 0 && indentOf(text) > 0) made.style.paddingLeft = `${0.6 * Math.min(indentOf(text), 24)}rem`;
      return made;
    });
    return element("tr", {}, cells);
  }
}
