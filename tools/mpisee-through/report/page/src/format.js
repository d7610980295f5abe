// Formats numbers as the terminal does: four significant digits, ns to s, powers of 1024; and with all digits. A test
// compares it with the tool, number by number (tests/unit/mpisee_through/table/formatted.json).

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const nanoseconds = new Intl.NumberFormat("en-US", { minimumFractionDigits: 9, maximumFractionDigits: 9 });
const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

// What stands for a number that is not known.
export const unknown = "-";

// Rounds as printf does: a tie, such as 6.25, to the even digit.
function fixed(number, decimals) {
  const scaled = number * 10 ** decimals;
  const isTie = Math.abs(scaled) % 1 === 0.5 && Number.isInteger(number * 2 ** (decimals + 1));
  return (isTie ? (2 * Math.round(scaled / 2)) / 10 ** decimals : number).toFixed(decimals);
}

// As printf's %e and %g do.
function scientific(number, decimals) {
  const [mantissa, exponent] = number.toExponential(decimals).split("e");
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}
function general(number, digits) {
  const text = scientific(number, digits - 1);
  const exponent = Number(text.split("e")[1]);
  if (exponent >= -4 && exponent < digits) return String(Number(number.toPrecision(digits)));
  return text.replace(/\.?0*e/, "e");
}

// The limits are where rounding adds a digit.
function significant(number) {
  return fixed(number, number < 9.9995 ? 3 : number < 99.995 ? 2 : number < 999.95 ? 1 : 0);
}

export function count(number) {
  return Number.isInteger(number) ? grouped.format(number) : fixed(number, 1);
}

export function bytes(number) {
  if (number < 1024) return `${Number.isInteger(number) ? number : fixed(number, 1)} B`;
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
  if (number >= 1e12) return `${scientific(number, 3)} s`;
  return number < 9999.5 ? `${significant(number)} s` : `${grouped.format(number)} s`;
}

export function share(part) {
  if (!Number.isFinite(part)) return unknown;
  if (part > 0 && part < 0.0005) return "<0.1 %";
  return `${fixed(part * 100, 1)} %`;
}

// For each kind of quantity: its short format, and the one with all digits.
export const kinds = {
  count: { short: count, exact: count },
  bytes: { short: bytes, exact: (number) => `${count(number)} B` },
  seconds: { short: seconds, exact: (number) => `${nanoseconds.format(number)} s` },
  share: { short: share, exact: (part) => (Number.isFinite(part) ? `${(part * 100).toFixed(6)} %` : unknown) },
  number: { short: String, exact: String },
  ratio: { short: (number) => general(number, 3), exact: String },
  coefficient: { short: (number) => fixed(number, 3), exact: String },
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
