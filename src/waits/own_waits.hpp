// The sample of one process as it is joined with those of the others, and the rows that come out of it.
//
// It takes two rounds. In the first one the members tell each other when they came (Meeting), so each knows how long it
// waited; in the second one these times are added up (Spending). Whoever exchanges them stands between the steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/common_clock.hpp"
#include "base/memory.hpp"
#include "waits/joint.hpp"
#include "waits/samples.hpp"

namespace commprof {

// A row of waits.csv. Times are of all calls on all members.
struct WaitRow {
  CommIndex comm{};
  Op op{};
  std::uint32_t ranks = 0;
  std::uint64_t calls = 0;
  std::uint64_t samples = 0;
  bool is_by_entries = false;  // else wait_ns is an upper bound
  bool has_error = false;      // one call of several says nothing of the error
  std::uint64_t time_ns = 0, wait_ns = 0, wait_error_ns = 0, move_ns = 0, rest_ns = 0;
  // Where it is known who comes last.
  bool has_last = false;
  std::int32_t last_rank = 0;
  std::uint64_t last_calls = 0;  // of those in the sample
  std::uint64_t late_ns = 0;
};

// A row of waits_by_rank.csv, that of this process.
struct OwnWaitRow {
  CommIndex comm{};
  Op op{};
  std::uint64_t samples = 0, time_ns = 0, wait_ns = 0, last = 0;
};

class OwnWaits {
 public:
  // host: a number for the host, whose processes have a clock in common.
  OwnWaits(std::int32_t world_rank, std::uint64_t host, clock::Rate rate)
      : rank_(world_rank), host_(host), rate_(rate) {}

  // One operation on a communicator, and its calls that are sampled, in any order.
  void take(Sampler const& sampler, std::string_view name, std::uint32_t members, WaitSample const* samples,
            std::size_t count);
  // All calls of this process, in the order of their keys. After the last take().
  template <class Records>
  void count(Records const& records) {
    order_by_comm();
    for (Record const& record : records) add(record);
    order_by_key();
  }

  // Where processes of several hosts meet: what all of them measure by. Without one, they compare durations.
  void use(CommonClock const& clock) { clock_ = clock; }

  void tell_meetings(waits::Joint<waits::Meeting>& told) const;
  // agreed: what all members told, of the operations of this process. From now on there are own_rows().
  void tell_spendings(waits::Joint<waits::Meeting> const& agreed, waits::Joint<waits::Spending>& told);
  // The same of the second round. From now on there are rows().
  void finish(waits::Joint<waits::Meeting> const& agreed, waits::Joint<waits::Spending> const& spent);

  // All members have the same row.
  PageVector<WaitRow> const& rows() const { return rows_; }
  PageVector<OwnWaitRow> const& own_rows() const { return own_rows_; }
  // Calls of this process that are in no row, since not all members told of theirs.
  std::uint64_t incomplete_calls() const { return incomplete_calls_; }

 private:
  struct Operation {
    waits::JointHead head;  // of this process alone
    CommIndex comm{};
    Op op{};
    std::size_t first = 0;  // sample
    bool has_row = false;
  };
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
  std::uint64_t incomplete_calls_ = 0;
};

}  // namespace commprof
