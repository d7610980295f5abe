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
  if (!span.is_whole) all_unknown();
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
                          .cell = hit.cell,
                          .at = at,
                          .exit = end_of(span),
                          .clock_error = waits_->clock_error(),
                          .asker = one.is_of_members() ? StreamKey::everybody : comm.own_rank,
                          .tag = one.tag,
                          .number = one.number,
                          .way = one.way}};
    if (!questions_.push_back(question)) ++hit.of(one.kind()).unknown;
  }
}

// Chooses by a hash of instant and process, so that not all processes ask about the same instants.
void OwnMessageWaits::drop() {
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
  MessageWaits::Answer const answer =
      waits_->answer(key, {.number = question.number,
                           .cell = question.cell,
                           .at = question.at,
                           .exit = question.exit,
                           .clock_error = question.clock_error + waits_->clock_error()});
  bool const is_idle = std::binary_search(idle_.begin(), idle_.end(), question.cell);
  return {answer.when,     coming_of(answer), answer.told,
          answer.is_close, is_idle,           static_cast<std::uint8_t>(waits_->level())};
}

void OwnMessageWaits::take(ToAsk const& asked, MessageAnswer const& answer) {
  Hit& hit = *(hits_.begin() + asked.hit);
  Counts& counts = hit.of(asked.question.kind());
  CommIndex const comm = find(asked.question.comm);
  bool const is_collective = asked.question.asker == StreamKey::everybody;
  auto const joint = static_cast<calls::Joint>(is_collective ? asked.question.tag : 0);
  if (is_collective ? are_calls_in_doubt(comm, joint) : is_name_in_doubt(comm)) {
    ++counts.unknown;
    return;
  }
  hit.level = std::max(hit.level, answer.level);
  counts.is_close = counts.is_close || answer.is_close;
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
      counts.is_sure = counts.is_sure || !answer.is_close;
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

}  // namespace commprof
