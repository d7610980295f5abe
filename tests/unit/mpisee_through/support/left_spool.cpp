#include "support/left_spool.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "comm_naming/registry.hpp"
#include "counters/counters.hpp"
#include "counters/regions.hpp"
#include "ops.hpp"
#include "sites/sites.hpp"
#include "spool/spool.hpp"

namespace fs = std::filesystem;
using namespace commprof;

namespace {

// The state of the process that left the file: 300 records on 3 communicators, a peer, and the region solve, open since
// tick 5000. Runs in a process of its own, because a process has one spool.
[[noreturn]] void leave_file(fs::path const& directory, spool::Owner const& owner, std::string_view home) {
  clock::start(clock::Source::monotonic);
  int const rank = owner.rank, ranks = owner.ranks;
  int const open_directory = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!spool::open(open_directory, (directory / (std::to_string(rank) + ".spool")).c_str(), owner)) _exit(1);
  spool::keep(spool::Kind::run_json, R"({"schema_version": 1, "program": "sample", "ranks": 1})");
  spool::keep(spool::Kind::processors, "0-3");
  spool::keep(spool::Kind::home, home);
  Registry registry;
  for (int i = 0; i < 2; ++i) registry.add({});
  registry[CommIndex::world].size = ranks;
  registry[CommIndex::world].members = registry.store("0-" + std::to_string(ranks - 1));
  registry[CommIndex::world].is_described_here = rank == 0;
  registry[CommIndex::self].size = 1;
  CommIndex const dup = registry.add({CommIndex::world, Op::Comm_dup, Letter::dup, 1});
  registry[dup].user_name = registry.store("a \"name\", of a user");
  registry[dup].size = ranks;
  Regions regions;
  regions.start({1000});
  RegionIndex const solve = regions.begin("solve", {5000});
  sites::table.set_max_scopes(10);
  sites::table.start();
  ScopeIndex const in_solve = sites::table.scope_of(sites::table.scope_of(solve), reinterpret_cast<void*>(&leave_file));
  Shard* const shard = Shards::mine();
  for (std::uint64_t i = 0; i < 300; ++i) {
    auto const comm = static_cast<CommIndex>(i % 3);
    shard->add(RecordKey::of(comm, in_solve, static_cast<Op>(i / 3), size_bin(4)), {4, 0}, Interval({10}, {6000 + i}));
  }
  shard->peers
      .find_or_insert(RecordKey::of(dup, ScopeIndex::main, no_op, size_bin(8)), Peer::in_comm(0, MessageClass::p2p),
                      [] { return WorldRank{0}; })
      ->add(8);
  // Rank 1 calls from Fortran.
  registry[CommIndex::world].handle = 0x44000000;
  registry[CommIndex::self].handle = 0x44000001;
  registry[dup].handle = 0x84000000;
  registry[dup].rank = rank;
  this_thread.current_call->begin(Op::Recv, {7000}, reinterpret_cast<void*>(&leave_file))
      .on(rank == 1 ? CurrentCall::of_fortran | 0x84000000 : 0x84000000)
      .from(ranks - 1 - rank);
  _exit(0);
}

}  // namespace

void leave_spool_file(fs::path const& directory, spool::Owner const& owner, std::string_view home) {
  pid_t const child = fork();
  if (child == 0) leave_file(directory, owner, home);
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("no spool file is left");
}
