// Builds the page of a report: a head, and a section for each view.
import { drawings } from "./chart.js";
import { dataText, element } from "./dom.js";
import { Profile } from "./profile.js";
import { exactSwitch } from "./table.js";
import { callSites } from "./views/call_sites.js";
import { communicators } from "./views/communicators.js";
import { efficiency } from "./views/efficiency.js";
import { findings } from "./views/findings.js";
import { fillHead } from "./views/head.js";
import { links } from "./views/links.js";
import { operations } from "./views/operations.js";
import { pairs } from "./views/pairs.js";
import { ranks } from "./views/ranks.js";
import { regions } from "./views/regions.js";
import { sizes } from "./views/sizes.js";
import { when } from "./views/when.js";

// The views. Problems come first, then the time, from the whole to the parts. The last member says which profiles have
// the view, if not all do.
const allViews = [
  ["findings", "Findings", findings],
  ["efficiency", "Efficiency", efficiency],
  ["operations", "Operations", operations],
  ["sites", "Call sites", callSites],
  ["when", "Over time", when, ({ json }) => json.when !== null],
  ["ranks", "Ranks", ranks],
  ["communicators", "Communicators", communicators],
  ["regions", "Regions", regions],
  ["pairs", "Pairs", pairs],
  ["links", "Links", links, ({ json }) => json.links !== null || json.no_links !== ""],
  ["sizes", "Sizes", sizes],
];

// Further names of views, from the terminal's options; they also lead to the view.
const aliases = {
  operations: ["collectives"],
  sites: ["by-site"],
  ranks: ["waits", "by-rank"],
  communicators: ["tree", "census"],
  pairs: ["matrix"],
};

function contents(views) {
  const entries = views.map(([id, title]) => element("li", {}, element("a", { href: `#${id}` }, title)));
  return [element("ul", {}, entries), exactSwitch()];
}

function emptySection([id, title]) {
  const anchors = (aliases[id] ?? []).map((alias) => element("span", { id: alias, class: "anchor" }));
  return element("section", { id, "aria-labelledby": `${id}-title` }, anchors, element("h2", { id: `${id}-title` }, title));
}

// Creates the views, then draws the charts, before the browser reports that the page is loaded: so a picture of the
// page is complete. Longer work is cut into slices, so that the first views appear while others are created; printing
// does not wait for the next slice.
const slice = 2000; // ms
function makeSections(profile, views, done) {
  const sections = views.map(emptySection);
  document.getElementById("sections").replaceChildren(...sections);
  const steps = [
    ...views.map(([, , make], place) => () => sections[place].append(...make(profile))),
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

const profile = new Profile(JSON.parse(dataText()));
const views = allViews.filter(([, , , has]) => has?.(profile) ?? true);
fillHead(profile);
document.getElementById("contents").append(...contents(views));
document.getElementById("origin").textContent =
  `Written by mpisee-through ${profile.json.commprof}. This file loads nothing from elsewhere.`;
makeSections(profile, views, () => {
  showNamedView();
  document.documentElement.dataset.complete = "true";
  performance.mark("complete");
});
