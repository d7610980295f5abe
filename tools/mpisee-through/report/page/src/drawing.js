// Pictures of tables, by Observable Plot. A table says how its lines are drawn:
//
//   {as: "bars", of, parts, values: […]}     a bar for each value of `of`, with a part for each line, named by `parts`
//   {as: "bars", of, stack: […]}             a bar for each line, with a part for each of these columns
//   {as: "cells", x, y, values: […]}         a map: a cell for each line. x2: the end of x; width: of a cell, else 1
//   {as: "lines", x, y: […]}                 lines of these columns. doubling: x by powers of 2
//   {as: "network", levels, nodes, cables}   a network of switches and hosts; it is not drawn from the lines
//
// Names are keys of columns. `values` are choices of what is shown. upright: bars stand side by side.
import * as Plot from "@observablehq/plot";

import { element, selection } from "./dom.js";
import { both, brief, count, kinds } from "./format.js";
import { numberOf, textOf, valueOf } from "./table.js";

const mostColours = 7;
const mostBars = 15; // beside names
const mostLabels = 16; // on an axis

const titles = { time_s: "Time" }; // of columns that only pictures have

// The colours of amounts, from small to large. Larger amounts contrast more with the background.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
function setAmounts() {
  const amounts = getComputedStyle(document.documentElement).getPropertyValue("--amounts").trim().split(/\s+/);
  (dark.matches ? amounts.reverse() : amounts).forEach((shade, i) => document.documentElement.style.setProperty(`--amount-${i}`, shade));
}
setAmounts();
dark.addEventListener("change", setAmounts);

const plotOf = (options) => Plot.plot({ className: "plot", style: { fontSize: "12px" }, ...options });
const distinct = (values) => [...new Set(values)];
const every = (values, most) => values.filter((_, i) => i % Math.ceil(values.length / most) === 0);
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function legendOf(entries) {
  const swatch = ([name, colour]) => {
    const box = element("span", { class: "swatch" });
    box.style.background = colour;
    return element("span", { class: "entry" }, box, name);
  };
  return element("p", { class: "legend" }, entries.map(swatch));
}

const shadesOf = (kind, { least, most }) =>
  Array.from({ length: 7 }, (_, i) => [i === 0 ? kinds[kind].short(least) : i === 6 ? kinds[kind].short(most) : "", `var(--amount-${i})`]);

// The parts of bars: {of, part, value, kind}; all of one bar if nothing says of what.
function partsOf(spec, { column, value }, lines) {
  const of = spec.of ? column(spec.of) : null;
  if (spec.stack) {
    const stack = spec.stack.map(column).filter(({ drawn }) => !drawn);
    return lines.flatMap((line) =>
      stack.map(({ title, place, kind }) => ({ of: line[of.place], part: title, value: valueOf(line[place]) ?? 0, kind })),
    );
  }
  const parts = spec.parts ? column(spec.parts) : null;
  return lines.map((line) => ({
    of: of ? line[of.place] : "",
    part: parts ? textOf(parts, line[parts.place]) : value.title,
    value: valueOf(line[value.place]) ?? 0,
    kind: value.kind,
  }));
}

// Classes of time: what is good is green, what others cost is red.
const ofStack = {
  work_s: "var(--area-2)", without_processor_s: "var(--area-3)", waiting_s: "var(--area-5)", moving_s: "var(--area-1)", other_s: "var(--area-0)", unknown_s: "var(--other)",
};

