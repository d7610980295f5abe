// Lists the places in the program that call MPI, by cost.
import { element, selection } from "../dom.js";
import { count, share } from "../format.js";
import { chosenCommunicators, communicatorChoices } from "../lines.js";
import { totalsIn } from "../totals.js";
import { lineOfValues, tableOfView } from "../view_table.js";

// The full description of a place, shown as a tooltip of its name.
function placeOf({ site, function: name, file, line }) {
  if (!site) return "";
  const files = file.split(" < ");
  const lines = line.split(" < ");
  const chain = name
    .split(" < ")
    .map((one, i) => [one, files[i] && `${files[i]}:${lines[i]}`].filter(Boolean).join(", "))
    .filter(Boolean);
  return [site, ...chain].join("\n");
}

// The costs of calls by the keys of columns. Threads that call MPI have a wall time each.
function costsOf({ calls, volume, time }, { operations_s: mpi, thread_wall_s: wall }) {
  return {
    calls,
    bytes: volume,
    mpi_share: mpi > 0 ? time / mpi : null,
    wall_share: wall > 0 ? time / wall : null,
    time_mean_s: calls > 0 ? time / calls : null,
  };
}

// A row is {site, line}: a line of the table. On some communicators the costs are those of the calls on them; a column
// that the page has no sums for is empty.
function rowsOf(profile, { name, places }) {
  const { list, parts } = profile.sites;
  const { columns, lines } = profile.json.tables.sites.table;
  if (places === null) return list.map((site) => ({ site, line: lines[site.index] }));
  const sums = new Map();
  for (const part of parts) if (places.has(part.communicator)) totalsIn(sums, part.site).add(part);
  const byTime = [...sums].sort(([, a], [, b]) => b.time - a.time);
  return byTime.map(([site, totals]) => {
    const values = { on: name, ...costsOf(totals, profile.run) };
    return { site, line: lineOfValues(columns, values, ({ kind }, i) => (kind === "name" ? lines[site.index][i] : null)) };
  });
}

function siteTable(profile) {
  const used = new Set(profile.sites.parts.map((part) => part.communicator));
  const control = selection(
    "Communicator",
    communicatorChoices(profile.lines, (one) => used.has(one.index)),
    (value) => table.setRows(rowsOf(profile, chosenCommunicators(profile, value))),
  );
  const table = tableOfView(profile.json.tables.sites.table, {
    caption: "Calls by the place in the program that makes them. Time is summed over ranks.",
    rows: rowsOf(profile, { name: "", places: null }),
    lineOf: ({ line }) => line,
    parts: {
      at: {
        cell: ({ site }) =>
          element("span", { class: site.function || site.file ? null : "unnamed", title: placeOf(site) }, site.label),
      },
      op: { cell: ({ site }) => element("span", { class: "word" }, profile.operations[site.operation]) },
    },
    search: ({ site, line }) => `${placeOf(site)} ${line.join(" ")}`,
    noun: "call site",
    control,
    atFirst: 20,
  });
  return table.element;
}

export function callSites(profile) {
  const { sites, run } = profile.json;
  if (sites === null)
    return [element("p", { class: "lead" }, "This profile was written without call sites.")];
  const notes = sites.problems.map((text) => element("p", { class: "status" }, `${text}.`));
  if (sites.left_out > 0) {
    const part = share(run.operations_s > 0 ? sites.time_left_out / run.operations_s : NaN);
    const text = `${count(sites.left_out)} further call sites with ${part} of the MPI time are left out.`;
    notes.push(element("p", { class: "status" }, text));
  }
  const lead =
    "Which lines of the program call MPI, those that cost most first. Where the line is not known, a call site is a place " +
    "in a program or library, like solver+0x4a2f.";
  return [element("p", { class: "lead" }, lead), siteTable(profile), ...notes];
}
