// Builds the page of a view. The data, in the element "parts", has {head, table, below} for each profile: the text
// above the table, and that below it.
import { element } from "./dom.js";
import { showExactNumbers } from "./table.js";
import { tableOfView } from "./view_table.js";

const text = (lines) => (lines.trim() ? element("pre", { class: "around" }, lines.trimEnd()) : null);

function section({ head, table, below }) {
  const shown = tableOfView(table, { caption: table.name, noun: "line", search: (line) => line.join(" ") });
  return element("section", {}, text(head), shown.element, text(below));
}

const parts = JSON.parse(document.getElementById("parts").textContent);
document.title = `commprof: ${parts[0].table.name}`;
const exact = element("input", { type: "checkbox", id: "exact", onchange: () => showExactNumbers(exact.checked) });
document
  .getElementById("contents")
  .append(element("label", { class: "switch noprint" }, exact, element("span", {}, "All digits")));
document.getElementById("sections").replaceChildren(...parts.map(section));
document.documentElement.dataset.complete = "true";
