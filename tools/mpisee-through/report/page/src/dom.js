// Elements made without markup: text that comes from a profile stays text.

// element("td", {class: "number"}, "12", child, …). A property that begins with "on" is a listener; null and false are
// left out.
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

let lastId = 0;
export function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

// One of a few values: buttons of which one is pressed. choices: [[value, label], …].
export function choice(label, choices, chosen, choose) {
  const name = newId("choice");
  const options = choices.map(([value, text]) => {
    const input = element("input", { type: "radio", name, value, onchange: () => choose(value) });
    input.checked = value === chosen;
    return element("label", {}, input, element("span", {}, text));
  });
  return element("fieldset", { class: "choice" }, element("legend", {}, label), ...options);
}

// One of many values. choices: [[value, label], …], and {label, choices} for those that belong together. Returns the
// control; its property "select" is the element that holds the value.
export function selection(label, choices, choose) {
  const select = element("select", { onchange: () => choose(select.value) });
  const option = ([value, text]) => element("option", { value }, text);
  for (const one of choices)
    select.append(
      Array.isArray(one) ? option(one) : element("optgroup", { label: one.label }, one.choices.map(option)),
    );
  const control = element("label", { class: "field" }, element("span", {}, label), select);
  control.select = select;
  return control;
}

// What belongs to the chart above it and is made when it is looked at.
export function details(summary, make) {
  const made = element("details", {}, element("summary", {}, summary));
  made.addEventListener("toggle", () => {
    if (made.open && made.children.length === 1) made.append(make());
  });
  return made;
}
