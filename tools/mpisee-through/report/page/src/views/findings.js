// Shows the findings, in the words of the terminal's first page.
import { element } from "../dom.js";

// Keeps a number and its unit on one line.
function unbroken(text) {
  return text.replaceAll(/(\d) (%|[nµm]?s\b|[KMGTPE]?i?B\b)/g, "$1\u00a0$2");
}

function part(title, ...content) {
  return element("div", {}, element("dt", {}, title), element("dd", {}, ...content));
}

function findingItem({ fact, advice, command, note, thus, may_follow: possible }) {
  return element(
    "li",
    {},
    element("p", { class: "fact" }, unbroken(fact)),
    element(
      "dl",
      {},
      part("Try", unbroken(advice)),
      part("More", element("code", {}, command)),
      note ? part("Note", unbroken(note)) : null,
      thus.map((consequence) => part("Thus", unbroken(consequence))),
      possible.map((consequence) => part("Perhaps", unbroken(consequence))),
    ),
  );
}

// Shows the calls that processes were in when they ended, or are in now.
function state({ state_title: title, state: lines }) {
  return element("div", { class: "state" }, element("h3", {}, title), element("pre", {}, unbroken(lines.trimEnd())));
}

function highlight({ label, text }) {
  return element("p", { class: "highlight" }, element("strong", {}, `${label} `), unbroken(text));
}

export function findings(profile) {
  const { findings: all, no_findings: reason, unexplained, highlights } = profile.json.story;
  const isVerdict = ({ label }) => label === "Verdict";
  return [
    profile.json.story.state_title ? state(profile.json.story) : null,
    ...highlights.filter(isVerdict).map(highlight),
    all.length > 0
      ? element("ol", { class: "findings" }, all.map(findingItem))
      : element("p", { class: "lead" }, `None: ${reason}`),
    unexplained ? element("p", { class: "highlight" }, unbroken(unexplained)) : null,
    ...highlights.filter((one) => !isVerdict(one)).map(highlight),
  ].filter(Boolean);
}
