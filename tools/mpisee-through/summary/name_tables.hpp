#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "summary/row_filter.hpp"
#include "summary/summary.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {

// The communicators, operations and call sites of a summary, and which of them are selected, while files are read. Any
// thread may call it.
class NameTables {
 public:
  struct Communicator {
    CommunicatorIndex index;
    bool selected;
  };
  struct Operation {
    OperationIndex index;
    bool selected;
  };

  // Reads communicators.csv into the summary. All arguments must outlive this.
  NameTables(Profile const& profile, Selection const& selection, Summary& summary);

  // Look up a name as spelled in the file. A communicator that communicators.csv does not list is added with this size.
  // guess: a likely index, which saves a search.
  [[nodiscard]] Communicator communicator(std::string_view text, std::uint64_t size, CommunicatorIndex guess = {});
  [[nodiscard]] Operation operation(std::string_view text);
  [[nodiscard]] CallSiteIndex site(std::string_view text);
  [[nodiscard]] bool selects_region(std::string_view text);
  [[nodiscard]] bool selects_site(std::string_view text);

  // Must be called after the last row: throws SelectionError for a pattern that matches nothing.
  void check();

 private:
  void add_communicators();
  CommunicatorIndex add_communicator(CommunicatorSummary&& added);
  CommunicatorIndex find_communicator(std::string_view text, std::uint64_t size);
  void add_instance(CommunicatorIndex index, CommunicatorRow const& row, CommunicatorRows& rows);
  [[nodiscard]] std::uint64_t count_selected(RankSet const& members) const;

  Profile const& profile_;
  Selection const& selection_;
  Summary& summary_;
  std::mutex mutex_;
  TextMap<CommunicatorIndex> communicator_by_name_;
  std::unordered_map<CommunicatorIndex, RankSet> members_of_all_;  // only communicators with several instances
  TextMap<Operation> operation_by_name_;
  TextMap<CallSiteIndex> site_by_name_;
  RowFilter filter_;
};

// A cache of one thread in front of the tables, without a lock. Rows of one name are mostly adjacent.
class NamesOfPart {
 public:
  NamesOfPart(NameTables& tables, Selection const& selection) : tables_(tables), selection_(selection) {}

  [[nodiscard]] NameTables::Communicator const& communicator(std::string_view text, std::uint64_t size) {
    return communicators_.get(text, [&] { return tables_.communicator(text, size); });
  }
  [[nodiscard]] NameTables::Operation const& operation(std::string_view text) {
    return operations_.get(text, [&] { return tables_.operation(text); });
  }
  [[nodiscard]] CallSiteIndex site(std::string_view text) {
    return sites_.get(text, [&] { return tables_.site(text); });
  }
  [[nodiscard]] bool selects_region(std::string_view text) {
    return selection_.regions.empty() || regions_selected_.get(text, [&] { return tables_.selects_region(text); });
  }
  [[nodiscard]] bool selects_site(std::string_view text) {
    return selection_.sites.empty() || sites_selected_.get(text, [&] { return tables_.selects_site(text); });
  }

 private:
  NameTables& tables_;
  Selection const& selection_;
  Memo<NameTables::Communicator> communicators_;
  Memo<NameTables::Operation> operations_;
  Memo<CallSiteIndex> sites_;
  Memo<bool> regions_selected_, sites_selected_;
};

}  // namespace mpisee_through
