// Shows the amounts between ranks as a square of colours. Dragging over a part zooms in on it.
import { categoryAxis, Chart } from "./chart.js";
import { DragZoom } from "./drag_zoom.js";
import { kinds } from "./format.js";
import { cellsOf, Scale } from "./cells.js";

const labelsPerSide = 8; // if there is no room for one at each cell
const mostLabels = 16;
const margin = { left: 56, top: 56, right: 16, bottom: 64 };
const widthOfDigit = 7; // of an axis; the margin has room for two
const mostWithLines = 64; // cells on a side; smaller cells have no lines between them
const textOfCells = { fontSize: 11, widthOfCharacter: 6.4, lineHeight: 13, padding: 4 }; // pixels

export class HeatMap {
  #chart = new Chart("square");
  #drag;

  // onZoom(from, to): called when the user zooms to these sides.
  constructor(onZoom) {
    this.#drag = new DragZoom(onZoom);
    this.element = this.#chart.element;
    this.element.append(this.#drag.frame);
  }

  // pairs: of the profile; rows: those to count; from, to: the sides; unit: bytes or messages; nameOf(first bin, last
  // bin): the name of ranks; keys: handles other keys. Returns {cells, elsewhere}.
  show({ describe, pairs, rows, from, to, unit, nameOf, labelOf, keys }) {
    const result = cellsOf(pairs, rows, from, to);
    const scale = new Scale(result.cells.map((cell) => cell[unit]));
    this.#drag.look(from, to);
    const placeOf = new Map(result.cells.map((cell, i) => [cell.from * to.cells + cell.to, i]));
    const tooltip = ({ dataIndex }) => {
      const cell = result.cells[dataIndex];
      return {
        title: `${nameOf(from.firstOf(cell.from), from.lastOf(cell.from))} to ${nameOf(to.firstOf(cell.to), to.lastOf(cell.to))}`,
        lines: [
          ["bytes", `${kinds.bytes.short(cell.bytes)} (${kinds.bytes.exact(cell.bytes)})`],
          ["messages", kinds.count.exact(cell.messages)],
        ],
      };
    };
    this.#chart.show({
      describe,
      begun: (chart) => this.#drag.listen(chart),
      option: (theme) => this.#option(theme, { ...result, from, to, unit, scale, labelOf }),
      tooltip,
      move: (point, direction) => moved(result.cells, placeOf, { from, to }, point, direction),
      key: keys,
    });
    return result;
  }

  #option(theme, { cells, from, to, unit, scale, labelOf }) {
    const labels = (side) => Array.from({ length: side.cells }, (_, cell) => labelOf(side.firstOf(cell)));
    const further = widthOfDigit * Math.max(labelOf(from.last).length - 2, 0);
    const lines = Math.max(from.cells, to.cells) <= mostWithLines;
    const axis = (side, name, nameGap) =>
      categoryAxis(theme, labels(side), {
        name,
        nameLocation: "middle",
        nameGap,
        nameTextStyle: { color: theme.muted },
        axisLabel: {
          color: theme.muted,
          interval: side.cells > mostLabels ? Math.ceil(side.cells / labelsPerSide) - 1 : 0,
        },
        splitArea: { show: false },
        splitLine: { show: lines, interval: 0, lineStyle: { color: theme.line } },
      });
    const kind = kinds[unit === "bytes" ? "bytes" : "count"];
    const texts = cells.map((cell) => kind.short(cell[unit]));
    const linesOfText = roomForTexts(texts);
    return {
      grid: {
        ...margin,
        left: margin.left + further,
        show: true,
        borderColor: theme.line,
        backgroundColor: "transparent",
        outerBoundsMode: "none",
      },
      xAxis: { ...axis(to, "To rank", 34), position: "top" },
      yAxis: { ...axis(from, "From rank", 34 + further), inverse: true },
      visualMap: colourBar(theme, scale.ends(kind)),
      series: [
        {
          // ECharts' own heat map draws its cells progressively, so a print would lack half of them.
          type: "custom",
          progressive: 0,
          data: cells.map((cell) => [cell.to, cell.from, scale.position(cell[unit])]),
          encode: { x: 0, y: 1 },
          renderItem: ({ dataIndex }, api) =>
            cellOf(api, theme, lines ? 1 : 0, linesOfText(api.size([1, 1]), texts[dataIndex])),
        },
      ],
    };
  }
}

// The colours of positions from 0 to 1, which are a cell's third number. ends: the texts of the largest and the smallest.
export function colourBar(theme, ends) {
  return {
    type: "continuous",
    min: 0,
    max: 1,
    dimension: 2,
    calculable: false,
    hoverLink: false,
    orient: "horizontal",
    left: "center",
    bottom: 4,
    itemHeight: 220,
    itemWidth: 12,
    inRange: { color: theme.amounts },
    text: ends,
    textStyle: { color: theme.text },
  };
}

// Whether all texts fit into cells of a size, on one line or with the unit below the number. Returns a function that
// gives a text as it fits; or an empty text, because numbers in only some cells would mislead.
function roomForTexts(texts) {
  const widest = (parts) => parts.reduce((most, part) => Math.max(most, part.length), 0);
  const { widthOfCharacter, lineHeight, padding } = textOfCells;
  const onOne = widest(texts) * widthOfCharacter + padding;
  const onTwo = widest(texts.flatMap((text) => text.split(" "))) * widthOfCharacter + padding;
  return ([width, height], text) => {
    if (width >= onOne && height >= lineHeight + padding) return text;
    return width >= onTwo && height >= 2 * lineHeight + padding ? text.replace(" ", "\n") : "";
  };
}

// Squares begin and end at whole pixels, so that the background does not show between them except as lines.
export function cellOf(api, theme, line, text) {
  const [width, height] = api.size([1, 1]);
  const [x, y] = api.coord([api.value(0), api.value(1)]);
  const [left, top] = [Math.round(x - width / 2), Math.round(y - height / 2)];
  const [right, bottom] = [Math.round(x + width / 2) - line, Math.round(y + height / 2) - line];
  const fill = api.visual("color");
  const rectangle = {
    type: "rect",
    shape: { x: left, y: top, width: right - left, height: bottom - top },
    style: { fill },
    emphasis: { style: { stroke: theme.text, lineWidth: 1.5 } },
  };
  if (!text) return rectangle;
  const { fontSize, lineHeight } = textOfCells;
  const place = { x, y, align: "center", verticalAlign: "middle" };
  const style = { ...place, text, fontSize, lineHeight, fill: isDark(fill) ? "#fff" : "#000" };
  return { type: "group", children: [rectangle, { type: "text", silent: true, style }] };
}

// Whether white is easier to read than black on this colour, by its luminance (WCAG 2).
function isDark(colour) {
  const channels = colour.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
    : colour.match(/[\d.]+/g).map(Number);
  const [red, green, blue] = channels.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179;
}

// The next cell with messages in this direction, in the same row or column; the same cell if there is none.
function moved(cells, placeOf, { from, to }, point, direction) {
  if (cells.length === 0) return null;
  if (!point) return { seriesIndex: 0, dataIndex: 0 };
  const step = { left: [0, -1], right: [0, 1], up: [-1, 0], down: [1, 0] }[direction];
  let row = cells[point.dataIndex].from + step[0];
  let column = cells[point.dataIndex].to + step[1];
  for (; row >= 0 && row < from.cells && column >= 0 && column < to.cells; row += step[0], column += step[1]) {
    const found = placeOf.get(row * to.cells + column);
    if (found !== undefined) return { seriesIndex: 0, dataIndex: found };
  }
  return point;
}
