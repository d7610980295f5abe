// The profile directory as its readers know it: file names, columns, version.
//
// The library writes what this header says and mpisee-through reads it; tests and documentation refer to it. Names and
// columns are a contract with users: they only grow. A reader finds columns by name and ignores those it does not know.
#pragma once

#include <array>
#include <string_view>

namespace commprof::schema {

// Raised when a reader of the old version would misread a new file; added columns do not raise it.
inline constexpr int version = 1;

struct File {
  std::string_view name;
  std::string_view header;  // RFC 4180, columns separated by commas
};

// One row for each (region, communicator, world rank, operation, size bin, call site) that was used. The site is empty
// where it is not known.
// Sizes are bytes of one call on one process, sent and received together, inclusive bounds; times are seconds.
inline constexpr File operations{"operations.csv",
                                 "region,comm,comm_size,rank,op,size_min,size_max,calls,bytes_sent,bytes_received,time_"
                                 "s,time_min_s,time_max_s,site"};

// One row for each communicator. created_at: the site of the call that made it. Members are world ranks, ascending, in
// ranges with stride: 0-63,128-191 or 0-192:64.
inline constexpr File communicators{"communicators.csv",
                                    "comm,parent,created_by,size,members,topology,reorder,user_name,freed,created_at"};

// One row for each process of MPI_COMM_WORLD. From cpu_s to major_faults: of the system's counters, during wall_s; see
// base/processor_use.hpp. receiving_s: in calls that may wait for a message. waiting_s: measured waiting in collective
// calls, the sum of wait_s in waits_by_rank.csv where waits.csv says entries; empty without these files. package, numa
// and core: of the processors in cpus; see profile/processors.hpp. switch: of the host, if Slurm tells it.
inline constexpr File ranks{"ranks.csv",
                            "rank,host,pid,cpus,threads,wall_s,mpi_s,cpu_s,queued_s,voluntary_switches,"
                            "involuntary_switches,minor_faults,major_faults,receiving_s,waiting_s,package,numa,core,"
                            "switch"};

// One row for each region that a process entered. Times are exclusive: those of the regions inside are theirs.
inline constexpr File regions{"regions.csv", "region,rank,entered,wall_s,mpi_s"};

// One row for each (region, communicator, class, pair of world ranks, size bin, operation) that data went between, from
// src to dst. class: p2p, counted at the sender; rma, counted at the origin; internal, messages that the MPI sends for
// the operation op, which is empty for the others. A rank is -1 where it belongs to another world.
inline constexpr File peers{"peers.csv", "region,comm,class,src,dst,size_min,size_max,messages,bytes,op"};

// One row for each call site: module+0xoffset, which is the place of the call in the file of its module. Where it has
// been resolved, function, file and line; of inlined code, the places that it was inlined at follow behind " < ".
inline constexpr File sites{"sites.csv", "site,module,offset,function,file,line"};

// One row for each program or library with call sites. build_id: hexadecimal, of the linker's note; empty without one.
inline constexpr File modules{"modules.csv", "module,path,build_id"};

// One row for each communicator and blocking collective operation of which instances were sampled. Times are summed
// over ranks and scaled to all calls: time_s of the calls, wait_s of it until the last rank had come, with its standard
// error, move_s for the operation itself, rest_s what remains. how: entries, measured on one clock; durations, where
// wait_s is an upper bound. last_rank: the world rank that comes last most often, in last_share of the instances (0 to
// 1), then late_s after the mean of the others. What is not known is empty.
inline constexpr File waits{
    "waits.csv",
    "comm,op,ranks,calls,samples,how,time_s,wait_s,wait_error_s,move_s,rest_s,last_rank,last_share,late_s"};

// The same of each world rank: in how many of its samples it came last.
inline constexpr File waits_by_rank{"waits_by_rank.csv", "comm,op,rank,samples,time_s,wait_s,last"};

// The rows of operations.csv added up over ranks. `*` in region, comm, site or op stands for several, or for all
// operations. One row for each communicator (op `*`), for each operation on it (without sizes), and for each size bin
// of that. An operation that is called at several sites has site `*`, and a row for each site; a size bin with several
// regions or sites has a row for each pair. With comm `*`, a row for each operation and site. A name that processes
// have each for themselves, such as SELF, has one set of rows. ranks: those that have such rows. time_min_s and
// time_max_s: of the sum of one rank, the lowest that has it.
inline constexpr File summary{"summary.csv",
                              "region,comm,comm_size,site,op,size_min,size_max,ranks,calls,bytes_sent,bytes_received,"
                              "time_s,time_min_s,time_min_rank,time_max_s,time_max_rank,call_min_s,call_max_s"};
inline constexpr std::string_view several = "*";

// The same of each operation and size bin, over all regions, communicators and sites.
inline constexpr File sizes{"sizes.csv",
                            "op,size_min,size_max,ranks,calls,bytes_sent,bytes_received,time_s,time_min_s,"
                            "time_min_rank,time_max_s,time_max_rank,call_min_s,call_max_s"};

// The rows of peers.csv added up by class and by the hosts of both ends, as in ranks.csv, in profiles that have the
// rows of few ranks only. An empty host: of another world. Pairs of hosts for which there was no room are together in
// one row with `*`, in part if they have rows of their own, too.
inline constexpr File host_pairs{"host_pairs.csv", "class,src_host,dst_host,messages,bytes"};

// How waiting was measured.
inline constexpr std::string_view how_entries = "entries", how_durations = "durations";

// Columns that came after the first profiles, which are read without them.
inline constexpr std::array<std::string_view, 14> later_columns{"site",
                                                                "created_at",
                                                                "cpu_s",
                                                                "queued_s",
                                                                "voluntary_switches",
                                                                "involuntary_switches",
                                                                "minor_faults",
                                                                "major_faults",
                                                                "receiving_s",
                                                                "waiting_s",
                                                                "package",
                                                                "numa",
                                                                "core",
                                                                "switch"};

// On more ranks the reader tries no other placements than those of which run.json tells.
inline constexpr int most_ranks_to_place = 4096;

// The classes of messages.
inline constexpr std::string_view class_p2p = "p2p", class_rma = "rma", class_internal = "internal";

// What the library writes, in the order in which run.json lists them.
inline constexpr std::array tables{operations, communicators, ranks,         regions, peers, sites,
                                   modules,    waits,         waits_by_rank, summary, sizes, host_pairs};

inline constexpr std::string_view run_file = "run.json";

// Appended to the name of a polling operation that completed or found nothing: Test-none, Iprobe-none.
inline constexpr std::string_view found_nothing_suffix = "-none";

}  // namespace commprof::schema
