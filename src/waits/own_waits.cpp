#include "waits/own_waits.hpp"

#include <algorithm>
#include <tuple>

#include "calls/by_operation.hpp"

namespace commprof {

namespace {

// The next call in a sample of the level. If none is near, a call that is not in the sample: there the search
// continues.
std::uint64_t next_of_level(std::uint64_t after, std::uint32_t level) {
  constexpr std::uint64_t farthest = 256;
  std::uint64_t next = after + 1;
  while (!waits::is_sampled(next, level) && next < after + farthest) ++next;
  return next;
}

}  // namespace

constinit Sampler no_sampler{};

void Sampler::keep(std::uint64_t call, Interval interval) {
  use_so_far::refresh();
  CurrentCall const& shown = *this_thread.current_call;
  // The first call of a thread is not in current_call, so its root is unknown.
  if (shown.since != interval.end) return waits::samples.pass(*this, call);
  waits::samples.keep(*this, call, interval, shown.root == own_root);
}

void Sampler::pass() {
  std::uint64_t const call = calls;
  live::set(calls, call + 1);
  if (call == next) waits::samples.pass(*this, call);
}

Sampler* WaitSamples::find_or_add(CommIndex comm, Op op, std::int32_t own_root) {
  Guard const guard(mutex);
  Sampler** const place =
      index_.find_or_add(static_cast<std::uint64_t>(comm) << 16 | (static_cast<std::uint64_t>(op) + 1));
  if (place == nullptr) return &no_sampler;
  if (*place != nullptr) return *place;
  auto const number = static_cast<std::uint32_t>(samplers_.size()) + 1;
  Sampler* const made = samplers_.append([=](Sampler& sampler) {
    sampler.comm = comm;
    sampler.op = op;
    sampler.own_root = own_root;
    sampler.next = 0;
    sampler.number = number;
  });
  return made == nullptr ? &no_sampler : *place = made;
}

// place: its index + 1.
WaitSample* WaitSamples::room_for_one(std::uint32_t& place) {
  if (free_ == 0) {
    WaitSample* const made = samples_.append();
    place = static_cast<std::uint32_t>(samples_.size());
    return made;
  }
  place = free_;
  WaitSample& sample = samples_[free_ - 1];
  free_ = sample.before;
  return &sample;
}

// Frees the samples that are not in the sample of the next level.
void WaitSamples::halve(Sampler& sampler) {
  ++sampler.level;
  for (std::uint32_t* link = &sampler.latest; *link != 0;) {
    std::uint32_t const place = *link;
    WaitSample& sample = samples_[place - 1];
    if (waits::is_sampled(sample.call, sampler.level)) {
      link = &sample.before;
      continue;
    }
    *link = sample.before;
    sample.sampler = 0;
    sample.before = free_;
    free_ = place;
    --sampler.kept;
  }
}

void WaitSamples::keep(Sampler& sampler, std::uint64_t call, Interval interval, bool is_root) {
  Guard const guard(mutex);
  if (sampler.kept == most_of_one) halve(sampler);
  if (waits::is_sampled(call, sampler.level)) {
    std::uint32_t place = 0;
    WaitSample* room = room_for_one(place);
    if (room == nullptr && sampler.kept > 0) {  // other samplers use all memory
      halve(sampler);
      if (waits::is_sampled(call, sampler.level)) room = room_for_one(place);
    }
    if (room != nullptr) {
      *room = {call & (UINT64_MAX >> 1), is_root,        interval.end - interval.elapsed,
               interval.elapsed,         sampler.number, sampler.latest};
      sampler.latest = place;
      ++sampler.kept;
    }
  }
  live::set(sampler.next, next_of_level(call, sampler.level));
}

void WaitSamples::pass(Sampler& sampler, std::uint64_t call) {
  Guard const guard(mutex);
  live::set(sampler.next, next_of_level(call, sampler.level));
}

using waits::Joint;
using waits::JointHead;
using waits::JointKey;
using waits::Meeting;
using waits::Spending;

namespace waits {

void JointHead::join(JointHead const& other) {
  joined += other.joined;
  level = std::max(level, other.level);
  bool const differs = host != other.host || has_common_clock != other.has_common_clock;
  has_several_hosts |= other.has_several_hosts | (differs ? 1U : 0U);
  has_common_clock &= other.has_common_clock;
  clock_error_ns = std::max(clock_error_ns, other.clock_error_ns);
  calls += other.calls;
  time_ns += other.time_ns;
  least_number = std::min(least_number, other.least_number);
  most_number = std::max(most_number, other.most_number);
}

}  // namespace waits

namespace {

// The flavour is not linked with libm, which has sqrt.
double root_of(double square) {
  if (!(square > 0)) return 0;
  double root = square > 1 ? square : 1;
  for (double next = (root + square / root) / 2; next < root; next = (root + square / root) / 2) root = next;
  return root;
}

std::uint64_t rounded(double value) { return value <= 0 ? 0 : static_cast<std::uint64_t>(value + 0.5); }  // NOLINT

// How long one process waited in a call, at most the duration of its call. entered: when it came, on the clock of the
// meeting; rate: that of this clock.
std::uint64_t waited(WaitSample const& sample, Ticks entered, std::uint64_t elapsed_ns, calls::WaitsFor whom,
                     bool has_entries, Meeting const& meeting, clock::Rate rate) {
  if (!has_entries) return elapsed_ns - std::min(elapsed_ns, meeting.least_ns);
  bool const waits_for_all = whom == calls::WaitsFor::all || (whom == calls::WaitsFor::all_root && sample.is_root != 0);
  bool const waits_for_root = whom == calls::WaitsFor::root && sample.is_root == 0;
  if (!waits_for_all && !waits_for_root) return 0;
  auto const entry = static_cast<std::int64_t>(entered.count);
  std::int64_t const behind = (waits_for_all ? meeting.latest : meeting.of_root) - entry;
  return behind <= 0 ? 0 : std::min(elapsed_ns, rate.to_ns({static_cast<std::uint64_t>(behind)}));
}

// Estimates, from a sample of calls, which part of the time of all calls is waiting: the ratio of the sample's sums.
// Its standard error is that of a ratio estimate (Cochran, Sampling Techniques, 6.4).
class Ratio {
 public:
  void add(double part, double whole) {
    ++count_;
    part_ += part;
    whole_ += whole;
    part_part_ += part * part;
    part_whole_ += part * whole;
    whole_whole_ += whole * whole;
  }
  double value() const { return whole_ > 0 ? part_ / whole_ : 0; }
  // population: the number of all calls.
  double error(double population) const {
    auto const n = static_cast<double>(count_);
    if (n < 2 || population <= n || whole_ <= 0) return 0;
    double const ratio = value();
    double const squares = part_part_ - 2 * ratio * part_whole_ + ratio * ratio * whole_whole_;
    double const mean = whole_ / n;
    return root_of((1 - n / population) * squares / (n * (n - 1))) / mean;
  }

