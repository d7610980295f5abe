// A profile of many ranks on a grid, as the library would write it: neighbours exchange messages in a region of their own,
// rows and columns of the grid have a communicator each, and its collectives are taken apart.
import { write } from "./csv.mjs";

const header = {
  operations:
    "region,comm,comm_size,rank,op,size_min,size_max,calls,bytes_sent,bytes_received,time_s,time_min_s,time_max_s",
  communicators: "comm,parent,created_by,size,members,topology,reorder,user_name,freed",
  ranks: "rank,host,pid,cpus,threads,wall_s,mpi_s",
  regions: "region,rank,entered,wall_s,mpi_s",
  peers: "region,comm,class,src,dst,size_min,size_max,messages,bytes,op",
};

// Numbers that differ from row to row and are the same in every run.
function amount(...of) {
  let hash = 2166136261;
  for (const one of of) hash = Math.imul(hash ^ one, 16777619) >>> 0;
  return (hash >>> 4) % 1000;
}

export function writeManyRanks(directory, rows, columns) {
  const ranks = rows * columns;
  const tables = { operations: [], communicators: [], ranks: [], regions: [], peers: [] };

  tables.communicators.push(`W,,,${ranks},0-${ranks - 1},,,MPI_COMM_WORLD,0`, "SELF,,,1,,,,MPI_COMM_SELF,0");
  for (let row = 0; row < rows; row += 1) {
    tables.communicators.push(
      `W_s1.${row * columns},W,Comm_split,${columns},${row * columns}-${row * columns + columns - 1},,,row ${row},0`,
    );
  }
  for (let column = 0; column < columns; column += 1) {
    tables.communicators.push(
      `W_s2.${column},W,Comm_split,${rows},${column}-${column + (rows - 1) * columns}:${columns},,,,0`,
    );
  }

  for (let rank = 0; rank < ranks; rank += 1) {
    const row = Math.floor(rank / columns);
    const column = rank % columns;
    const time = { main: 0, exchange: 0 };
    const call = (region, comm, size, op, bin, calls, sent, received) => {
      const spent = (1 + amount(rank, op.length, bin, calls)) / 1000;
      time[region] += spent;
      tables.operations.push(
        `${region},${comm},${size},${rank},${op},${bin},${2 * bin - 1},${calls},${sent},${received},${spent},0.000001,${spent}`,
      );
    };
    const neighbours = [
      [row - 1, column],
      [row + 1, column],
      [row, column - 1],
      [row, column + 1],
    ]
      .filter(([r, c]) => r >= 0 && r < rows && c >= 0 && c < columns)
      .map(([r, c]) => r * columns + c);
    for (const bin of [64, 1024, 16384]) {
      const messages = 10 * neighbours.length;
      call("exchange", "W", ranks, "Isend", bin, messages, messages * bin, 0);
      call("exchange", "W", ranks, "Irecv", bin, messages, 0, messages * bin);
      for (const to of neighbours)
        tables.peers.push(`exchange,W,p2p,${rank},${to},${bin},${2 * bin - 1},10,${10 * bin},`);
    }
    call("main", "W", ranks, "Allreduce", 8, 100, 800, 0);
    call("main", `W_s1.${row * columns}`, columns, "Bcast", 4096, 20, 0, column === 0 ? 0 : 20 * 4096);
    call("main", `W_s2.${column}`, rows, "Alltoall", 2048, 5 + (amount(column) % 5), 5 * 2048 * rows, 0);
    for (let other = 0; other < rows; other += 1) {
      const to = other * columns + column;
      if (to !== rank) tables.peers.push(`main,W_s2.${column},internal,${rank},${to},2048,4095,5,${5 * 2048},Alltoall`);
    }
    const wall = 20 + amount(rank) / 1000;
    tables.ranks.push(`${rank},node${Math.floor(rank / 64)},${1000 + rank},0,1,${wall},${time.main + time.exchange}`);
    tables.regions.push(`main,${rank},1,${wall - 8},${time.main}`, `exchange,${rank},10,8,${time.exchange}`);
  }

  write(directory, header, tables, { program: "./grid", arguments: [String(rows), String(columns)], ranks, wall_s: 21 });
}
