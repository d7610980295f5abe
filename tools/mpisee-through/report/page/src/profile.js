// The profile in the page's data (report_json.cpp, story_json.cpp), and sums over it.
import { linesOf } from "./lines.js";
import { Totals, totalsIn } from "./totals.js";

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// See packed_column.hpp. Numbers are exact up to 2^53, as in all of JavaScript.
export function unpackCounts(base64) {
  const counts = [];
  let value = 0;
  let place = 1;
  for (const byte of bytesOf(base64)) {
    value += (byte & 127) * place;
    place *= 128;
    if (byte < 128) {
      counts.push(value);
      value = 0;
      place = 1;
    }
  }
  return counts;
}
export function unpackSeconds(base64) {
  const view = new DataView(bytesOf(base64).buffer);
  return Array.from({ length: view.byteLength / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

const columnsOfSeconds = new Set(["time", "wall", "mpi", "mpi_min", "mpi_max", "outside", "waiting", "moving"]);
function unpackTable(table, columns) {
  const unpack = (column) => (columnsOfSeconds.has(column) ? unpackSeconds : unpackCounts)(table[column]);
  return Object.fromEntries(columns.map((column) => [column, unpack(column)]));
}

export class Profile {
  constructor(json) {
    this.json = json;
    this.run = json.run;
    this.operations = json.operations;
    this.sizes = json.sizes;
    this.communicators = this.#communicators();
    this.#addCalls();
    this.lines = linesOf(this);
    this.lineOfPlace = new Map(this.lines.flatMap((line) => line.members.map((one) => [one.index, line])));
    this.operationsByTime = this.#ranking((totals) => totals.time);
  }

  #communicators() {
    const list = this.json.communicators.map((one, index) => ({ ...one, index, further: false }));
    const addUp = (number, more) =>
      list.push({
        name: `${number.toLocaleString("en-US")} further communicators`,
        index: list.length,
        depth: 0,
        members: "",
        user_name: "",
        instances: number,
        further: true,
        group: null,
        ...more,
      });
    this.json.groups.forEach((one, group) => {
      if (one.further > 0) addUp(one.further, { group });
    });
    if (this.json.further_communicators > 0) addUp(this.json.further_communicators);
    const ancestors = [];
    for (const one of list) {
      ancestors.length = one.depth;
      const parent = ancestors.at(-1) ?? null;
      ancestors.push(one);
      Object.assign(one, { parent, totals: new Totals(), operations: new Map() });
    }
    return list;
  }

  #addCalls() {
    const columns = unpackTable(this.json.calls, [
      "communicator",
      "operation",
      "size",
      "calls",
      "sent",
      "received",
      "time",
    ]);
    this.calls = columns.calls.map((calls, i) => ({
      communicator: columns.communicator[i],
      operation: columns.operation[i],
      size: columns.size[i],
      calls,
      sent: columns.sent[i],
      received: columns.received[i],
      time: columns.time[i],
    }));
    this.totalsOfOperations = new Map();
    for (const row of this.calls) {
      const communicator = this.communicators[row.communicator];
      communicator.totals.add(row);
      totalsIn(communicator.operations, row.operation).add(row);
      totalsIn(this.totalsOfOperations, row.operation).add(row);
    }
  }

  #ranking(measure) {
    return [...this.totalsOfOperations].sort(([, a], [, b]) => measure(b) - measure(a)).map(([operation]) => operation);
  }

  get ranks() {
    this.unpackedRanks ??= this.#unpackRanks();
    return this.unpackedRanks;
  }

  #unpackRanks() {
    const { ranks_per_bin: perBin, host_names: hostNames, ...tables } = this.json.ranks;
    const parts = (table) => unpackTable(table, ["bin", "of", "time"]);
    return {
      perBin,
      hostNames,
      knowsWaiting: tables.knows_waiting,
      knowsMoving: tables.knows_moving,
      ...unpackTable(tables, ["ranks", "host", "several_hosts", "max_rank", "wall", "mpi", "mpi_min", "mpi_max"]),
      ...unpackTable(tables, ["outside", "waiting", "moving"]),
      byOperation: parts(tables.by_operation),
      byCommunicator: parts(tables.by_communicator),
    };
  }

  // Null if the profile has none. A part is the cost of a site on one communicator.
  get sites() {
    if (this.json.sites === null) return null;
    this.unpackedSites ??= this.#unpackSites();
    return this.unpackedSites;
  }

  #unpackSites() {
    const columns = unpackTable(this.json.sites.parts, ["line", "communicator", "calls", "sent", "received", "time"]);
    const list = this.json.sites.list.map((one, index) => ({ ...one, index }));
    const parts = columns.line.map((site, i) => ({
      site: list[site],
      communicator: columns.communicator[i],
      calls: columns.calls[i],
      sent: columns.sent[i],
      received: columns.received[i],
      time: columns.time[i],
    }));
    return { list, parts };
  }

  // Null if the profile has none.
  get pairs() {
    if (this.json.pairs === null) return null;
    this.unpackedPairs ??= {
      perBin: this.json.pairs.ranks_per_bin,
      bins: this.json.pairs.bins,
      classes: this.json.pairs.classes,
      ...unpackTable(this.json.pairs, ["communicator", "class", "from", "to", "messages", "bytes"]),
    };
    return this.unpackedPairs;
  }

  // Null if the profile has none. Shares and bytes are of ranks one after the other, a value for each window.
  get when() {
    if (this.json.when === null) return null;
    this.unpackedWhen ??= this.#unpackWhen();
    return this.unpackedWhen;
  }

  #unpackWhen() {
    const { ranks, sizes, has_common_clock: hasCommonClock, shares, ...columns } = this.json.when;
    const unpackShares = (column) => unpackCounts(column).map((part) => part / 10000);
    return {
      ranks,
      sizes,
      hasCommonClock,
      begins: unpackSeconds(columns.begins),
      lengths: unpackSeconds(columns.lengths),
      efficiency: unpackShares(columns.efficiency),
      balance: unpackShares(columns.balance),
      shares: Object.fromEntries(Object.entries(shares).map(([kind, column]) => [kind, unpackShares(column)])),
      bytes: unpackCounts(columns.bytes),
    };
  }
}
