#include "request_table/request_table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "base/memory.hpp"
#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

// Entries are identified by the bytes that they carry.
bool insert_into(RequestTable& table, std::uint64_t handle, std::uint64_t variable, std::uint64_t id) {
  static Ticks now;
  IssuedRequest request;
  request.known.sent = id;
  request.since = now += Ticks{1};
  return table.insert(handle, variable, request);
}

// Erases the entry that find() returns, and copies it.
bool remove_from(RequestTable& table, std::uint64_t handle, std::uint64_t variable, PendingRequest& removed) {
  PendingRequest* const entry = table.find(handle, variable);
  if (entry == nullptr) return false;
  removed = *entry;
  table.erase(*entry);
  return true;
}

class Table {
 public:
  void insert(std::uint64_t handle, std::uint64_t variable, std::uint64_t id) {
    REQUIRE(insert_into(*table, handle, variable, id));
  }
  // The id of the entry that find and remove return; none if they find none.
  std::optional<std::uint64_t> remove(std::uint64_t handle, std::uint64_t variable) {
    PendingRequest removed;
    if (!remove_from(*table, handle, variable, removed)) return std::nullopt;
    REQUIRE(removed.handle == handle);
    return removed.known.sent;
  }
  std::map<std::uint64_t, std::vector<std::uint64_t>> ids_by_handle() const {
    std::map<std::uint64_t, std::vector<std::uint64_t>> ids;
    table->for_each([&](PendingRequest const& entry) { ids[entry.handle].push_back(entry.known.sent); });
    return ids;
  }

  std::unique_ptr<RequestTable> table = std::make_unique<RequestTable>();
};

constexpr std::uint64_t none_of_them = 0xffff'0000;  // a variable in which no request was stored

// A model of the table as the header describes it: for each handle a queue, oldest first.
class Model {
 public:
  void insert(std::uint64_t handle, std::uint64_t variable, std::uint64_t id) {
    queues_[handle].push_back({variable, id});
    ++size_;
  }
  std::optional<std::uint64_t> remove(std::uint64_t handle, std::uint64_t variable) {
    auto const queue = queues_.find(handle);
    if (queue == queues_.end()) return std::nullopt;
    auto& entries = queue->second;
    auto entry = std::find_if(entries.begin(), entries.end(), [&](Entry const& e) { return e.variable == variable; });
    if (entry == entries.end()) entry = entries.begin();
    std::uint64_t const id = entry->id;
    entries.erase(entry);
    if (entries.empty()) queues_.erase(queue);
    --size_;
    return id;
  }
  std::map<std::uint64_t, std::vector<std::uint64_t>> ids_by_handle() const {
    std::map<std::uint64_t, std::vector<std::uint64_t>> ids;
    for (auto const& [handle, queue] : queues_)
      for (Entry const& entry : queue) ids[handle].push_back(entry.id);
    return ids;
  }
  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::uint64_t variable;
    std::uint64_t id;
  };
  std::map<std::uint64_t, std::deque<Entry>> queues_;
  std::size_t size_ = 0;
};

}  // namespace

TEST_CASE("an entry comes back with all that was put in") {
  RequestTable table;
  IssuedRequest const put{
      .issue_time = {1234},
      .known = {4096, 0},
      .key = RecordKey::of(static_cast<CommIndex>(7), static_cast<ScopeIndex>(3), static_cast<Op>(11), SizeBin{}),
      .traits = IssuedRequest::receiving | IssuedRequest::persistent | IssuedRequest::cancelled,
      .link = 17};
  REQUIRE(table.insert(0x98000001, 0x7ffc0010, put));
  REQUIRE(table.insert(1, 8, {.key = RecordKey::of(static_cast<CommIndex>(7), RecordKey::of_nothing)}));
  CHECK_FALSE(table.find(1, 8)->is_counted());
  CHECK(table.size() == 2);
  PendingRequest got;
  REQUIRE(remove_from(table, 0x98000001, 0x7ffc0010, got));
  CHECK((got.handle == 0x98000001 && got.issue_time.count == 1234));
  CHECK((got.known.sent == 4096 && got.known.received == 0));
  CHECK((got.key == put.key && got.comm() == static_cast<CommIndex>(7)));
  CHECK((got.is_counted() && got.receives() && got.is_persistent() && got.is_cancelled()));
  CHECK(got.start() == 17);
  CHECK_FALSE(remove_from(table, 0x98000001, 0x7ffc0010, got));
}

