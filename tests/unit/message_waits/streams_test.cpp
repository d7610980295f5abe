#include "message_waits/streams.hpp"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "counters/counters.hpp"

using namespace commprof;

namespace {

constexpr CommIndex comm_of_streams{3};

}  // namespace

TEST_CASE("a key holds what it was made of, and nothing else has one") {
  StreamKey const key = StreamKey::of(Way::in, CommIndex{4094}, (1 << 20) - 2, INT32_MAX);
  CHECK(key.way() == Way::in);
  CHECK(key.comm() == CommIndex{4094});
  CHECK(key.peer() == (1 << 20) - 2);
  CHECK(key.tag() == INT32_MAX);
  CHECK(StreamKey::of(Way::out, CommIndex::world, 0, 0));
  CHECK_FALSE(StreamKey::of(Way::out, comm_of_streams, -1, 0));
  CHECK_FALSE(StreamKey::of(Way::out, comm_of_streams, 0, -1));
  CHECK_FALSE(StreamKey::of(Way::out, comm_of_streams, StreamKey::everybody, 0));
  CHECK_FALSE(StreamKey::of(Way::out, CommIndex{4095}, 0, 0));
  CHECK_FALSE(StreamKey::of(Way::out, CommIndex::unknown, 0, 0));
}

TEST_CASE("streams are counted apart") {
  Streams::Choice choice;
  Streams streams;
  REQUIRE(streams.begin(choice));
  for (int round = 1; round <= 3; ++round)
    for (int peer = 0; peer < 100; ++peer)
      for (int tag = 0; tag < 100; ++tag) {
        Stream* const stream = streams.find_or_add(StreamKey::of(Way::out, comm_of_streams, peer, tag));
        REQUIRE(stream != nullptr);
        CHECK(++stream->count == static_cast<std::uint32_t>(round));
      }
  CHECK(streams.size() == 10'000);
  CHECK(streams.find(StreamKey::of(Way::in, comm_of_streams, 5, 5)) == nullptr);
}

TEST_CASE("of too many streams, sender and receiver keep the same ones") {
  bool const many_tags = GENERATE(true, false);
  Streams::Choice of_sender, of_receiver;
  Streams sender, receiver;  // the own ranks: 1 and 2
  REQUIRE(sender.begin(of_sender));
  REQUIRE(receiver.begin(of_receiver));
  constexpr int all = 300'000;
  for (int i = 0; i < all; ++i) {
    int const tag = many_tags ? i : i % 7;
    // The other process of all these streams, but for the one that is compared, differs.
    int const peer = many_tags ? 0 : i / 7;
    sender.find_or_add(StreamKey::of(Way::out, comm_of_streams, many_tags ? 2 : peer, tag));
    receiver.find_or_add(StreamKey::of(Way::in, comm_of_streams, many_tags ? 1 : peer, tag));
  }
  CHECK(sender.size() <= Streams::most);
  CHECK(sender.size() > Streams::most / 4);
  if (!many_tags) return;
  int kept = 0;
  for (int tag = 0; tag < all; ++tag) {
    StreamKey const out = StreamKey::of(Way::out, comm_of_streams, 2, tag),
                    in = StreamKey::of(Way::in, comm_of_streams, 1, tag);
    CHECK(sender.keeps(out) == receiver.keeps(in));
    CHECK((sender.find(out) != nullptr) == sender.keeps(out));
    CHECK((receiver.find(in) != nullptr) == receiver.keeps(in));
    kept += sender.keeps(out) ? 1 : 0;
  }
  CHECK(kept > all / 16);
  CHECK(kept < all / 2);
}

TEST_CASE("threads count one stream together") {
  static Streams::Choice choice;
  static Streams streams;
  REQUIRE(streams.begin(choice));
  streams.begin_threads();
  constexpr int rounds = 10'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int k = 0; k < rounds; ++k)
        std::atomic_ref(streams.find_or_add(StreamKey::of(Way::out, comm_of_streams, 1, k % 500))->count).fetch_add(1);
    });
  for (std::thread& one : threads) one.join();
  CHECK(streams.size() == 500);
  for (int tag = 0; tag < 500; ++tag)
    CHECK(streams.find(StreamKey::of(Way::out, comm_of_streams, 1, tag))->count == 4 * rounds / 500);
}
