#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "profile/messages.hpp"
#include "support/process.hpp"

using namespace commprof;

namespace {

PeerRecord message_record(MessageClass message_class, int other, bool is_source, std::uint64_t messages,
                          std::uint64_t bytes) {
  auto const rank = static_cast<WorldRank>(other);
  return {.key = RecordKey::of(CommIndex::world, ScopeIndex::main, no_op, size_bin(bytes)),
          .peer = Peer::in_world(rank, message_class, is_source),
          .world_rank = rank,
          .messages = messages,
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
      one.take(name_hash(host_of(rank)), rank);
      hosts.add(one);
      names.add(host_of(rank));
    }
    hosts.order_by_rank();
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

constexpr auto p2p = MessageClass::p2p, rma = MessageClass::rma;

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
      run.add(2 * host, message_record(p2p, 2 * ((host + i) % ranks), false, 1, bytes.back()));
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

TEST_CASE(
    "the busiest pair is the first with most bytes, over all classes, unless one process gets data from another") {
  Messages run(6);
  run.add(4, message_record(p2p, 1, false, 1, 1000));
  run.add(2, message_record(p2p, 5, false, 3, 400));
  run.add(2, message_record(rma, 5, false, 3, 600));
  run.add(2, message_record(p2p, -1, false, 1, 1000));
  run.add(0, message_record(p2p, 1, false, 9, 995));
  run.add(0, message_record(p2p, 2, false, 9, 989));
  run.add(3, message_record(p2p, 3, false, 1, 5000));  // to itself
  MessageTotals const totals = run.totals();
  CHECK((totals.is_busiest_known == 1 && totals.busiest.from == 2 && totals.busiest.to == 5));
  CHECK((totals.busiest.amount.messages == 6 && totals.busiest.amount.bytes == 1000));
  CHECK(totals.all().bytes == 9984);
  std::uint64_t about = 0;
  for (int rank = 0; rank < run.ranks(); ++rank) about += OwnPairs(run.process(rank).rows).count_about(1000);
  CHECK(about == 4);  // 995 is about as many, 989 is not
  run.add(1, message_record(rma, 0, true, 3, 300));
  CHECK(run.totals().is_busiest_known == 0);
  CHECK(Messages(2).totals().busiest.from == -1);
}
