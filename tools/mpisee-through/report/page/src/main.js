// The page: a head, and a section for each view. The data is in the element "profile".
import { element } from "./dom.js";
import { Profile } from "./profile.js";
import { showExactNumbers } from "./table.js";
import { callSites } from "./views/call_sites.js";
import { communicators } from "./views/communicators.js";
import { efficiency } from "./views/efficiency.js";
import { findings } from "./views/findings.js";
import { fillHead } from "./views/head.js";
import { operations } from "./views/operations.js";
import { pairs } from "./views/pairs.js";
import { ranks } from "./views/ranks.js";
import { regions } from "./views/regions.js";
import { sizes } from "./views/sizes.js";

// What is wrong comes first, then where the time goes, from the whole to the parts.
const views = [
  ["findings", "Findings", findings],
  ["efficiency", "Efficiency", efficiency],
  ["operations", "Operations", operations],
  ["sites", "Call sites", callSites],
  ["ranks", "Ranks", ranks],
  ["communicators", "Communicators", communicators],
  ["regions", "Regions", regions],
  ["pairs", "Pairs", pairs],
  ["sizes", "Sizes", sizes],
];

function contents() {
  const links = views.map(([id, title]) => element("li", {}, element("a", { href: `#${id}` }, title)));
  const exact = element("input", { type: "checkbox", id: "exact", onchange: () => showExactNumbers(exact.checked) });
  return [
    element("ul", {}, links),
    element("label", { class: "switch noprint" }, exact, element("span", {}, "All digits")),
  ];
}

// Each view is made in a turn of its own, so that the first ones can be seen while the others are made.
function makeSections(profile) {
  const sections = views.map(([id, title]) =>
    element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title)),
  );
  document.getElementById("sections").replaceChildren(...sections);
  const makeFrom = (place) => {
    if (place === views.length) {
      document.documentElement.dataset.complete = "true";
      performance.mark("complete");
      return;
    }
    sections[place].append(...views[place][2](profile));
    setTimeout(makeFrom, 0, place + 1);
  };
  makeFrom(0);
}

const profile = new Profile(JSON.parse(document.getElementById("profile").textContent));
document.getElementById("profile").remove();
fillHead(profile);
document.getElementById("contents").append(...contents());
document.getElementById("origin").textContent =
  `Written by mpisee-through ${profile.json.commprof}. This file loads nothing from elsewhere.`;
makeSections(profile);
