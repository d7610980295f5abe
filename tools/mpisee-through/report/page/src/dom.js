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

// Labels and texts below each other, and texts without a label. notes: [[label, text], …].
export function notesOf(notes) {
  const parts = [];
  for (const [label, text] of notes) {
    const words = unbroken(text.trim());
    if (label === "") parts.push(element("p", { class: "words" }, words));
    else {
      if (parts.at(-1)?.localName !== "dl") parts.push(element("dl", { class: "notes" }));
      parts.at(-1).append(element("dt", {}, label.trim() || "\u00a0"), element("dd", {}, words));
    }
  }
  return parts;
}

// The lines of text that the tool prints around a table: those with a label, "Before    a run", and others.
export function textAround(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return notesOf(lines.map((line) => /^(\S.{0,8}?) {2,}(\S.*)$/.exec(line)?.slice(1) ?? ["", line]));
}
