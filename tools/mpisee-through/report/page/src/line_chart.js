// Lines with a mark for each point, in a legend above them.
import { Chart } from "./chart.js";

const height = 340; // pixels

export class LineChart {
  #chart = new Chart();
  element = this.#chart.element;

  // xAxis(theme), yAxis(theme): axes of ECharts. lines: [{name, colour(theme), points: [{at: [x, y], title, lines}, …],
  // dashes}, …]; title and lines are the tooltip of a point, and a line whose points have none has no marks.
  show({ describe, xAxis, yAxis, lines }) {
    this.#chart.show({
      describe,
      height,
      option: (theme) => ({
        legend: { type: "plain", top: 0, left: 0, textStyle: { color: theme.text }, data: lines.map(({ name }) => name) },
        grid: { left: 4, right: 16, top: 64, bottom: 28, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
        xAxis: { nameLocation: "middle", nameGap: 28, nameTextStyle: { color: theme.muted }, ...xAxis(theme) },
        yAxis: yAxis(theme),
        series: lines.map((line) => lineOf(line, theme)),
      }),
      tooltip: ({ seriesIndex, dataIndex }) => lines[seriesIndex].points[dataIndex],
      move: (point, direction) => moved(lines, point, direction),
    });
  }
}

const hasMarks = ({ points }) => points.some(({ title }) => title !== undefined);

function lineOf(line, theme) {
  const color = line.colour(theme);
  return {
    type: "line",
    name: line.name,
    data: line.points.map(({ at }) => at),
    itemStyle: { color },
    lineStyle: { color, width: 2, type: line.dashes ?? "solid" },
    symbol: hasMarks(line) ? "circle" : "none",
    symbolSize: 8,
    silent: !hasMarks(line),
    showAllSymbol: true,
  };
}

// Left and right arrows go along a line, up and down to the next line.
function moved(lines, point, direction) {
  const marked = lines.map((line, i) => (hasMarks(line) ? i : -1)).filter((i) => i >= 0);
  if (marked.length === 0) return null;
  if (!point) return { seriesIndex: marked[0], dataIndex: 0 };
  const step = { left: -1, right: 1, up: 1, down: -1 }[direction];
  const clamp = (i, size) => Math.min(Math.max(i, 0), size - 1);
  const isAlong = direction === "left" || direction === "right";
  const place = marked.indexOf(point.seriesIndex);
  const seriesIndex = isAlong ? point.seriesIndex : marked[clamp(place + step, marked.length)];
  return { seriesIndex, dataIndex: clamp(point.dataIndex + (isAlong ? step : 0), lines[seriesIndex].points.length) };
}
