// What a process tells of its waiting to find the cause, and the rows of what it has caused itself.
#include <algorithm>
#include <tuple>

#include "message_waits/own_message_waits.hpp"

namespace commprof {

namespace {

// Names the collective call, alike on all processes. Differs from the values of `aligned` that stand for no call.
std::uint32_t number_of_alignment(MessageComm const& comm, std::uint32_t aligned) {
  std::uint64_t const number = aligned & ((1U << MessageWaits::number_bits) - 1);
  return 1 + static_cast<std::uint32_t>(scattered(comm.name ^ number) >> 33);
}

}  // namespace

Lap OwnMessageWaits::lap_of(Stamp lap, std::uint32_t aligned) const {
  if (lap.at == Awaited::no_lap.at) return {};
  auto const ns = [this](std::uint32_t units) {
    return static_cast<float>(rate_.to_ns({std::uint64_t{units} << Stamp::shift}));
  };
  Lap result{ns(lap.at), ns(lap.outside), aligned};
  if (aligned == MessageWaits::Entry::by_begin || aligned == MessageWaits::Entry::by_stream) return result;
  auto const comm = static_cast<CommIndex>((aligned >> MessageWaits::number_bits) - 1);
  result.aligned = is_known_alike(comm) ? number_of_alignment(comm_of(comm).name, aligned) : Lap::unknown;
  return result;
}

Coming OwnMessageWaits::coming_of(MessageWaits::Answer const& answer) const {
  if (answer.entry == nullptr) return {};
  return {lap_of(answer.entry->lap, answer.entry->aligned), waits_->number_of(*answer.entry)};
}

Lap OwnMessageWaits::lap_for(Coming const& coming, std::uint32_t hit, Stamp of_stream) const {
  if (coming.lap.aligned == MessageWaits::Entry::by_stream) return lap_of(of_stream, MessageWaits::Entry::by_stream);
  SpanningCall const& span = *(waits_->spans().begin() + (hits_.begin() + hit)->span);
  return lap_of(span.lap, span.aligned);
}

void OwnMessageWaits::find_waits() {
  double all = 0, in_calls = 0, waiting = 0, unknown = 0;
  double const cells = static_cast<double>(std::uint64_t{1} << std::min(waits_->level(), 62U));
  for (std::size_t i = 0; i < waits_->instants().size(); ++i) {
    all += cells;
    if (waits_->instants()[i].is_in_call != 0) in_calls += cells;
  }
  for (Hit const& hit : hits_) {
    if (hit.is_dropped) continue;
    Causes::Wait wait;
    wait.cell = hit.cell;
    std::optional<WaitKind> const kind = kind_of(hit);
    SpanningCall const& span = *(waits_->spans().begin() + hit.span);
    bool const is_all_known = kind || (span.count > 0 && is_known(hit, WaitKind::late_receiver));
    if (kind) {
      Counts const& counts = hit.of(*kind);
      wait.whom = counts.whom;
      wait.scope = span.scope;
      wait.is_its_doing = *kind == WaitKind::no_progress;
      wait.own = counts.own;
      wait.coming = counts.coming;
      if (counts.when > span.entry)
        wait.length_ns = static_cast<float>(ns_of(std::min(counts.when, span.exit) - span.entry));
    }
    if (is_all_known && !kind) continue;
    (kind ? waiting : unknown) += hit.weight();
    causes_.add(wait);
  }
  double const part = in_calls > 0 ? std::min((waiting + unknown) / in_calls, 1.0) : 0;
  causes_.begin(rank_, 1 - part, all > 0 ? 1 - std::min((waiting + unknown) / all, 1.0) : 1);
  causes_.order();
}

void OwnMessageWaits::add_blames() {
  for (Caused const& one : caused_) {
    OwnRow const& row = *(own_rows_.begin() + one.row);
    Causes::Chain const& chain = *one.chain;
    if (!is_in_program(row.op, row.kind) || chain.end != Causes::Chain::at_rank || row.sum.caused <= 0) continue;
    blames_.push_back({chain.whom, chain.entry, chain.begin, one.weight * row.chain_ns, chain.hops == 1});
  }
  std::sort(blames_.begin(), blames_.end(), [](Blame const& a, Blame const& b) {
    return std::tuple(a.to, a.entry, a.cell, a.is_direct) < std::tuple(b.to, b.entry, b.cell, b.is_direct);
  });
}

// All processes that wait at an instant make one sum: these are not independent. A sum of n such draws has the variance
// of n times one of them.
bool OwnMessageWaits::finish_causes() {
  struct Part {
    CauseRow place;
    instants::Cell cell;
    double wait_ns, direct_ns;

    auto place_key() const { return std::tuple(place.comm, place.op, place.site); }
    auto key() const { return std::tuple(place_key(), cell); }
    Part& operator+=(Part const& other) {
      wait_ns += other.wait_ns;
      direct_ns += other.direct_ns;
      return *this;
    }
  };
  PageVector<Part> parts;
  bool is_whole = true;
  for (Blame const& blame : causing_) {
    MessageWaits::Entry const* const entry = waits_->entry(blame.entry);
    CauseRow place;
    CommIndex const comm = entry == nullptr ? CommIndex::unknown : StreamKey{entry->key}.comm();
    RecordKey const key = RecordKey::of(comm, entry == nullptr ? RecordKey::of_nothing : entry->detail);
    bool const is_call = !key.is_of_nothing() && key.op() < Op::count_ && key.op() != Op::Finalize;
    if (is_call && is_known_alike(comm)) place = {comm, key.op(), site_of(key.scope())};
    is_whole = parts.push_back({place, blame.cell, blame.wait_ns, blame.is_direct ? blame.wait_ns : 0}) && is_whole;
  }
  order_rows(parts);
  auto const instants = static_cast<double>(std::max<std::size_t>(waits_->instants().size(), 1));
  for (Part const* part = parts.begin(); part != parts.end();) {
    Part sum = *part;
    double squares = part->wait_ns * part->wait_ns;
    for (++part; part != parts.end() && part->place_key() == sum.place_key(); ++part) {
      sum += *part;
      squares += part->wait_ns * part->wait_ns;
    }
    CauseRow row = sum.place;
    row.caused_ns = rounded(sum.wait_ns);
    row.direct_ns = rounded(sum.direct_ns);
    row.error_ns = rounded(square_root(std::max(squares - sum.wait_ns * sum.wait_ns / instants, 0.0)));
    is_whole = cause_rows_.push_back(row) && is_whole;
  }
  return is_whole;
}

}  // namespace commprof
