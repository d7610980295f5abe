#include "waits/own_waits.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "ops.hpp"

using namespace commprof;
using namespace commprof::waits;

namespace {

constexpr CommIndex comm_of_waits{3};
constexpr char const* name_of_waits = "W_s1.0";

struct Stay {
  std::uint64_t entry, exit;
};

// Members of one communicator, each with its calls of one operation. Ticks are nanoseconds.
class Members {
 public:
  explicit Members(Op op) : op_(op) {}

  // stays: duration of call n of this member.
  void add(std::vector<Stay> const& stays, int rank_of_root = -1, std::uint32_t level = 0, std::uint64_t host = 1,
           CommonClock const& clock = {}) {
    auto const rank = static_cast<std::int32_t>(processes_.size());
    auto own = std::make_unique<OwnWaits>(10 + rank, host, clock::Rate{});
    Sampler sampler;
    sampler.comm = comm_of_waits;
    sampler.op = op_;
    sampler.level = level;
    sampler.calls = stays.size() + failed_calls_;
    std::vector<WaitSample> samples;
    Record record{.key = RecordKey::of(comm_of_waits, ScopeIndex::main, op_, SizeBin{}),
                  .calls = 0,
                  .bytes = {},
                  .time = {},
                  .longest = {},
                  .last = {}};
    for (std::size_t n = 0; n < stays.size(); ++n) {
      Ticks const elapsed{stays[n].exit - stays[n].entry};
      if (is_sampled(n, level))
        samples.push_back({n & (UINT64_MAX >> 1), rank == rank_of_root, {stays[n].entry}, elapsed, 1, 0});
      ++record.calls;
      record.time += elapsed;
    }
    if (creations_ > 0) own->take_names(CommIndex::world, "W", members_, creations_, CommIndex::unknown);
    own->take(sampler, name_of_waits, members_, samples.data(), samples.size(), CommIndex::world);
    if (must_agree_) own->require_agreement();
    own->count(std::vector{record});
    own->use(clock);
    processes_.push_back(std::move(own));
  }
  void require_agreement() { must_agree_ = true; }
  // The following members have counted more calls, and these calls that create communicators.
  void set_failed_calls(std::uint64_t number) { failed_calls_ = number; }
  void set_creations(std::uint32_t number) { creations_ = number; }
  void set_members(std::uint32_t number) { members_ = number; }

  // Joins in the order of the members, or in reverse.
  void join(bool backwards = false) {
    auto const all_of = [&]<class Sampled>(Sampled, auto const& tell) {
      auto all = std::make_unique<Joint<Sampled>>();
      for (std::size_t i = 0; i < processes_.size(); ++i) {
        Joint<Sampled> told;
        tell(*processes_[backwards ? processes_.size() - 1 - i : i], told);
        auto next = std::make_unique<Joint<Sampled>>();
        Joint<Sampled>::merge(*all, told, *next);
        all = std::move(next);
      }
      return all;
    };
    auto const agreed = all_of(Meeting{}, [](OwnWaits& own, Joint<Meeting>& told) { own.tell_meetings(told); });
    auto const spent =
        all_of(Spending{}, [&](OwnWaits& own, Joint<Spending>& told) { own.tell_spendings(*agreed, told); });
    for (auto const& own : processes_) own->finish(*agreed, *spent);
  }
  OwnWaits const& operator[](std::size_t i) const { return *processes_[i]; }
  WaitRow row() const {
    REQUIRE(processes_[0]->rows().size() == 1);
    return *processes_[0]->rows().begin();
  }
  OwnWaitRow row_of(std::size_t member) const {
    REQUIRE(processes_[member]->own_rows().size() == 1);
    return *processes_[member]->own_rows().begin();
  }

 private:
  Op op_;
  std::uint32_t members_ = 3;
  std::vector<std::unique_ptr<OwnWaits>> processes_;
  bool must_agree_ = false;
  std::uint64_t failed_calls_ = 0;
  std::uint32_t creations_ = 0;
};

}  // namespace

