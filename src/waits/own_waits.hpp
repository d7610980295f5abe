// The samples of one process, and the rows that result when they are joined with those of the others.
//
// This takes two rounds. In the first, the members join the times of their entries (Meeting), so that each knows how
// long it waited. In the second, they sum these waiting times (Spending). The caller exchanges the data in between.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/common_clock.hpp"
#include "base/memory.hpp"
#include "waits/joint.hpp"
#include "waits/samples.hpp"

namespace commprof {

// A row of waits.csv. Times are summed over all calls of all members.
struct WaitRow {
  CommIndex comm{};
  Op op{};
  std::uint32_t ranks = 0;
  std::uint64_t calls = 0;
  std::uint64_t samples = 0;
  bool is_by_entries = false;  // else wait_ns is an upper bound
  bool has_error = false;      // false: one sampled call of several gives no estimate of the error
  std::uint64_t time_ns = 0, wait_ns = 0, wait_error_ns = 0, move_ns = 0, rest_ns = 0;
  // last_rank, last_calls and late_ns are valid if has_last.
  bool has_last = false;
  std::int32_t last_rank = 0;
  std::uint64_t last_calls = 0;  // of those in the sample
  std::uint64_t late_ns = 0;
};

// This process's row of waits_by_rank.csv.
struct OwnWaitRow {
  CommIndex comm{};
  Op op{};
  std::uint64_t samples = 0, time_ns = 0, wait_ns = 0, last = 0;
};

class OwnWaits {
 public:
  // host: a number for the host. Its processes share a clock.
  OwnWaits(std::int32_t world_rank, std::uint64_t host, clock::Rate rate)
      : rank_(world_rank), host_(host), rate_(rate) {}

  // One operation on a communicator, and its calls that are sampled, in any order. named_by: the closest ancestor that
  // take_names() gets.
  void take(Sampler const& sampler, std::string_view name, std::uint32_t members, WaitSample const* samples,
            std::size_t count, CommIndex named_by = CommIndex::unknown);
  // A communicator from which others were made, by so many calls: their numbers are in the others' names.
  void take_names(CommIndex comm, std::string_view name, std::uint32_t members, std::uint32_t creations,
                  CommIndex named_by);
  // From now on, operations whose members have counted different numbers of calls or creations have no rows. Must not
  // be called for processes that were killed, each at another call.
  void require_agreement() { must_agree_ = true; }
  // Counts all calls of this process, in the order of their keys. Must follow the last take().
  template <class Records>
  void count(Records const& records) {
    order_by_comm();
    for (Record const& record : records) add(record);
    order_by_key();
  }

  // The common clock of several hosts. Without one, processes of different hosts compare durations.
  void use(CommonClock const& clock) { clock_ = clock; }
  CommonClock const& clock() const { return clock_; }

  void tell_meetings(waits::Joint<waits::Meeting>& told) const;
  // agreed: the meetings of all members, for the operations of this process. From now on own_rows() are valid.
  void tell_spendings(waits::Joint<waits::Meeting> const& agreed, waits::Joint<waits::Spending>& told);
  // spent: the result of the second round. From now on rows() are valid.
  void finish(waits::Joint<waits::Meeting> const& agreed, waits::Joint<waits::Spending> const& spent);

  // All members of a communicator have equal rows.
  PageVector<WaitRow> const& rows() const { return rows_; }
  PageVector<OwnWaitRow> const& own_rows() const { return own_rows_; }
  // The waiting in own_rows() that is measured, not only bounded.
  std::uint64_t measured_ns() const;
  // Calls of this process that are in no row, because samples of some members are missing.
  std::uint64_t incomplete_calls() const { return incomplete_calls_; }
  // Calls of this process that are in no row, because members have numbered them, or named the communicator,
  // differently.
  std::uint64_t disagreeing_calls() const { return disagreeing_calls_; }
  // Whether members may have given other names to communicators that were made from this one or its descendants.
  bool names_disagree(CommIndex comm) const;

 private:
  struct Operation {
    waits::JointHead head;  // of this process alone
    CommIndex comm{};
    Op op{};
    std::size_t first = 0;  // sample
    CommIndex named_by = CommIndex::unknown;
    bool has_row = false;
    bool disagrees = false;

    bool is_of_names() const { return op == Op::count_; }
  };
  Operation operation_of(waits::JointKey const& key, CommIndex comm, Op op, std::uint32_t members,
                         std::uint64_t number) const;
  void find_disagreements(waits::Joint<waits::Meeting> const& agreed);
  waits::JointHead head_of(Operation const& operation) const;
  Ticks entry_of(WaitSample const& sample) const { return clock_.is_known ? clock_.of(sample.entry) : sample.entry; }
  clock::Rate entry_rate() const { return clock_.is_known ? clock_.rate : rate_; }
  void order_by_comm();
  void order_by_key();
  void add(Record const& record);
  void spend(Operation const& operation, waits::JointHead const& head, waits::Meeting const* meetings,
             waits::Joint<waits::Spending>& told);
  WaitRow row_of(waits::JointHead const& head, waits::Meeting const* meetings, waits::JointHead const& spent,
                 waits::Spending const* spendings) const;

  std::int32_t rank_;
  std::uint64_t host_;
  clock::Rate rate_;
  CommonClock clock_;
  PageVector<Operation> operations_;  // in the order of their keys
  PageVector<WaitSample> samples_;
  PageVector<WaitRow> rows_;
  PageVector<OwnWaitRow> own_rows_;
  std::uint64_t incomplete_calls_ = 0, disagreeing_calls_ = 0;
  bool must_agree_ = false, any_names_disagree_ = false;
};

}  // namespace commprof