function bars(spec, of, lines, width) {
  const parts = partsOf(spec, of, lines).map((one) => ({ ...one, name: String(valueOf(one.of)).trim(), by: numberOf(one.of) }));
  const names = distinct(parts.map(({ part }) => part));
  const keyOf = (name, i) => spec.keys?.[i] ?? spec.stack?.find((key) => of.column(key).title === name);
  const colourOf = (name, i) => ofStack[keyOf(name, i)] ?? (i < mostColours ? `var(--area-${i})` : "var(--other)");
  const colours = names.map(colourOf);
  const [{ kind } = { kind: "count" }] = parts;
  const title = ({ name, part, value }) => [name, `${part}: ${both(kind, value)}`].filter(Boolean).join("\n");
  const amount = { label: null, grid: true, tickFormat: (number) => brief(kind, number) };
  const options = { fill: "part", title, tip: { lineWidth: 40 } };
  const categories = distinct(parts.map(({ name }) => name));
  const common = { width, color: { domain: names, range: colours } };
  const legend = names.length > 1 ? legendOf(names.slice(0, mostColours).map((name, i) => [name, colours[i]]).concat(names.length > mostColours ? [["others", "var(--other)"]] : [])) : null;
  if (spec.upright) {
    const by = new Map(parts.map(({ name, by: place }) => [name, place]));
    const sorted = typeof parts[0]?.by === "number" ? categories.sort((a, b) => by.get(a) - by.get(b)) : categories;
    const isNarrow = sorted.length > 100;
    const plot = plotOf({
      ...common,
      height: 320,
      marginLeft: 76,
      marginBottom: 40,
      x: { domain: sorted, label: of.column(spec.of).title, ticks: every(sorted, spec.parts ? 12 : mostLabels), tickSize: 0, padding: isNarrow ? 0 : 0.15 },
      y: amount,
      marks: [Plot.barY(parts, { ...options, x: "name", y: "value" }), Plot.ruleY([0])],
    });
    return { plot, legend };
  }
  const most = Math.min(categories.length, mostBars);
  const widest = categories.reduce((length, name) => Math.max(length, name.length), 0);
  const plot = plotOf({
    ...common,
    height: 60 + 28 * most,
    marginLeft: Math.min(7 * widest + 16, 300),
    marginRight: 40,
    x: { ...amount, axis: "top", ticks: kind === "bytes" ? undefined : 6 },
    y: { label: null, tickSize: 0, tickFormat: (name) => shortened(name, 40), padding: 0.25 },
    marks: [
      Plot.barX(parts, { ...options, x: "value", y: "name", sort: { y: { value: "width", reduce: "sum", order: "descending", limit: most } } }),
      Plot.ruleX([0]),
    ],
  });
  return { plot, legend, note: categories.length > most ? `The first ${most} of ${count(categories.length)}; the table has all.` : "" };
}

// A side of a map: where the cells of lines begin, and the names of places. Texts have places in their order.
function sideOf(column, lines) {
  const cells = lines.map((line) => line[column.place]);
  if (cells.every((cell) => typeof numberOf(cell) === "number" || numberOf(cell) === null || valueOf(cell) === "other" || /^\d+$/.test(valueOf(cell))))
    return {
      at: (line) => (valueOf(line[column.place]) === "other" ? NaN : Number(numberOf(line[column.place]))),
      name: (place) => (column.kind === "seconds" ? brief("seconds", place) : Number.isInteger(place) ? String(place) : ""),
    };
  const names = distinct(cells.map(valueOf));
  const places = new Map(names.map((name, i) => [name, i]));
  return { at: (line) => places.get(valueOf(line[column.place])), name: (place) => names[place] ?? "" };
}

// Maps amounts to steps of colour: shares from 0 to 1, others logarithmically if they differ by large factors, else from 0.
function scaleOf(kind, amounts) {
  if (kind === "share") return { least: 0, most: 1, step: (part) => Math.min(Math.floor(7 * part), 6) };
  const positive = amounts.filter((amount) => amount > 0);
  const most = positive.reduce((a, b) => Math.max(a, b), 0);
  const least = positive.reduce((a, b) => Math.min(a, b), most);
  const isLog = least > 0 && most >= 100 * least;
  const part = (amount) => (isLog ? Math.log(amount / least) / Math.log(most / least) : amount / (most || 1));
  return { least: isLog ? least : 0, most, step: (amount) => Math.min(Math.floor(7 * Math.max(part(amount), 0)), 6) };
}

function cells(spec, { column, value }, lines, width) {
  const [x, y] = [column(spec.x), column(spec.y)];
  const [xSide, ySide] = [sideOf(x, lines), sideOf(y, lines)];
  const size = spec.width ?? 1;
  const end = spec.x2 ? column(spec.x2) : null;
  const rects = lines
    .map((line) => ({
      x1: xSide.at(line),
      x2: end ? valueOf(line[end.place]) : xSide.at(line) + size,
      y1: ySide.at(line),
      y2: ySide.at(line) + size,
      amount: valueOf(line[value.place]),
      line,
    }))
    .filter((one) => Number.isFinite(one.x1) && Number.isFinite(one.y1) && one.amount !== null);
  const scale = scaleOf(value.kind, rects.map(({ amount }) => amount));
  const range = (from, to, ranks) => [
    ranks ? 0 : rects.reduce((least, one) => Math.min(least, one[from]), Infinity),
    ranks ?? rects.reduce((most, one) => Math.max(most, one[to]), 0),
  ];
  const domains = { x: range("x1", "x2", spec.ranks), y: range("y1", "y2", spec.ranks) };
  const isSquare = !end;
  const side = isSquare ? Math.min(width, 640) : width;
  const rows = domains.y[1] - domains.y[0];
  const height = isSquare ? side - 20 : Math.min(Math.max(18 * rows, 80), 480) + 70;
  const [least, room] = [2, { left: 76, top: 40, right: 20, bottom: 20 }]; // pixels
  const dot = (domain, pixels) => (least * (domain[1] - domain[0])) / pixels;
  const [dx, dy] = [dot(domains.x, side - room.left - room.right), dot(domains.y, height - room.top - room.bottom)];
  const title = ({ line, amount }) =>
    [y, x].map((one) => `${one.title} ${textOf(one, line[one.place])}`).join(", ") + `\n${value.title}: ${both(value.kind, amount)}`;
  const grown = rects.map((one) => ({ ...one, x2: Math.max(one.x2, one.x1 + dx), y2: Math.max(one.y2, one.y1 + dy) }));
  const axis = (domain, names, label, isTime) => ({
    domain,
    label,
    ticks: isTime ? 8 : every(Array.from({ length: Math.ceil(domain[1] - domain[0]) }, (_, i) => Math.ceil(domain[0]) + i), mostLabels).map((place) => place + size / 2),
    tickFormat: (place) => names(isTime ? place : place - size / 2),
    tickSize: 0,
  });
  const plot = plotOf({
    width: side,
    height,
    marginLeft: room.left,
    marginTop: room.top,
    marginRight: room.right,
    marginBottom: room.bottom,
    x: { ...axis(domains.x, xSide.name, x.title, Boolean(end)), axis: "top" },
    y: { ...axis(domains.y, ySide.name, y.title), reverse: true },
    marks: [
      Plot.frame({ stroke: "var(--line)" }),
      Plot.rect(grown, {
        x1: "x1", x2: "x2", y1: "y1", y2: "y2", title, clip: true,
        fill: { value: ({ amount }) => `var(--amount-${scale.step(amount)})`, scale: null },
        tip: { lineWidth: 40 },
      }),
    ],
  });
  return { plot, legend: legendOf(shadesOf(value.kind, scale)) };
}