TEST_CASE("who comes early to a barrier waits for the last") {
  for (bool const backwards : {false, true}) {
    Members members(Op::Barrier);
    members.add({{100, 510}, {1000, 1410}});
    members.add({{500, 520}, {1100, 1420}});
    members.add({{300, 550}, {1400, 1410}});
    members.join(backwards);
    WaitRow const row = members.row();
    CHECK((row.comm == comm_of_waits && row.op == Op::Barrier));
    CHECK((row.ranks == 3 && row.calls == 6 && row.samples == 2));
    CHECK((row.is_by_entries && row.has_error && row.wait_error_ns == 0));
    CHECK(row.time_ns == 410 + 410 + 20 + 320 + 250 + 10);
    CHECK(row.wait_ns == 400 + 200 + 400 + 300);
    // 10 ns of the first call follow the last arrival, and 10 ns of the second one, on each of three members.
    CHECK(row.move_ns == 60);
    CHECK(row.rest_ns == row.time_ns - row.wait_ns - row.move_ns);
    CHECK((row.has_last && row.last_calls == 1));
    CHECK((members.row_of(0).wait_ns == 800 && members.row_of(1).wait_ns == 300 && members.row_of(2).wait_ns == 200));
    CHECK((members.row_of(0).last == 0 && members.row_of(1).last == 1 && members.row_of(2).last == 1));
    CHECK(members[1].incomplete_calls() == 0);
  }
}

TEST_CASE("the rank that comes last most often is named by its world rank, with how late it is") {
  Members members(Op::Allreduce);
  members.add({{100, 510}, {1000, 1510}, {2500, 2510}});
  members.add({{500, 520}, {1500, 1520}, {2000, 2510}});
  members.add({{300, 550}, {1200, 1510}, {2000, 2520}});
  members.join();
  WaitRow const row = members.row();
  CHECK((row.last_rank == 11 && row.last_calls == 2));
  CHECK(row.late_ns == (400 + 200 + 500 + 300) / 2 / 2);
}

TEST_CASE("of a rooted call all wait for the root, or the root for all, and nobody longer than it was there") {
  struct Case {
    Op op;
    int root;
    Stay stays[3];
    std::uint64_t waits[3];
  };
  Case const cases[] = {
      {Op::Bcast, 1, {{100, 510}, {500, 505}, {700, 710}}, {400, 0, 0}},
      {Op::Reduce, 0, {{100, 710}, {500, 505}, {700, 710}}, {600, 0, 0}},
      {Op::Allreduce, -1, {{100, 110}, {500, 520}, {300, 350}}, {10, 0, 50}}};  // the first moved no data
  for (Case const& one : cases) {
    Members members(one.op);
    for (Stay const& stay : one.stays) members.add({stay}, one.root);
    members.join();
    CHECK(members.row().wait_ns == one.waits[0] + one.waits[1] + one.waits[2]);
    for (std::size_t i = 0; i < 3; ++i) CHECK(members.row_of(i).wait_ns == one.waits[i]);
  }
}

TEST_CASE("calls that a member did not keep are left out") {
  Members members(Op::Barrier);
  members.add({{100, 500}, {1000, 1500}});
  members.add({{400, 500}});
  members.add({{450, 500}, {1400, 1500}});
  members.join();
  CHECK(members.row().samples == 1);
  CHECK(members.row().calls == 5);
  CHECK(members.row().wait_ns == Approx((350.0 + 50) / 550 * 1150).epsilon(0.01));
}

TEST_CASE("a communicator of which a member is missing has no row, and its calls are counted") {
  Members members(Op::Barrier);
  members.add({{100, 500}, {1000, 1500}});
  members.add({{400, 500}, {1100, 1500}});
  members.join();
  CHECK(members[0].rows().size() == 0);
  CHECK(members[0].own_rows().size() == 0);
  CHECK(members[0].incomplete_calls() == 2);
}

TEST_CASE("members that kept different samples have the calls of both") {
  Members members(Op::Barrier);
  std::vector<Stay> early, late;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    early.push_back({1000 * n, 1000 * n + 510});
    late.push_back({1000 * n + 500, 1000 * n + 510});
  }
  members.add(early, -1, 0);
  members.add(late, -1, 3);
  members.add(late, -1, 2);
  members.join();
  std::uint64_t expected = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) expected += is_sampled(n, 3) ? 1 : 0;
  CHECK(members.row().samples == expected);
  CHECK(members.row().wait_ns == 500'000);
  CHECK(members.row().wait_error_ns == 0);  // all calls are alike
}

