"""Profiles of a program that never ran."""

import json
import os


def write_profile(directory, hosts, ranks_per_host, pairs):
    """pairs: (from, to) -> (messages, bytes). Returns the host of each rank."""
    os.makedirs(directory, exist_ok=True)
    host_of = [host for host in hosts for _ in range(ranks_per_host)]

    def write(name, header, rows):
        with open(os.path.join(directory, name), "w") as file:
            file.write("".join(line + "\n" for line in [header, *rows]))

    write("run.json", json.dumps({"schema_version": 1, "program": "made", "ranks": len(host_of), "wall_s": 2.0}), [])
    write("ranks.csv", "rank,host,pid,cpus,threads,wall_s,mpi_s",
          [f"{rank},{host},{rank + 1},0,1,2.0,1.0" for rank, host in enumerate(host_of)])
    write("communicators.csv", "comm,parent,created_by,size,members,topology,reorder,user_name,freed",
          [f"W,,,{len(host_of)},0-{len(host_of) - 1},,,,0"])
    write("operations.csv",
          "region,comm,comm_size,rank,op,size_min,size_max,calls,bytes_sent,bytes_received,time_s,time_min_s,time_max_s", [])
    write("peers.csv", "region,comm,class,src,dst,size_min,size_max,messages,bytes,op",
          [f"main,W,p2p,{a},{b},0,0,{messages},{size}," for (a, b), (messages, size) in pairs.items()])
    return host_of


def all_pairs(ranks):
    """Each with numbers of its own."""
    return {(a, b): (1 + a + b, 1000 * a + b + 1) for a in range(ranks) for b in range(ranks) if a != b}
