// Lists the places in the program that call MPI, by cost.
import { element, selection } from "../dom.js";
import { count, share } from "../format.js";
import { chosenCommunicators, communicatorChoices } from "../lines.js";
import { shareCell } from "../share_cell.js";
import { Table } from "../table.js";
import { Totals } from "../totals.js";

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

// For each site called on the selected communicators: {site, totals, on}, most time first.
function rowsOf(profile, { name, places }) {
  const { list, parts } = profile.sites;
  if (places === null) return list.map((site) => ({ site, totals: site.totals, on: site.on }));
  const rows = new Map();
  for (const part of parts) {
    if (!places.has(part.communicator)) continue;
    if (!rows.has(part.site)) rows.set(part.site, { site: part.site, totals: new Totals(), on: name });
    rows.get(part.site).totals.add(part);
  }
  return [...rows.values()].sort((a, b) => b.totals.time - a.totals.time);
}

function columnsOf(profile) {
  const all = profile.run.operations_s;
  const part = ({ totals }) => (all > 0 ? totals.time / all : NaN);
  return [
    {
      label: "Call site",
      kind: "text",
      value: ({ site }) => site.label,
      cell: ({ site }) =>
        element("span", { class: site.function || site.file ? null : "unnamed", title: placeOf(site) }, site.label),
    },
    {
      label: "Call",
      kind: "text",
      value: ({ site }) => profile.operations[site.operation],
      cell: ({ site }) => element("span", { class: "word" }, profile.operations[site.operation]),
    },
    { label: "MPI time", kind: "share", value: part, cell: (row) => shareCell(part(row)) },
    { label: "Time", kind: "seconds", value: ({ totals }) => totals.time },
    { label: "A call", kind: "seconds", value: ({ totals }) => (totals.calls > 0 ? totals.time / totals.calls : 0) },
    { label: "Volume", kind: "bytes", value: ({ totals }) => totals.volume },
    { label: "Calls", kind: "count", value: ({ totals }) => totals.calls },
    { label: "Communicator", kind: "text", value: ({ on }) => on },
  ];
}

function siteTable(profile) {
  const used = new Set(profile.sites.parts.map((part) => part.communicator));
  const control = selection(
    "Communicator",
    communicatorChoices(profile.lines, (one) => used.has(one.index)),
    (value) => table.setRows(rowsOf(profile, chosenCommunicators(profile, value))),
  );
  const table = new Table(columnsOf(profile), rowsOf(profile, { name: "", places: null }), {
    caption: "Calls by the place in the program that makes them. Time is summed over ranks.",
    search: ({ site, on }) => `${placeOf(site)} ${site.label} ${profile.operations[site.operation]} ${on}`,
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
