#include "api/readings/sums.hpp"

#include <new>

namespace commprof::readings {

namespace {

CallSums sums_of(Record const& record) { return {record.calls, record.bytes, record.time}; }
MessageSums sums_of(PeerRecord const& record) { return {record.messages, record.bytes}; }

template <class Sums>
void leave_out(Sums& sums, PageVector<Sums> const& until, std::size_t place) {
  if (place < until.size()) sums -= until.begin()[place];
}

}  // namespace

CallSums& CallSums::operator+=(CallSums const& other) {
  calls += other.calls;
  bytes.sent += other.bytes.sent;
  bytes.received += other.bytes.received;
  time += other.time;
  return *this;
}

CallSums& CallSums::operator-=(CallSums const& other) {
  calls -= other.calls;
  bytes.sent -= other.bytes.sent;
  bytes.received -= other.bytes.received;
  time -= other.time;
  return *this;
}

MessageSums& MessageSums::operator+=(MessageSums const& other) {
  messages += other.messages;
  bytes += other.bytes;
  return *this;
}

MessageSums& MessageSums::operator-=(MessageSums const& other) {
  messages -= other.messages;
  bytes -= other.bytes;
  return *this;
}

struct Baseline::OfShard {
  PageVector<CallSums> calls;
  PageVector<MessageSums> messages;

  bool take(Shard const& shard) {
    bool fits = true;
    calls.clear();
    messages.clear();
    shard.for_each([&](Record const& record) { fits = fits && calls.push_back(sums_of(record)); });
    shard.peers.for_each([&](PeerRecord const& record) { fits = fits && messages.push_back(sums_of(record)); });
    return fits;
  }
};

Baseline::OfShard* Baseline::of(Shard const& shard) const {
  return shard.number < by_number_.size() ? by_number_.begin()[shard.number] : nullptr;
}

bool Baseline::take() {
  bool fits = true;
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    while (fits && by_number_.size() <= shard->number) {
      void* const pages = map_pages(sizeof(OfShard));
      fits = pages != nullptr && by_number_.push_back(new (pages) OfShard);
    }
    fits = fits && of(*shard)->take(*shard);
  }
  if (fits) return true;
  for (OfShard* own : by_number_) {
    own->calls.clear();
    own->messages.clear();
  }
  return false;
}

CallSums calls_on(CommIndex comm, std::optional<Op> op, Baseline const* baseline) {
  CallSums sums;
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    auto const* const until = baseline == nullptr ? nullptr : baseline->of(*shard);
    std::size_t place = 0;
    shard->for_each([&](Record const& record) {
      CallSums own = sums_of(record);
      if (until != nullptr) leave_out(own, until->calls, place++);
      if (record.key.comm() == comm && (!op || record.key.op() == *op)) sums += own;
    });
  }
  return sums;
}

void visit_messages(CommIndex comm, Baseline const* baseline, VisitPeer visit, void* context) {
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    auto const* const until = baseline == nullptr ? nullptr : baseline->of(*shard);
    std::size_t place = 0;
    shard->peers.for_each([&](PeerRecord const& record) {
      MessageSums own = sums_of(record);
      if (until != nullptr) leave_out(own, until->messages, place++);
      bool const is_wanted = record.key.comm() == comm && record.peer.message_class() == MessageClass::p2p;
      if (is_wanted && own.messages > 0) visit(context, record.peer, own);
    });
  }
}

}  // namespace commprof::readings
