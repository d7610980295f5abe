// Shows the links of the network between the hosts, if the tool was given one.
import { element } from "../dom.js";
import { bytes, count, plural, share } from "../format.js";
import { endsOf, NetworkPicture } from "../network_picture.js";
import { Table } from "../table.js";

// Keeps a number and its noun on one line.
const unbroken = (text) => text.replaceAll(" ", "\u00a0");
const port = (name, number) => `${name} ${unbroken(`port ${number}`)}`;

// "W 80.0 %, W_s1.0 20.0 %, 2 more".
function partsOf({ list, further }, whole) {
  const named = list.map((part) => unbroken(`${part.name} ${share(part.bytes / whole)}`));
  return [...named, ...(further > 0 ? [`${count(further)} more`] : [])].join(", ");
}

function levelTable(levels) {
  const columns = [
    { label: "From-to", kind: "text", value: (level) => level.level },
    { label: "Links", kind: "count", value: (level) => level.links },
    { label: "Used", kind: "count", value: (level) => level.used },
    { label: "Bytes", kind: "bytes", value: (level) => level.bytes },
    { label: "Messages", kind: "count", value: (level) => level.messages },
    { label: "Most of one", kind: "bytes", value: (level) => level.most_bytes },
    { label: "Mean", kind: "bytes", value: (level) => Math.floor(level.bytes / level.links) },
    { label: "Most, of capacity", kind: "share", value: (level) => level.most_share },
  ];
  return new Table(columns, levels, { caption: "Sums over the links from each level of the network to the next one" });
}

function linkTable(list) {
  const columns = [
    { label: "From", kind: "text", value: (link) => port(link.node, link.port) },
    { label: "To", kind: "text", value: (link) => port(link.peer, link.peer_port) },
    { label: "Level", kind: "text", value: (link) => link.level },
    { label: "Bytes", kind: "bytes", value: (link) => link.bytes },
    { label: "Messages", kind: "count", value: (link) => link.messages },
    { label: "Of capacity", kind: "share", value: (link) => link.share },
    { label: "Communicators", kind: "text", value: (link) => partsOf(link.communicators, link.bytes) },
    { label: "Operations", kind: "text", value: (link) => partsOf(link.operations, link.bytes) },
    { label: "Ranks", kind: "text", value: (link) => partsOf(link.pairs, link.bytes) },
  ];
  return new Table(columns, list, {
    caption:
      "The busiest links, and whose data fills them. Of capacity: of what the link could have carried in the run's wall time.",
    search: (link) => [endsOf(link), link.level, partsOf(link.communicators, link.bytes)].join(" "),
    noun: "link",
    atFirst: 20,
  });
}

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
  const { facts, levels, list, left_out: leftOut, picture } = profile.json.links;
  if (list.length === 0)
    return [element("p", { class: "lead" }, "No messages between hosts in this selection."), about(facts)];
  const more = leftOut > 0 ? ` The table has the ${count(list.length)} busiest of ${count(leftOut + list.length)} links.` : "";
  const text =
    "Bytes on each link between hosts and switches. A link is one direction of a cable: each half of a cable has the colour and " +
    `the width of what its end sends.${more}`;
  return [
    element("p", { class: "lead" }, text),
    new NetworkPicture(picture, list, describe(list, levels)).element,
    about(facts),
    levelTable(levels).element,
    linkTable(list).element,
  ];
}
