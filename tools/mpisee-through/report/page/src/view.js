// Builds the page of views. A line of the data is {head, table, below}: a table, and the text above and below it.
import { dataText, element } from "./dom.js";
import { exactSwitch } from "./table.js";
import { tableOfView } from "./view_table.js";

const text = (lines) => (lines.trim() ? element("pre", { class: "around" }, lines.trimEnd()) : null);

function section({ head, table, below }) {
  const shown = tableOfView(table, { caption: table.name, noun: "line", search: (line) => line.join(" ") });
  return element("section", {}, text(head), shown.element, text(below));
}

const parts = dataText().trimEnd().split("\n").map((line) => JSON.parse(line));
document.title = `commprof: ${parts[0].table.name}`;
document.body.className = "view";
for (const id of ["head", "foot"]) document.getElementById(id).remove();
document.getElementById("contents").append(exactSwitch());
document.getElementById("sections").replaceChildren(...parts.map(section));
document.documentElement.dataset.complete = "true";
