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

// The patterns of one option. Remembers which of them have matched.
class Patterns {
 public:
  explicit Patterns(std::vector<std::string> const& globs) : globs_(globs), matched_(globs.size()) {}

  // Whether any pattern matches, or there are no patterns.
  template <class Matches>
  bool match(Matches matches) {
    bool any = globs_.empty();
    for (std::size_t i = 0; i < globs_.size(); ++i) {
      if (matches(globs_[i])) any = matched_[i] = true;
    }
    return any;
  }

  // Adds the matches of another object for the same option.
  void add(Patterns const& others) {
    for (std::size_t i = 0; i < matched_.size(); ++i) matched_[i] = matched_[i] || others.matched_[i];
  }

  [[nodiscard]] bool empty() const { return globs_.empty(); }
  [[nodiscard]] bool have_all_matched() const;

  // Throws SelectionError, "OPTION: no KIND of the profile matches ...", if a pattern has matched nothing.
  void check(std::string_view option, std::string_view kind) const;

 private:
  std::vector<std::string> globs_;
  std::vector<bool> matched_;
};

// The pattern that matches this text alone.
[[nodiscard]] std::string literally(std::string_view text);

// Decides once for each name, as spelled in the file, whether it is selected.
class NameFilter {
 public:
  using Matches = std::function<bool(std::string const& glob, std::string const& name)>;
  using Condition = std::function<bool(std::string const& name)>;

  // condition: a further test that a selected name must pass; may be empty.
  NameFilter(std::vector<std::string> const& globs, Matches matches, Condition condition = {})
      : patterns_(globs), matches_(std::move(matches)), condition_(std::move(condition)) {}

  [[nodiscard]] bool selects(std::string_view name);
  [[nodiscard]] Patterns const& patterns() const { return patterns_; }
  void add(NameFilter const& other) { patterns_.add(other.patterns_); }

 private:
  Patterns patterns_;
  Matches matches_;
  Condition condition_;
  Memo<bool> selected_;
};

// Applies the patterns also to regions without calls. Throws SelectionError for a pattern that matches no region.
void check_regions(Profile const& profile, NameFilter& filter);

// Decides once for each communicator, as spelled in the file, whether it is selected.
class CommunicatorFilter {
 public:
  explicit CommunicatorFilter(Selection const& selection) : patterns_(selection.communicators) {}

  // A communicator of communicators.csv. Several may have one name but different user names. If a pattern matches one
  // of them, all are selected, since rows do not distinguish them.
  bool add(std::string_view name, std::string const& user_name);
  [[nodiscard]] bool selects(std::string_view name);
  [[nodiscard]] Patterns const& patterns() const { return patterns_; }
  void add(CommunicatorFilter const& other) { patterns_.add(other.patterns_); }

 private:
  Patterns patterns_;
  TextMap<bool> selected_;
};

// Decides which names, and which rows of operations.csv and peers.csv, are selected.
class RowFilter {
 public:
  // sites: of the profile; shared, because looking them up takes long. Null for messages, which cannot be selected by
  // call site or kind of operation.
  RowFilter(Selection const& selection, SiteNames const* sites);
  // Reads communicators.csv if there are patterns for them.
  RowFilter(Profile const& profile, Selection const& selection, SiteNames const* sites = nullptr);

  [[nodiscard]] bool selects(OperationRow const& row);
  [[nodiscard]] bool selects(PeerRow const& row);
  // Adds the matches of another filter of this selection.
  void add(RowFilter const& other);
  // Must be called after the last row: throws SelectionError for a pattern that matches nothing at all.
  void check(Profile const& profile, std::string_view kind_of_operation);

 private:
  [[nodiscard]] bool are_selected(WorldRank from, WorldRank to) const;

  Selection const& selection_;

 public:
  CommunicatorFilter communicators;
  NameFilter operations, regions, sites;
};

}  // namespace mpisee_through
