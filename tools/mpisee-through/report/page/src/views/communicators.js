// The tree of communicators.
import { details, element } from "../dom.js";
import { kinds } from "../format.js";
import { Table } from "../table.js";

function shareCell(part) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = `${Math.max((part || 0) * 100, part > 0 ? 0.5 : 0)}%`;
  return element(
    "span",
    { class: "with-bar" },
    element("span", { class: "track" }, bar),
    element("span", {}, kinds.share.short(part)),
  );
}

// Which communicators hide what was made from them.
class Folds {
  #folded = new Set();

  // changed(communicator): it hides or shows now.
  constructor(changed) {
    this.changed = changed;
  }

  hide(one) {
    for (let { parent } = one; parent; parent = parent.parent) {
      if (this.#folded.has(parent)) return true;
    }
    return false;
  }

  button(one) {
    const isFolded = this.#folded.has(one);
    const toggle = () => {
      if (!this.#folded.delete(one)) this.#folded.add(one);
      this.changed(one);
    };
    const label = `What was made from ${one.name}`;
    return element(
      "button",
      { type: "button", class: "fold", "aria-expanded": String(!isFolded), "aria-label": label, onclick: toggle },
      isFolded ? "▸" : "▾",
    );
  }
}

function nameCell(one, folds, asTree) {
  const level = one.depth > 0 ? element("span", { class: "visually-hidden" }, `level ${one.depth + 1}: `) : null;
  const fold = asTree && one.hasChildren ? folds.button(one) : null;
  return element(
    "span",
    { class: asTree ? "node" : "" },
    fold,
    level,
    element("span", { class: one.further ? "" : "name" }, one.name),
  );
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

export function communicators(profile) {
  const all = profile.run.operations_s;
  const share = (one) => (all > 0 ? one.totals.time / all : NaN);
  const folds = new Folds((one) => {
    table.redraw();
    table.element.querySelector(`[aria-label="${CSS.escape(`What was made from ${one.name}`)}"]`).focus();
  });
  const columns = [
    {
      label: "Communicator",
      kind: "text",
      value: (one) => one.name,
      cell: (one, asTree) => nameCell(one, folds, asTree),
      depth: (one) => one.depth,
    },
    { label: "Size", kind: "count", value: (one) => one.size },
    { label: "MPI time", kind: "share", value: share, cell: (one) => shareCell(share(one)) },
    { label: "Time", kind: "seconds", value: (one) => one.totals.time },
    { label: "Sent", kind: "bytes", value: (one) => one.totals.sent },
    { label: "Received", kind: "bytes", value: (one) => one.totals.received },
    { label: "Calls", kind: "count", value: (one) => one.totals.calls },
    {
      label: "Ranks",
      kind: "text",
      value: (one) =>
        one.instances > 1 && !one.further ? `${one.instances} of this name, ${one.members}` : one.members,
    },
    { label: "Made by", kind: "text", value: (one) => one.origin },
  ];
  const table = new Table(columns, profile.communicators, {
    caption:
      "Communicators below the one they were made from. Time is summed over ranks, without that of communicators below.",
    search: (one) => `${one.name} ${one.user_name} ${one.origin}`,
    noun: "communicator",
    folded: (one) => folds.hide(one),
  });
  return [
    element(
      "p",
      { class: "lead" },
      "W is MPI_COMM_WORLD. A name is the path of its making: W_s2.0 came from the second creation on W, " +
        "a split, and its lowest rank had been 0 there.",
    ),
    table.element,
    details("How many of each size", () => sizesTable(profile)),
  ];
}
