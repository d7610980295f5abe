// Builds a view's table as the tool declares it (table/page_form.cpp): {columns: [{key, title, kind}], lines: [[cell,
// …], …]}. A cell is a value, {value, bound} if the number is only a limit or an estimate, or {value, by} if a number sorts the
// text. No column is declared in this page.
import { element } from "./dom.js";
import { kinds, unknown } from "./format.js";
import { shareCell } from "./share_cell.js";
import { Table } from "./table.js";

const isObject = (cell) => cell !== null && typeof cell === "object";
const isBound = (cell) => isObject(cell) && cell.bound !== undefined;
export const valueOf = (cell) => (isObject(cell) ? cell.value : cell);
const indentOf = (text) => text.length - text.trimStart().length;

function textColumn(column, textOf, lines, place) {
  const depth = lines.some((line) => valueOf(line[place])?.startsWith(" ")) ? (row) => indentOf(textOf(row)) / 2 : undefined;
  return { ...column, value: (row) => textOf(row).trim(), depth };
}

// cellOf: the cell of a row.
function columnOf({ key, title, kind }, cellOf, lines, place) {
  if (kind === "flag") {
    const words = new Map([[null, unknown], [true, "yes"], [false, "no"]]);
    return { label: title, kind: "name", value: (row) => words.get(cellOf(row)) };
  }
  if (kind === "name" || kind === "figure") {
    const by = lines.some((line) => isObject(line[place])) ? (row) => cellOf(row)?.by : undefined;
    return textColumn({ label: title, kind, by }, (row) => valueOf(cellOf(row)) ?? unknown, lines, place);
  }
  const cell = (row) => {
    const shown = cellOf(row);
    if (isBound(shown)) return `${shown.bound} ${kinds[kind].short(shown.value)}`;
    return key === "mpi_share" && shown !== null ? shareCell(shown) : undefined;
  };
  return { label: title, kind, value: (row) => valueOf(cellOf(row)), cell };
}

// options: as for Table; also rows, if they are not the lines, and lineOf, which gives the line of a row; and parts of
// columns by key, to show more than the value.
export function tableOfView({ columns, lines }, { rows = lines, lineOf = (row) => row, parts = {}, ...options }) {
  const made = columns.map((column, place) => ({
    ...columnOf(column, (row) => lineOf(row)[place], lines, place),
    ...parts[column.key],
  }));
  const search = (row) => lineOf(row).map(valueOf).join(" ");
  return new Table(made, rows, { search, ...options });
}

// A line for numbers that the page has added up itself: values by the keys of columns. otherwise(column, place): the cell
// of any other column. Throws for a key that no column has: its column would stay empty.
export function lineOfValues(columns, values, otherwise = () => null) {
  const unknownKey = Object.keys(values).find((key) => !columns.some((column) => column.key === key));
  if (unknownKey !== undefined) throw new Error(`no column ${unknownKey}`);
  return columns.map((column, place) => values[column.key] ?? otherwise(column, place));
}

// The lines of text that the tool prints around a table.
export const textAround = (lines) => (lines.trim() ? element("pre", { class: "around" }, lines.trimEnd()) : null);

// A view's part of the page, without the text above the table.
export function tableWithText({ table, below }, options) {
  return element("div", {}, tableOfView(table, options).element, textAround(below));
}
