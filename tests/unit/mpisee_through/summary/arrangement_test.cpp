#include "summary/arrangement.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace mpisee_through;

namespace {

struct Row {
  std::string name;
  std::string parent;
  std::uint64_t size;
  Totals totals;
};

Summary summary_of(std::vector<Row> const& rows) {
  Summary summary;
  summary.operation_names = {"Send", "Recv", "Bcast"};
  for (Row const& row : rows) {
    CommunicatorSummary& added = summary.communicators.emplace_back();
    added.name = row.name;
    added.parent = row.parent;
    added.size = row.size;
    added.totals = row.totals;
    added.selected = true;
    if (row.totals.calls > 0) added.operations.emplace_back().totals = row.totals;
  }
  return summary;
}

std::vector<std::string> names(Summary const& summary, std::vector<CommunicatorIndex> const& order) {
  std::vector<std::string> names;
  for (CommunicatorIndex const index : order) names.push_back(summary.communicator(index).name);
  return names;
}

// Each name, preceded by a dot for each level of its depth; in brackets if it is shown only for its descendants.
std::vector<std::string> drawn(Summary const& summary, std::vector<TreeNode> const& tree) {
  std::vector<std::string> lines;
  for (TreeNode const& node : tree) {
    std::string const& name = summary.communicator(node.communicator).name;
    lines.push_back(std::string(node.depth, '.') + (node.selected ? name : "[" + name + "]"));
  }
  return lines;
}

using NameList = std::vector<std::string>;

std::vector<Row> const family{{"W", "", 4, {10, 100, 0, 1.0}},    {"W_d10", "W", 4, {5, 50, 50, 3.0}},
                              {"W_d2", "W", 4, {20, 0, 30, 2.0}}, {"W_d2_s1.0", "W_d2", 2, {1, 0, 1, 0.5}},
                              {"W_d3", "W", 8, {0, 0, 0, 0}},     {"SELF", "", 1, {1, 0, 0, 1.0}}};

}  // namespace

TEST_CASE("numbers in names count as numbers") {
  CHECK(name_less("W_d2", "W_d10"));
  CHECK_FALSE(name_less("W_d10", "W_d2"));
  CHECK(name_less("W", "W_d1"));
  CHECK(name_less("W_d1", "W_s1.0"));
  CHECK(name_less("W_s1.9", "W_s1.10"));
  CHECK_FALSE(name_less("W", "W"));
  CHECK(name_less("a01", "a1"));
  CHECK_FALSE(name_less("a1", "a01"));
}

TEST_CASE("communicators are sorted by each key") {
  Summary const summary = summary_of(family);
  auto const by = [&](SortKey key) {
    return names(summary, arrange_communicators(summary, {key, {}}, Include::with_operations));
  };
  CHECK(by(SortKey::time) == NameList{"W_d10", "W_d2", "SELF", "W", "W_d2_s1.0"});  // SELF and W: 1 s each, by name
  CHECK(by(SortKey::calls) == NameList{"W_d2", "W", "W_d10", "SELF", "W_d2_s1.0"});
  CHECK(by(SortKey::volume) == NameList{"W_d10", "W", "W_d2", "W_d2_s1.0", "SELF"});  // equal volumes by time
  CHECK(by(SortKey::name) == NameList{"SELF", "W", "W_d2", "W_d2_s1.0", "W_d10"});
  CHECK(by(SortKey::imbalance) == by(SortKey::time));                               // unknown of all
  CHECK(by(SortKey::size) == NameList{"W_d10", "W_d2", "W", "W_d2_s1.0", "SELF"});  // equal sizes by time
}

TEST_CASE("top keeps the first communicators") {
  Summary const summary = summary_of(family);
  Arrangement const top{SortKey::time, 2};
  CHECK(names(summary, arrange_communicators(summary, top, Include::with_operations)) == NameList{"W_d10", "W_d2"});
  Arrangement const more_than_there_are{SortKey::time, 100};
  CHECK(arrange_communicators(summary, more_than_there_are, Include::all_selected).size() == 6);
}

