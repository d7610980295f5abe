#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "profile/messages.hpp"
#include "support/process.hpp"

using namespace commprof;

namespace {

PeerRecord message_record(int other, std::uint64_t bytes, bool is_get = false) {
  auto const rank = static_cast<WorldRank>(other);
  return {.key = RecordKey::of(CommIndex::world, ScopeIndex::main, no_op, size_bin(bytes)),
          .peer = Peer::in_world(rank, is_get ? MessageClass::rma : MessageClass::p2p, is_get),
          .world_rank = rank,
          .messages = 1,
          .bytes = bytes};
}

// A run of processes on several hosts, and their messages.
class Messages {
 public:
  explicit Messages(int ranks) : sent_(static_cast<std::size_t>(ranks)) {
    registry_.add({});
    registry_.add({});
  }

  void add(int rank, PeerRecord const& record) { sent_[static_cast<std::size_t>(rank)].push_back(record); }

  static std::string host_of(int rank) { return "node" + std::to_string(rank / 2); }
  int ranks() const { return static_cast<int>(sent_.size()); }
  Process process(int rank) const {
    return {rank, ranks(), host_of(rank), registry_, {}, sent_[static_cast<std::size_t>(rank)]};
  }

  std::string rows() const {
    HostRanks hosts;
    Texts names;
    for (int rank = 0; rank < ranks(); ++rank) {
      HostRanks one;
      one.hosts.push_back(name_hash(host_of(rank)));
      hosts.add(one);
      names.add(host_of(rank));
    }
    HostPairs all;
    for (int rank = 0; rank < ranks(); ++rank) {
      HostPairs own;
      own.take(process(rank).rows, hosts);
      all.add(own);
    }
    return written_rows([&](TextWriter& out) { return all.write(totals(), names, out); });
  }

  MessageTotals totals() const {
    MessageTotals totals;
    for (int rank = 0; rank < ranks(); ++rank) totals.add(OwnPairs(process(rank).rows).totals());
    return totals;
  }

 private:
  Registry registry_;
  std::vector<std::vector<PeerRecord>> sent_;
};

}  // namespace

TEST_CASE("of very many pairs of hosts those with most bytes are kept") {
  // Each of 600 hosts sends to 200 others; of the pairs more than half have no room.
  constexpr int ranks = 600, others = 200;
  Messages run(2 * ranks);
  std::mt19937 random(3);
  std::vector<std::uint64_t> bytes;
  for (int host = 0; host < ranks; ++host) {
    for (int i = 1; i <= others; ++i) {
      bytes.push_back(random() % 1'000'000);
      run.add(2 * host, message_record(2 * ((host + i) % ranks), bytes.back()));
    }
  }
  std::string const rows = run.rows();
  auto const lines = static_cast<std::size_t>(std::ranges::count(rows, '\n'));
  CHECK(lines == HostPairs::most_pairs + 1);
  std::ranges::sort(bytes, std::greater{});
  std::uint64_t rest = 0;
  for (std::size_t i = HostPairs::most_pairs; i < bytes.size(); ++i) rest += bytes[i];
  CHECK(rows.ends_with("p2p,*,*," + std::to_string(bytes.size() - HostPairs::most_pairs) + "," + std::to_string(rest) +
                       "\n"));
}

TEST_CASE("the busiest pair is known unless one process gets data from another") {
  Messages run(6);
  run.add(4, message_record(1, 1000));
  CHECK((run.totals().is_busiest_known == 1 && run.totals().busiest.from == 4 && run.totals().busiest.to == 1));
  run.add(1, message_record(0, 300, true));
  CHECK(run.totals().is_busiest_known == 0);
}
