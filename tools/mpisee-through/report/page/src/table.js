// A table that can be sorted by its column heads and searched. A long one shows its first rows, and more on demand.
import { element, newId } from "./dom.js";
import { count, kinds, plural, unknown } from "./format.js";

const rowsAtFirst = 50;

// Whether tables show all digits: one switch for all tables.
const exactness = new EventTarget();
let exact = false;
export function exactSwitch() {
  const input = element("input", {
    type: "checkbox",
    id: "exact",
    onchange: () => {
      exact = input.checked;
      exactness.dispatchEvent(new Event("change"));
    },
  });
  return element("label", { class: "switch noprint" }, input, element("span", {}, "All digits"));
}

// Kinds whose values are texts. Figures with several numbers are aligned to the right, the others to the left.
const isText = (kind) => kind === "text" || kind === "name" || kind === "figure";

// Sorts a missing number last in descending order.
function numberOf(value) {
  return Number.isFinite(value) ? value : -Infinity;
}

// columns: {label, kind, value(row), cell(row, asTree, searched), depth(row), by(row)}. kind: a kind of number, or "text";
// cell: shown instead of the value; by: the number that a text is sorted by; depth: indentation in the order of a tree. rows: in their initial order. options:
// caption; search: a row's text for searching; control: an element beside the search; noun: what a row is; atFirst:
// number of rows shown at first; folded: whether a tree's row is in a collapsed part; hidden: whether a row is hidden
// in other orders, too, unless it is searched for.
export class Table {
  #columns;
  #rows;
  #options;
  #sort = null; // {column, falling}, or null
  #wanted = "";
  #limit;
  #body = element("tbody");
  #heads;
  #status = element("p", { class: "status", role: "status" });
  #more = element("p", { class: "more noprint" });

  constructor(columns, rows, options) {
    this.#columns = columns;
    this.#rows = rows;
    this.#options = options;
    this.#limit = options.atFirst ?? rowsAtFirst;
    this.#heads = columns.map((column) => this.#head(column));
    const id = newId("table");
    this.element = element(
      "div",
      { class: "table" },
      options.search ? this.#searchField(id) : null,
      element(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": options.caption },
        element(
          "table",
          { id },
          element("caption", {}, options.caption),
          element("thead", {}, element("tr", {}, this.#heads)),
          this.#body,
        ),
      ),
      this.#more,
    );
    exactness.addEventListener("change", () => this.#draw());
    this.#draw();
  }

  setRows(rows) {
    this.#rows = rows;
    this.#draw();
  }
  redraw() {
    this.#draw();
  }

  #searchField(id) {
    const input = element("input", {
      type: "search",
      "aria-controls": id,
      oninput: () => {
        this.#wanted = input.value.trim().toLowerCase();
        this.#draw();
      },
    });
    return element(
      "div",
      { class: "search noprint" },
      this.#options.control,
      element("label", { class: "field" }, element("span", {}, `Search ${this.#options.noun}s`), input),
      this.#status,
    );
  }

  #head(column) {
    const button = element("button", { type: "button", onclick: () => this.#sortBy(column) }, column.label);
    return element("th", { scope: "col", class: column.kind }, button);
  }

  #sortBy(column) {
    const fallingAtFirst = !isText(column.kind) || column.by !== undefined;
    const again = this.#sort?.column === column;
    if (again && this.#sort.falling !== fallingAtFirst) this.#sort = null;
    else this.#sort = { column, falling: again ? !fallingAtFirst : fallingAtFirst };
    this.#draw();
  }

  #sorted() {
    let rows = this.#rows;
    if (this.#wanted) rows = rows.filter((row) => this.#options.search(row).toLowerCase().includes(this.#wanted));
    if (this.#isInOrder()) return rows.filter((row) => !this.#options.folded?.(row));
    if (!this.#wanted) rows = rows.filter((row) => !this.#options.hidden?.(row));
    if (!this.#sort) return rows;
    const {
      column: { value, kind, by },
      falling,
    } = this.#sort;
    const number = by ?? (isText(kind) ? null : value);
    const compare =
      number === null
        ? (a, b) => value(a).localeCompare(value(b), "en", { numeric: true })
        : (a, b) => numberOf(number(a)) - numberOf(number(b)) || 0;
    return [...rows].sort(falling ? (a, b) => compare(b, a) : compare);
  }

  // Whether the table is neither sorted nor searched.
  #isInOrder() {
    return this.#sort === null && this.#wanted === "";
  }

  #draw() {
    const rows = this.#sorted();
    this.#columns.forEach((column, i) => {
      const sorted = this.#sort?.column === column && (this.#sort.falling ? "descending" : "ascending");
      this.#heads[i].setAttribute("aria-sort", sorted || "none");
    });
    this.#body.replaceChildren(...rows.slice(0, this.#limit).map((row) => this.#row(row)));
    this.#status.textContent = this.#wanted ? `${plural(rows.length, this.#options.noun)} found` : "";
    this.#drawMore(rows.length);
  }

  #drawMore(all) {
    if (all <= this.#limit) {
      this.#more.replaceChildren(all === 0 ? "Nothing to show." : "");
      return;
    }
    const show = (limit, text) =>
      element(
        "button",
        {
          type: "button",
          onclick: () => {
            this.#limit = limit;
            this.#draw();
          },
        },
        text,
      );
    this.#more.replaceChildren(
      `The first ${count(this.#limit)} of ${plural(all, this.#options.noun)}. `,
      ...(all > this.#limit + 4 * rowsAtFirst
        ? [show(this.#limit + 4 * rowsAtFirst, `Show ${4 * rowsAtFirst} more`), " "]
        : []),
      show(Infinity, "Show all"),
    );
  }

  #row(row) {
    const asTree = this.#isInOrder();
    const cells = this.#columns.map((column, i) => {
      const properties = { class: column.kind, scope: i === 0 ? "row" : null, ...this.#title(column, row) };
      const shown = column.cell?.(row, asTree, this.#wanted !== "") ?? this.#text(column, row);
      const cell = element(i === 0 ? "th" : "td", properties, shown);
      if (asTree && column.depth) cell.style.paddingLeft = `${1.25 * Math.min(column.depth(row), 12)}rem`;
      return cell;
    });
    return element("tr", {}, cells);
  }

  #text({ kind, value }, row) {
    const shown = value(row);
    if (isText(kind)) return shown;
    return shown === null || shown === undefined ? unknown : kinds[kind][exact ? "exact" : "short"](shown);
  }

  #title({ kind, value }, row) {
    const shown = value(row);
    return isText(kind) || shown === null || shown === undefined ? {} : { title: kinds[kind].exact(shown) };
  }
}