TEST_CASE("the tree shows all communicators below their parents") {
  Summary const summary = summary_of(family);
  CHECK(drawn(summary, arrange_tree(summary, {SortKey::name, {}})) ==
        NameList{"SELF", "W", ".W_d2", "..W_d2_s1.0", ".W_d3", ".W_d10"});
  CHECK(drawn(summary, arrange_tree(summary, {SortKey::time, {}})) ==
        NameList{"SELF", "W", ".W_d10", ".W_d2", "..W_d2_s1.0", ".W_d3"});
}

TEST_CASE("the tree keeps the ancestors of what is selected") {
  Summary summary = summary_of(family);
  for (CommunicatorSummary& communicator : summary.communicators) {
    communicator.selected = communicator.name == "W_d2_s1.0" || communicator.name == "W_d3";
  }
  CHECK(drawn(summary, arrange_tree(summary, {SortKey::name, {}})) ==
        NameList{"[W]", ".[W_d2]", "..W_d2_s1.0", ".W_d3"});
  CHECK(drawn(summary, arrange_tree(summary, {SortKey::time, 1})) == NameList{"[W]", ".[W_d2]", "..W_d2_s1.0"});
}

TEST_CASE("a parent that is not there, or is a descendant, ends no program") {
  Summary const orphan = summary_of({{"X_d1", "X", 2, {1, 0, 0, 1}}});
  CHECK(drawn(orphan, arrange_tree(orphan, {})) == NameList{"X_d1"});

  Summary const loop =
      summary_of({{"W", "", 2, {1, 0, 0, 1}}, {"A", "B", 2, {1, 0, 0, 2}}, {"B", "A", 2, {1, 0, 0, 1}}});
  CHECK(drawn(loop, arrange_tree(loop, {})) == NameList{"W", "A", ".B"});

  Summary const own_parent = summary_of({{"A", "A", 2, {1, 0, 0, 2}}});
  CHECK(drawn(own_parent, arrange_tree(own_parent, {})) == NameList{"A"});
}

TEST_CASE("sizes of an operation stay together, small ones first") {
  Summary summary = summary_of({{"W", "", 2, {1, 0, 0, 1}}});
  summary.detail = Detail::message_sizes;
  auto& operations = summary.communicators[0].operations;
  operations.clear();
  auto const add = [&](std::uint32_t operation, SizeBin size, double time_s) {
    OperationSummary& added = operations.emplace_back();
    added.operation = OperationIndex{operation};
    added.size = size;
    added.totals.time_s = time_s;
    added.totals.calls = operation;
  };
  add(0, {8, 15}, 2.0);
  add(1, {8, 15}, 1.5);
  add(1, {0, 0}, 1.0);  // Recv: 2.5 s in all, more than Send
  add(0, {4, 7}, 0.25);

  auto const arranged = [&](SortKey key) {
    NameList lines;
    for (OperationSummary const* operation : arrange_operations(summary, summary.communicators[0], key)) {
      lines.push_back(summary.name_of(operation->operation) + " " + std::to_string(operation->size->min_bytes));
    }
    return lines;
  };
  CHECK(arranged(SortKey::time) == NameList{"Recv 0", "Recv 8", "Send 4", "Send 8"});
  CHECK(arranged(SortKey::name) == NameList{"Recv 0", "Recv 8", "Send 4", "Send 8"});
  operations[0].totals.time_s = 9;
  CHECK(arranged(SortKey::time) == NameList{"Send 4", "Send 8", "Recv 0", "Recv 8"});
  CHECK(arranged(SortKey::calls) == NameList{"Recv 0", "Recv 8", "Send 4", "Send 8"});
}

