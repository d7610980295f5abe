// Shows the regions that the program has named.
import { element } from "../dom.js";
import { both, count } from "../format.js";
import { colours } from "../chart.js";
import { StackedBars } from "../stacked_bars.js";
import { Table } from "../table.js";

const barsAtMost = 25;

function bars(list) {
  const shown = [...list].sort((a, b) => b.wall_s - a.wall_s).slice(0, barsAtMost);
  const made = new StackedBars();
  made.show({
    describe: "Time in each region, in MPI and outside of it.",
    categories: shown.map((region) => ({ label: region.path })),
    series: [
      { name: "in MPI", colour: colours.series[0], values: shown.map((region) => region.mpi_s) },
      {
        name: "outside MPI",
        colour: colours.others,
        values: shown.map((region) => Math.max(region.wall_s - region.mpi_s, 0)),
      },
    ],
    kind: "seconds",
    lines: (i) => [
      ["in the region", both("seconds", shown[i].wall_s)],
      ["entered", count(shown[i].entered)],
    ],
    horizontal: true,
    height: 74 + 30 * shown.length,
  });
  return made.element;
}

export function regions(profile) {
  if (profile.json.regions === null)
    return [element("p", { class: "lead" }, profile.json.no_regions || "This profile was written without times of regions.")];
  const { list, left_out: leftOut } = profile.json.regions;
  const columns = [
    { label: "Region", kind: "text", value: (region) => region.path, depth: (region) => region.depth },
    { label: "Ranks", kind: "count", value: (region) => region.ranks },
    { label: "Entered", kind: "count", value: (region) => region.entered },
    { label: "Time", kind: "seconds", value: (region) => region.wall_s },
    { label: "Most of a rank", kind: "seconds", value: (region) => region.wall_max_s },
    { label: "Exclusive", kind: "seconds", value: (region) => region.exclusive_s },
    { label: "In MPI", kind: "seconds", value: (region) => region.mpi_s },
    { label: "Share", kind: "share", value: (region) => (region.wall_s > 0 ? region.mpi_s / region.wall_s : NaN) },
  ];
  const table = new Table(columns, list, {
    caption:
      "Regions below the one they are in. Times are summed over ranks, and include the regions inside, but for “exclusive”.",
    search: (region) => region.path,
    noun: "region",
  });
  const more = leftOut > 0 ? ` ${count(leftOut)} further regions are left out.` : "";
  const text =
    list.length > 1
      ? "Where the program said it was; main is what is outside any region."
      : "The program named no regions: all of it is main.";
  return [element("p", { class: "lead" }, text + more), bars(list), table.element];
}
