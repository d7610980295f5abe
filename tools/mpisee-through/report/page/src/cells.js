// Divides the matrix of pairs, or a window of it, into as many cells as can be told apart; a cell sums its pairs.

export const mostCells = 128;

// A range of bins, first and last, on one side of the matrix, cut into cells of equal size.
export class Side {
  constructor(first, last) {
    this.first = first;
    this.last = last;
    this.binsPerCell = Math.ceil((last - first + 1) / mostCells);
    this.cells = Math.ceil((last - first + 1) / this.binsPerCell);
  }

  cellOf(bin) {
    return Math.floor((bin - this.first) / this.binsPerCell);
  }
  holds(bin) {
    return bin >= this.first && bin <= this.last;
  }
  firstOf(cell) {
    return this.first + cell * this.binsPerCell;
  }
  lastOf(cell) {
    return Math.min(this.firstOf(cell) + this.binsPerCell - 1, this.last);
  }
}

// The rows of the pairs that match: communicators by a set of places, a class by its number; null matches all.
export function selectedRows(pairs, { places, trafficClass }) {
  const rows = [];
  for (let i = 0; i < pairs.from.length; i += 1) {
    if (places !== null && !places.has(pairs.communicator[i])) continue;
    if (trafficClass !== null && pairs.class[i] !== trafficClass) continue;
    rows.push(i);
  }
  return rows;
}

// The cells with messages, and the messages to and from other worlds, which have no place in the matrix.
export function cellsOf(pairs, rows, from, to) {
  const messages = new Float64Array(from.cells * to.cells);
  const bytes = new Float64Array(from.cells * to.cells);
  const elsewhere = { messages: 0, bytes: 0 };
  for (const i of rows) {
    if (pairs.from[i] === pairs.bins || pairs.to[i] === pairs.bins) {
      elsewhere.messages += pairs.messages[i];
      elsewhere.bytes += pairs.bytes[i];
    } else if (from.holds(pairs.from[i]) && to.holds(pairs.to[i])) {
      const cell = from.cellOf(pairs.from[i]) * to.cells + to.cellOf(pairs.to[i]);
      messages[cell] += pairs.messages[i];
      bytes[cell] += pairs.bytes[i];
    }
  }
  const cells = [];
  messages.forEach((number, cell) => {
    if (number > 0)
      cells.push({ from: Math.floor(cell / to.cells), to: cell % to.cells, messages: number, bytes: bytes[cell] });
  });
  return { cells, elsewhere };
}

// Maps amounts to 0 … 1: logarithmically from the smallest to the largest amount if they differ by large factors, else
// linearly from 0.
export class Scale {
  constructor(amounts) {
    const positive = amounts.filter((amount) => amount > 0);
    this.largest = positive.reduce((a, b) => Math.max(a, b), 0);
    const smallest = positive.reduce((a, b) => Math.min(a, b), this.largest);
    this.logarithmic = smallest > 0 && this.largest >= 100 * smallest;
    this.smallest = this.logarithmic ? smallest : 0;
  }

  // The texts of both ends, the largest first.
  ends(kind) {
    return [kind.short(this.largest), kind.short(this.smallest)];
  }

  position(amount) {
    if (this.largest === 0) return 0;
    if (!this.logarithmic) return amount / this.largest;
    return amount > this.smallest ? Math.log(amount / this.smallest) / Math.log(this.largest / this.smallest) : 0;
  }
}
