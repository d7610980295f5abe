// Shows the run over time: the efficiency of the job, and below it a map of ranks and windows of time.
import { Scale, Side } from "../cells.js";
import { categoryAxis, Chart, colours, valueAxis } from "../chart.js";
import { choice, element } from "../dom.js";
import { DragZoom } from "../drag_zoom.js";
import { both, brief, count, kinds } from "../format.js";
import { cellOf, colourBar } from "../heat_map.js";
import { scaled } from "../zoom.js";

const efficiencySeries = 0;
const mapSeries = 1;
const heightOfEfficiency = 90; // pixels, with the gap below it
const heightAround = 80;
const heights = { least: 120, most: 520, row: 18 };

// A mean of the values of windows, by their lengths.
function meanOf(when, values, side, cell) {
  let sum = 0;
  let length = 0;
  for (let i = side.firstOf(cell); i <= side.lastOf(cell); i += 1) {
    sum += values[i] * when.lengths[i];
    length += when.lengths[i];
  }
  return sum / length;
}

// A cell for each side's cell: {row, column, share, bytes}. Shares are means, bytes are sums.
function cellsOfWhen(when, shares, rows, columns) {
  const cells = [];
  for (let row = 0; row < rows.cells; row += 1) {
    for (let column = 0; column < columns.cells; column += 1) {
      const cell = { row, column, share: 0, bytes: 0 };
      let weights = 0;
      for (let rank = rows.firstOf(row); rank <= rows.lastOf(row); rank += 1) {
        for (let i = columns.firstOf(column); i <= columns.lastOf(column); i += 1) {
          const weight = when.sizes[rank] * when.lengths[i];
          const place = rank * when.lengths.length + i;
          cell.share += shares[place] * weight;
          cell.bytes += when.bytes[place];
          weights += weight;
        }
      }
      cell.share /= weights;
      cells.push(cell);
    }
  }
  return cells;
}

class WhenMap {
  #when;
  #shown = "all";
  #rows;
  #columns;
  #chart = new Chart("over-time");
  #drag = new DragZoom((rows, columns) => this.#look(rows, columns), 1);
  #status = element("p", { class: "status", role: "status" });