TEST_CASE("the error of a sample covers the truth") {
  int within = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Members members(Op::Barrier);
    std::vector<Stay> stays[3];
    double truth = 0;
    std::uint64_t random = seed * 7919 + 1;
    for (std::uint64_t n = 0; n < 8000; ++n) {
      std::uint64_t latest = 0, entries[3];
      for (std::uint64_t& entry : entries) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        entry = 100'000 * n + (random >> 33) % 50'000;
        latest = std::max(latest, entry);
      }
      for (std::size_t i = 0; i < 3; ++i) {
        stays[i].push_back({entries[i], latest + 1000 + (random >> 40) % 5000});
        truth += static_cast<double>(latest - entries[i]);
      }
    }
    for (auto const& of_member : stays) members.add(of_member, -1, 4);
    members.join();
    WaitRow const row = members.row();
    double const error = static_cast<double>(row.wait_error_ns);
    CHECK(error > 0);
    CHECK(error < 0.03 * static_cast<double>(row.time_ns));
    if (std::abs(static_cast<double>(row.wait_ns) - truth) < 2 * error) ++within;
  }
  CHECK(within >= 90);
}

TEST_CASE("without a common clock, durations give an upper bound and nobody is named") {
  Members members(Op::Barrier);
  members.add({{100, 510}}, -1, 0, 1);
  members.add({{500, 520}}, -1, 0, 1);
  members.add({{900'300, 900'550}}, -1, 0, 2);
  members.join();
  CHECK_FALSE(members.row().is_by_entries);
  CHECK(members.row().wait_ns == 390 + 0 + 230);
  CHECK_FALSE(members.row().has_last);
}

TEST_CASE("with a common clock, the hosts' clocks may differ in offset and rate") {
  // The clock of the other host is 900,000 behind and twice as fast.
  CommonClock same{.is_known = true, .first = {{0}, {0}}, .last = {{1000}, {1000}}, .rate = {}, .error_ns = 0};
  CommonClock other{
      .is_known = true, .first = {{1'800'000}, {0}}, .last = {{1'802'000}, {1000}}, .rate = {}, .error_ns = 5};
  Members members(Op::Barrier);
  members.add({{100, 510}}, -1, 0, 1, same);
  members.add({{500, 520}}, -1, 0, 1, same);
  members.add({{1'800'600, 1'800'850}}, -1, 0, 2, other);
  members.join();
  WaitRow const row = members.row();
  CHECK(row.is_by_entries);
  CHECK(row.wait_ns == 400 + 200);
  CHECK(row.wait_error_ns == 3 * 5);
  CHECK(row.last_rank == 11);
}

TEST_CASE(
    "calls that have other numbers on other members, and other names, have no rows, unless the processes were killed") {
  for (bool const were_killed : {false, true})
    for (std::uint32_t const failed_calls : {0U, 1U})
      for (std::uint32_t const failed_creations : {0U, 1U}) {
        CAPTURE(were_killed, failed_calls, failed_creations);
        Members members(Op::Barrier);
        members.set_members(2);
        members.set_creations(3);
        if (!were_killed) members.require_agreement();
        members.add({{100, 200}, {300, 400}});
        members.set_failed_calls(failed_calls);
        members.set_creations(3 + failed_creations);
        members.add({{150, 200}, {350, 400}});
        members.join();
        bool const has_row = were_killed || failed_calls + failed_creations == 0;
        CHECK(members[0].rows().size() == (has_row ? 1 : 0));
        CHECK(members[0].own_rows().size() == (has_row ? 1 : 0));
        CHECK(members[1].disagreeing_calls() == (has_row ? 0 : 2));
        CHECK(members[1].incomplete_calls() == 0);
        if (!were_killed) CHECK(members[0].names_disagree(CommIndex::world) == (failed_creations > 0));
      }
}
