// Builds a page: a head, and sections with the documents of views.
import { element, notesOf, unbroken } from "./dom.js";
import { Table, valueOf } from "./table.js";

// The section that shows more of a finding, by the command that does.
function sectionOf(command, sections) {
  const option = /--(\w+)/.exec(command)?.[1];
  const id = /--by size/.test(command) ? "sizes" : option;
  return sections.find((one) => one.id === id);
}

// Findings, each with those that follow from it.
function findingsOf(table, sections) {
  const keys = table.columns.map(({ key }) => key);
  const all = table.lines.map((line) => Object.fromEntries(keys.map((key, i) => [key, valueOf(line[i])])));
  const term = (title, ...content) => [element("dt", {}, title), element("dd", {}, ...content)];
  const item = (one, following) => {
    const section = sectionOf(one.more, sections);
    const link = section ? [element("a", { href: `#${section.id}` }, section.title), "; "] : [];
    return element(
      "li",
      {},
      element("p", { class: "fact" }, unbroken(one.fact)),
      element(
        "dl",
        { class: "notes" },
        term("Try", unbroken([one.try, one.saving].filter(Boolean).join(" "))),
        term("More", ...link, element("code", {}, one.more)),
        one.note ? term("Note", unbroken(one.note)) : [],
        following.map(({ fact, link }) => term(link, unbroken(fact))),
      ),
    );
  };
  const items = [];
  all.forEach((one, i) => {
    if (one.explained_by || one.may_follow_from) return;
    const next = all.findIndex((other, j) => j > i && !other.explained_by && !other.may_follow_from);
    items.push(item(one, all.slice(i + 1, next < 0 ? undefined : next)));
  });
  return element("ol", { class: "findings" }, items);
}

function partOf(table, sections, isOneOfSeveral) {
  if (table.drawing?.as !== "findings") return new Table(table, isOneOfSeveral).element;
  const below = table.below ? element("p", {}, unbroken(table.below)) : null;
  return element("div", {}, findingsOf(table, sections), below);
}

function fill(place, { notes, tables, lead }, sections) {
  place.append(
    ...[lead ? element("p", { class: "lead" }, lead) : null, ...notesOf(notes), ...tables.map((table) => partOf(table, sections, tables.length > 1))].filter(Boolean),
  );
}

function headOf({ kicker, title, facts }) {
  document.title = [title, kicker, "commprof"].filter(Boolean).join(", ");
  return [element("p", { class: "kicker" }, kicker || "commprof"), title ? element("h1", {}, title) : null, ...notesOf(facts)].filter(Boolean);
}

const data = document.getElementById("data");
const page = JSON.parse(data.textContent);
data.remove();
document.getElementById("head").append(...headOf(page.head));
const named = page.sections.filter(({ title }) => title);
const links = named.map(({ id, title }) => element("li", {}, element("a", { href: `#${id}` }, title)));
document.getElementById("contents").append(element("ul", {}, links));
document.getElementById("origin").textContent = `Written by mpisee-through ${page.commprof}. This file loads nothing from elsewhere.`;

const places = page.sections.map(({ id, title }) =>
  element("section", { id, "aria-label": title || "Answer" }, title ? element("h2", {}, title) : null),
);
document.getElementById("sections").replaceChildren(...places);
page.sections.forEach((section, i) => fill(places[i], section, named));
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
document.documentElement.dataset.complete = "true";
