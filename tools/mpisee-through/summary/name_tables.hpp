#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "summary/row_filter.hpp"
#include "summary/summary.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {

// Gives the communicators, operations and call sites of a summary their places in its lists while files are read. Any
// thread may call it.
class NameTables {
 public:
  // Reads communicators.csv into the summary, and adds them to the filter. All arguments must outlive this.
  NameTables(Profile const& profile, Selection const& selection, NameFilter& filter, Summary& summary);

  // Look up a name as spelled in the file. A communicator that communicators.csv does not list is added with this size.
  // guess: a likely index, which saves a search.
  [[nodiscard]] CommunicatorIndex communicator(std::string_view text, std::uint64_t size, CommunicatorIndex guess = {});
  [[nodiscard]] OperationIndex operation(std::string_view text);
  [[nodiscard]] CallSiteIndex site(std::string_view text);

 private:
  void add_communicator(CommunicatorRow const& row, bool is_selected);
  void add_instance(CommunicatorSummary& known, CommunicatorRow const& row, CommunicatorRows& rows);
  [[nodiscard]] std::uint64_t count_selected(RankSet const& members) const;

  Selection const& selection_;
  Summary& summary_;
  std::mutex mutex_;
  TextMap<CommunicatorIndex> communicator_by_name_;
  TextMap<RankSet> members_of_all_;  // only of communicators with several instances
  TextMap<OperationIndex> operation_by_name_;
  TextMap<CallSiteIndex> site_by_name_;
};

// A cache of one thread in front of the tables, without a lock. Rows of one name are mostly adjacent.
struct NamesOfPart {
  [[nodiscard]] CommunicatorIndex communicator(std::string_view text, std::uint64_t size) {
    return communicators.get(text, [&] { return tables.communicator(text, size); });
  }
  [[nodiscard]] OperationIndex operation(std::string_view text) {
    return operations.get(text, [&] { return tables.operation(text); });
  }
  [[nodiscard]] CallSiteIndex site(std::string_view text) {
    return sites.get(text, [&] { return tables.site(text); });
  }

  NameTables& tables;
  Memo<CommunicatorIndex> communicators{};
  Memo<OperationIndex> operations{};
  Memo<CallSiteIndex> sites{};
};

}  // namespace mpisee_through