function lines(spec, { column }, all, width) {
  const x = column(spec.x);
  const shown = spec.y.map((key) => column(key)).filter((one) => one && !one.drawn && all.some((line) => valueOf(line[one.place]) !== null));
  const points = shown.flatMap((one) =>
    all
      .map((line) => ({ x: valueOf(line[x.place]), y: valueOf(line[one.place]), name: one.title, kind: one.kind }))
      .filter((point) => point.y !== null),
  );
  const names = distinct(points.map(({ name }) => name));
  const colours = names.map((_, i) => `var(--curve-${i % mostColours})`);
  const [{ kind } = { kind: "count" }] = points;
  const places = distinct(points.map((point) => point.x));
  const xScale = spec.doubling ? { type: "log", base: 2, ticks: places } : { ticks: 8 };
  const most = points.reduce((largest, { y }) => Math.max(largest, y), kind === "share" ? 1 : 0);
  const name = (value) => brief(x.kind, value);
  const channels = { x: "x", y: "y", z: "name", stroke: "name" };
  const plot = plotOf({
    width,
    height: 280,
    marginLeft: 76,
    marginBottom: 40,
    color: { domain: names, range: colours },
    x: { ...xScale, label: x.title, tickFormat: name },
    y: { domain: [0, most], label: null, grid: true, tickFormat: (value) => brief(kind, value) },
    marks: [
      Plot.ruleY([0]),
      Plot.line(points, channels),
      places.length <= 64 ? Plot.dot(points, { ...channels, fill: "name", r: 3 }) : null,
      Plot.tip(points, Plot.pointer({ ...channels, title: (point) => `${point.name}\n${name(point.x)}: ${both(point.kind, point.y)}` })),
    ],
  });
  return { plot, legend: legendOf(names.map((one, i) => [one, colours[i]])) };
}

// Where nodes are from left to right, from 0 to 1: switches in the order of their neighbours below, hosts below their first switch.
function placesOf(levels, nodes, neighbours) {
  const places = nodes.map(() => 0);
  const byName = new Intl.Collator("en", { numeric: true }).compare;
  const tiers = levels.map((_, level) => nodes.map((_, i) => i).filter((i) => nodes[i][1] === level).sort((a, b) => byName(nodes[a][0], nodes[b][0])));
  const below = (i) => neighbours[i].filter((one) => nodes[one][1] === nodes[i][1] - 1).map((one) => places[one]);
  const middle = (all) => all.reduce((sum, place) => sum + place, 0) / (all.length || 1);
  tiers.slice(1).forEach((tier, i) => {
    if (i > 0) tier.sort((a, b) => middle(below(a)) - middle(below(b)));
    tier.forEach((node, k) => (places[node] = (k + 0.5) / tier.length));
  });
  const hosts = new Map();
  for (const host of tiers[0]) hosts.set(neighbours[host][0], [...(hosts.get(neighbours[host][0]) ?? []), host]);
  for (const [leaf, all] of hosts)
    all.forEach((host, k) => (places[host] = (places[leaf] ?? 0) + ((k + 0.5) / all.length - 0.5) * (0.9 / tiers[1].length)));
  return places;
}

