#pragma once

#include <string>
#include <string_view>

#include "reader/profile_reader.hpp"
#include "summary/name_filter.hpp"
#include "summary/selection.hpp"
#include "summary/text_map.hpp"
#include "symbols/site_names.hpp"

namespace mpisee_through {

// Decides once for each communicator, as spelled in the file.
class CommunicatorFilter {
 public:
  // Reads communicators.csv if there are patterns.
  CommunicatorFilter(Profile const& profile, Selection const& selection);

  [[nodiscard]] bool selects(std::string_view name);
  [[nodiscard]] Patterns const& patterns() const { return patterns_; }
  void add(CommunicatorFilter const& other) { patterns_.add(other.patterns_); }

 private:
  bool match(std::string_view name, std::string const& user_name);

  Patterns patterns_;
  TextMap<bool> selected_;
};

// Which rows of operations.csv belong to a selection.
class CallFilter {
 public:
  // names: of the profile's call sites. They are shared, since looking them up takes long.
  CallFilter(Profile const& profile, Selection const& selection, SiteNames const& names);

  [[nodiscard]] bool selects(OperationRow const& row);

 private:
  [[nodiscard]] bool selects_operation(std::string_view name);

  Selection const& selection_;
  CommunicatorFilter communicators_;
  Patterns operation_patterns_;
  TextMap<bool> operation_selected_;
  NameFilter regions_;
  NameFilter sites_;
};

// Which rows of peers.csv belong to a selection.
class MessageFilter {
 public:
  MessageFilter(Profile const& profile, Selection const& selection);

  [[nodiscard]] bool selects(PeerRow const& row);
  // Adds what another one of this selection has seen.
  void add(MessageFilter const& other);
  // After the last row: throws SelectionError for a pattern that matches nothing at all.
  void check(Profile const& profile);

 private:
  [[nodiscard]] bool are_selected(WorldRank from, WorldRank to) const;
  [[nodiscard]] bool is_selected_class(TrafficClass one) const;

  Selection const& selection_;
  CommunicatorFilter communicators_;
  NameFilter operations_;
  NameFilter regions_;
};

}  // namespace mpisee_through
