// The part of a profile that the user selects, and which rows are in it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/rank_set.hpp"
#include "reader/group_by.hpp"
#include "reader/profile_reader.hpp"
#include "summary/operation_kind.hpp"
#include "symbols/site_names.hpp"

namespace mpisee_through {

// Sizes in bytes, bounds included. The size classes of a profile are powers of two. A class belongs to the range that
// contains its smallest size, so ranges that do not overlap share no class.
struct SizeRange {
  std::uint64_t min_bytes = 0;
  std::uint64_t max_bytes = UINT64_MAX;

  // 1k-64k, 8, 1m- ; k, m, g are powers of 1024. Nothing if the text is not a range.
  [[nodiscard]] static std::optional<SizeRange> parse(std::string_view text);

  [[nodiscard]] bool holds(SizeBin const& size) const {
    return min_bytes <= size.min_bytes && size.min_bytes <= max_bytes;
  }
  [[nodiscard]] std::string to_string() const;  // in bytes: 1024-65536, 1048576-
};

// The part of a profile that the user selects. An empty member selects everything.
struct Selection {
  std::vector<std::string> communicators{};  // globs on our name or the user's; one match suffices
  std::vector<std::string> operations{};     // globs, in any case, with or without MPI_
  std::vector<OperationKind> kinds{};
  std::vector<std::string> regions{};  // globs on the whole path
  std::vector<std::string> sites{};    // globs on the site, its function, its file, or file:line; ignored for messages
  std::optional<RankSet> ranks{};      // world ranks; a message is selected by either end
  std::optional<SizeRange> sizes{};    // of a call or a message
  // The following apply to messages only.
  std::vector<TrafficClass> classes{};  // if empty, all but what the transport was given, which repeats them
  std::optional<RankSet> from{};
  std::optional<RankSet> to{};

  [[nodiscard]] bool selects(WorldRank rank) const { return !ranks || ranks->contains(rank); }
  [[nodiscard]] bool selects(SizeBin const& size) const { return !sizes || sizes->holds(size); }
  [[nodiscard]] bool selects(TrafficClass one) const {
    return classes.empty() ? one != TrafficClass::network : std::ranges::find(classes, one) != classes.end();
  }
  // Whether all calls of the selected ranks are selected.
  [[nodiscard]] bool has_whole_ranks() const {
    return communicators.empty() && operations.empty() && kinds.empty() && regions.empty() && sites.empty() && !sizes;
  }
  // Whether messages are selected by their class alone.
  [[nodiscard]] bool selects_all_but_classes() const { return has_whole_ranks() && !ranks && !from && !to; }
};

// A pattern or a rank that matches nothing in the profile. what() is one printable line.
class SelectionError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Shell patterns: * ? [a-z]. A pattern also matches a name that is equal to it, since names can contain a *. W and SELF
// also match by MPI's names for them.
[[nodiscard]] bool matches_communicator(std::string const& glob, std::string const& name);
[[nodiscard]] bool matches_operation(std::string const& glob, std::string const& operation);
[[nodiscard]] bool matches_region(std::string const& glob, std::string const& region);

// Whether the profile has the rows of all selected ranks (COMMPROF_DETAIL).
[[nodiscard]] bool has_rows_of(Run const& run, Selection const& selection);
// Throws ProfileError if the profile lacks them. option: the option that needs the rows, such as "--ranks".
void require_rows(Profile const& profile, Selection const& selection, std::string_view option);

// The selection in words, for the title of a picture: "p2p, communicator W_s2.*, region solve". Empty if it selects
// everything.
[[nodiscard]] std::string describe(Selection const& selection);

// The pattern that matches this text alone.
[[nodiscard]] std::string literally(std::string_view text);

// The patterns of one option. Decides once for each name, as spelled in the file, whether it is selected, and remembers
// which patterns have matched.
class NameFilter {
 public:
  using Matches = std::function<bool(std::string const& glob, std::string const& name)>;

  NameFilter(std::vector<std::string> const& globs, Matches matches)
      : globs_(globs), matched_(globs.size()), matches_(std::move(matches)) {}

  [[nodiscard]] bool selects(std::string_view name);
  // Whether a pattern matches the printable name or a further one, which may be empty; or there are no patterns.
  bool match(std::string const& name, std::string const& further_name = {});
  // A communicator of communicators.csv. Several may have one name but different user names. If a pattern matches one
  // of them, all are selected, since rows do not distinguish them.
  bool add(std::string_view name, std::string const& user_name);
  // Adds the matches of another filter for the same option.
  void add(NameFilter const& other);

  [[nodiscard]] bool have_all_matched() const;
  // Throws SelectionError, "OPTION: no KIND of the profile matches ...", if a pattern has matched nothing.
  void check(std::string_view option, std::string_view kind) const;

 private:
  std::vector<std::string> globs_;
  std::vector<bool> matched_;
  Matches matches_;
  Memo<bool> selected_;
};

// Decides which names, and which rows of operations.csv and peers.csv, are selected.
class RowFilter {
 public:
  // sites: of the profile; shared, because looking them up takes long. Null for messages, which cannot be selected by
  // call site or kind of operation.
  RowFilter(Selection const& selection, SiteNames const* sites);
  // For messages; reads communicators.csv if there are patterns for them.
  RowFilter(Profile const& profile, Selection const& selection);

  [[nodiscard]] bool selects(OperationRow const& row);
  [[nodiscard]] bool selects(PeerRow const& row);
  [[nodiscard]] bool selects_operation(std::string_view name);
  // Adds the matches of another filter of this selection.
  void add(RowFilter const& other);
  // Must be called after the last row: throws SelectionError for a pattern that matches nothing at all.
  void check(Profile const& profile, std::string_view kind_of_operation);

  NameFilter communicators, operations, regions, sites;

 private:
  Selection const& selection_;
};

}  // namespace mpisee_through
