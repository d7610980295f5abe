#!/usr/bin/env python3
"""make_inputs.py DIRECTORY [PODS]

Writes DIRECTORY/fabric, a tree of three levels as ibnetdiscover and dump_fts print it, and DIRECTORY/profile, a run on it
with a rank on each host: each sends to neighbours and to ranks far away, 100 in all. A pod has 1,024 hosts on 32 leaves,
and 16 spines; 64 cores connect the pods. 10 pods are 10,240 hosts and a million pairs. Then

    time mpisee-through links DIRECTORY/profile --fabric DIRECTORY/fabric
"""
import json
import os
import sys

directory, pods = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
HOSTS, LEAVES, SPINES, CORES = 32, 32, 16, 64  # of a leaf, a pod, a pod, in all
UP = CORES // SPINES  # cores of a spine
hosts = pods * LEAVES * HOSTS
leaves, spines = pods * LEAVES, pods * SPINES
names = []
for i in range(leaves + spines + CORES):
    kind = "leaf" if i < leaves else "spine" if i < leaves + spines else "core"
    names.append(f"{kind}{i}")


def spine_of(pod, k):
    return leaves + pod * SPINES + k


def out_port(switch, host):
    """The destination chooses among the ways up."""
    leaf = host // HOSTS
    pod = leaf // LEAVES
    if switch < leaves:
        return host % HOSTS + 1 if leaf == switch else HOSTS + host % SPINES + 1
    if switch < leaves + spines:
        return leaf % LEAVES + 1 if (switch - leaves) // SPINES == pod else LEAVES + host // SPINES % UP + 1
    return pod + 1


def lid_of_switch(switch):
    return hosts + 1 + switch


def describe(switch):
    return f'"S-{0x200000 + switch:016x}"'


def ports(switch):
    """number -> (switch or None, its port or the host)"""
    if switch < leaves:
        pod, k = divmod(switch, LEAVES)
        below = {p + 1: (None, switch * HOSTS + p) for p in range(HOSTS)}
        return below | {HOSTS + s + 1: (spine_of(pod, s), k + 1) for s in range(SPINES)}
    if switch < leaves + spines:
        pod, s = divmod(switch - leaves, SPINES)
        below = {k + 1: (pod * LEAVES + k, HOSTS + s + 1) for k in range(LEAVES)}
        return below | {LEAVES + u + 1: (leaves + spines + s * UP + u, pod + 1) for u in range(UP)}
    s, u = divmod(switch - leaves - spines, UP)
    return {pod + 1: (spine_of(pod, s), LEAVES + u + 1) for pod in range(pods)}


os.makedirs(os.path.join(directory, "fabric"), exist_ok=True)
os.makedirs(os.path.join(directory, "profile"), exist_ok=True)
with open(os.path.join(directory, "fabric", "cables"), "w") as file:
    for i, name in enumerate(names):
        connected = ports(i)
        file.write(f'\nSwitch\t{len(connected)} {describe(i)}\t\t# "{name}" base port 0 lid {lid_of_switch(i)} lmc 0\n')
        for number, (peer, port) in connected.items():
            if peer is None:
                file.write(f'[{number}]\t"H-{0x1000000 + 2 * port:016x}"[1]({0x1000001 + 2 * port:x}) \t\t# "node{port:05} HCA-1" '
                           f"lid {port + 1} 4xEDR\n")
            else:
                file.write(f'[{number}]\t{describe(peer)}[{port}]\t\t# "{names[peer]}" lid {lid_of_switch(peer)} 4xEDR\n')
    for host in range(hosts):
        file.write(f'\nCa\t1 "H-{0x1000000 + 2 * host:016x}"\t\t# "node{host:05} HCA-1"\n[1]({0x1000001 + 2 * host:x}) '
                   f'\t{describe(host // HOSTS)}[{host % HOSTS + 1}]\t\t# lid {host + 1} lmc 0 "{names[host // HOSTS]}" '
                   f"lid {lid_of_switch(host // HOSTS)} 4xEDR\n")
with open(os.path.join(directory, "fabric", "tables"), "w") as file:
    for i, name in enumerate(names):
        file.write(f"Unicast lids [0x0-{hosts:#x}] of switch Lid {lid_of_switch(i)} guid {0x200000 + i:#018x} ({name}):\n"
                   "  Lid  Out   Destination\n       Port     Info \n")
        file.writelines(f"{host + 1:#06x} {out_port(i, host):03} : (Channel Adapter portguid {0x1000001 + 2 * host:#018x}: "
                        f"'node{host:05} HCA-1')\n" for host in range(hosts))
        file.write(f"{hosts} valid lids dumped \n")


def write(name, header, rows):
    with open(os.path.join(directory, "profile", name), "w") as file:
        file.write(header + "\n")
        file.writelines(row + "\n" for row in rows)


write("run.json", json.dumps({"schema_version": 1, "program": "made", "ranks": hosts, "wall_s": 10.0}), [])
write("ranks.csv", "rank,host,pid,cpus,threads,wall_s,mpi_s", (f"{i},node{i:05},1,0,1,10.0,1.0" for i in range(hosts)))
write("communicators.csv", "comm,parent,created_by,size,members,topology,reorder,user_name,freed", [f"W,,,{hosts},0-{hosts - 1},,,,0"])
write("operations.csv", "region,comm,comm_size,rank,op,size_min,size_max,calls,bytes_sent,bytes_received,time_s,time_min_s,time_max_s", [])
steps = [*range(1, 33), *(i * i * 7 for i in range(3, 71))]
write("peers.csv", "region,comm,class,src,dst,size_min,size_max,messages,bytes,op",
      (f"main,W,p2p,{i},{(i + step) % hosts},65536,131071,3,{3 * 65536 + step}," for i in range(hosts) for step in sorted({s % hosts for s in steps} - {0})))
