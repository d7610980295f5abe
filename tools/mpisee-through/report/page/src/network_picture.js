// Adds access by keyboard to the tool's picture of a network.
import { element } from "./dom.js";
import { both, count, share } from "./format.js";

export const endsOf = (link) => `${link.node} port ${link.port} to ${link.peer} port ${link.peer_port}`;

// The markup comes from the tool, which has escaped all names. Scripts in a parsed document do not run.
function drawingOf(markup) {
  const drawing = document.adoptNode(new DOMParser().parseFromString(markup, "text/html").querySelector("svg"));
  drawing.setAttribute("aria-hidden", "true");
  return drawing;
}

// Finds the half of a cable for each link, by the link's name. Bundles of cables to many hosts have none.
function halvesIn(drawing) {
  const halves = new Map();
  for (const title of drawing.querySelectorAll("title")) {
    const paths = title.parentNode.querySelectorAll("path");
    title.textContent.split("\n").forEach((line, i) => {
      if (paths[i]) halves.set(line.slice(0, line.lastIndexOf(": ")), paths[i]);
    });
  }
  return halves;
}

// links: the busiest first; arrow keys step through them.
export class NetworkPicture {
  #links;
  #halves;
  #place = -1;
  #marked = null;
  #live = element("p", { class: "status", "aria-live": "polite" });

  constructor(markup, links, description) {
    this.#links = links;
    const drawing = drawingOf(markup);
    this.#halves = halvesIn(drawing);
    const host = element(
      "div",
      {
        class: "chart network",
        tabindex: 0,
        role: "application",
        "aria-roledescription": "chart",
        "aria-label": `${description} With the arrow keys, exact numbers of the busiest links.`,
        "data-drawn": "true",
        onkeydown: (event) => this.#key(event),
        onblur: () => this.#leave(),
      },
      drawing,
    );
    this.element = element("div", { class: "chart-frame" }, host, this.#live);
  }

  #key(event) {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.#place = Math.min(Math.max(this.#place + step, 0), this.#links.length - 1);
    const link = this.#links[this.#place];
    const capacity = link.share === null ? "" : `, ${share(link.share)} of what it could carry`;
    this.#live.textContent = `${endsOf(link)}: bytes ${both("bytes", link.bytes)}, messages ${count(link.messages)}${capacity}`;
    this.#mark(this.#halves.get(endsOf(link)) ?? null);
  }

  #mark(half) {
    this.#marked?.classList.remove("marked");
    this.#marked = half;
    half?.classList.add("marked");
    half?.parentNode.parentNode.append(half.parentNode); // draws it in front of the others
  }

  #leave() {
    this.#place = -1;
    this.#live.textContent = "";
    this.#mark(null);
  }
}
