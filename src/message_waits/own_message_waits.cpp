#include "message_waits/own_message_waits.hpp"

#include <algorithm>
#include <utility>

#include "calls/by_operation.hpp"
#include "ops.hpp"

namespace commprof {

bool can_wait(Op op, WaitKind kind) {
  switch (kind) {
    case WaitKind::collective:
      return calls::waits_for_members(op);
    case WaitKind::late_sender:
      return calls::waits_for_senders(op);
    case WaitKind::late_receiver:
      return calls::waits_for_receivers(op);
    case WaitKind::no_progress:
      return calls::waits_for_senders(op) || calls::waits_for_receivers(op);
    default:
      return false;
  }
}

void OwnMessageWaits::take(PageVector<Comm>& comms) {
  comms_.swap(comms);
  std::uint32_t index = 0;
  for (Comm const& comm : comms_) {
    if (comm.is_known_alike) named_.push_back({comm.name, static_cast<CommIndex>(index)});
    ++index;
  }
  std::sort(named_.begin(), named_.end(), [](Named const& a, Named const& b) { return a.name < b.name; });
}

CommIndex OwnMessageWaits::find(MessageComm const& name) const {
  Named const* const found =
      std::lower_bound(named_.begin(), named_.end(), name,
                       [](Named const& one, MessageComm const& wanted) { return one.name < wanted; });
  return found != named_.end() && found->name == name ? found->index : CommIndex::unknown;
}

void OwnMessageWaits::find_idle() {
  std::int64_t requests = 0;
  for (std::size_t i = 0; i < waits_->instants().size(); ++i) {
    PlacedInstants::One const& instant = waits_->instants()[i];
    for (PendingCounts::Kind const& kind : waits_->pending().kinds()) requests += kind.changes[i];
    if (instant.is_in_call == 0 && requests > 0 && !idle_.push_back(instant.cell)) return;
  }
}

void OwnMessageWaits::ask() {
  find_idle();
  std::uint32_t index = 0;
  for (SpanningCall const& span : waits_->spans()) {
    waits_->instants().for_each(span.entry, span.exit, [&](PlacedInstants::One const& instant) {
      Hit hit;
      hit.span = index;
      hit.cell = instant.cell;
      hit.level = static_cast<std::uint8_t>(waits_->level());
      if (!hits_.push_back(hit)) return;
      ask_about(static_cast<std::uint32_t>(hits_.size() - 1), span, instant.at);
    });
    ++index;
  }
  std::sort(questions_.begin(), questions_.end(),
            [](ToAsk const& a, ToAsk const& b) { return std::tuple(a.to, a.hit) < std::tuple(b.to, b.hit); });
  add_meeting_heads();
  meetings_.order();
}

// A loop of polls goes on after a call of it that has found nothing.
Ticks OwnMessageWaits::end_of(SpanningCall const& span) {
  return calls::finds_nothing(span.op) ? Ticks{UINT64_MAX / 2} : span.exit;
}

void OwnMessageWaits::ask_about(std::uint32_t index, SpanningCall const& span, Ticks at) {
  Hit& hit = *(hits_.begin() + index);
  auto const all_unknown = [&] {
    for (Counts& counts : hit.counts) ++counts.unknown;
  };
  for (std::size_t i = 0; i < span.count; ++i) {
    Awaited const& one = waits_->awaited(span.first + i);
    if (one.what == Awaited::nothing) continue;
    if (one.what == Awaited::other) {
      all_unknown();
      continue;
    }
    bool const is_of_all = one.is_of_members() && one.peer == StreamKey::everybody;
    if (is_of_all && ask_members(index, one)) continue;
    bool const is_lost = !one.is_of_members() && one.way == Way::in && waits_->is_lost(one.comm);
    bool const can_ask = one.has_number() && static_cast<std::int32_t>(one.world_rank) >= 0 &&
                         is_known_alike(one.comm) && !waits_->is_doubtful(one.key());
    if (is_of_all || !can_ask || is_lost) {
      ++hit.of(one.kind()).unknown;
      continue;
    }
    Comm const& comm = comm_of(one.comm);
    ToAsk const question{static_cast<std::int32_t>(one.world_rank),
                         index,
                         one.lap,
                         {.comm = comm.name,
                          .asked = {.number = one.number, .cell = hit.cell, .at = at, .exit = end_of(span)},
                          .asker = one.is_of_members() ? StreamKey::everybody : comm.own_rank,
                          .tag = one.tag,
                          .way = one.way}};
    if (!questions_.push_back(question)) ++hit.of(one.kind()).unknown;
  }
}

// Questions are in the order of the processes. Chooses by a hash of instant and process, so that not all processes ask
// about the same instants.
void OwnMessageWaits::thin(std::uint64_t most_questions) {
  for (ToAsk const* first = questions_.begin(); first != questions_.end();) {
    ToAsk const* const end = std::find_if(first, std::as_const(questions_).end(),
                                          [to = first->to](ToAsk const& one) { return one.to != to; });
    std::uint8_t level = 0;
    while (static_cast<std::uint64_t>(end - first) >> level > most_questions) ++level;
    for (; first != end; ++first) {
      Hit& hit = *(hits_.begin() + first->hit);
      hit.asked_level = std::max(hit.asked_level, level);
    }
  }
  for (Hit& hit : hits_)
    if (!is_below(scattered(hit.cell ^ static_cast<std::uint64_t>(rank_) << 40), hit.asked_level))
      hit.is_dropped = true;
  ToAsk* const end = std::remove_if(questions_.begin(), questions_.end(),
                                    [&](ToAsk const& one) { return (hits_.begin() + one.hit)->is_dropped; });
  questions_.resize(static_cast<std::size_t>(end - questions_.begin()));
}

MessageAnswer OwnMessageWaits::answer(MessageQuestion const& question) const {
  CommIndex const comm = find(question.comm);
  if (!is_known_alike(comm)) return {};
  Way const way = question.way == Way::in ? Way::out : Way::in;
  StreamKey const key = question.asker == StreamKey::everybody
                            ? StreamKey::of_members(comm, static_cast<calls::Joint>(question.tag))
                            : StreamKey::of(way, comm, question.asker, question.tag);
  MessageWaits::Answer const answer = waits_->answer(key, question.asked);
  bool const is_idle = std::binary_search(idle_.begin(), idle_.end(), question.asked.cell);
  return {answer.when, coming_of(answer), answer.told, is_idle, static_cast<std::uint8_t>(waits_->level())};
}

void OwnMessageWaits::take(ToAsk const& asked, MessageAnswer const& answer) {
  Hit& hit = *(hits_.begin() + asked.hit);
  Counts& counts = hit.of(asked.question.kind());
  hit.level = std::max(hit.level, answer.level);
  switch (answer.told) {
    case MessageWaits::Told::not_kept:
      hit.is_dropped = true;
      break;
    case MessageWaits::Told::unknown:
      ++counts.unknown;
      break;
    case MessageWaits::Told::before:
      if (answer.is_idle && asked.question.kind() != WaitKind::collective) {
        ++hit.of(WaitKind::no_progress).late;
        hit.of(WaitKind::no_progress).whom = asked.to;
      }
      [[fallthrough]];
    case MessageWaits::Told::not_until:
      ++counts.fine;
      break;
    case MessageWaits::Told::after:
      counts.add_late(asked.to, answer.when, answer.coming, lap_for(answer.coming, asked.hit, asked.lap));
      break;
  }
}

bool OwnMessageWaits::is_known(Hit const& hit, WaitKind kind) const {
  // A call that waits for all that it awaits waits if one of that is late, whatever the others.
  bool const ends_with_any = (waits_->spans().begin() + hit.span)->ends_with_any;
  auto const is_clear = [&](WaitKind of) { return hit.of(of).unknown == 0 || (hit.of(of).late > 0 && !ends_with_any); };
  bool const is_first = kind == WaitKind::late_sender || kind == WaitKind::collective;
  return is_clear(WaitKind::late_sender) && is_clear(WaitKind::collective) &&
         (is_first || is_clear(WaitKind::late_receiver));
}

bool OwnMessageWaits::is_late(Hit const& hit, WaitKind kind) const {
  Counts const &in = hit.of(WaitKind::late_sender), &out = hit.of(WaitKind::late_receiver),
               &all = hit.of(WaitKind::collective);
  bool const ends_with_any = (waits_->spans().begin() + hit.span)->ends_with_any;
  bool const is_one_here = ends_with_any && in.fine + out.fine + all.fine > 0;
  if (kind == WaitKind::no_progress)
    return hit.of(kind).late > 0 && (is_one_here || in.late + out.late + all.late == 0);
  if (is_one_here) return false;
  if (kind == WaitKind::late_receiver) return out.late > 0 && in.late + all.late == 0;
  bool const is_for_members = all.late > 0 && (in.late == 0 || all.when >= in.when);
  return kind == WaitKind::collective ? is_for_members : in.late > 0 && !is_for_members;
}

std::optional<WaitKind> OwnMessageWaits::kind_of(Hit const& hit) const {
  for (WaitKind const kind : kinds_of_calls)
    if (is_known(hit, kind) && is_late(hit, kind)) return kind;
  return {};
}

// Meetings: who waits at an instant for members of a communicator that have not entered a collective call. Processes in
// the call do not know who is missing, so all members tell when they have entered it.

bool OwnMessageWaits::ask_members(std::uint32_t index, Awaited const& one) {
  if (!one.has_number() || !is_known_alike(one.comm) || !comm_of(one.comm).has_members) return false;
  Meeting meeting;
  meeting.comm = comm_of(one.comm).name;
  meeting.cell = (hits_.begin() + index)->cell;
  meeting.number = one.number;
  meeting.joint = static_cast<calls::Joint>(one.tag);
  return to_meet_.push_back({index, one}) && meetings_.rows.push_back(meeting);
}

// Members that have made no collective call on a communicator do not meet there.
bool OwnMessageWaits::add_meeting_heads() {
  std::uint32_t index = 0;
  for (Comm const& comm : comms_) {
    auto const is_called = [this, at = static_cast<CommIndex>(index++)](calls::Joint joint) {
      return waits_->counted(StreamKey::of_members(at, joint)) > 0;
    };
    if (!comm.is_known_alike || comm.members < 2) continue;
    bool const has_calls =
        is_called(calls::Joint::communicator) || is_called(calls::Joint::window) || is_called(calls::Joint::file);
    if (has_calls && !meetings_.heads.push_back({comm.name, comm.members, 1, 1, 0})) return false;
  }
  return true;
}

void OwnMessageWaits::answer_meetings() {
  for (MessageHead& head : meetings_.heads) head.joined = 1;
  for (Meeting& meeting : meetings_.rows) {
    PlacedInstants::One const* const instant = waits_->instants().find(meeting.cell);
    StreamKey const key = StreamKey::of_members(find(meeting.comm), meeting.joint);
    MessageWaits::Answer const answer = waits_->answer(key, {.number = meeting.number,
                                                             .cell = meeting.cell,
                                                             .at = instant == nullptr ? Ticks{} : instant->at,
                                                             .exit = {UINT64_MAX}});
    bool const is_late = answer.told == MessageWaits::Told::after;
    bool const is_known =
        is_late ? answer.when != Ticks{UINT64_MAX} || !waits_->is_cut_off() : answer.told == MessageWaits::Told::before;
    meeting.level = static_cast<std::uint8_t>(waits_->level());
    meeting.is_left_out = answer.told == MessageWaits::Told::not_kept;
    meeting.earliest = is_late && is_known ? answer.when : Ticks{UINT64_MAX};
    meeting.known = is_known ? 1 : 0;
    meeting.last_rank = is_late && is_known ? rank_ : -1;
    meeting.latest = answer.when;
    meeting.coming = coming_of(answer);
  }
}

void OwnMessageWaits::take_meetings() {
  for (ToMeet const& asked : to_meet_) {
    Awaited const& one = asked.awaited;
    instants::Cell const cell = (hits_.begin() + asked.hit)->cell;
    MessageComm const& comm = comm_of(one.comm).name;
    take(asked, meetings_.find_row(std::tuple(comm, static_cast<calls::Joint>(one.tag), cell, one.number)),
         meetings_.find(comm));
  }
}

void OwnMessageWaits::take(ToMeet const& asked, Meeting const* meeting, MessageHead const* head) {
  Hit& hit = *(hits_.begin() + asked.hit);
  Counts& counts = hit.of(WaitKind::collective);
  if (meeting == nullptr || head == nullptr || meeting->is_left_out) {
    hit.is_dropped = true;
    return;
  }
  hit.level = std::max(hit.level, meeting->level);
  hit.met_level = std::max(hit.met_level, static_cast<std::uint8_t>(head->level));
  Ticks const exit = end_of(*(waits_->spans().begin() + hit.span)) + both_clocks();
  bool const is_for_last = meeting->last_rank >= 0 && meeting->latest <= exit;  // of those that are known
  if (!is_for_last && (meeting->known < comm_of(asked.awaited.comm).members || meeting->earliest <= exit)) {
    ++counts.unknown;  // it has not needed the last one, but perhaps others
  } else if (!is_for_last) {
    ++counts.fine;
  } else {
    counts.add_late(meeting->last_rank, meeting->latest, meeting->coming,
                    lap_for(meeting->coming, asked.hit, asked.awaited.lap));
  }
}

}  // namespace commprof
