// Shows the links of the network between the hosts, if the tool was given one.
import { element } from "../dom.js";
import { bytes, count, plural } from "../format.js";
import { endsOf, NetworkPicture } from "../network_picture.js";
import { tableOfView } from "../view_table.js";

// Shows what was read, what is assumed, and what cannot be known.
function about(facts) {
  return element(
    "dl",
    { class: "about" },
    facts.map(([label, text]) => [element("dt", {}, label || "\u00a0"), element("dd", {}, text)]),
  );
}

const describe = ([busiest], levels) =>
  `The network from its hosts at the bottom to the highest switches, ${plural(levels.length, "kind")} of links. The busiest one, ` +
  `from ${endsOf(busiest)}, carries ${bytes(busiest.bytes)}.`;

export function links(profile) {
  if (profile.json.links === null) return [element("p", { class: "lead" }, profile.json.no_links)];
  const { facts, levels, links: table, list, left_out: leftOut, picture } = profile.json.links;
  if (list.length === 0)
    return [element("p", { class: "lead" }, "No messages between hosts in this selection."), about(facts)];
  const more = leftOut > 0 ? ` The table has the ${count(list.length)} busiest of ${count(leftOut + list.length)} links.` : "";
  const text =
    "Bytes on each link between hosts and switches. A link is one direction of a cable: each half of a cable has the colour and " +
    `the width of what its end sends.${more}`;
  return [
    element("p", { class: "lead" }, text),
    new NetworkPicture(picture, list, describe(list, levels.lines)).element,
    about(facts),
    tableOfView(levels, { caption: "Sums over the links from each level of the network to the next one", noun: "level" }).element,
    tableOfView(table, {
      caption:
        "The busiest links, and whose data fills them. Of capacity: of what the link could have carried in the run's wall time.",
      noun: "link",
      atFirst: 20,
    }).element,
  ];
}