namespace {

// W: Send 6 s, Recv 1 s, the slowest rank 4 and 1 s; W_d2: Bcast 3 s, the slowest rank 3 s. Both have two ranks.
Summary summary_with_ranks() {
  Summary summary = summary_of({{"W", "", 2, {1, 0, 0, 7}}, {"W_d2", "W", 2, {1, 0, 0, 3}}});
  auto const add = [](CommunicatorSummary& communicator, std::uint32_t operation, std::vector<double> const& times) {
    communicator.ranks = 2;
    OperationSummary& added = communicator.operations.emplace_back();
    added.operation = OperationIndex{operation};
    added.totals.calls = operation + 1;
    for (std::uint32_t rank = 0; rank < times.size(); ++rank) {
      added.spread.add(WorldRank{rank}, times[rank]);
      communicator.spread.add(WorldRank{rank}, times[rank]);
      added.totals.time_s += times[rank];
    }
  };
  for (CommunicatorSummary& communicator : summary.communicators) communicator.operations.clear();
  add(summary.communicators[0], 0, {4, 2});
  add(summary.communicators[0], 1, {0.5, 0.5});
  add(summary.communicators[1], 2, {3});
  return summary;
}

std::string blocks(Summary const& summary, Arrangement const& arrangement) {
  std::string text;
  for (OperationBlock const& block : arrange_blocks(summary, arrangement)) {
    text += summary.communicator(block.communicator).name + ":";
    for (OperationSummary const* one : block.lines) text += " " + summary.name_of(one->operation);
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("imbalance is the maximum over the mean, less one") {
  Summary const summary = summary_with_ranks();
  CommunicatorSummary const& world = summary.communicators[0];
  CHECK(*world.imbalance(world.operations[0]) == Approx(1.0 / 3));  // 4 s of 3 s
  CHECK(world.imbalance(world.operations[1]) == 0);
  CommunicatorSummary const& other = summary.communicators[1];
  CHECK(other.imbalance(other.operations[0]) == 1);  // 3 s of 1.5 s: a rank that never calls has 0 s
  CHECK_FALSE(imbalance_of(0, 0));
}

TEST_CASE("top keeps the first lines of all communicators") {
  Summary const summary = summary_with_ranks();
  CHECK(blocks(summary, {SortKey::time, {}}) == "W: Send Recv\nW_d2: Bcast\n");
  CHECK(blocks(summary, {SortKey::time, 1}) == "W: Send\n");
  CHECK(blocks(summary, {SortKey::time, 2}) == "W: Send\nW_d2: Bcast\n");
  CHECK(blocks(summary, {SortKey::time, 9}) == blocks(summary, {SortKey::time, {}}));
  CHECK(blocks(summary, {SortKey::calls, 1}) == "W_d2: Bcast\n");
  CHECK(blocks(summary, {SortKey::name, 2}) == "W: Recv Send\n");
  CHECK(blocks(summary, {SortKey::imbalance, {}}) == "W_d2: Bcast\nW: Send Recv\n");
  CHECK(blocks(summary, {SortKey::imbalance, 1}) == "W_d2: Bcast\n");
}

TEST_CASE("ranks are in the order of their time in calls, or of that outside MPI") {
  Summary summary;
  summary.times_of_rank = {{10, 8}, {10, 1}, {10, 4}};
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    summary.ranks.push_back({.rank = WorldRank{rank}, .totals = {rank, 0, 0, summary.times_of_rank[rank].mpi_s}});
  auto const order = [&](SortKey key, RankOrder by) {
    std::vector<std::uint32_t> ranks;
    for (RankSummary const& one : arrange_ranks(summary, {key, {}}, by)) ranks.push_back(std::uint32_t(one.rank));
    return ranks;
  };
  using Ranks = std::vector<std::uint32_t>;
  CHECK(order(SortKey::time, RankOrder::time_in_calls) == Ranks{0, 2, 1});
  CHECK(order(SortKey::time, RankOrder::time_outside) == Ranks{1, 2, 0});
  CHECK(order(SortKey::imbalance, RankOrder::time_outside) == Ranks{1, 2, 0});
  CHECK(order(SortKey::calls, RankOrder::time_outside) == Ranks{2, 1, 0});
  CHECK(order(SortKey::name, RankOrder::time_outside) == Ranks{0, 1, 2});
}
