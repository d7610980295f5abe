// Zooms in on a part of a heat map over which the user drags.
import { Side } from "./cells.js";
import { element } from "./dom.js";

export class DragZoom {
  frame = element("div", { class: "zoom-frame", hidden: true });
  #grid;
  #seen = null; // the sides shown now
  #onZoom;

  // onZoom(from, to): called with the new sides: of the rows, and of the columns. grid: of the chart, the one with the map.
  constructor(onZoom, grid = 0) {
    this.#onZoom = onZoom;
    this.#grid = { gridIndex: grid };
  }

  // The sides that are shown from now on.
  look(from, to) {
    this.#seen = { from, to };
  }

  listen(chart) {
    const canvas = chart.getZr();
    let begin = null;
    const cellAt = (event) => {
      const { from, to } = this.#seen;
      const [x, y] = chart.convertFromPixel(this.#grid, [event.offsetX, event.offsetY]);
      const within = (number, side) => Math.min(Math.max(Math.round(number), 0), side.cells - 1);
      return { to: within(x, to), from: within(y, from), x: event.offsetX, y: event.offsetY };
    };
    canvas.on("mousedown", (event) => {
      if (chart.containPixel(this.#grid, [event.offsetX, event.offsetY])) begin = cellAt(event);
    });
    canvas.on("mousemove", (event) => {
      if (begin) this.#drawFrame(begin, cellAt(event));
    });
    canvas.on("mouseup", (event) => {
      if (!begin) return;
      const end = cellAt(event);
      const dragged = Math.abs(end.x - begin.x) > 4 || Math.abs(end.y - begin.y) > 4;
      this.frame.hidden = true;
      if (dragged) this.#zoomTo(begin, end);
      begin = null;
    });
    canvas.on("globalout", () => {
      begin = null;
      this.frame.hidden = true;
    });
  }

  #drawFrame(begin, end) {
    this.frame.hidden = false;
    Object.assign(this.frame.style, {
      left: `${Math.min(begin.x, end.x)}px`,
      top: `${Math.min(begin.y, end.y)}px`,
      width: `${Math.abs(begin.x - end.x)}px`,
      height: `${Math.abs(begin.y - end.y)}px`,
    });
  }

  #zoomTo(begin, end) {
    const part = (side, a, b) => new Side(side.firstOf(Math.min(a, b)), side.lastOf(Math.max(a, b)));
    this.#onZoom(part(this.#seen.from, begin.from, end.from), part(this.#seen.to, begin.to, end.to));
  }
}
