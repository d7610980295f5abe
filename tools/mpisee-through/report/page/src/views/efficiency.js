// Shows the efficiencies of the whole run and of its regions.
import { details, element } from "../dom.js";
import { kinds, plural, seconds, share } from "../format.js";

const linesAtFirst = 5; // the whole run and the longest regions, as on the terminal

const quantities = [
  ["parallel", "Parallel efficiency", ""],
  ["load_balance", "Load balance", "="],
  ["communication", "Communication efficiency", "×"],
];
// Only of the whole run, and only where waiting for messages is measured.
const estimates = [
  ["serialisation", "Serialisation (estimate)", "="],
  ["transfer", "Transfer (estimate)", "×"],
];

function meter(part) {
  const filled = element("span");
  filled.style.width = `${Math.min(part ?? 0, 1) * 100}%`;
  return element("span", { class: "meter", "aria-hidden": "true" }, filled);
}

function efficiencyLine(line, i) {
  const cell = ([key, label, sign]) =>
    element(
      "div",
      { class: "quantity" },
      element("dt", { class: i === 0 ? "" : "visually-hidden" }, label),
      element(
        "dd",
        { title: kinds.share.exact(line[key] ?? NaN) },
        element("span", { class: "sign", "aria-hidden": "true" }, sign),
        element("strong", {}, share(line[key] ?? NaN)),
        meter(line[key]),
      ),
    );
  const rest = `In MPI ${share(line.mpi ?? NaN)}, longest rank ${seconds(line.longest_s)}`;
  return element(
    "div",
    { class: i === 0 ? "efficiency whole" : "efficiency" },
    element("p", { class: "name" }, line.name, element("span", { class: "rest" }, rest)),
    element("dl", {}, quantities.map(cell)),
    line.transfer === null ? null : element("dl", {}, estimates.map(cell)),
  );
}

export function efficiency(profile) {
  const lines = profile.json.story.efficiencies;
  if (lines.length === 0)
    return [
      element(
        "p",
        { class: "lead" },
        "Efficiencies are of all that ranks do. There are none of single communicators, operations, call sites or sizes.",
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
    element("div", { class: "efficiencies" }, lines.slice(0, linesAtFirst).map(efficiencyLine)),
    lines.length > linesAtFirst
      ? details(`Efficiencies of ${plural(lines.length - linesAtFirst, "further region")}`, () =>
          element("div", { class: "efficiencies" }, lines.slice(linesAtFirst).map((line, i) => efficiencyLine(line, i + 1))),
        )
      : null,
  ].filter(Boolean);
}