TEST_CASE("a request that sends and receives has two ranks, tags and numbers") {
  constexpr std::int32_t large = (1 << 23) - 1, any = -2, nobody = -1;  // ranks have 24 bits
  for (std::int32_t const source : {0, 7, large, any, nobody}) {
    IssuedRequest request;
    request.set_ranks(source, 9);
    CHECK_FALSE(request.has_message(Way::in));
    request.set_message(Way::out, 5, 100);
    CHECK_FALSE(request.has_message(Way::in));
    request.set_message(Way::in, -3, 200);
    request.traits |= IssuedRequest::ticket | IssuedRequest::cancelled;
    request.set_number(Way::in, 201);
    CHECK(request.rank(Way::in) == source);
    CHECK(request.rank(Way::out) == 9);
    CHECK(request.tag(Way::in) == -3);
    CHECK(request.tag(Way::out) == 5);
    CHECK(request.number(Way::in) == 201);
    CHECK(request.number(Way::out) == 100);
    CHECK(request.bytes().total() == 0);
  }
  IssuedRequest persistent{.known = {4096, 0}, .traits = IssuedRequest::persistent};
  persistent.set_only_rank(3);
  persistent.set_message(Way::out, 5, IssuedRequest::no_message);
  persistent.set_destination(WorldRank{11});
  CHECK(persistent.rank(Way::out) == 3);
  CHECK(persistent.destination() == WorldRank{11});
  CHECK(persistent.bytes().sent == 4096);
  CHECK_FALSE(persistent.is_active());
}

TEST_CASE("requests whose variables get others again and again are given up, the oldest first") {
  Table table;
  constexpr std::uint64_t variable = 0x7ffc0010, all = 3 * RequestTable::most_displaced;
  for (std::uint64_t i = 1; i <= all; ++i) table.insert(i, variable, i);
  CHECK(table.table->size() <= RequestTable::most_displaced + 1);
  CHECK(table.table->size() > RequestTable::most_displaced / 2);
  CHECK(table.remove(1, none_of_them) == std::nullopt);
  CHECK(table.remove(all - 1, none_of_them) == all - 1);
  CHECK(table.remove(all, variable) == all);
}

TEST_CASE("variables that lie a multiple of pages apart do not get into each other's way") {
  constexpr std::uint64_t count = 2000, apart = 4096;
  Table table;
  auto const variable = [](std::uint64_t i) { return 0x7ffc'0000'0010 + i * apart; };
  for (std::uint64_t i = 0; i < count; ++i) table.insert(0x5000 + i % 3, variable(i), i);
  for (std::uint64_t i = 0; i < count; ++i) REQUIRE(table.table->exact(0x5000 + i % 3, variable(i))->known.sent == i);
  CHECK(table.table->exact(0x5001, variable(0)) == nullptr);
  bool const queues = GENERATE(false, true);
  if (queues) REQUIRE(table.table->oldest(0x5002)->known.sent == 2);
  std::uint64_t seen = 0;
  table.table->for_each([&](PendingRequest const&) { ++seen; });
  CHECK(seen == count);
  for (std::uint64_t i = 0; i < count; i += 2) REQUIRE(table.remove(0x5000 + i % 3, variable(i)) == i);
  for (std::uint64_t i = 0; i < count; i += 2) table.insert(0x6000, variable(i), count + i);  // into the free slot
  CHECK(table.table->size() == count);
  for (std::uint64_t i = 0; i < count; ++i)
    REQUIRE(table.remove(i % 2 == 0 ? 0x6000 : 0x5000 + i % 3, variable(i)) == (i % 2 == 0 ? count + i : i));
  CHECK(table.table->size() == 0);
}

TEST_CASE("handles are replaced wherever their entries lie") {
  // In slots, and in chains without and with queues.
  std::uint64_t const apart = GENERATE(8ULL, 4096ULL);
  bool const queues = GENERATE(false, true);
  constexpr std::uint64_t count = 600, handles = 7, large = 1'000'000;
  Table table;
  for (std::uint64_t i = 0; i < count; ++i) table.insert(i % handles, 0x10000 + i * apart, i);
  if (queues) REQUIRE(table.table->oldest(0)->known.sent == 0);
  table.table->replace_handles([](std::uint64_t handle) { return handle >= large ? handle : large + 64 * handle; });
  CHECK(table.table->size() == count);
  for (std::uint64_t handle = 0; handle < handles; ++handle) CHECK(table.table->find(handle, none_of_them) == nullptr);
  for (std::uint64_t i = 0; i < count; i += 2)
    REQUIRE(table.remove(large + 64 * (i % handles), 0x10000 + i * apart) == i);
  // Looks the others up by their handles alone, the oldest first.
  for (std::uint64_t i = 1; i < count; i += 2) REQUIRE(table.remove(large + 64 * (i % handles), none_of_them) == i);
  CHECK(table.table->size() == 0);
}