 private:
  std::uint64_t count_ = 0;
  double part_ = 0, whole_ = 0, part_part_ = 0, part_whole_ = 0, whole_whole_ = 0;
};

// Calls visit(meeting, spending) for each call that all members have sampled.
template <class Visitor>
void for_each_complete(JointHead const& head, Meeting const* meetings, JointHead const& spent,
                       Spending const* spendings, Visitor&& visit) {
  for (std::uint64_t i = 0, k = 0; i < head.sampled && k < spent.sampled; ++i) {
    while (k < spent.sampled && spendings[k].call < meetings[i].call) ++k;
    bool const is_there = k < spent.sampled && spendings[k].call == meetings[i].call;
    if (is_there && spendings[k].joined == head.members) visit(meetings[i], spendings[k]);
  }
}

// The rank that came last in most of these calls, and how late it was in them.
void find_last(JointHead const& head, Meeting const* meetings, JointHead const& spent, Spending const* spendings,
               WaitRow& row) {
  PageVector<std::int32_t> ranks;
  bool has_room = true;
  for_each_complete(head, meetings, spent, spendings, [&](Meeting const& meeting, Spending const&) {
    has_room = has_room && ranks.push_back(meeting.last_rank);
  });
  if (!has_room) return;
  std::sort(ranks.begin(), ranks.end());
  for (std::int32_t const* first = ranks.begin(); first != ranks.end();) {
    std::int32_t const* const end = std::upper_bound(first, static_cast<std::int32_t const*>(ranks.end()), *first);
    auto const calls = static_cast<std::uint64_t>(end - first);
    if (calls > row.last_calls) {
      row.last_calls = calls;
      row.last_rank = *first;
    }
    first = end;
  }
  std::uint64_t behind_ns = 0;
  for_each_complete(head, meetings, spent, spendings, [&](Meeting const& meeting, Spending const& spending) {
    if (meeting.last_rank == row.last_rank) behind_ns += spending.behind_ns;
  });
  row.has_last = row.last_calls > 0;
  if (row.has_last && head.members > 1) row.late_ns = behind_ns / (head.members - 1) / row.last_calls;
}

}  // namespace

OwnWaits::Operation OwnWaits::operation_of(JointKey const& key, CommIndex comm, Op op, std::uint32_t members,
                                           std::uint64_t number) const {
  Operation operation;
  operation.head.key = key;
  operation.head.members = members;
  operation.head.joined = 1;
  operation.head.host = host_;
  operation.head.least_number = operation.head.most_number = number;
  operation.comm = comm;
  operation.op = op;
  return operation;
}

void OwnWaits::take_names(CommIndex comm, std::string_view name, std::uint32_t members, std::uint32_t creations,
                          CommIndex named_by) {
  Operation names = operation_of(JointKey::of_names(name), comm, Op::count_, members, creations);
  names.named_by = named_by;
  operations_.push_back(names);
}

void OwnWaits::take(Sampler const& sampler, std::string_view name, std::uint32_t members, WaitSample const* samples,
                    std::size_t count, CommIndex named_by) {
  Operation operation = operation_of(JointKey::of(name, sampler.op), sampler.comm, sampler.op, members, sampler.calls);
  operation.head.level = sampler.level;
  operation.named_by = named_by;
  operation.first = samples_.size();
  for (std::size_t i = 0; i < count; ++i)
    if (samples_.push_back(samples[i])) ++operation.head.sampled;
  std::sort(samples_.begin() + operation.first, samples_.end(),
            [](WaitSample const& a, WaitSample const& b) { return a.call < b.call; });
  operations_.push_back(operation);
}

void OwnWaits::order_by_comm() {
  std::sort(operations_.begin(), operations_.end(),
            [](Operation const& a, Operation const& b) { return std::tuple(a.comm, a.op) < std::tuple(b.comm, b.op); });
}

void OwnWaits::order_by_key() {
  std::sort(operations_.begin(), operations_.end(),
            [](Operation const& a, Operation const& b) { return a.head.key < b.head.key; });
}

void OwnWaits::add(Record const& record) {
  auto const wanted = std::tuple(record.key.comm(), record.key.op());
  if (calls::waits_for(record.key.op()) == calls::WaitsFor::nobody) return;
  Operation* const found =
      std::lower_bound(operations_.begin(), operations_.end(), wanted,
                       [](Operation const& one, auto const& key) { return std::tuple(one.comm, one.op) < key; });
  if (found == operations_.end() || std::tuple(found->comm, found->op) != wanted) return;
  found->head.calls += record.calls;
  found->head.time_ns += rate_.to_ns(record.time);
}

JointHead OwnWaits::head_of(Operation const& operation) const {
  JointHead head = operation.head;
  head.has_common_clock = clock_.is_known ? 1 : 0;
  head.clock_error_ns = clock_.error_ns;
  return head;
}

void OwnWaits::tell_meetings(Joint<Meeting>& told) const {
  for (Operation const& operation : operations_) {
    told.begin(head_of(operation));
    WaitSample const* const first = samples_.begin() + operation.first;
    for (WaitSample const* sample = first; sample != first + operation.head.sampled; ++sample) {
      auto const entry = static_cast<std::int64_t>(entry_of(*sample).count);
      told.add({.call = sample->call,
                .latest = entry,
                .of_root = sample->is_root != 0 ? entry : Meeting::unknown,
                .least_ns = rate_.to_ns(sample->elapsed),
                .last_rank = rank_,
                .joined = 1});
    }
  }
}

void OwnWaits::spend(Operation const& operation, JointHead const& head, Meeting const* meetings,
                     Joint<Spending>& told) {
  calls::WaitsFor const whom = calls::waits_for(operation.op);
  OwnWaitRow row{.comm = operation.comm, .op = operation.op};
  Ratio ratio;
  Meeting const* meeting = meetings;
  WaitSample const* const first = samples_.begin() + operation.first;
  for (WaitSample const* sample = first; sample != first + operation.head.sampled; ++sample) {
    while (meeting != meetings + head.sampled && meeting->call < sample->call) ++meeting;
    if (meeting == meetings + head.sampled) break;
    bool const lacks_root = whom == calls::WaitsFor::root && meeting->of_root == Meeting::unknown;
    if (meeting->call != sample->call || meeting->joined != head.members || lacks_root) continue;
    std::uint64_t const time_ns = rate_.to_ns(sample->elapsed);
    Ticks const entry = entry_of(*sample);
    std::uint64_t const wait_ns = waited(*sample, entry, time_ns, whom, head.has_entries(), *meeting, entry_rate());
    auto const behind = static_cast<std::uint64_t>(meeting->latest - static_cast<std::int64_t>(entry.count));
    told.add({.call = sample->call,
              .time_ns = time_ns,
              .wait_ns = wait_ns,
              .behind_ns = head.has_entries() ? entry_rate().to_ns({behind}) : 0,
              .least_ns = time_ns - wait_ns,
              .joined = 1});
    ratio.add(static_cast<double>(wait_ns), static_cast<double>(time_ns));
    ++row.samples;
    row.last += meeting->last_rank == rank_ && head.has_entries() ? 1U : 0U;
  }
  row.time_ns = operation.head.time_ns;
  row.wait_ns = rounded(ratio.value() * static_cast<double>(row.time_ns));
  if (row.samples > 0) own_rows_.push_back(row);
}

bool OwnWaits::names_disagree(CommIndex comm) const {
  while (any_names_disagree_ && comm != CommIndex::unknown) {
    Operation const* const names = std::find_if(operations_.begin(), operations_.end(), [&](Operation const& one) {
      return one.is_of_names() && one.comm == comm;
    });
    if (names == operations_.end()) return false;
    if (names->disagrees) return true;
    comm = names->named_by;
  }
  return false;
}

// Finds the operations whose calls have other numbers on other members, or whose communicators have other names there.
void OwnWaits::find_disagreements(Joint<Meeting> const& agreed) {
  any_names_disagree_ = false;
  for (Operation& operation : operations_) operation.disagrees = false;
  if (!must_agree_) return;
  Operation* own = operations_.begin();
  agreed.for_each([&](JointHead const& head, Meeting const*) {
    while (own != operations_.end() && own->head.key < head.key) ++own;
    if (own == operations_.end() || own->head.key != head.key) return;
    own->disagrees = head.is_complete() && !head.have_agreed();
    any_names_disagree_ = any_names_disagree_ || (own->disagrees && own->is_of_names());
  });
  if (!any_names_disagree_) return;
  for (Operation& operation : operations_)
    operation.disagrees = operation.disagrees || names_disagree(operation.named_by);
}

void OwnWaits::tell_spendings(Joint<Meeting> const& agreed, Joint<Spending>& told) {
  rows_.clear();
  own_rows_.clear();
  incomplete_calls_ = disagreeing_calls_ = 0;
  find_disagreements(agreed);
  Operation const* own = operations_.begin();
  agreed.for_each([&](JointHead const& head, Meeting const* meetings) {
    while (own != operations_.end() && own->head.key < head.key) ++own;
    if (own == operations_.end() || own->head.key != head.key) return;
    told.begin(head_of(*own));
    if (head.is_complete() && !own->disagrees && !own->is_of_names()) spend(*own, head, meetings, told);
  });
}

WaitRow OwnWaits::row_of(JointHead const& head, Meeting const* meetings, JointHead const& spent,
                         Spending const* spendings) const {
  WaitRow row{.ranks = head.members, .calls = head.calls, .is_by_entries = head.has_entries()};
  row.time_ns = head.time_ns;
  Ratio waiting, moving;
  double const members = head.members;
  for (Spending const* one = spendings; one != spendings + spent.sampled; ++one) {
    if (one->joined != head.members) continue;
    ++row.samples;
    waiting.add(static_cast<double>(one->wait_ns), static_cast<double>(one->time_ns));
    moving.add(static_cast<double>(one->least_ns) * members, static_cast<double>(one->time_ns));
  }
  auto const time_ns = static_cast<double>(row.time_ns), population = static_cast<double>(row.calls) / members;
  row.has_error = row.samples > 1 || population <= static_cast<double>(row.samples);
  row.wait_ns = rounded(waiting.value() * time_ns);
  row.wait_error_ns = rounded(waiting.error(population) * time_ns);
  if (row.is_by_entries && head.has_several_hosts != 0) row.wait_error_ns += head.clock_error_ns * row.calls;
  row.move_ns = std::min(rounded(moving.value() * time_ns), row.time_ns - std::min(row.time_ns, row.wait_ns));
  row.rest_ns = row.time_ns - std::min(row.time_ns, row.wait_ns + row.move_ns);
  if (row.is_by_entries) find_last(head, meetings, spent, spendings, row);
  return row;
}

void OwnWaits::finish(Joint<Meeting> const& agreed, Joint<Spending> const& spent) {
  JointHead const* of_spent = spent.heads.begin();
  Spending const* spendings = spent.calls.begin();
  for (Operation& operation : operations_) operation.has_row = false;
  Operation* own = operations_.begin();
  agreed.for_each([&](JointHead const& head, Meeting const* meetings) {
    for (; of_spent != spent.heads.end() && of_spent->key < head.key; ++of_spent) spendings += of_spent->sampled;
    while (own != operations_.end() && own->head.key < head.key) ++own;
    if (own == operations_.end() || own->head.key != head.key) return;
    if (of_spent == spent.heads.end() || of_spent->key != head.key) return;
    if (own->disagrees || own->is_of_names() || !head.is_complete() || !of_spent->is_complete()) return;
    WaitRow row = row_of(head, meetings, *of_spent, spendings);
    row.comm = own->comm;
    row.op = own->op;
    own->has_row = row.samples > 0 && rows_.push_back(row);
  });
  for (Operation const& operation : operations_)
    if (operation.disagrees) disagreeing_calls_ += operation.head.calls;
    else if (!operation.has_row) incomplete_calls_ += operation.head.calls;
}

std::uint64_t OwnWaits::measured_ns() const {
  std::uint64_t sum = 0;
  WaitRow const* row = rows_.begin();
  OwnWaitRow const* own = own_rows_.begin();
  for (Operation const& operation : operations_) {  // both are in this order
    auto const is_here = [&](auto const* one, auto const& all) {
      return one != all.end() && one->comm == operation.comm && one->op == operation.op;
    };
    bool const has_own = is_here(own, own_rows_), has_row = is_here(row, rows_);
    if (has_own && has_row && row->is_by_entries) sum += own->wait_ns;
    if (has_own) ++own;
    if (has_row) ++row;
  }
  return sum;
}

}  // namespace commprof
