// Reads the first page of a profile in one pass over its files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/findings.hpp"
#include "summary/operation_kind.hpp"
#include "summary/regions.hpp"
#include "summary/summary.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// The two ranks with the most bytes from one to the other, over all classes of messages.
struct BusiestPair {
  PairTraffic pair;
  Amount total;                  // over all messages
  std::uint64_t alike = 0;       // other pairs with at least 99 % as many bytes
  std::uint64_t to_self = 0;     // bytes of the total that ranks send to themselves
  std::uint64_t bytes_sent = 0;  // by all calls: collectives and files send bytes that are in no message

  // The pair's part of the bytes that ranks send to each other, 0 to 1.
  [[nodiscard]] double share() const { return share_of(pair.amount.bytes, total.bytes - to_self).value_or(0); }
  // The part of the bytes sent that the messages hold. Nothing if they hold more, because the MPI's own count, too.
  [[nodiscard]] std::optional<double> share_of_bytes_sent() const {
    return total.bytes > bytes_sent ? std::nullopt : share_of(total.bytes, bytes_sent);
  }
};

// A size of calls and its share, 0 to 1.
struct SizeShare {
  SizeBin size;
  double share;
};

// Among the calls that carry data: the size with most of their time, and the size with most of their bytes.
struct MainSizes {
  SizeShare by_time;
  SizeShare by_bytes;
  double time_s;  // of all calls with data
};

// The operation on a communicator with the most time. Nothing if no time was recorded.
struct CostliestCall {
  CommunicatorIndex communicator;
  Cell const* operation;  // points into the summary
};
[[nodiscard]] std::optional<CostliestCall> find_costliest_call(Summary const& summary);

struct KindTotals {
  OperationKind kind;
  Totals totals;
};
// The kinds of calls with time, descending by it.
[[nodiscard]] std::vector<KindTotals> totals_by_kind(Summary const& summary);

// A rank, or the pattern of calls, and the waiting that it causes.
struct CausedBy {
  std::string who;  // "rank 3", "no rank by itself"
  std::uint32_t rank = 0;
  bool is_pattern = false;
  double caused_s = 0;
  double direct_s = 0;  // the part of those who wait for it
  std::string call{};   // the calls before which it mostly does more, "Send on W"; empty if unknown
  std::string site{};   // where they are, "exchange, halo.c:80"; empty if unknown
};

struct FirstScreen {
  Summary summary;  // made with cells_of_findings()
  Waits waits;      // empty if waiting is unknown
  // Who causes the waiting, longest first; empty if it is unknown, or takes little time.
  std::vector<CausedBy> caused_by{};
  // False if communicators, operations, sites or sizes are selected: efficiencies need all calls of a rank. False for
  // an unfinished run whose efficiencies would mislead.
  bool has_efficiencies;
  std::vector<RegionSummary> regions;  // selected regions, longest first; empty if the program named none
  RegionTimes region_times;            // the times by which regions are sorted and efficiency_lines() computed
  std::optional<BusiestPair> busiest_pair;
  std::optional<MainSizes> main_sizes;
  std::optional<TimeWindows> windows;  // empty if the profile has none, or if parts of ranks are selected
  std::vector<Finding> findings;
  std::string selected;  // the selected ranks and regions, as options of the command line
  CodeLines lines;       // the places of calls that did not end

  // Whether it begins with the account, and the verdict that follows from it.
  [[nodiscard]] bool has_account() const { return has_efficiencies && summary.account; }
};

// The efficiencies of the whole run, or of a region.
struct EfficiencyLine {
  std::string name;
  Efficiency efficiency;
  std::optional<double> mpi_share;
};

// What findings look at. With sizes of communicators that take little time, too, if the run has many.
[[nodiscard]] std::vector<CellList> cells_of_findings(CellList::With sizes = CellList::With::totals_of_most);

// Reads the profile to its end. lists: those of findings, and others. Throws ProfileError and SelectionError.
[[nodiscard]] FirstScreen read_first_page(Profile const& profile, Selection const& selection,
                                          RegionTimes region_times = RegionTimes::inclusive,
                                          std::vector<CellList> const& lists = cells_of_findings());

[[nodiscard]] std::vector<CausedBy> caused_by(Summary const& summary, Waits const& waits,
                                              std::vector<Cause> const& causes);

// Where most of the time goes that is not work, and why, in a sentence. Empty if the profile does not tell.
[[nodiscard]] std::string describe_verdict(FirstScreen const& screen);

// A finding or a consequence of one.
struct FlatFinding {
  Finding const* finding;
  std::string_view explained_by;  // rule of the finding that explains this one; empty if there is none
};
// All findings in order, each followed by its consequences. They point into the screen.
[[nodiscard]] std::vector<FlatFinding> flattened(FirstScreen const& screen);

// The arguments with which mpisee-through shows more of a finding.
[[nodiscard]] std::string arguments_of(Finding const& finding, FirstScreen const& screen);

// The reason that follows "No findings".
[[nodiscard]] std::string reason_for_no_findings(FirstScreen const& screen);

// A line of the first page: a label such as "Top call", and a sentence.
struct Highlight {
  std::string_view label;
  std::string text;
};
// The highlights that the profile and the selection have.
[[nodiscard]] std::vector<Highlight> highlights(FirstScreen const& screen);

// The whole run first, then the regions, longest first. Empty if the selection has no efficiencies.
[[nodiscard]] std::vector<EfficiencyLine> efficiency_lines(FirstScreen const& screen);

}  // namespace mpisee_through
