// Calls, bytes and time, added up.
export class Totals {
  calls = 0;
  sent = 0;
  received = 0;
  time = 0;

  get volume() {
    return this.sent + this.received;
  }

  add(other) {
    this.calls += other.calls;
    this.sent += other.sent;
    this.received += other.received;
    this.time += other.time;
  }
}

export function totalsIn(map, key) {
  if (!map.has(key)) map.set(key, new Totals());
  return map.get(key);
}

// The costs of calls by the keys that the tool's columns have (views/columns.cpp).
export function costsOf({ calls, sent, received, volume, time }, { operations_s: mpi, rank_wall_s: wall }) {
  return {
    calls,
    bytes_sent: sent,
    bytes_received: received,
    bytes: volume,
    time_s: time,
    mpi_share: mpi > 0 ? time / mpi : null,
    wall_share: wall > 0 ? time / wall : null,
    time_mean_s: calls > 0 ? time / calls : null,
  };
}
