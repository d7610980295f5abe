#include "synthetic_profile.hpp"

#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "profile/messages.hpp"
#include "profile/schema.hpp"
#include "synthetic_sums.hpp"

namespace bench {
namespace {

namespace schema = commprof::schema;

constexpr std::array<std::uint64_t, 6> distances{1, 2, 3, 64, 128, 4096};  // to the processes that a rank sends to
constexpr std::array<std::uint64_t, 8> group_sizes{4, 8, 16, 32, 64, 128, 256, 512};
constexpr std::uint64_t ranks_of_host = 64;
constexpr std::uint64_t detailed_ranks = 16;  // ranks with rows of their own, if not all have some
static_assert((2 + group_sizes.size()) * operations.size() * bin_minima.size() == rows_per_rank);
static_assert(distances.size() * bin_minima.size() == peer_rows_per_rank);

// The sums of all messages for run.json.
class MessagesOfAll {
 public:
  struct Pair {
    std::uint64_t from, to;
    std::uint64_t messages = 0, bytes = 0;
  };

  void add(Pair const& pair) {
    messages_ += pair.messages;
    bytes_ += pair.bytes;
    sizes_.push_back(pair.bytes);
    if (pair.bytes > busiest_.bytes) busiest_ = pair;
  }

  [[nodiscard]] std::string in_run_file() const {
    auto const is_about = [&](std::uint64_t bytes) { return commprof::are_about(bytes, busiest_.bytes); };
    return fmt::format(R"({{"p2p":{{"messages":{},"bytes":{}}},"rma":{{}},"internal":{{}},)"
                       R"("busiest":{{"src":{},"dst":{},"messages":{},"bytes":{},"others":{}}}}})",
                       messages_, bytes_, busiest_.from, busiest_.to, busiest_.messages, busiest_.bytes,
                       std::ranges::count_if(sizes_, is_about) - 1);
  }

 private:
  std::uint64_t messages_ = 0, bytes_ = 0;
  std::vector<std::uint64_t> sizes_;
  Pair busiest_{};
};

class Writer {
 public:
  Writer(std::filesystem::path const& directory, std::uint64_t ranks, Rows rows)
      : directory_(directory), ranks_(ranks), has_all_rows_(rows == Rows::of_all_ranks) {}

  ProfileSize run() {
    write_communicators();
    write_operations();
    write_sums(directory_, communicators_, by_operation_);
    write_peers();
    fmt::output_file((directory_ / schema::run_file).string())
        .print(
            R"({{"schema_version":{},"program":"synthetic","ranks":{},"wall_s":100.5,"detail":"{}",)"
            R"("detailed_ranks":[{}],"messages":{},"files":{{"{}":{{"rows":{}}},"{}":{{"rows":{}}},"{}":{{"rows":{}}},)"
            R"("{}":{{"rows":{}}}}}}})"
            "\n",
            schema::version, ranks_, has_all_rows_ ? "ranks" : "summary", has_all_rows_ ? "" : list_of_detailed(),
            messages_.in_run_file(), schema::operations.name, ranks_with_rows() * rows_per_rank,
            schema::communicators.name, communicators_.size(), schema::ranks.name, ranks_, schema::peers.name,
            ranks_with_rows() * peer_rows_per_rank);
    auto const bytes = [&](schema::File const& one) { return std::filesystem::file_size(file(one)); };
    std::uint64_t const heads = bytes(schema::communicators) + bytes(schema::ranks);
    return {communicators_.size(), bytes(schema::operations) + heads, bytes(schema::summary) + heads,
            bytes(schema::peers) + bytes(schema::ranks)};
  }

 private:
  [[nodiscard]] std::filesystem::path file(schema::File const& one) const { return directory_ / one.name; }
  [[nodiscard]] std::uint64_t ranks_with_rows() const {
    return has_all_rows_ ? ranks_ : std::min(ranks_, detailed_ranks);
  }
  [[nodiscard]] std::string list_of_detailed() const {
    std::string list = "0";
    for (std::uint64_t rank = 1; rank < ranks_with_rows(); ++rank) list += fmt::format(",{}", rank);
    return list;
  }
  [[nodiscard]] std::uint64_t group_size(std::size_t split) const {
    return group_sizes[split] * (has_all_rows_ ? 1 : 10);
  }

  void write_communicators() {
    auto out = fmt::output_file(file(schema::communicators).string());
    out.print("{}\nW,,,{},0-{},,,,0,\nSELF,,,1,,,,,0,\n", schema::communicators.header, ranks_, ranks_ - 1);
    communicators_ = {{"W", ranks_}, {"SELF", 1}};
    for (std::size_t split = 0; split < group_sizes.size(); ++split) {
      first_of_split_[split] = communicators_.size();
      for (std::uint64_t first = 0; first < ranks_; first += group_size(split)) {
        std::uint64_t const last = std::min(first + group_size(split), ranks_) - 1;
        communicators_.push_back({fmt::format("W_s{}.{}", split + 1, first), last - first + 1});
        out.print("{},W,Comm_split,{},{}-{},,,,0,\n", communicators_.back().name, last - first + 1, first, last);
      }
    }
  }

