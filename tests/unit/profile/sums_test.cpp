#include "profile/sums.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "support/summary_file.hpp"

using namespace commprof;

namespace {

constexpr int processes = 9;

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  return lines;
}

// A communicator that some processes are members of; each knows it by an index of its own.
CommIndex add_communicator(Registry& registry, std::uint32_t ordinal, int lowest, int size) {
  CommIndex const index = registry.add({CommIndex::world, Op::Comm_split, Letter{'s'}, ordinal});
  registry[index].smallest_parent_rank = lowest;
  registry[index].size = size;
  return index;
}

// Processes with W, SELF, a split into threes, and a communicator of all but the last process.
class Run {
 public:
  explicit Run(unsigned seed) : random_(seed) {
    for (int rank = 0; rank < processes; ++rank) add_process(rank);
  }

  std::string rows_of_operations() const {
    std::string rows;
    for (auto const& process : processes_)
      rows += written_rows([&](TextWriter& out) { return write_operation_rows(process->rows, out); });
    return rows;
  }

  // Merges as a tree of processes does: adjacent halves, and complete communicators are written where they become
  // complete.
  std::string summed(int first, int count, Sums& result) const {
    if (count == 1) {
      result.take(processes_[static_cast<std::size_t>(first)]->rows);
      return "";
    }
    Sums a, b;
    std::string rows = summed(first, count / 2, a) + summed(first + count / 2, count - count / 2, b);
    result.merge(a, b);
    CHECK(result.is_whole());
    if (count < processes) rows += written_rows([&](TextWriter& out) { return result.write_complete(out); });
    return rows;
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  void add_process(int rank) {
    auto registry = std::make_unique<Registry>();
    registry->set_max_children(8);
    registry->add({});
    registry->add({});
    (*registry)[CommIndex::world].size = processes;
    (*registry)[CommIndex::self].size = 1;
    std::vector<CommIndex> comms{CommIndex::world, CommIndex::self, add_communicator(*registry, 1, rank / 3 * 3, 3)};
    if (rank + 1 < processes) comms.push_back(add_communicator(*registry, 2, 0, processes - 1));
    std::vector<Record> calls;
    for (CommIndex const comm : comms) {
      for (int i = 0; i < 12; ++i) {
        Op const op = std::vector{Op::Send, Op::Recv, Op::Allreduce, Op::Barrier}[pick(4)];
        Record call{};
        call.key = RecordKey::of(comm, ScopeIndex::main, op, static_cast<SizeBin>(pick(4)));
        call.calls = 1 + pick(20);
        call.bytes = {pick(1000), pick(1000)};
        // Few different times, so that ranks often have equal sums.
        call.time = {pick(2) == 0 ? 1'500'000'000 : pick(1'000'000)};
        call.shortest = {1 + pick(100)};
        call.longest = {1000 + pick(100)};
        calls.push_back(call);
      }
    }
    registries_.push_back(std::move(registry));
    processes_.push_back(
        std::make_unique<Process>(rank, processes, "node0", *registries_.back(), calls, std::span<PeerRecord const>{}));
  }

  std::mt19937 random_;
  std::vector<std::unique_ptr<Registry>> registries_;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace

TEST_CASE("sums of processes are what the rows of all add up to, wherever they are written") {
  for (unsigned const seed : {1U, 2U, 3U}) {
    Run const run(seed);
    Sums all;
    std::string const complete = run.summed(0, processes, all);
    std::string const rest = written_rows([&](TextWriter& out) { return all.write(out); });
    // The first three communicators are complete below the root, which has no more rows of them.
    CHECK(complete.find("main,W_s1.0,3,") != std::string::npos);
    CHECK(rest.find("W_s1.0,") == std::string::npos);
    CHECK(rest.find("main,W,9,") != std::string::npos);
    CHECK(sorted(lines_of(complete + rest)) == sorted(summary_rows(lines_of(run.rows_of_operations()))));
    std::string const sizes = written_rows([&](TextWriter& out) { return all.write_sizes(out); });
    CHECK(sorted(lines_of(sizes)) == sorted(size_rows(lines_of(run.rows_of_operations()))));
  }
}

TEST_CASE("the least and the most of equal times are of the lowest rank") {
  Run const run(4);
  Sums all, reversed;
  run.summed(0, processes, all);
  std::string const rows = written_rows([&](TextWriter& out) { return all.write(out); });
  // In the opposite order.
  for (int rank = processes; rank-- > 0;) {
    Sums one, both;
    run.summed(rank, 1, one);
    both.merge(reversed, one);
    reversed.swap(both);
  }
  std::string const other = written_rows([&](TextWriter& out) { return reversed.write(out); });
  for (std::string const& line : lines_of(rows)) CHECK(other.find(line + "\n") != std::string::npos);
}
