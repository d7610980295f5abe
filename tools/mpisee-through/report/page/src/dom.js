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

// The text of the element that contains the page's data. Removes the element.
export function dataText() {
  const data = document.getElementById("data");
  data.remove();
  return data.textContent;
}

let lastId = 0;
export function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

// A control for one of a few values: buttons, one of which is pressed. choices: [[value, label], …].
export function choice(label, choices, chosen, choose) {
  const name = newId("choice");
  const options = choices.map(([value, text]) => {
    const input = element("input", { type: "radio", name, value, onchange: () => choose(value) });
    input.checked = value === chosen;
    return element("label", {}, input, element("span", {}, text));
  });
  return element("fieldset", { class: "choice" }, element("legend", {}, label), ...options);
}

// A control for one of many values. choices: [[value, label], …], or {label, choices} for a group. Returns the control;
// its property "select" is the element with the value.
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

// Details below a chart, created when they are opened.
export function details(summary, make) {
  const made = element("details", {}, element("summary", {}, summary));
  made.addEventListener("toggle", () => {
    if (made.open && made.children.length === 1) made.append(make());
  });
  return made;
}
