// The rules, one function each, and their common helpers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/findings.hpp"
#include "summary/operation_kind.hpp"

namespace mpisee_through {

std::vector<Finding> find_mismatches(Evidence const& evidence);
std::vector<Finding> find_deadlocks(Evidence const& evidence);
std::vector<Finding> find_unfinished_calls(Evidence const& evidence);
std::vector<Finding> find_busy_processors(Evidence const& evidence);
std::vector<Finding> find_changes(Evidence const& evidence);
std::vector<Finding> find_uneven_work(Evidence const& evidence);
std::vector<Finding> find_waiting(Evidence const& evidence, WaitKind kind);
std::vector<Finding> find_communicator_churn(Evidence const& evidence);
std::vector<Finding> find_window_churn(Evidence const& evidence);
std::vector<Finding> find_bad_mapping(Evidence const& evidence);
std::vector<Finding> find_tiny_messages(Evidence const& evidence);
std::vector<Finding> find_tiny_collectives(Evidence const& evidence);
std::vector<Finding> find_polling(Evidence const& evidence);
std::vector<Finding> find_paired_barriers(Evidence const& evidence);
std::vector<Finding> find_file_times(Evidence const& evidence);
std::vector<Finding> find_dominant_operations(Evidence const& evidence);

// The verdict on a run without efficiencies, because it did not end as it should.
[[nodiscard]] std::string describe_end(Run const& run, std::vector<Finding> const& findings, CodeLines const& lines);

// The share of the selected ranks' wall time; 0 if no time passed.
[[nodiscard]] double share_of_wall(Evidence const& evidence, double seconds);

// The time of the operation that is not known to be waiting for others.
[[nodiscard]] double time_beside_waiting_s(Evidence const& evidence, Cell const& operation);

// Calls visit(communicator, operation) for each operation on each communicator that takes this share of the wall time.
template <class Visit>
void for_each_operation(Evidence const& evidence, double least_share, Visit visit) {
  for (Cell const& operation : evidence.summary.operations())
    if (share_of_wall(evidence, operation.totals.time_s) >= least_share)
      visit(evidence.summary.communicator(operation.communicator), operation);
}

// The ranks that cause most of the waiting, if they are few.
[[nodiscard]] std::optional<OperationWaiting::Culprits> few_culprits(Summary const& summary,
                                                                     OperationWaiting const& waiting);

// "the other" or "the others", than these ranks.
[[nodiscard]] std::string_view others_in_words(Summary const& summary, std::size_t ranks);

// "computes 1.4 times as long as the others", on average; empty if these ranks do not, or it is unknown.
[[nodiscard]] std::string longer_in_words(Summary const& summary, std::vector<std::uint32_t> const& ranks);

// The advice to move work from these ranks, without the period.
[[nodiscard]] std::string move_work(Summary const& summary, std::vector<std::uint32_t> const& ranks);

// The view of operations, by call site if a site is known. called_at: the text in the fact.
[[nodiscard]] std::string_view operations_view(std::string_view called_at);

// An option with its value, quoted for a shell: --region 'a b'
[[nodiscard]] std::string option(std::string_view name, std::string_view value);
// The option that selects this communicator alone, also if its name looks like a pattern: --comm 'W_d\*'
[[nodiscard]] std::string option_of_communicator(std::string_view name);
[[nodiscard]] std::string option_of_communicator(CommunicatorSummary const& communicator);

}  // namespace mpisee_through
