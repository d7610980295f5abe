#include "findings/rules.hpp"

#include <fmt/format.h>

#include <array>

#include "findings/thresholds.hpp"

namespace mpisee_through {
namespace {

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::string waiting_condition(std::string_view awaited) {
  using namespace thresholds;
  return fmt::format(
      "the same ranks, or nobody in an operation, make others wait {} during {} of the wall time, by {} standard "
      "errors, from {} instants",
      awaited, percent(worth_trying), waiting_errors, fewest_instants);
}

// The rules, sorted by level.
// NOLINTNEXTLINE(readability-function-size): a table
std::array<Rule, 19> make_rules() {
  using namespace thresholds;
  return {
      {{"mismatch", Level::stuck, false,
        "when the run ended, members of a communicator were in different collective calls of one number, or in calls "
        "with different roots",
        find_mismatches},
       {"deadlock", Level::stuck, false,
        "when the run ended, ranks waited for each other in a circle, or for one that had ended", find_deadlocks},
       {"unfinished-calls", Level::stuck, false,
        fmt::format("there is neither of these, and calls that did not end take {} of the wall time",
                    percent(unfinished_of_wall)),
        find_unfinished_calls},
       {"processors", Level::processors, false,
        fmt::format("the ranks that wait least for others could run but had no processor during {} of the wall time, "
                    "outside MPI or while data moved",
                    percent(worth_trying)),
        find_busy_processors},
       {"change", Level::change, false,
        fmt::format("suddenly from a moment on, or for a part of the run, with the same kinds of calls and the same "
                    "bytes: half of the ranks or fewer compute {} times as long between calls, which takes {} of that "
                    "part, and no other rank changes by {} of it; or calls take {} times as long, and at least {} "
                    "fewer are made a second. It costs {} of the run",
                    slower_rank, percent(slower_rank_of_part), percent(others_of_change), slower_mpi,
                    percent(1 - slower_calls), percent(worth_trying)),
        find_changes},
       {"uneven-work", Level::uneven_work, false,
        fmt::format("load balance below {}, and the busiest rank computes longer than the mean by {} of the longest "
                    "wall time. The time during which the busiest rank waited for a processor is taken off",
                    percent(load_balance), percent(worth_trying)),
        find_uneven_work},
       {"paired-barriers", Level::waiting, true,
        fmt::format("{} calls of Barrier by each rank and as many of other collectives, or of one of them, on a "
                    "communicator, within {}; Barrier takes {} of the wall time, without waiting that few ranks cause",
                    paired_barriers_of_rank, percent(1 - paired_barriers), percent(worth_trying)),
        find_paired_barriers},
       {"waiting", Level::waiting, true,
        waiting_condition("for members of a communicator to enter a collective operation"),
        [](Evidence const& evidence) { return find_waiting(evidence, WaitKind::collective); }},
       {"late-senders", Level::waiting, true, waiting_condition("for messages that are not sent"),
        [](Evidence const& evidence) { return find_waiting(evidence, WaitKind::late_sender); }},
       {"late-receivers", Level::waiting, true, waiting_condition("for receives that are not posted"),
        [](Evidence const& evidence) { return find_waiting(evidence, WaitKind::late_receiver); }},
       {"no-progress", Level::waiting, true,
        waiting_condition("for processes outside MPI that their messages need for progress"),
        [](Evidence const& evidence) { return find_waiting(evidence, WaitKind::no_progress); }},
       {"mapping", Level::many_calls, false,
        fmt::format("{} MiB of messages or more, {} of the bytes cross hosts, another placement on the same hosts "
                    "leaves {} of that, and moving the others takes {} of the wall time",
                    mapping_bytes >> 20U, percent(crossing_hosts), percent(crossing_left), percent(least_saving)),
        find_bad_mapping},
       {"communicator-churn", Level::many_calls, false,
        fmt::format("{} calls of one kind make communicators from one parent, of which ranks make {} calls on each at "
                    "most, on average; {} of these are freed, and making and freeing take {} of the wall time",
                    churn_calls, churn_uses, percent(churn_freed), percent(least_saving)),
        find_communicator_churn},
       {"window-churn", Level::many_calls, true,
        fmt::format("each rank makes {} windows on a communicator, {} of these are freed, and making and freeing take "
                    "{} of the wall time",
                    churn_calls, percent(churn_freed), percent(least_saving)),
        find_window_churn},
       {"tiny-messages", Level::many_calls, true,
        fmt::format(
            "{} of the messages on a communicator are in calls below {} B, {} of them for each rank; they take {} of "
            "the time of calls that carry messages; and point-to-point calls with their completion take {} "
            "of the wall time there, without waiting",
            percent(tiny_of_messages), tiny_bytes, tiny_messages_of_rank, percent(tiny_of_time), percent(worth_trying)),
        find_tiny_messages},
       {"tiny-collectives", Level::many_calls, true,
        fmt::format("each rank calls a collective operation {} times on a communicator, {} of the calls with data "
                    "carry less than {} B, they take {:.0f} ms each at most, and {} of the wall time without waiting",
                    tiny_messages_of_rank, percent(tiny_of_messages), tiny_bytes, tiny_call_s * 1e3,
                    percent(worth_trying)),
        find_tiny_collectives},
       {"polling", Level::many_calls, true,
        fmt::format("{} polls of each rank find nothing, {} for each that does, in {} of the wall time without waiting",
                    empty_polls_of_rank, empty_polls_for_each, percent(worth_trying)),
        find_polling},
       {"files", Level::long_operation, false,
        fmt::format("calls on files take {} of the wall time", percent(worth_trying)), find_file_times},
       {"dominant-operation", Level::long_operation, true,
        fmt::format("an operation on a communicator, not on files, takes {} of the wall time without waiting",
                    percent(worth_trying)),
        find_dominant_operations}}};
}

}  // namespace

std::span<Rule const> rules() {
  static auto const all = make_rules();
  return all;
}

}  // namespace mpisee_through
