#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

// A rank in MPI_COMM_WORLD; ranks in other communicators do not occur in a profile.
enum class WorldRank : std::uint32_t {};

// World ranks as ranges with an optional stride, the notation of members in communicators.csv: 0-3,8,64-192:64.
class RankSet {
 public:
  struct Range {
    std::uint32_t first;
    std::uint32_t last;  // inclusive, and itself in the range
    std::uint32_t stride;

    bool operator==(Range const&) const = default;
  };

  // Nothing if the text is not a list of ranges. The empty text is the empty set.
  static std::optional<RankSet> parse(std::string_view text);

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::vector<Range> const& ranges() const { return ranges_; }
  [[nodiscard]] bool contains(WorldRank rank) const;

  // Adds the ranks of a set that begins after this one has ended; both are ascending.
  void append(RankSet const& later);

  // In the notation of parse().
  [[nodiscard]] std::string to_string() const;

  // True if every range begins after the one before it has ended, as in communicators.csv. Then size() is exact.
  [[nodiscard]] bool is_ascending() const;

  // Number of ranks, counting a rank in two ranges twice.
  [[nodiscard]] std::uint64_t size() const;

  // The highest rank; the set must not be empty.
  [[nodiscard]] WorldRank highest() const;

  // Number of ranks of this ascending set that are also in the other. Visits each rank of this set.
  [[nodiscard]] std::uint64_t count_in(RankSet const& other) const;

 private:
  std::vector<Range> ranges_;
};

}  // namespace mpisee_through
