#include "comparison/verdict.hpp"

#include <catch2/catch.hpp>

using namespace mpisee_through;

namespace {

Change change_of(double before_s, double after_s, std::optional<double> p = std::nullopt) {
  Change change{};
  change.before.runs = change.after.runs = 1;
  change.before.time_s.median = before_s;
  change.after.time_s.median = after_s;
  change.p = change.p_adjusted = p;
  return change;
}

std::string names(std::vector<Slowdown> const& slowdowns) {
  std::string text;
  for (Slowdown const& one : slowdowns) text += one.what + " ";
  return text;
}

}  // namespace

TEST_CASE("the wall time fails beyond the limit, and only if it is significant") {
  auto const of_wall = [](Change const& wall, double limit) {
    Comparison comparison{};
    comparison.wall = wall;
    comparison.communicators.push_back({"W", change_of(1, 100), {}});
    return judge(comparison, Judged::wall_time, limit);
  };
  CHECK(names(of_wall(change_of(10, 11), 0.05).slower) == "wall time ");
  CHECK(of_wall(change_of(10, 11), 0.2).slower.empty());
  CHECK(of_wall(change_of(8, 9), 0.125).slower.empty());  // slower by exactly the limit
  CHECK(of_wall(change_of(11, 10), 0).slower.empty());
  CHECK(names(of_wall(change_of(10, 11, 0.04), 0.05).slower) == "wall time ");
  CHECK(of_wall(change_of(10, 11, 0.06), 0.05).slower.empty());
  CHECK(names(of_wall(change_of(10, 11, 0.06), 0.05).uncertain) == "wall time ");
  CHECK(of_wall(change_of(10, 11, 0.06), 0.2).uncertain.empty());
}

TEST_CASE("communicators fail by themselves, the slowest first") {
  Comparison comparison{};
  comparison.wall = change_of(10, 100);
  comparison.communicators = {{"a", change_of(1, 1.2), {}},
                              {"b", change_of(1, 3), {}},
                              {"c", change_of(1, 1.01), {}},
                              {"new", change_of(0, 5), {}},
                              {"chance", change_of(1, 5, 0.5), {}}};
  Verdict const verdict = judge(comparison, Judged::communicators, 0.05);
  CHECK(names(verdict.slower) == "b a ");
  CHECK(names(verdict.uncertain) == "chance ");
  CHECK(describe(verdict.slower) ==
        "b 1.000 s → 3.000 s, +2.000 s (+200.0 %); a 1.000 s → 1.200 s, +200.0 ms (+20.0 %)");
  CHECK(describe(verdict.uncertain) == "chance 1.000 s → 5.000 s, +4.000 s (+400.0 %), p 0.5");
  std::vector<Slowdown> const many(5, verdict.slower.front());
  CHECK(describe(many).ends_with("(+200.0 %); and 2 more"));
}
