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

// Each name behind as many dots as it is deep, in brackets if it is there for its descendants only.
std::vector<std::string> drawn(Summary const& summary, std::vector<TreeNode> const& tree) {
  std::vector<std::string> lines;
  for (TreeNode const& node : tree) {
    std::string const& name = summary.communicator(node.communicator).name;
    lines.push_back(std::string(node.depth, '.') + (node.selected ? name : "[" + name + "]"));
  }
  return lines;
}

using Names = std::vector<std::string>;

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
  CHECK(by(SortKey::time) == Names{"W_d10", "W_d2", "SELF", "W", "W_d2_s1.0"});  // SELF and W: 1 s each, by name
  CHECK(by(SortKey::calls) == Names{"W_d2", "W", "W_d10", "SELF", "W_d2_s1.0"});
  CHECK(by(SortKey::volume) == Names{"W", "W_d10", "W_d2", "W_d2_s1.0", "SELF"});
  CHECK(by(SortKey::name) == Names{"SELF", "W", "W_d2", "W_d2_s1.0", "W_d10"});
  CHECK(by(SortKey::size) == Names{"W_d10", "W_d2", "W", "W_d2_s1.0", "SELF"});  // equal sizes by time
}

TEST_CASE("top keeps the first communicators") {
  Summary const summary = summary_of(family);
  Arrangement const top{SortKey::time, 2};
  CHECK(names(summary, arrange_communicators(summary, top, Include::with_operations)) == Names{"W_d10", "W_d2"});
  Arrangement const more_than_there_are{SortKey::time, 100};
  CHECK(arrange_communicators(summary, more_than_there_are, Include::all_selected).size() == 6);
}

TEST_CASE("the tree shows all communicators below their parents") {
  Summary const summary = summary_of(family);
  CHECK(drawn(summary, arrange_tree(summary, {SortKey::name, {}})) ==
        Names{"SELF", "W", ".W_d2", "..W_d2_s1.0", ".W_d3", ".W_d10"});
  CHECK(drawn(summary, arrange_tree(summary, {SortKey::time, {}})) ==
        Names{"SELF", "W", ".W_d10", ".W_d2", "..W_d2_s1.0", ".W_d3"});
}

TEST_CASE("the tree keeps the ancestors of what is selected") {
  Summary summary = summary_of(family);
  for (CommunicatorSummary& communicator : summary.communicators) {
    communicator.selected = communicator.name == "W_d2_s1.0" || communicator.name == "W_d3";
  }
  CHECK(drawn(summary, arrange_tree(summary, {SortKey::name, {}})) == Names{"[W]", ".[W_d2]", "..W_d2_s1.0", ".W_d3"});
  CHECK(drawn(summary, arrange_tree(summary, {SortKey::time, 1})) == Names{"[W]", ".[W_d2]", "..W_d2_s1.0"});
}

TEST_CASE("a parent that is not there, or is a descendant, ends no program") {
  Summary const orphan = summary_of({{"X_d1", "X", 2, {1, 0, 0, 1}}});
  CHECK(drawn(orphan, arrange_tree(orphan, {})) == Names{"X_d1"});

  Summary const loop =
      summary_of({{"W", "", 2, {1, 0, 0, 1}}, {"A", "B", 2, {1, 0, 0, 2}}, {"B", "A", 2, {1, 0, 0, 1}}});
  CHECK(drawn(loop, arrange_tree(loop, {})) == Names{"W", "A", ".B"});

  Summary const own_parent = summary_of({{"A", "A", 2, {1, 0, 0, 2}}});
  CHECK(drawn(own_parent, arrange_tree(own_parent, {})) == Names{"A"});
}

TEST_CASE("sizes of an operation stay together, small ones first") {
  Summary summary = summary_of({{"W", "", 2, {1, 0, 0, 1}}});
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
    Names lines;
    for (OperationSummary const* operation : arrange_operations(summary, summary.communicators[0], key)) {
      lines.push_back(summary.name_of(operation->operation) + " " + std::to_string(operation->size->min_bytes));
    }
    return lines;
  };
  CHECK(arranged(SortKey::time) == Names{"Recv 0", "Recv 8", "Send 4", "Send 8"});
  CHECK(arranged(SortKey::name) == Names{"Recv 0", "Recv 8", "Send 4", "Send 8"});
  operations[0].totals.time_s = 9;
  CHECK(arranged(SortKey::time) == Names{"Send 4", "Send 8", "Recv 0", "Recv 8"});
  CHECK(arranged(SortKey::calls) == Names{"Recv 0", "Recv 8", "Send 4", "Send 8"});
}
