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
