// A share of the whole, 0 to 1, as a table's cell: a bar and a number.
import { element } from "./dom.js";
import { kinds } from "./format.js";

export function shareCell(part) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.width = `${Math.max((part || 0) * 100, part > 0 ? 0.5 : 0)}%`;
  return element(
    "span",
    { class: "with-bar" },
    element("span", { class: "track" }, bar),
    element("span", {}, kinds.share.short(part)),
  );
}
