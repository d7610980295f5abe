// Builds a view's table as the tool declares it (table/page_form.cpp): {columns: [{key, title, kind}], lines: [[cell,
// …], …]}. A cell is a value, or {value, bound} if the number is only a limit.
import { kinds } from "./format.js";
import { Table } from "./table.js";

const isBound = (cell) => cell !== null && typeof cell === "object";
const valueOf = (cell) => (isBound(cell) ? cell.value : cell);

function columnOf({ title, kind }, place) {
  if (kind === "flag")
    return { label: title, kind: "name", value: (line) => (line[place] === null ? "–" : line[place] ? "yes" : "no") };
  if (kind === "name" || kind === "figure") return { label: title, kind, value: (line) => line[place] ?? "–" };
  const limit = (line) => (isBound(line[place]) ? `${line[place].bound} ${kinds[kind].short(line[place].value)}` : undefined);
  return { label: title, kind, value: (line) => valueOf(line[place]), cell: limit };
}

// options: as for Table.
export function tableOfView({ columns, lines }, options) {
  return new Table(columns.map(columnOf), lines, options);
}
