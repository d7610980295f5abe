#include <vector>

#include "base/kept_vector.hpp"
#include "recovery/spool_segments.hpp"

namespace mpisee_through {

using namespace commprof;
using spool::Kind;

namespace {

class KeptValues {
 public:
  explicit KeptValues(SpoolSegments const& segments) : segments_(segments) {}

  // The values of a KeptVector: those of its newest pages that have any. bools: see object_at().
  template <class T>
  [[nodiscard]] std::vector<T> of(Kind kind, std::initializer_list<std::size_t> bools = {}) {
    using Head = typename KeptVector<T>::Head;
    std::vector<T> values;
    segments_.for_each(kind, [&](Bytes bytes) {
      auto const head = object_at<Head>(bytes);
      if (!head || head->size == 0) return;
      values.clear();
      for (Bytes rest = bytes.subspan(sizeof(Head)); values.size() < head->size; rest = rest.subspan(sizeof(T))) {
        auto const value = object_at<T>(rest, bools);
        if (!value) return void(++damaged);
        values.push_back(*value);
      }
    });
    return values;
  }
  std::uint64_t damaged = 0;

 private:
  SpoolSegments const& segments_;
};

// The last table is the one in use.
std::vector<Streams::Slot> streams_in(SpoolSegments const& segments) {
  std::vector<Streams::Slot> streams;
  segments.for_each(Kind::streams, [&](Bytes bytes) {
    streams.clear();
    for (; bytes.size() >= sizeof(Streams::Slot); bytes = bytes.subspan(sizeof(Streams::Slot)))
      if (auto const stream = *object_at<Streams::Slot>(bytes); stream.key != 0) streams.push_back(stream);
  });
  return streams;
}

}  // namespace

std::unique_ptr<MessageWaits> read_message_waits(SpoolSegments const& segments, Registry const& registry,
                                                 Sites const& sites, std::uint64_t& damaged) {
  auto const kept = object_at<MessageWaits::Kept>(segments.only(Kind::message_state));
  if (!kept || kept->is_on == 0) return nullptr;
  auto const streams = streams_in(segments);
  KeptValues values(segments);
  auto const log = values.of<MessageWaits::Entry>(Kind::message_log);
  auto const spans = values.of<SpanningCall>(Kind::spanning_calls, {offsetof(SpanningCall, ends_with_any)});
  auto const awaited = values.of<Awaited>(Kind::awaited_messages, {offsetof(Awaited, is_ticket)});
  auto const pending = values.of<PendingCounts::Kind>(Kind::pending_counts);
  damaged += values.damaged;
  if (values.damaged > 0) return nullptr;
  auto result = std::make_unique<MessageWaits>();
  bool const is_known =
      result->restore({*kept, streams, log, spans, awaited, pending, registry.size(), sites.scopes()});
  return is_known ? std::move(result) : nullptr;
}

}  // namespace mpisee_through
