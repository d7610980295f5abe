// A profile of a program that makes communicators again and again, as the library would write it: duplicates of W at one call
// site, a few splits at another, and calls at many sites.
import { write } from "./csv.mjs";

const header = {
  operations:
    "region,comm,comm_size,rank,op,size_min,size_max,calls,bytes_sent,bytes_received,time_s,time_min_s,time_max_s,site",
  communicators: "comm,parent,created_by,size,members,topology,reorder,user_name,freed,created_at",
  ranks: "rank,host,pid,cpus,threads,wall_s,mpi_s",
  sites: "site,module,offset,function,file,line",
  modules: "module,path,build_id",
};
export const splits = 3;

// Each rank is 10 s long, and in MPI for 2 s.
export function writeManySites(directory, { ranks, duplicates, sites }) {
  const everyone = `0-${ranks - 1}`;
  const tables = {
    communicators: [`W,,,${ranks},${everyone},,,MPI_COMM_WORLD,0,`, "SELF,,,1,,,,MPI_COMM_SELF,0,"],
    operations: [],
    ranks: [],
    // The first is known by function and line, inlined into another; the second by nothing.
    sites: ["app+0x10,app,0x10,setup < main,/src/grid.c < /src/main.c,88 < 7", "app+0x20,app,0x20,,,"],
    modules: ["app,/dev/null/app,"],
  };
  for (let i = 1; i <= duplicates; i += 1)
    tables.communicators.push(`W_d${i},W,Comm_dup,${ranks},${everyone},,,,1,app+0x10`);
  for (let i = 1; i <= splits; i += 1)
    tables.communicators.push(`W_s${duplicates + i}.0,W,Comm_split,${ranks},${everyone},,,,0,app+0x20`);
  for (let i = 0; i < sites; i += 1) {
    const offset = (0x1000 + 16 * i).toString(16);
    tables.sites.push(`app+0x${offset},app,0x${offset},step_${i},/src/steps.c,${i + 1}`);
  }
  for (let rank = 0; rank < ranks; rank += 1) {
    const call = (comm, op, site, calls, bytes, seconds) =>
      tables.operations.push(
        `main,${comm},${ranks},${rank},${op},${bytes},${bytes},${calls},${calls * bytes},0,${seconds},0,${seconds},${site}`,
      );
    call("W", "Comm_dup", "app+0x10", duplicates, 0, 1.25);
    call("W", "Comm_split", "app+0x20", splits, 0, 0.125);
    call("W", "Barrier", "", 2, 0, (1 + (rank % 4)) / 64);
    if (rank === 0) {
      for (let i = 1; i <= duplicates; i += 1) call(`W_d${i}`, "Allreduce", "app+0x20", i, 8, i / 1024 / 1024);
      for (let i = 0; i < sites; i += 1)
        call("W", "Bcast", `app+0x${(0x1000 + 16 * i).toString(16)}`, 1 + (i % 7), 8, (sites - i) / 1024 / 1024 / 1024);
    }
    tables.ranks.push(`${rank},node0,${1000 + rank},0,${rank === 3 ? 2 : 1},10,2`);
  }

  write(directory, header, tables, { program: "./app", arguments: [], ranks, wall_s: 10 });
}
