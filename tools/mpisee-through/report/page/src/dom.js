// Creates elements without markup: text from a profile stays text.

// Example: element("td", {class: "number"}, "12", child, …). A property that begins with "on" is a listener; null and
// false are skipped.
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
  return made;
}

// A control for one of a few values. choices: [[value, label], …].
export function selection(label, choices, choose) {
  const select = element(
    "select",
    { onchange: () => choose(select.value) },
    choices.map(([value, text]) => element("option", { value }, text)),
  );
  return element("label", { class: "field" }, element("span", {}, label), select);
}

export const button = (text, act) => element("button", { type: "button", onclick: act }, text);

// Keeps a number and its unit on one line.
export const unbroken = (text) => text.replaceAll(/(\d) (%|[nµm]?s\b|[KMGTPE]?i?B\b)/g, "$1\u00a0$2");

// Labels and texts below each other. notes: [[label, text], …].
export function notesOf(notes, className = "notes") {
  const lines = notes.map(([label, text]) =>
    label.trim()
      ? [element("dt", {}, label.trim()), element("dd", {}, unbroken(text.trim()))]
      : element("dd", { class: "whole" }, unbroken(text.trim())),
  );
  return notes.length > 0 ? element("dl", { class: className }, lines) : null;
}

// The lines of text that the tool prints around a table: those with a label, "Before    a run", and others.
export function textAround(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return notesOf(lines.map((line) => /^(\S.{0,8}?) {2,}(\S.*)$/.exec(line)?.slice(1) ?? ["", line]));
}