TEST_CASE("a hundred thousand requests with handles of their own") {
  std::uint64_t const apart = GENERATE(1ULL, 192ULL);  // numbers, or addresses of objects of one size
  Table table;
  // The second one has the variable of the first, so the table is closed.
  auto const variable = [](std::uint64_t i) { return i == 0 ? 8 : 8 * i; };
  std::size_t const before = mapped_bytes();
  for (std::uint64_t i = 0; i < 100'000; ++i) table.insert(0xffff'ffff'ac00'0000 + i * apart, variable(i), i);
  // Chunks of 256, 512 … 65536 entries, and indices of 24 bytes a bucket, four times as large whenever there are as
  // many entries as buckets. The smaller ones stay.
  CHECK(mapped_bytes() - before ==
        511 * 256 * (sizeof(PendingRequest) + 3 * sizeof(void*)) + 512 * (1 + 4 + 16 + 64 + 256) * 24);
  for (std::uint64_t i = 100'000; i-- > 0;) REQUIRE(table.remove(0xffff'ffff'ac00'0000 + i * apart, variable(i)) == i);
  CHECK(table.table->size() == 0);
}

TEST_CASE("a program that issues and completes without end needs bounded memory") {
  Table table;
  constexpr std::uint64_t live = 100;
  for (std::uint64_t i = 0; i < live; ++i) table.insert(i % 7, i, i);
  std::size_t const before = mapped_bytes();
  for (std::uint64_t i = live; i < 1'000'000; ++i) {
    PendingRequest removed;
    if (!remove_from(*table.table, i % 7, none_of_them, removed) || !insert_into(*table.table, i % 7, i, i)) FAIL(i);
  }
  CHECK(mapped_bytes() == before);
  CHECK(table.table->size() == live);
}

TEST_CASE("any sequence of calls does what a queue for each handle would do") {
  unsigned const seed = GENERATE(range(0U, 12U));
  // Few handles make long queues, many make buckets with several handles; the table grows when more go in than come
  // out.
  std::uint64_t const handles = std::vector<std::uint64_t>{1, 3, 40, 5000}[seed % 4];
  INFO("seed " << seed << ", " << handles << " handles");
  std::mt19937_64 random(seed);
  Table table;
  Model model;
  std::uint64_t next_id = 1;
  std::map<std::uint64_t, std::vector<std::uint64_t>> variables;  // in which requests of a handle were stored
  for (int step = 0; step < 30'000; ++step) {
    std::uint64_t const handle = 0x5000 + 64 * (random() % handles);
    // The table fills, empties, and fills again.
    bool const fills = (step / 10'000) % 2 == 0;
    if (random() % 100 < (fills ? 60U : 35U)) {
      std::uint64_t const variable = 8 * next_id;  // each request in a variable of its own
      table.insert(handle, variable, next_id);
      model.insert(handle, variable, next_id);
      variables[handle].push_back(variable);
      ++next_id;
    } else {
      auto const& known = variables[handle];
      std::size_t const recent = std::min<std::size_t>(known.size(), 20);
      std::uint64_t const variable =
          known.empty() || random() % 3 == 0 ? none_of_them : known[known.size() - 1 - random() % recent];
      REQUIRE(table.remove(handle, variable) == model.remove(handle, variable));
    }
    REQUIRE(table.table->size() == model.size());
    if (step % 5000 == 0) REQUIRE(table.ids_by_handle() == model.ids_by_handle());
  }
  REQUIRE(table.ids_by_handle() == model.ids_by_handle());
}

TEST_CASE("without memory a table takes what has a slot of its own, and the rest later") {
  RequestTable table;
  constexpr std::uint64_t first = 8, second = 8 + 4096;  // in one slot
  {
    MemoryShortage const shortage;
    REQUIRE(insert_into(table, 1, first, 1));
    CHECK_FALSE(insert_into(table, 2, second, 2));
    CHECK(table.oldest(1) == nullptr);  // there is no room for queues
  }
  CHECK(table.size() == 1);
  CHECK(table.find(1, first)->known.sent == 1);
  {
    MemoryShortage const shortage(1);  // the index, but no entries
    CHECK_FALSE(insert_into(table, 2, second, 2));
  }
  CHECK(table.size() == 1);
  REQUIRE(insert_into(table, 2, second, 2));
  CHECK(table.size() == 2);
  CHECK(table.oldest(1)->known.sent == 1);
  CHECK(table.oldest(2)->known.sent == 2);
}
