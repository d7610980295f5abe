// Builds the page of views. A line of the data is {head, table, below}: a table, and the text above and below it.
import { dataText, element } from "./dom.js";
import { exactSwitch } from "./table.js";
import { tableWithText, textAround } from "./view_table.js";

const section = (part) =>
  element("section", {}, textAround(part.head), tableWithText(part, { caption: part.table.name, noun: "line" }));

const parts = dataText()
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
document.title = `commprof: ${parts[0].table.name}`;
document.body.className = "view";
for (const id of ["head", "foot"]) document.getElementById(id).remove();
document.getElementById("contents").append(exactSwitch());
document.getElementById("sections").replaceChildren(...parts.map(section));
document.documentElement.dataset.complete = "true";