  constructor(when) {
    this.#when = when;
    this.#chart.element.append(this.#drag.frame);
    const button = (text, act) => element("button", { type: "button", onclick: act }, text);
    const shown = [
      ["all", "Time in MPI"],
      ...Object.keys(when.shares)
        .filter((kind) => kind !== "all")
        .map((kind) => [kind, kind]),
      ["bytes", "Bytes"],
    ];
    const controls = element(
      "div",
      { class: "controls noprint" },
      choice("Show", shown, this.#shown, (value) => {
        this.#shown = value;
        this.#draw();
      }),
      button("Zoom in", () => this.#scale(0.5)),
      button("Zoom out", () => this.#scale(2)),
      button("Whole run", () => this.#look(...this.#all())),
    );
    this.elements = [controls, this.#chart.element, this.#status];
    this.#look(...this.#all());
  }

  #all() {
    return [new Side(0, this.#when.sizes.length - 1), new Side(0, this.#when.lengths.length - 1)];
  }

  #look(rows, columns) {
    this.#rows = rows;
    this.#columns = columns;
    this.#drag.look(rows, columns);
    this.#draw();
  }

  #scale(factor) {
    const { sizes, lengths } = this.#when;
    const rows = sizes.length > 1 ? scaled(this.#rows, factor, sizes.length) : this.#rows;
    this.#look(rows, scaled(this.#columns, factor, lengths.length));
  }

  #key(event) {
    const factor = { "+": 0.5, "-": 2 }[event.key];
    if (factor) this.#scale(factor);
    else if (event.key === "0") this.#look(...this.#all());
    else return false;
    return true;
  }

  #nameOf(row) {
    const first = this.#when.ranks[this.#rows.firstOf(row)];
    const last = this.#when.ranks[this.#rows.lastOf(row)];
    if (first === last) return /^\d+$/.test(first) ? `rank ${first}` : `ranks ${first}`;
    return `ranks ${first.split("-")[0]}–${last.split("-").at(-1)}`;
  }
  #spanOf(column) {
    const begin = this.#when.begins[this.#columns.firstOf(column)];
    const last = this.#columns.lastOf(column);
    return [begin, this.#when.begins[last] + this.#when.lengths[last]];
  }

  #draw() {
    const when = this.#when;
    const cells = cellsOfWhen(when, when.shares[this.#shown] ?? when.shares.all, this.#rows, this.#columns);
    const of = (values) =>
      Array.from({ length: this.#columns.cells }, (_, column) => meanOf(when, values, this.#columns, column));
    const efficiencies = of(when.efficiency);
    const balances = of(when.balance);
    const room = Math.min(Math.max(this.#rows.cells * heights.row, heights.least), heights.most);
    const time = (column) => this.#spanOf(column).map((moment) => kinds.seconds.short(moment)).join(" to ");
    this.#chart.show({
      describe: `${this.#shown === "bytes" ? "Bytes" : "The share of the time in MPI"} of ranks over time, below the efficiency. Plus and minus zoom, 0 shows the whole run.`,
      height: room + heightOfEfficiency + heightAround,
      begun: (chart) => this.#drag.listen(chart),
      option: (theme) => this.#option(theme, cells, efficiencies, room),
      tooltip: ({ seriesIndex, dataIndex }) => {
        if (seriesIndex === efficiencySeries)
          return {
            title: time(dataIndex),
            lines: [
              ["parallel efficiency", kinds.share.short(efficiencies[dataIndex])],
              ["load balance", kinds.share.short(balances[dataIndex])],
            ],
          };
        const cell = cells[dataIndex];
        return {
          title: `${this.#nameOf(cell.row)}, ${time(cell.column)}`,
          lines: [
            [this.#shown in when.shares && this.#shown !== "all" ? `in ${this.#shown} calls` : "in MPI", kinds.share.short(cell.share)],
            ["bytes", both("bytes", cell.bytes)],
          ],
        };
      },
      move: (point, direction) => this.#moved(point, direction),
      key: (event) => this.#key(event),
    });
    const ranks = this.#rows.binsPerCell;
    const windows = this.#columns.binsPerCell;
    this.#status.textContent =
      ranks * windows > 1
        ? `A cell stands for ${count(ranks)} × ${count(windows)} ranks and windows; zoom in to tell them apart.`
        : "";
  }

  #moved(point, direction) {
    const columns = this.#columns.cells;
    const at = point && point.seriesIndex === mapSeries ? point.dataIndex : null;
    if (at === null) return { seriesIndex: mapSeries, dataIndex: 0 };
    const step = { left: [0, -1], right: [0, 1], up: [-1, 0], down: [1, 0] }[direction];
    const row = Math.min(Math.max(Math.floor(at / columns) + step[0], 0), this.#rows.cells - 1);
    const column = Math.min(Math.max((at % columns) + step[1], 0), columns - 1);
    return { seriesIndex: mapSeries, dataIndex: row * columns + column };
  }

  #option(theme, cells, efficiencies, room) {
    const isBytes = this.#shown === "bytes";
    const scale = isBytes ? new Scale(cells.map((cell) => cell.bytes)) : null;
    const times = Array.from({ length: this.#columns.cells }, (_, column) => brief("seconds", this.#spanOf(column)[0]));
    const ranks = Array.from({ length: this.#rows.cells }, (_, row) => this.#nameOf(row).replace(/^ranks? /, ""));
    const lines = this.#columns.cells <= 64 && this.#rows.cells <= 64 ? 1 : 0;
    const side = { left: 80, right: 16 };
    const every = Math.ceil(times.length / 8) - 1;
    const time = categoryAxis(theme, times, { axisLabel: { color: theme.muted, interval: every } });
    return {
      grid: [
        { ...side, top: 8, height: heightOfEfficiency - 24, outerBoundsMode: "none" },
        { ...side, top: heightOfEfficiency, height: room, show: true, borderColor: theme.line, outerBoundsMode: "none" },
      ],
      xAxis: [
        { ...time, gridIndex: 0, axisLabel: { show: false } },
        { ...time, gridIndex: 1 },
      ],
      yAxis: [
        valueAxis(theme, (part) => brief("share", part), {
          gridIndex: 0,
          max: 1,
          interval: 0.5,
          name: "Efficiency",
          nameLocation: "middle",
          nameGap: 56,
          nameTextStyle: { color: theme.muted },
        }),
        categoryAxis(theme, ranks, {
          gridIndex: 1,
          inverse: true,
          axisLabel: { color: theme.muted, interval: Math.max(Math.ceil((ranks.length * 14) / room) - 1, 0) },
          name: "Rank",
          nameLocation: "middle",
          nameGap: 56,
          nameTextStyle: { color: theme.muted },
        }),
      ],
      visualMap: {
        ...colourBar(theme, isBytes ? scale.ends(kinds.bytes) : ["100 %", "0 %"]),
        seriesIndex: mapSeries,
      },
      series: [
        {
          type: "bar",
          xAxisIndex: 0,
          yAxisIndex: 0,
          barCategoryGap: 0,
          itemStyle: { color: colours.series[0] },
          data: efficiencies,
        },
        {
          type: "custom",
          xAxisIndex: 1,
          yAxisIndex: 1,
          progressive: 0,
          data: cells.map((cell) => [cell.column, cell.row, isBytes ? scale.position(cell.bytes) : cell.share]),
          encode: { x: 0, y: 1 },
          renderItem: (_, api) => cellOf(api, theme, lines, ""),
        },
      ],
    };
  }
}

export function when(profile) {
  const clock = profile.when.hasCommonClock ? "" : " Hosts have no common clock: times are since each rank's own MPI_Init.";
  const phases = profile.when.phases ? ` ${profile.when.phases}` : "";
  return [
    element(
      "p",
      { class: "lead" },
      `How the run went over time: the parallel efficiency of the job, and below it the share of the time that ranks spend in MPI. Drag over a part of the map to zoom in.${phases}${clock}`,
    ),
    ...new WhenMap(profile.when).elements,
  ];
}
