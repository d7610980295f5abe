// The page of a report: what it says of one run.
import { Profile } from "./profile.js";
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
  ranks: ["waits", "by-rank", "by-cause"],
  communicators: ["tree", "census"],
  pairs: ["matrix"],
};

// The page: a function that fills its head, its sections as [name, title, function that makes the elements], and the
// further names of sections.
export function report(json) {
  const profile = new Profile(json);
  const views = allViews.filter(([, , , has]) => has?.(profile) ?? true);
  return {
    fillHead: () => fillHead(profile),
    sections: views.map(([name, title, make]) => [name, title, () => make(profile)]),
    aliases,
  };
}
