// A profile's files, read and added up without anything of the tool.
import { readFileSync } from "node:fs";
import path from "node:path";

// RFC 4180: a list of rows, each an object by column.
function parse(text) {
  const [header, ...rows] = text
    .trimEnd()
    .split("\n")
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        (field) => field[1]?.replaceAll('""', '"') ?? field[2],
      ),
    );
  return rows.map((row) => Object.fromEntries(header.map((column, i) => [column, row[i]])));
}

export function readTable(profile, name) {
  return parse(readFileSync(path.join(profile, `${name}.csv`), "utf8"));
}

// Sums of columns over the rows of each group: a map from the group's key, its columns joined by a space.
export function sumsBy(rows, columns, summed) {
  const sums = new Map();
  for (const row of rows) {
    const key = columns.map((column) => row[column]).join(" ");
    if (!sums.has(key)) sums.set(key, Object.fromEntries(summed.map((column) => [column, 0])));
    for (const column of summed) sums.get(key)[column] += Number(row[column]);
  }
  return sums;
}

export function sumOf(rows, column) {
  return rows.reduce((sum, row) => sum + Number(row[column]), 0);
}
