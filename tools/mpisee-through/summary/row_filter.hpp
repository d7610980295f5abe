// Which rows are selected, by the patterns of options.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reader/profile_reader.hpp"
#include "summary/selection.hpp"
#include "summary/text_map.hpp"
#include "symbols/site_names.hpp"

namespace mpisee_through {

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

 private:
  Selection const& selection_;

 public:
  NameFilter communicators, operations, regions, sites;
};

}  // namespace mpisee_through