  // Also writes ranks.csv, which has sums of the operations.
  void write_operations() {
    auto out = fmt::output_file(file(schema::operations).string(), fmt::buffer_size = 1 << 20);
    out.print("{}\n", schema::operations.header);
    auto ranks = fmt::output_file(file(schema::ranks).string(), fmt::buffer_size = 1 << 20);
    ranks.print("{}\n", schema::ranks.header);
    for (std::uint64_t rank = 0; rank < ranks_; ++rank) {
      of_rank_ = {};
      write_rows(out, rank, 0);
      write_rows(out, rank, 1);
      for (std::size_t split = 0; split < group_sizes.size(); ++split)
        write_rows(out, rank, first_of_split_[split] + rank / group_size(split));
      Sum all;
      for (std::size_t i = 0; i < operations.size(); ++i) {
        all.add_row(of_rank_[i]);
        by_operation_[i].add_rank(rank, of_rank_[i]);
      }
      constexpr std::size_t waitall = 2;
      static_assert(operations[waitall] == "Waitall");
      ranks.print("{},node{},{},0,1,{:.9f},{:.9f},,,,,,,{:.9f},,,,,,,\n", rank, rank / ranks_of_host, 1000 + rank,
                  2e-9 * static_cast<double>(all.time_ns), 1e-9 * static_cast<double>(all.time_ns),
                  1e-9 * static_cast<double>(of_rank_[waitall].time_ns));
    }
  }

  void write_rows(fmt::ostream& out, std::uint64_t rank, std::size_t place) {
    CommunicatorSums& communicator = communicators_[place];
    Sum of_communicator;
    for (std::size_t i = 0; i < operations.size(); ++i) {
      Sum of_operation;
      for (std::size_t bin = 0; bin < bin_minima.size(); ++bin) {
        Sum const row = random_row(bin_minima[bin]);
        if (rank < ranks_with_rows()) {
          out.print("main,{},{},{},{},{},{},{},{},0,{:.9f},{:.9f},{:.9f},\n", communicator.name, communicator.size,
                    rank, operations[i], bin_minima[bin], 2 * bin_minima[bin] - 1, row.calls, row.bytes_sent,
                    1e-9 * static_cast<double>(row.time_ns), 1e-9 * static_cast<double>(row.shortest_ns),
                    1e-9 * static_cast<double>(row.longest_ns));
        }
        communicator.by_size[i][bin].add_rank(rank, row);
        of_operation.add_row(row);
      }
      communicator.by_operation[i].add_rank(rank, of_operation);
      of_communicator.add_row(of_operation);
      of_rank_[i].add_row(of_operation);
    }
    communicator.all.add_rank(rank, of_communicator);
  }

  Sum random_row(std::uint64_t bytes) {
    std::uint64_t const calls = 1 + random_() % 100'000, call_ns = 1'000 + random_() % 999'000;
    Sum row;
    row.calls = calls;
    row.bytes_sent = calls * bytes;
    row.time_ns = calls * call_ns;
    row.shortest_ns = call_ns / 2;
    row.longest_ns = call_ns * 4;
    return row;
  }

  void write_peers() {
    auto out = fmt::output_file(file(schema::peers).string(), fmt::buffer_size = 1 << 20);
    out.print("{}\n", schema::peers.header);
    for (std::uint64_t rank = 0; rank < ranks_; ++rank) {
      for (std::uint64_t const distance : distances) {
        std::uint64_t const to = (rank + distance) % ranks_;
        MessagesOfAll::Pair pair{rank, to};
        for (std::uint64_t const bin : bin_minima) {
          std::uint64_t const messages = 1 + random_() % 100'000;
          pair.messages += messages;
          pair.bytes += messages * bin;
          if (rank < ranks_with_rows())
            out.print("main,W,{},{},{},{},{},{},{},\n", schema::class_p2p, rank, to, bin, 2 * bin - 1, messages,
                      messages * bin);
        }
        messages_.add(pair);
      }
    }
  }

  std::filesystem::path directory_;
  std::uint64_t ranks_;
  bool has_all_rows_;
  std::mt19937_64 random_{1};
  std::vector<CommunicatorSums> communicators_;
  MessagesOfAll messages_;
  std::array<std::size_t, group_sizes.size()> first_of_split_{};
  std::array<Sum, operations.size()> by_operation_{};  // over all communicators
  std::array<Sum, operations.size()> of_rank_{};
};

}  // namespace

ProfileSize write_synthetic_profile(std::filesystem::path const& directory, std::uint64_t ranks, Rows rows) {
  return Writer(directory, ranks, rows).run();
}

void remove_sums(std::filesystem::path const& directory) {
  for (schema::File const& one : {schema::summary, schema::sizes}) std::filesystem::remove(directory / one.name);
}

}  // namespace bench
