#include "waiting/wait_graph.hpp"

#include <algorithm>
#include <unordered_set>

namespace mpisee_through {

NodeId WaitGraph::process(std::int32_t rank) {
  auto const [place, is_new] = processes_.try_emplace(rank, static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back({.mode = Mode::free, .rank = rank, .waits_for = {}});
  return place->second;
}

NodeId WaitGraph::add(Mode mode) {
  nodes_.push_back({.mode = mode, .rank = -1, .waits_for = {}});
  return static_cast<NodeId>(nodes_.size() - 1);
}

// Propagates from nodes that can go on to nodes that can go on after them.
void WaitGraph::find_stuck() {
  std::vector<std::vector<NodeId>> waiting(nodes_.size());
  std::vector<std::size_t> missing(nodes_.size());
  std::vector<NodeId> reached;
  goes_on_.assign(nodes_.size(), 0);
  auto const reach = [&](std::size_t index) {
    if (goes_on_[index] != 0) return;
    goes_on_[index] = 1;
    reached.push_back(static_cast<NodeId>(index));
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node const& node = nodes_[i];
    bool const waits = node.mode == Mode::all_of || node.mode == Mode::any_of;
    if (node.mode == Mode::free || (waits && node.waits_for.empty())) reach(i);
    if (!waits) continue;
    missing[i] = node.mode == Mode::all_of ? node.waits_for.size() : 1;
    for (NodeId const other : node.waits_for)
      waiting[static_cast<std::size_t>(other)].push_back(static_cast<NodeId>(i));
  }
  while (!reached.empty()) {
    NodeId const one = reached.back();
    reached.pop_back();
    for (NodeId const other : waiting[static_cast<std::size_t>(one)]) {
      auto const index = static_cast<std::size_t>(other);
      if (missing[index] > 0 && --missing[index] == 0) reach(index);
    }
  }
}

std::vector<std::int32_t> WaitGraph::processes_behind(std::vector<NodeId> const& first) const {
  std::vector<std::int32_t> ranks;
  std::unordered_set<NodeId> seen;
  std::vector<NodeId> next;
  auto const read_first_page = [&](std::vector<NodeId> const& nodes) {
    for (NodeId const id : nodes)
      if (seen.insert(id).second) next.push_back(id);
  };
  read_first_page(first);
  while (!next.empty()) {
    Node const& node = (*this)[next.back()];
    next.pop_back();
    if (node.rank >= 0) ranks.push_back(node.rank);
    else read_first_page(node.waits_for);
  }
  std::ranges::sort(ranks);
  return ranks;
}

WaitGraph::StuckWay WaitGraph::way_from(NodeId one, std::unordered_set<NodeId>& seen) const {
  std::vector<NodeId> way;
  std::unordered_set<NodeId> on_way;
  while (on_way.insert(one).second) {
    if (!seen.insert(one).second) return {};  // already reported
    way.push_back(one);
    std::vector<NodeId> const& next = (*this)[one].waits_for;
    auto const stuck = std::ranges::find_if(next, [this](NodeId id) { return is_stuck(id); });
    if (stuck == next.end()) return {ranks_of(way), false};
    one = *stuck;
  }
  return {shortest_circle(one), true};
}

std::vector<std::int32_t> WaitGraph::shortest_circle(NodeId from) const {
  std::unordered_map<NodeId, NodeId> reached_from;
  std::vector<NodeId> wave{from};
  for (std::size_t i = 0; i < wave.size(); ++i) {
    for (NodeId const other : (*this)[wave[i]].waits_for) {
      if (!is_stuck(other)) continue;
      if (other == from) {
        std::vector<NodeId> circle{wave[i]};
        while (circle.back() != from) circle.push_back(reached_from.at(circle.back()));
        std::ranges::reverse(circle);
        return ranks_of(circle);
      }
      if (reached_from.emplace(other, wave[i]).second) wave.push_back(other);
    }
  }
  return {};
}

std::vector<std::int32_t> WaitGraph::ranks_of(std::vector<NodeId> const& nodes) const {
  std::vector<std::int32_t> ranks;
  for (NodeId const id : nodes)
    if ((*this)[id].rank >= 0) ranks.push_back((*this)[id].rank);
  return ranks;
}

std::vector<WaitGraph::StuckWay> WaitGraph::stuck_ways() const {
  std::vector<StuckWay> ways;
  std::unordered_set<NodeId> seen;
  std::vector<std::int32_t> ranks;
  for (auto const& [rank, id] : processes_)
    if (is_stuck(id) && (*this)[id].mode != Mode::finished) ranks.push_back(rank);
  std::ranges::sort(ranks);
  for (std::int32_t const rank : ranks) {
    StuckWay way = way_from(processes_.at(rank), seen);
    if (way.is_circle) std::rotate(way.ranks.begin(), std::ranges::min_element(way.ranks), way.ranks.end());
    if (!way.ranks.empty()) ways.push_back(std::move(way));
  }
  return ways;
}

}  // namespace mpisee_through
