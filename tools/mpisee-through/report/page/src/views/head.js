// Shows the program that ran, and its share of MPI.
import { element } from "../dom.js";
import { bytes, count, kinds, plural, seconds, share } from "../format.js";

function fact(label, value, { title, wide } = {}) {
  return element("div", { class: wide ? "wide" : null }, element("dt", {}, label), element("dd", { title }, value));
}

function shareOfMpi(run) {
  const part = run.thread_wall_s > 0 ? run.rank_mpi_s / run.thread_wall_s : NaN;
  const bar = element("span", { class: "meter", "aria-hidden": "true" }, element("span"));
  bar.firstChild.style.width = `${Math.min(part || 0, 1) * 100}%`;
  const ranks = plural(run.selected_ranks, "rank");
  const threads = run.thread_wall_s > run.rank_wall_s ? " and their threads" : "";
  const times = `${seconds(run.rank_mpi_s)} of ${seconds(run.thread_wall_s)}, summed over ${ranks}${threads}`;
  return element(
    "div",
    { class: "share" },
    element("dt", {}, "In MPI"),
    element(
      "dd",
      { title: kinds.share.exact(part) },
      element("strong", {}, share(part)),
      element("span", {}, times),
      bar,
    ),
  );
}

function ranksOf(run) {
  return run.selected_ranks === run.ranks ? count(run.ranks) : `${count(run.selected_ranks)} of ${count(run.ranks)}`;
}

// Notes that a reader needs to interpret the numbers: about this page, and about the profile, in the words of the
// terminal.
function notes(profile) {
  const said = [];
  if (profile.json.selection) said.push(`Only a part of the profile is shown: ${profile.json.selection}.`);
  const further = profile.json.groups.reduce((sum, group) => sum + group.further, profile.json.further_communicators);
  if (further > 0)
    said.push(
      `Of the communicators, the ${count(profile.json.communicators.length)} that cost most time are shown one by one; ` +
        `${count(further)} further ones are added up.`,
    );
  const labelled = profile.run.notes.map(([label, text]) => [element("strong", {}, label), ` ${text}`]);
  return [...labelled, ...said].map((text) => element("p", { class: "note" }, text));
}

export function fillHead(profile) {
  const { run } = profile;
  const name = run.program.split("/").pop();
  document.title = `${name}: ${plural(run.ranks, "rank")}${run.is_unfinished ? ", unfinished" : ""}, commprof`;
  let calls = 0;
  let sent = 0;
  for (const totals of profile.totalsOfOperations.values()) {
    calls += totals.calls;
    sent += totals.sent;
  }
  document
    .getElementById("head")
    .append(
      element("p", { class: "kicker" }, run.is_unfinished ? "MPI profile of an unfinished run" : "MPI profile"),
      element("h1", {}, name),
      element("p", { class: "command" }, run.command),
      element(
        "dl",
        { class: "facts" },
        shareOfMpi(run),
        fact("Ranks", `${ranksOf(run)} on ${plural(run.hosts, "host")}`),
        fact("Wall time", `${run.is_longer ? "at least " : ""}${seconds(run.wall_s)}`, { title: kinds.seconds.exact(run.wall_s) }),
        run.cpu_share === null
          ? null
          : fact("Processors", `${run.cpu_share.toFixed(2)} a rank`, {
              title: "processor time of all threads of a rank, divided by its wall time",
            }),
        run.queued_share === null
          ? null
          : fact("Queued", share(run.queued_share), {
              title: "of the wall time, ready to run, without a processor",
            }),
        run.max_rss_bytes === null
          ? null
          : fact("Memory", `${bytes(run.max_rss_bytes)} a rank`, {
              title: "the most that was resident on a rank",
            }),
        fact("Calls", count(calls)),
        fact("Sent", bytes(sent), { title: kinds.bytes.exact(sent) }),
        run.start ? fact("Start", run.start.replace("T", " ").replace(/(\.\d+)?Z/, " UTC")) : null,
        run.library
          ? fact("Library", run.mpi_version ? `${run.library} (MPI ${run.mpi_version})` : run.library, { wide: true })
          : null,
      ),
      ...notes(profile),
    );
}
