// Wraps a chart of ECharts: adds the page's colours, access by keyboard, and printing.
import { BarChart, CustomChart, LineChart } from "echarts/charts";
import { GridComponent, LegendComponent, TooltipComponent, VisualMapComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

import { element } from "./dom.js";

echarts.use([
  BarChart,
  CustomChart,
  LineChart,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  VisualMapComponent,
  CanvasRenderer,
]);

// A colour of palette.css.
const read = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const numbers = [0, 1, 2, 3, 4, 5, 6];
export const colours = { series: numbers.map((i) => read(`--area-${i}`)), others: read("--other") };
const amounts = read("--amounts").split(/\s+/);

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const charts = new Set();
let printing = false;

function theme() {
  const of = (name) => read(printing ? `--paper-${name}` : `--${name}`);
  const isDark = dark.matches && !printing;
  // Larger amounts contrast more with the background.
  const shades = isDark ? amounts.slice(0, -1).reverse() : amounts;
  const curves = numbers.map((i) => of(`curve-${i}`));
  return { text: of("text"), muted: of("muted"), line: of("line"), surface: of("surface"), amounts: shades, curves };
}

const paperWidth = "680px"; // width of A4 and US letter within their margins

// The steps left until all charts are drawn, a function for each.
export function drawings() {
  return [...charts].filter((chart) => !chart.echart).map((chart) => () => chart.draw());
}

function redrawAll() {
  for (const chart of charts) chart.draw();
}
dark.addEventListener("change", redrawAll);
// Prints in light colours. Browsers report printing in two ways, and not all use both.
function setPrinting(now) {
  if (printing === now) return;
  printing = now;
  redrawAll();
}
window.addEventListener("beforeprint", () => setPrinting(true));
window.addEventListener("afterprint", () => setPrinting(false));
window.matchMedia("print").addEventListener("change", ({ matches }) => setPrinting(matches));

// The contents of a tooltip as elements: a title, and lines of label and value.
export function tip(title, lines) {
  return element(
    "div",
    { class: "tip" },
    element("strong", {}, title),
    element(
      "dl",
      {},
      lines.map(([label, value]) => [element("dt", {}, label), element("dd", {}, value)]),
    ),
  );
}

// describe: the chart in words. option(theme): the input of ECharts. tooltip(point): {title, lines} of a point
// {seriesIndex, dataIndex}. move(point, direction): the neighbouring point for an arrow key; point is null at first.
export class Chart {
  #host;
  #canvas = element("div", { class: "canvas" });
  #live = element("p", { class: "visually-hidden", "aria-live": "polite" });
  #spec;
  #echart = null;
  #point = null;

  constructor(className = "") {
    this.#host = element(
      "div",
      {
        class: `chart ${className}`,
        tabindex: 0,
        role: "application",
        "aria-roledescription": "chart",
        onkeydown: (event) => this.#key(event),
        onblur: () => this.#leave(),
      },
      this.#canvas,
    );
    this.element = element("div", { class: "chart-frame" }, this.#host, this.#live);
    charts.add(this);
  }

  // height: of the drawing, in pixels; by default, the style decides.
  show(spec) {
    this.#spec = spec;
    this.#point = null;
    this.#host.setAttribute("aria-label", `${spec.describe} With the arrow keys, exact numbers.`);
    this.#canvas.style.height = spec.height ? `${spec.height}px` : "";
    if (this.#echart) this.draw();
  }

  get echart() {
    return this.#echart;
  }

  draw() {
    if (!this.#spec) return;
    if (!this.#echart) this.#begin();
    this.#canvas.style.width = printing ? paperWidth : "";
    this.#echart.resize();
    const colours = theme();
    this.#echart.setOption(
      { ...base(colours), ...this.#spec.option(colours), tooltip: this.#tooltip(colours) },
      { notMerge: true },
    );
    this.#host.dataset.drawn = "true";
  }

  #begin() {
    this.#echart = echarts.init(this.#canvas, null, {
      renderer: "canvas",
      devicePixelRatio: Math.max(2, window.devicePixelRatio),
    });
    this.#host.chart = this.#echart; // for tests and the browser's console
    new ResizeObserver(() => this.#echart.resize()).observe(this.#canvas);
    this.#spec.begun?.(this.#echart);
  }

  #tooltip(colours) {
    return {
      trigger: "item",
      confine: true,
      transitionDuration: 0,
      backgroundColor: colours.surface,
      borderColor: colours.line,
      textStyle: { color: colours.text, fontFamily: base(colours).textStyle.fontFamily },
      formatter: (point) => {
        const { title, lines } = this.#spec.tooltip(point);
        return tip(title, lines);
      },
    };
  }

  #key(event) {
    if (this.#spec.key?.(event, this.#point)) {
      event.preventDefault();
      return;
    }
    const direction = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" }[event.key];
    if (!direction || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.draw();
    const point = this.#spec.move(this.#point, direction);
    if (!point) return;
    this.#point = point;
    const { title, lines } = this.#spec.tooltip(point);
    this.#live.textContent = `${title}: ${lines.map((line) => line.join(" ")).join(", ")}`;
    this.#echart.dispatchAction({ type: "downplay" });
    this.#echart.dispatchAction({ type: "highlight", ...point });
    this.#echart.dispatchAction({ type: "showTip", ...point });
  }

  #leave() {
    this.#point = null;
    this.#echart?.dispatchAction({ type: "downplay" });
    this.#echart?.dispatchAction({ type: "hideTip" });
  }
}

function base(colours) {
  return {
    animation: false,
    textStyle: {
      color: colours.text,
      fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
    },
  };
}

// An axis of values in the page's colours, and one of categories.
export function valueAxis(colours, format, more = {}) {
  return {
    type: "value",
    axisLabel: { color: colours.muted, formatter: format, hideOverlap: true },
    splitLine: { lineStyle: { color: colours.line } },
    ...more,
  };
}
export function categoryAxis(colours, data, more = {}) {
  return {
    type: "category",
    data,
    axisTick: { show: false },
    axisLine: { lineStyle: { color: colours.line } },
    axisLabel: { color: colours.text },
    ...more,
  };
}