// Each half of a cable has the colour and the width of what its end sends. cables: node, port and bytes of both ends.
function network({ levels, nodes, cables }, _, __, width) {
  const neighbours = nodes.map(() => []);
  for (const [one, , , other] of cables) {
    neighbours[one].push(other);
    neighbours[other].push(one);
  }
  const places = placesOf(levels, nodes, neighbours);
  const scale = scaleOf("bytes", cables.flatMap(([, , there, , , back]) => [there, back]));
  const taken = new Map(); // by both ends: cables drawn beside each other
  const halves = cables.flatMap((cable) => {
    const ends = [cable.slice(0, 3), cable.slice(3)].map(([node, port, bytes]) => ({ node, port, bytes, name: nodes[node][0], y: nodes[node][1] }));
    const pair = ends.map(({ node }) => node).sort().join();
    const shift = 0.006 * (taken.get(pair) ?? 0);
    taken.set(pair, (taken.get(pair) ?? 0) + 1);
    const [[x1, x2], [y1, y2]] = [ends.map(({ node }) => places[node] + shift), ends.map(({ y }) => y)];
    const title = ends.map((end, i) => `${end.name} port ${end.port} to ${ends[1 - i].name} port ${ends[1 - i].port}: ${both("bytes", end.bytes)}`).join("\n");
    const middle = [(x1 + x2) / 2, y1 === y2 ? y1 + 0.25 : (y1 + y2) / 2];
    return ends.map(({ bytes }, i) => ({ x1: [x1, x2][i], y1: [y1, y2][i], x2: middle[0], y2: middle[1], bytes, title }));
  });
  const shown = nodes.map(([name, level], i) => ({ name, level, place: places[i] })).filter(({ level }) => level !== null);
  const counts = levels.map((_, level) => shown.filter((one) => one.level === level).length);
  const colour = ({ bytes }) => (bytes === 0 ? "var(--line)" : `var(--amount-${scale.step(bytes)})`);
  const at = { x: "place", y: "level", title: "name" };
  const plot = plotOf({
    width,
    height: 80 + 150 * (levels.length - 1),
    marginLeft: 90,
    marginBottom: 40,
    x: { domain: [0, 1], axis: null },
    y: { domain: [0, levels.length - 1], ticks: levels.map((_, i) => i), tickFormat: (level) => `${levels[level]}: ${count(counts[level])}`, tickSize: 0, label: null },
    marks: [
      Plot.link(halves.sort((a, b) => a.bytes - b.bytes), {
        x1: "x1", x2: "x2", y1: "y1", y2: "y2", title: "title", tip: { lineWidth: 60 },
        stroke: { value: colour, scale: null },
        strokeWidth: ({ bytes }) => (bytes === 0 ? 0.6 : 1 + (3 * scale.step(bytes)) / 6),
      }),
      Plot.dot(shown.filter(({ level }) => level === 0), { ...at, r: 3, fill: "currentColor" }),
      Plot.dot(shown.filter(({ level }) => level > 0), { ...at, r: 5, symbol: "square", fill: "currentColor" }),
      ...[14, -14].map((dy, i) =>
        Plot.text(shown.filter(({ level }) => counts[level] <= mostLabels && (level === 0) === (i === 0)), { ...at, text: ({ name }) => shortened(name, 14), dy })),
    ],
  });
  return { plot, legend: legendOf(shadesOf("bytes", scale)) };
}

// {controls, element, show(lines)}. columns: all of the table; label: what is drawn.
export function drawingOf(spec, columns, label) {
  const make = { bars, cells, lines, network }[spec.as];
  const column = (key) => columns.find((one) => one.key === key);
  const values = (spec.values ?? []).map(column).map((one) => ({ ...one, title: titles[one.key] ?? one.title }));
  const figure = element("figure", { class: "drawing", role: "img", "aria-label": `${label}, as a picture; the table has its numbers` });
  const state = { column, value: values[0] };
  let shown = [];
  let width = 0;
  const draw = () => {
    width = figure.clientWidth || 1100;
    if (shown.length === 0) return figure.replaceChildren();
    const { plot, legend, note } = make(spec, state, shown, width);
    plot.setAttribute("aria-hidden", "true");
    figure.replaceChildren(...[legend, plot, note ? element("p", { class: "more" }, note) : null].filter(Boolean));
  };
  const choose = (key) => {
    state.value = values.find((one) => one.key === key);
    draw();
  };
  new ResizeObserver(() => {
    if (figure.clientWidth > 0 && figure.clientWidth !== width) draw();
  }).observe(figure);
  const controls = values.length > 1 ? selection("Show", values.map((one) => [one.key, one.title]), choose) : null;
  const show = (all) => {
    shown = all;
    draw();
  };
  return { controls, element: figure, show };
}
