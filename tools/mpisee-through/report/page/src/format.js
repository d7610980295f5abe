// Formats numbers as the terminal does: four significant digits, ns to s, powers of 1024; and with all digits.

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const nanoseconds = new Intl.NumberFormat("en-US", { minimumFractionDigits: 9, maximumFractionDigits: 9 });
const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

// The limits are where rounding adds a digit.
function significant(number) {
  return number.toFixed(number < 9.9995 ? 3 : number < 99.995 ? 2 : number < 999.95 ? 1 : 0);
}

export function count(number) {
  return grouped.format(number);
}

export function bytes(number) {
  if (number < 1024) return `${count(number)} B`;
  let unit = 0;
  while (number >= (unit === 0 ? 1024 : 1023.5) && unit + 1 < byteUnits.length) {
    number /= 1024;
    unit += 1;
  }
  return `${significant(number)} ${byteUnits[unit]}`;
}

export function seconds(number) {
  if (number === 0) return "0 s";
  for (const [inSecond, unit] of [
    [1e9, "ns"],
    [1e6, "µs"],
    [1e3, "ms"],
  ]) {
    if (number * inSecond < 999.95) return `${significant(number * inSecond)} ${unit}`;
  }
  return number < 9999.5 ? `${significant(number)} s` : `${count(number)} s`;
}

export function share(part) {
  if (!Number.isFinite(part)) return "–";
  if (part > 0 && part < 0.0005) return "<0.1 %";
  return `${(part * 100).toFixed(1)} %`;
}

// For each kind of quantity: its short format, and the one with all digits.
export const kinds = {
  count: { short: count, exact: count },
  bytes: { short: bytes, exact: (number) => `${count(number)} B` },
  seconds: { short: seconds, exact: (number) => `${nanoseconds.format(number)} s` },
  share: { short: share, exact: (part) => (Number.isFinite(part) ? `${(part * 100).toFixed(6)} %` : "–") },
  number: { short: String, exact: String },
  ratio: { short: (number) => String(Number(number.toPrecision(3))), exact: String },
  coefficient: { short: (number) => number.toFixed(3), exact: String },
  probability: { short: (number) => (number < 1e-6 ? "<1e-06" : String(Number(number.toPrecision(2)))), exact: String },
};

// Shortens for the marks of an axis: "1.500 s" to "1.5 s".
export function brief(kind, number) {
  return kinds[kind]
    .short(number)
    .replace(/(\.\d*?)0+(?= )/, "$1")
    .replace(/\.(?= )/, "");
}

// Both formats, if there is room: "1.500 KiB (1,536 B)".
export function both(kind, number) {
  const { short, exact } = kinds[kind];
  return short(number) === exact(number) ? exact(number) : `${short(number)} (${exact(number)})`;
}

export function plural(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

// "rank 3", "ranks 8–15".
export function rankNames(first, last) {
  return first === last ? `rank ${first}` : `ranks ${first}–${last}`;
}
