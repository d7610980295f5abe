// Completions in which an instant lies: keeps the messages that they have awaited.
#include "wrappers/awaited.hpp"
#include "wrappers/completion.hpp"

namespace commprof {

CommIndex CompletionOfOne::spanning(Op op, Interval interval, bool flag) {
  std::uint64_t const variable = request_.variable(0);
  if (awaited::may_wait(op)) {
    awaited::Collector collector(op, interval, false);
    collector.add(key_, variable);
    collector.keep();
  }
  awaited::notice(interval, op, false);
  if (!flag) return completion::look_up(key_, variable);
  return completion::complete({key_, variable, request_.is_null(0), status_});
}

template <bool in_fortran>
void Completion<in_fortran>::keep_span(Op op, Interval interval, int count, int const indices[], int first,
                                       bool of_any) {
  if (!message_waits::of_process.may_span(interval)) return;
  if (awaited::may_wait(op)) {
    awaited::Collector collector(op, interval, of_any || indices != nullptr);
    for (int k = 0; k < count; ++k) {
      int const index = indices == nullptr ? k : indices[k] - first;
      if (index < 0 || index >= count_ || keys_[index] == requests().null_key()) continue;
      if (indices == nullptr || may_be_complete(index)) collector.add(keys_[index], variable(index));
    }
    collector.keep();
  }
  awaited::notice(interval, op, false);
}

template <bool in_fortran>
void Completion<in_fortran>::spanning_all(Op op, Interval interval) {
  keep_span(op, interval, count_, nullptr, 0);
  if (state.is_threaded()) all<true>(op, interval);
  else all<false>(op, interval);
}

template void Completion<false>::keep_span(Op, Interval, int, int const[], int, bool);
template void Completion<true>::keep_span(Op, Interval, int, int const[], int, bool);
template void Completion<false>::spanning_all(Op, Interval);
template void Completion<true>::spanning_all(Op, Interval);

}  // namespace commprof
