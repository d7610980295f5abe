// Stacked bars: a bar for each category, a part of it for each series, all in one unit.
import { categoryAxis, Chart, colours as palette, valueAxis } from "./chart.js";
import { both, brief } from "./format.js";

// The number of series with a colour of their own.
export const mostSeries = palette.series.length;

// The least length of a part above 0, so that it is visible beside much longer ones. Applies only if a chart has few
// enough bars.
const leastLength = 3; // pixels
const mostWithLeastLength = 64; // bars

// The series of a chart and their colours: the first ones in the given order, as many as there are colours, and one for
// all others. rows: [[category, key, value, …], …]. Returns [{name, colour, keys (null: all others)}, …] without empty
// ones.
export function seriesOf(order, nameOf, used) {
  const chosen = order
    .slice(0, mostSeries)
    .map((key, i) => ({ name: nameOf(key), colour: palette.series[i], keys: new Set([key]) }));
  const others = order.slice(mostSeries);
  if (others.length > 0) chosen.push({ name: "others", colour: palette.others, keys: new Set(others) });
  return chosen.filter((series) => [...series.keys].some((key) => used.has(key)));
}

export class StackedBars {
  #chart;

  constructor(className) {
    this.#chart = new Chart(className);
    this.element = this.#chart.element;
  }

  // categories: [{label, title}, …]; series: [{name, colour, values: one for each category}, …]; kind: of the values;
  // lines(category, series): more lines for the tooltip; horizontal: bars go to the right; relative: all bars are
  // equally long.
  show({
    describe,
    categories,
    series,
    kind,
    lines = () => [],
    horizontal = false,
    relative = false,
    height,
    axisName,
  }) {
    this.#chart.show({
      describe,
      height,
      option: (theme) => this.#option(theme, { categories, series, kind, horizontal, relative, axisName }),
      tooltip: ({ seriesIndex, dataIndex }) => ({
        title: categories[dataIndex].title ?? categories[dataIndex].label,
        lines: [
          [series[seriesIndex].name, both(kind, series[seriesIndex].values[dataIndex])],
          ...lines(dataIndex, seriesIndex),
        ],
      }),
      move: (point, direction) => moved(series, categories.length, point, horizontal ? turned[direction] : direction),
    });
  }

  #option(theme, { categories, series, kind, horizontal, relative, axisName }) {
    const labels = categories.map((category) => category.label);
    const values = valueAxis(theme, (number) => brief(relative ? "share" : kind, number), {
      position: horizontal ? "top" : "left",
      max: relative ? 1 : null,
    });
    const names = categoryAxis(
      theme,
      labels,
      horizontal
        ? { inverse: true, axisLabel: { color: theme.text, interval: 0, width: labelRoom(), overflow: "truncate" } }
        : { axisLabel: { color: theme.muted, hideOverlap: true }, name: axisName, nameLocation: "middle", nameGap: 32 },
    );
    return {
      legend: {
        type: "plain",
        top: 0,
        left: 0,
        itemWidth: 12,
        itemHeight: 12,
        itemGap: 14,
        icon: "rect",
        textStyle: { color: theme.text },
        data: series.map(({ name }) => name),
      },
      grid: {
        left: 4,
        right: horizontal ? roomForSums : 12,
        top: legendRoom(series.length),
        bottom: 4,
        outerBoundsMode: "same",
        outerBoundsContain: "all",
      },
      xAxis: horizontal ? values : names,
      yAxis: horizontal ? names : values,
      series: [
        ...series.map(({ name, colour, values: data }) => ({
          type: "bar",
          name,
          stack: "all",
          // a value of 0 has no least length
          data: (relative ? partsOfAll(data, series) : data).map((value) => (value > 0 ? value : null)),
          itemStyle: { color: colour },
          barMaxWidth: horizontal ? 22 : 64,
          barMinHeight: categories.length > mostWithLeastLength ? 0 : leastLength,
          barCategoryGap: categories.length > 200 ? 0 : "20%",
          emphasis: { itemStyle: { borderColor: theme.text, borderWidth: 1.5 } },
        })),
        ...(horizontal ? [sumsOf(theme, series, categories.length, kind)] : []),
      ],
    };
  }
}

// Writes the sum of each bar behind its end.
const roomForSums = 76; // pixels
function sumsOf(theme, series, bars, kind) {
  const sums = Array.from({ length: bars }, (_, bar) => series.reduce((sum, { values }) => sum + values[bar], 0));
  const formatter = ({ dataIndex }) => brief(kind, sums[dataIndex]);
  const label = { show: true, position: "right", color: theme.muted, formatter };
  return { type: "bar", stack: "all", data: sums.map(() => 0), silent: true, tooltip: { show: false }, label };
}

function partsOfAll(values, series) {
  return values.map((value, i) => {
    const all = series.reduce((sum, one) => sum + one.values[i], 0);
    return all > 0 ? value / all : 0;
  });
}

// The room for names of horizontal bars.
function labelRoom() {
  return window.innerWidth < 700 ? 120 : 260;
}

function legendRoom(series) {
  return series > 4 && window.innerWidth < 700 ? 64 : 36;
}

const turned = { up: "left", down: "right", left: "down", right: "up" };

// Left and right arrows go to the next category, up and down to the next part that is not empty.
function moved(series, categories, point, direction) {
  if (categories === 0 || series.length === 0) return null;
  const isPart = (seriesIndex, dataIndex) => series[seriesIndex].values[dataIndex] > 0;
  if (!point)
    return {
      dataIndex: 0,
      seriesIndex: Math.max(
        series.findIndex((_, i) => isPart(i, 0)),
        0,
      ),
    };
  const next = { ...point };
  if (direction === "left" || direction === "right") {
    next.dataIndex = Math.min(Math.max(point.dataIndex + (direction === "right" ? 1 : -1), 0), categories - 1);
    return next;
  }
  const step = direction === "up" ? 1 : -1;
  for (let i = point.seriesIndex + step; i >= 0 && i < series.length; i += step) {
    if (isPart(i, point.dataIndex)) return { ...next, seriesIndex: i };
  }
  return point;
}
