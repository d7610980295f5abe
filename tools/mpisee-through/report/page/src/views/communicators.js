// Shows the tree of communicators.
import { details, element } from "../dom.js";
import { count, share } from "../format.js";
import { treeOf } from "../lines.js";
import { shareCell } from "../share_cell.js";
import { Table } from "../table.js";

// Which rows are collapsed, so that rows below them are hidden. Groups are at first.
class Folds {
  #rows;
  #folded;

  // changed(row): called when a row is collapsed or expanded.
  constructor(rows, changed) {
    this.#rows = rows;
    this.#folded = new Set(rows.filter((row) => row.line));
    this.changed = changed;
  }

  hides(row) {
    return this.#isBelow(row, () => true);
  }
  // Whether the row is a member of a collapsed group, or below one.
  hidesInGroup(row) {
    return this.#isBelow(row, (above) => above.line !== null);
  }

  button(row) {
    const isFolded = this.#folded.has(row);
    const toggle = () => {
      if (!this.#folded.delete(row)) this.#folded.add(row);
      this.changed(row);
    };
    return element(
      "button",
      {
        type: "button",
        class: "fold",
        id: this.idOf(row),
        "aria-expanded": String(!isFolded),
        "aria-label": row.line ? `Each of ${row.line.title}` : `What was made from ${row.one.name}`,
        onclick: toggle,
      },
      isFolded ? "▸" : "▾",
    );
  }
  idOf(row) {
    return `fold-${this.#rows.indexOf(row)}`;
  }

  #isBelow({ above }, counts) {
    for (; above; above = above.above) {
      if (counts(above) && this.#folded.has(above)) return true;
    }
    return false;
  }
}

// A group can be expanded in any order of the table, a part of the tree only in the order of the tree. A search finds
// rows in collapsed parts, too.
function nameCell(row, folds, asTree, searched) {
  const level = row.depth > 0 ? element("span", { class: "visually-hidden" }, `level ${row.depth + 1}: `) : null;
  const fold = (row.line && !searched) || (asTree && row.hasInner) ? folds.button(row) : null;
  const isName = row.one && !row.one.further;
  return element(
    "span",
    { class: asTree || fold ? "node" : "" },
    fold,
    level,
    element("span", { class: isName ? "name" : row.line ? "group" : "" }, row.line ? row.line.title : row.one.name),
  );
}

function ranksOf({ one }) {
  if (!one) return "";
  return one.instances > 1 && !one.further ? `${one.instances} of this name, ${one.members}` : one.members;
}

function sizesTable(profile) {
  const columns = [
    { label: "Size", kind: "count", value: (row) => row.size },
    { label: "Communicators", kind: "count", value: (row) => row.communicators },
    { label: "Time", kind: "seconds", value: (row) => row.time_s },
  ];
  return new Table(columns, profile.json.communicator_sizes, {
    caption: "How many communicators there are of each size, and the time on all of them",
    noun: "size",
  }).element;
}

// The share of the time in calls that is known to be waiting: {part, isUpperBound}, or null.
function waitsOf({ one, line }) {
  const known = (line?.members ?? [one]).map(({ waits }) => waits).filter(Boolean);
  const { time } = (line ?? one).totals;
  if (known.length === 0 || time <= 0) return null;
  return {
    part: known.reduce((sum, { wait_s: seconds }) => sum + seconds, 0) / time,
    isUpperBound: known.some(({ is_upper_bound: isUpperBound }) => isUpperBound),
  };
}

function waitsColumn() {
  return {
    label: "Coll. waits",
    kind: "share",
    value: (row) => waitsOf(row)?.part ?? NaN,
    cell: (row) => {
      const waits = waitsOf(row);
      return waits ? `${waits.isUpperBound ? "max. " : ""}${share(waits.part)}` : "–";
    },
  };
}

function columnsOf(profile, folds) {
  const all = profile.run.operations_s;
  const totals = (row) => (row.line ?? row.one).totals;
  const partOfMpi = (row) => (all > 0 ? totals(row).time / all : NaN);
  return [
    {
      label: "Communicator",
      kind: "text",
      value: (row) => row.line?.title ?? row.one.name,
      cell: (row, asTree, searched) => nameCell(row, folds, asTree, searched),
      depth: (row) => row.depth,
    },
    { label: "Size", kind: "count", value: (row) => (row.line ? row.line.group.size : row.one.size) },
    { label: "MPI time", kind: "share", value: partOfMpi, cell: (row) => shareCell(partOfMpi(row)) },
    { label: "Time", kind: "seconds", value: (row) => totals(row).time },
    ...(profile.json.waits ? [waitsColumn()] : []),
    { label: "Sent", kind: "bytes", value: (row) => totals(row).sent },
    { label: "Received", kind: "bytes", value: (row) => totals(row).received },
    { label: "Calls", kind: "count", value: (row) => totals(row).calls },
    { label: "Ranks", kind: "text", value: ranksOf },
    { label: "Made by", kind: "text", value: (row) => (row.line ? row.line.group.maker : row.one.origin) },
  ];
}

function treeTable(profile) {
  const rows = treeOf(profile);
  const folds = new Folds(rows, (row) => {
    table.redraw();
    document.getElementById(folds.idOf(row)).focus();
  });
  const table = new Table(columnsOf(profile, folds), rows, {
    caption:
      "Communicators below the one they were made from. Time is summed over ranks, without that of communicators below.",
    search: ({ one, line }) => (line ? line.title : `${one.name} ${one.user_name} ${one.origin}`),
    noun: "communicator",
    folded: (row) => folds.hides(row),
    hidden: (row) => folds.hidesInGroup(row),
  });
  return table.element;
}

export function communicators(profile) {
  const joined = profile.lines.filter((line) => line.group).length;
  const groups =
    joined > 0
      ? ` Where one call site has made ${count(profile.json.fewest_to_join)} of one size or more, ` +
        "they are one line, which can be opened."
      : "";
  return [
    element(
      "p",
      { class: "lead" },
      "W is MPI_COMM_WORLD. A name is the path of its making: W_s2.0 came from the second creation on W, " +
        `a split, and its lowest rank had been 0 there.${groups}`,
    ),
    treeTable(profile),
    details("How many of each size", () => sizesTable(profile)),
  ];
}
