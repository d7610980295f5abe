#pragma once

#include <string_view>

namespace mpisee_through {

// The style of the page: light or dark as the reader prefers, light on paper. Colours of lines also differ in
// lightness.
inline constexpr std::string_view page_style = R"css(
:root {
  color-scheme: light dark;
  --page: #fafaf8; --surface: #fff; --text: #1c2127; --muted: #5c6873; --line: #dfe3e6; --band: #0b61a426;
  --series-0: #0b61a4; --series-1: #b3470b; --series-2: #1a7f37; --series-3: #8250b8; --series-4: #8a6100;
  --series-5: #b4236b; --series-6: #0e7c86; --outside: #c9d6e2; --other: #8b96a1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171a; --surface: #1b1f24; --text: #e6e9ec; --muted: #9ba7b2; --line: #30373e; --band: #6cb4f533;
    --series-0: #6cb4f5; --series-1: #f0925b; --series-2: #5fc87b; --series-3: #c3a1ee; --series-4: #dcb34a;
    --series-5: #f083b4; --series-6: #5ecad4; --outside: #3c4a58; --other: #77828d;
  }
}
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --surface: #fff; --text: #000; --muted: #444; --line: #ccc; --band: #0b61a426;
    --series-0: #0b61a4; --series-1: #b3470b; --series-2: #1a7f37; --series-3: #8250b8; --series-4: #8a6100;
    --series-5: #b4236b; --series-6: #0e7c86; --outside: #c9d6e2; --other: #8b96a1;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 62rem; padding: 2rem 1.5rem 4rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums;
}
h1 { margin: 0; font-size: 2rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 0.5rem; font-size: 1.3rem; }
p, ul { margin: 0.4rem 0; max-width: 48rem; }
.muted { color: var(--muted); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.75rem 0; font-size: 0.9rem; }
th, td { padding: 0.2rem 0.75rem 0.2rem 0; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; }
.name { text-align: left; white-space: pre; font-weight: 400; color: var(--text); }
.chart { display: block; width: 100%; max-width: 54rem; margin: 0.75rem 0; font-size: 13px; }
.chart .tick { fill: var(--muted); }
.chart .grid { stroke: var(--line); }
.chart .band { fill: var(--band); }
.chart g path { fill: none; stroke: var(--color); stroke-width: 2; stroke-linejoin: round; }
.chart g .lead { stroke-width: 1; opacity: 0.45; }
.chart g circle { fill: var(--color); stroke: var(--page); stroke-width: 1.5; }
.chart g text { fill: var(--color); }
.chart .beyond path:not(.lead) { stroke-dasharray: 5 4; }
.chart .ideal path { stroke-dasharray: 2 4; }
.ideal { --color: var(--muted); }
.beyond, .series-0 { --color: var(--series-0); }
.series-1 { --color: var(--series-1); }
.series-2 { --color: var(--series-2); }
.series-3 { --color: var(--series-3); }
.series-4 { --color: var(--series-4); }
.series-5 { --color: var(--series-5); }
.series-6 { --color: var(--series-6); }
.outside { --color: var(--outside); }
.other { --color: var(--other); }
.bars rect { fill: var(--color); stroke: var(--page); }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0; list-style: none; font-size: 0.9rem; }
.legend i { display: inline-block; width: 0.8rem; height: 0.8rem; margin-right: 0.4rem; border-radius: 2px; background: var(--color); }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { margin-top: 1.2rem; break-after: avoid; }
  .chart { max-width: 32rem; margin: 0.3rem 0; }
  section, .chart, tr { break-inside: avoid; }
  .scroll { overflow: visible; }
  * { print-color-adjust: exact; }
}
)css";

}  // namespace mpisee_through
