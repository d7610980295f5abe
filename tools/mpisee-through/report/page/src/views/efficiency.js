// Shows the efficiencies of the whole run and of its regions.
import { details, element } from "../dom.js";
import { kinds, plural, seconds, share } from "../format.js";
import { valueOf } from "../view_table.js";

const linesAtFirst = 5; // the whole run and the longest regions, as on the terminal

// The columns of a line, and what stands before the number: the first is the product of the next two.
const quantities = [["parallel_efficiency", ""], ["load_balance", "="], ["communication_efficiency", "×"]];
// Only of the whole run, and only where waiting is measured.
const factorsOfCommunication = [["serialisation_efficiency", "="], ["transfer_efficiency", "×"]];

function meter(part) {
  const filled = element("span");
  filled.style.width = `${Math.min(part || 0, 1) * 100}%`;
  return element("span", { class: "meter", "aria-hidden": "true" }, filled);
}

function efficiencyLine(columns, cells, i) {
  const at = (key) => columns.findIndex((column) => column.key === key);
  const valueAt = (key) => valueOf(cells[at(key)]) ?? NaN;
  const labelOf = (key) => {
    const mark = cells[at(key)]?.bound;
    return mark ? `${columns[at(key)].title} (${mark})` : columns[at(key)].title;
  };
  const quantity = ([key, sign]) =>
    element(
      "div",
      { class: "quantity" },
      element("dt", { class: i === 0 ? "" : "visually-hidden" }, labelOf(key)),
      element(
        "dd",
        { title: kinds.share.exact(valueAt(key)) },
        element("span", { class: "sign", "aria-hidden": "true" }, sign),
        element("strong", {}, share(valueAt(key))),
        meter(valueAt(key)),
      ),
    );
  const rest = `${labelOf("mpi_share")} ${share(valueAt("mpi_share"))}, ${labelOf("wall_max_s").toLowerCase()} ${seconds(valueAt("wall_max_s"))}`;
  return element(
    "div",
    { class: i === 0 ? "efficiency whole" : "efficiency" },
    element("p", { class: "name" }, cells[at("name")], element("span", { class: "rest" }, rest)),
    element("dl", {}, quantities.map(quantity)),
    Number.isNaN(valueAt("transfer_efficiency")) ? null : element("dl", {}, factorsOfCommunication.map(quantity)),
  );
}

export function efficiency(profile) {
  const { columns, lines } = profile.json.story.efficiencies;
  const shown = (cells, i) => efficiencyLine(columns, cells, i);
  if (lines.length === 0)
    return [
      element(
        "p",
        { class: "lead" },
        profile.run.is_unfinished
          ? "There are none: they would be about a run that did not end, whose ranks were in calls without end or for an unknown time."
          : "Efficiencies are of all that ranks do. There are none of single communicators, operations, call sites or sizes.",
      ),
    ];
  return [
    element(
      "p",
      { class: "lead" },
      "Parallel efficiency is the part of the longest rank's time that ranks spend outside MPI, on average. Load balance " +
        "is low where some ranks have more to do than others, communication efficiency where even the busiest rank is " +
        "in MPI for long.",
    ),
    element("div", { class: "efficiencies" }, lines.slice(0, linesAtFirst).map(shown)),
    lines.length > linesAtFirst
      ? details(`Efficiencies of ${plural(lines.length - linesAtFirst, "further region")}`, () =>
          element("div", { class: "efficiencies" }, lines.slice(linesAtFirst).map((cells, i) => shown(cells, i + 1))),
        )
      : null,
  ].filter(Boolean);
}
