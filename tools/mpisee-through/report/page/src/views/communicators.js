// Shows the tree of communicators.
import { details, element } from "../dom.js";
import { count } from "../format.js";
import { treeOf } from "../lines.js";
import { tableOfView, tableWithText } from "../view_table.js";

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

const nameOf = ({ one, line }) => line?.title ?? one.name;

function ranksOf({ one }) {
  if (!one?.members) return null;
  return one.instances > 1 && !one.further ? `${one.instances} of this name, ${one.members}` : `ranks ${one.members}`;
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
    element("span", { class: isName ? "name" : row.line ? "group" : "", title: ranksOf(row) }, nameOf(row)),
  );
}

function treeTable(profile) {
  const rows = treeOf(profile);
  const folds = new Folds(rows, (row) => {
    table.redraw();
    document.getElementById(folds.idOf(row)).focus();
  });
  const view = profile.json.tables.communicators;
  const lineOf = ({ one, line }) => view.lines[line ? profile.communicators.length + line.place : one.index];
  const table = tableOfView(view, {
    caption:
      "Communicators below the one they were made from. Time is summed over ranks, without that of communicators below.",
    rows,
    lineOf,
    parts: {
      name: {
        value: nameOf,
        cell: (row, asTree, searched) => nameCell(row, folds, asTree, searched),
        depth: (row) => row.depth,
      },
    },
    search: (row) => `${nameOf(row)} ${lineOf(row).join(" ")} ${row.one?.user_name ?? ""}`,
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
    details("How many of each size", () =>
      tableWithText(profile.json.tables.census, {
        caption: "How many communicators there are of each size, by the call that made them, and the time on them",
        noun: "size",
      }),
    ),
  ];
}
