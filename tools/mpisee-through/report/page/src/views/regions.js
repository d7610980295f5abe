// Shows the regions that the program has named.
import { element } from "../dom.js";
import { both, count } from "../format.js";
import { colours } from "../chart.js";
import { StackedBars } from "../stacked_bars.js";
import { tableWithText } from "../view_table.js";

const barsAtMost = 25;

// The mean over the threads of the ranks that call MPI, summed over ranks.
const timeInMpi = (region) =>
  region.thread_wall_s > 0 ? Math.min(region.mpi_s / region.thread_wall_s, 1) * region.wall_s : 0;

function bars(list) {
  const shown = [...list].sort((a, b) => b.wall_s - a.wall_s).slice(0, barsAtMost);
  const made = new StackedBars();
  made.show({
    describe: "Time in each region, in MPI and outside of it.",
    categories: shown.map((region) => ({ label: region.path })),
    series: [
      { name: "in MPI", colour: colours.series[0], values: shown.map(timeInMpi) },
      {
        name: "outside MPI",
        colour: colours.others,
        values: shown.map((region) => region.wall_s - timeInMpi(region)),
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
  const list = profile.json.regions;
  const table = tableWithText(profile.json.tables.regions, {
    caption: "Regions below the one they are in. Times include the regions inside, but for “exclusive”.",
    noun: "region",
  });
  const text =
    list.length > 1
      ? "Where the program said it was; main is what is outside any region."
      : "The program named no regions: all of it is main.";
  return [element("p", { class: "lead" }, text), bars(list), table];
}
