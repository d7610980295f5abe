#pragma once

#include <string>
#include <string_view>

#include "reader/profile_reader.hpp"
#include "summary/name_filter.hpp"
#include "summary/selection.hpp"
#include "summary/text_map.hpp"
#include "symbols/site_names.hpp"

namespace mpisee_through {

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
