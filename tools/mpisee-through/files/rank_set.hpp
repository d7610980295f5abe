#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm_naming/comm_name.hpp"

namespace mpisee_through {

// A rank in MPI_COMM_WORLD. Profiles have no ranks of other communicators.
enum class WorldRank : std::uint32_t {};

// World ranks, or processors, as ranges with an optional stride, in the notation of communicators.csv: 0-3,8,64-192:64.
// Each range begins after the end of the one before. Memory is proportional to the text, not to the numbers.
class RankSet {
 public:
  using Range = commprof::RankRange;

  // Nothing if the text is not a list of ranges, or if it does not ascend and has too many numbers. Empty text is the
  // empty set.
  static std::optional<RankSet> parse(std::string_view text);
  // Nothing also if the list does not ascend; the library writes ascending lists.
  static std::optional<RankSet> parse_ascending(std::string_view text);
  // Nothing if they overlap and have too many numbers.
  static std::optional<RankSet> union_of(std::span<RankSet const> sets);

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::vector<Range> const& ranges() const { return ranges_; }
  [[nodiscard]] bool contains(WorldRank rank) const;
  [[nodiscard]] std::uint64_t size() const;
  // The set must not be empty.
  [[nodiscard]] WorldRank lowest() const { return WorldRank{ranges_.front().first}; }
  [[nodiscard]] WorldRank highest() const { return WorldRank{ranges_.back().last}; }

  // Adds ranks beyond the highest one.
  void append(RankSet const& later);
  void append(WorldRank rank) { append(Range{static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(rank), 1}); }
  void append(Range const& range);

  // The text that parse() reads.
  [[nodiscard]] std::string to_string() const;
  // The numbers, ascending. Nothing if there are more than most_numbers.
  static constexpr std::uint64_t most_numbers = 1U << 24U;
  [[nodiscard]] std::optional<std::vector<std::int32_t>> numbers() const;

  // The number of common ranks.
  [[nodiscard]] std::uint64_t count_in(RankSet const& other) const;

 private:
  static std::optional<RankSet> sorted(std::vector<Range> ranges);

  std::vector<Range> ranges_;
};

// The numbers in the notation of RankSet.
[[nodiscard]] std::string ranges_of(std::vector<std::int32_t> ranks);
// Shortens a list of ranges to fit a line: keeps the first ranges and the last.
[[nodiscard]] std::string shorten_members(std::string_view members);
// The numbers below a bound that are missing from `ranks`, which must ascend.
[[nodiscard]] std::string others_than(std::vector<std::int32_t> const& ranks, std::int32_t bound);

}  // namespace mpisee_through
