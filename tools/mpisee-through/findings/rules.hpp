// The rules, one function each, and their common helpers.
#pragma once

#include <cstdint>
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
std::vector<Finding> find_slower_part(Evidence const& evidence);
std::vector<Finding> find_slower_ranks(Evidence const& evidence);
std::vector<Finding> find_uneven_work(Evidence const& evidence);
std::vector<Finding> find_dominant_operations(Evidence const& evidence);
std::vector<Finding> find_waiting(Evidence const& evidence, WaitKind kind);
std::vector<Finding> find_communicator_churn(Evidence const& evidence);
std::vector<Finding> find_tiny_messages(Evidence const& evidence);
std::vector<Finding> find_bad_mapping(Evidence const& evidence);
std::vector<Finding> find_polling(Evidence const& evidence);
std::vector<Finding> find_tiny_collectives(Evidence const& evidence);
std::vector<Finding> find_window_churn(Evidence const& evidence);
std::vector<Finding> find_paired_barriers(Evidence const& evidence);
std::vector<Finding> find_file_times(Evidence const& evidence);

// The verdict on a run without efficiencies, because it did not end as it should.
[[nodiscard]] std::string describe_end(Run const& run, std::vector<Finding> const& findings, CodeLines const& lines);

// Adds a note to findings whose call site is in a library that makes most of the calls, and has no callers in the
// profile.
void say_hidden_callers(Summary const& summary, std::vector<Finding>& findings);

// The share of the selected ranks' wall time; 0 if no time passed.
[[nodiscard]] double share_of_wall(Evidence const& evidence, double seconds);

// For the ranks with the most and the least time in an operation: "rank 0 waits longest (7.000 s), rank 3 comes last
// (1.000 s)".
[[nodiscard]] std::string extremes_in_words(std::string_view operation, RankSpread::Extreme const& most,
                                            RankSpread::Extreme const& least);
[[nodiscard]] std::string extremes_in_words(TimeWords const& words, RankSpread::Extreme const& most,
                                            RankSpread::Extreme const& least);

// Whether few ranks cause most of the waiting.
[[nodiscard]] bool has_culprits(Summary const& summary, OperationWaiting const& waiting);

// Whether at least this share of the time is waiting, less two standard errors.
[[nodiscard]] bool is_waiting(OperationWaiting const& waiting, double share);

// The view of operations, by call site if a site is known. called_at: the text in the fact.
[[nodiscard]] std::string_view operations_view(std::string_view called_at);

// An option with its value, quoted for a shell: --region 'a b'
[[nodiscard]] std::string option(std::string_view name, std::string_view value);
// The option that selects this communicator alone, also if its name looks like a pattern: --comm 'W_d\*'
[[nodiscard]] std::string option_of_communicator(std::string_view name);
[[nodiscard]] std::string option_of_communicator(CommunicatorSummary const& communicator);

}  // namespace mpisee_through
