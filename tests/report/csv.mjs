// A profile's files, read, added up and written without anything of the tool.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

// The lines of each table, and what is known of the run.
export function write(directory, header, tables, run) {
  mkdirSync(directory, { recursive: true });
  const files = {};
  for (const [name, lines] of Object.entries(tables)) {
    files[`${name}.csv`] = { rows: lines.length };
    writeFileSync(path.join(directory, `${name}.csv`), `${[header[name], ...lines].join("\n")}\n`);
  }
  const all = { schema_version: 1, mpi: { library: "synthetic", version: "4.0" }, ...run, files };
  writeFileSync(path.join(directory, "run.json"), JSON.stringify(all, null, 1));
}
