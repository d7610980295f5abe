// Builds a page with charts, of a report or of scaling: a head, and a section for each view.
import { drawings } from "./chart.js";
import { dataText, element } from "./dom.js";
import { report } from "./report.js";
import { scaling } from "./scaling.js";
import { exactSwitch } from "./table.js";

function contents(sections) {
  const entries = sections.map(([id, title]) => element("li", {}, element("a", { href: `#${id}` }, title)));
  return [element("ul", {}, entries), exactSwitch()];
}

function emptySection([id, title], aliases) {
  const anchors = (aliases[id] ?? []).map((alias) => element("span", { id: alias, class: "anchor" }));
  return element("section", { id, "aria-labelledby": `${id}-title` }, anchors, element("h2", { id: `${id}-title` }, title));
}

// Creates the sections, then draws the charts, before the browser reports that the page is loaded: so a picture of the
// page is complete. Longer work is cut into slices, so that the first ones appear while others are created; printing
// does not wait for the next slice.
const slice = 2000; // ms
function makeSections({ sections, aliases = {} }, done) {
  const places = sections.map((section) => emptySection(section, aliases));
  document.getElementById("sections").replaceChildren(...places);
  const steps = [
    ...sections.map(([, , make], i) => () => places[i].append(...make())),
    () => steps.unshift(...drawings()),
    done,
  ];
  const work = (end) => {
    while (steps.length > 0 && performance.now() < end) steps.shift()();
  };
  const workInSlices = () => {
    work(performance.now() + slice);
    if (steps.length > 0) setTimeout(workInSlices);
  };
  window.addEventListener("beforeprint", () => work(Infinity));
  workInSlices();
}

// The browser looks for the view in the address before it exists. The page scrolls to the view once it exists, unless
// the reader has scrolled meanwhile.
let hasMoved = false;
for (const event of ["wheel", "touchmove", "keydown", "pointerdown"])
  window.addEventListener(event, () => (hasMoved = true), { once: true, passive: true });
function showNamedView() {
  const name = location.hash.slice(1);
  if (name && !hasMoved) document.getElementById(name)?.scrollIntoView();
}

const json = JSON.parse(dataText());
const page = json.scaling ? scaling(json) : report(json);
page.fillHead();
document.getElementById("contents").append(...contents(page.sections));
document.getElementById("origin").textContent =
  `Written by mpisee-through ${json.commprof}. This file loads nothing from elsewhere.`;
makeSections(page, () => {
  showNamedView();
  document.documentElement.dataset.complete = "true";
  performance.mark("complete");
});
