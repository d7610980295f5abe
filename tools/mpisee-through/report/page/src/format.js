// Formats numbers as the terminal does: four significant digits, ns to s, powers of 1024; and with all digits. A test
// compares it with the tool, number by number (tests/unit/mpisee_through/table/formatted.json).

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const nanoseconds = new Intl.NumberFormat("en-US", { minimumFractionDigits: 9, maximumFractionDigits: 9 });
const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

// What stands for a number that is not known.
export const unknown = "-";

// The limits are where rounding adds a digit.
const significant = (number) => number.toFixed(number < 9.9995 ? 3 : number < 99.995 ? 2 : number < 999.95 ? 1 : 0);
const general = (number, digits) => String(Number(number.toPrecision(digits)));

export function count(number) {
  return Number.isInteger(number) ? grouped.format(number) : number.toFixed(1);
}

export function bytes(number) {
  if (number < 1024) return `${Number.isInteger(number) ? number : number.toFixed(1)} B`;
  let unit = 0;
  while (number >= (unit === 0 ? 1024 : 1023.5) && unit + 1 < byteUnits.length) {
    number /= 1024;
    unit += 1;
  }
  return `${significant(number)} ${byteUnits[unit]}`;
}

export function seconds(number) {
  if (number === 0) return "0 s";
  if (number < 0) return `-${seconds(-number)}`;
  for (const [inSecond, unit] of [
    [1e9, "ns"],
    [1e6, "µs"],
    [1e3, "ms"],
  ]) {
    if (number * inSecond < 999.95) return `${significant(number * inSecond)} ${unit}`;
  }
  return number < 9999.5 ? `${significant(number)} s` : `${grouped.format(number)} s`;
}

export function share(part) {
  if (!Number.isFinite(part)) return unknown;
  if (part > 0 && part < 0.0005) return "<0.1 %";
  return `${(part * 100).toFixed(1)} %`;
}

// For each kind of quantity: its short format, and the one with all digits.
export const kinds = {
  count: { short: count, exact: count },
  bytes: { short: bytes, exact: (number) => `${count(number)} B` },
  seconds: { short: seconds, exact: (number) => `${nanoseconds.format(number)} s` },
  share: { short: share, exact: (part) => (Number.isFinite(part) ? `${(part * 100).toFixed(6)} %` : unknown) },
  number: { short: String, exact: String },
  ratio: { short: (number) => general(number, 3), exact: String },
  coefficient: { short: (number) => number.toFixed(3), exact: String },
  probability: { short: (number) => (number < 1e-6 ? "<1e-06" : general(number, 2)), exact: String },
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
