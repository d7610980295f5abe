#include "waiting/situation_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "files/json.hpp"
#include "files/names.hpp"
#include "files/rank_set.hpp"

namespace mpisee_through {
namespace {

constexpr Names<RankGroup::State, 4> states{{{{RankGroup::State::in_mpi, "in_mpi"},
                                              {RankGroup::State::outside, "outside"},
                                              {RankGroup::State::changing, "changing"},
                                              {RankGroup::State::silent, "silent"}}}};

Json json_of(CodePlace const& place, PlaceDetails const& details) {
  if (!place.is_known()) return {};
  Json json{{"module", place.module}, {"build_id", place.build_id}, {"offset", place.offset}};
  if (!place.function.empty()) json["interpreted"] = place.function;
  if (details) details(place, json);
  return json;
}

Json json_of(RankGroup const& group, PlaceDetails const& details) {
  Json chain = Json::array();
  for (auto const& [ranks, index, peer] : group.chain)
    chain.push_back({{"ranks", ranges_of(ranks)},
                     {"group", index == RankGroup::Link::no_group ? Json() : Json(index)},
                     {"peer", peer}});
  return {{"ranks", ranges_of(group.ranks)},
          {"count", group.ranks.size()},
          {"state", states.of(group.state)},
          {"has_ended", group.has_ended},
          {"operation", group.operation},
          {"comm", group.communicator},
          {"peer", group.peer},
          {"longest_s", group.longest_s},
          {"shortest_s", group.shortest_s},
          {"at_least", group.is_at_least},
          {"place", json_of(group.place, details)},
          {"pending", group.pending},
          {"waits_for", ranges_of(group.waits_for)},
          {"certain", group.is_certain},
          {"any", group.waits_for_any},
          {"chain", std::move(chain)}};
}

Json json_of(StuckRanks const& stuck) {
  Json steps = Json::array();
  for (auto const& [rank, group, peer] : stuck.steps)
    steps.push_back({{"rank", rank}, {"group", group}, {"peer", peer}});
  return {{"steps", std::move(steps)},     {"circle", stuck.is_circle},
          {"lasting", stuck.is_lasting},   {"seconds", stuck.seconds},
          {"at_least", stuck.is_at_least}, {"unless_more_threads", stuck.unless_more_threads}};
}

Json json_of(Mismatch const& mismatch) {
  Json sides = Json::array();
  for (auto const& [ranks, group, peer] : mismatch.sides)
    sides.push_back({{"ranks", ranges_of(ranks)}, {"group", group}, {"peer", peer}});
  return {{"comm", mismatch.communicator},
          {"sides", std::move(sides)},
          {"seconds", mismatch.seconds},
          {"at_least", mismatch.is_at_least}};
}

// Reads values from a JSON object. After an invalid value, is_whole_ is false.
class Values {
 public:
  explicit Values(Json const& json) : json_(json), is_whole_(json.is_object()) {}

  void get(char const* key, std::string& to) {
    if (Json const* const value = find(key, &Json::is_string)) to = value->get_ref<std::string const&>();
  }
  void get(char const* key, bool& to) {
    if (Json const* const value = find(key, &Json::is_boolean)) to = value->get<bool>();
  }
  void get(char const* key, double& to) {
    if (Json const* const value = find(key, &Json::is_number)) to = value->get<double>();
  }
  template <class Integer>
  void get_count(char const* key, Integer& to, std::uint64_t bound) {
    Json const* const value = find(key, &Json::is_number_integer);
    bool const is_count = value != nullptr && (value->is_number_unsigned() || value->get<std::int64_t>() >= 0);
    if (is_count && value->get<std::uint64_t>() < bound) to = static_cast<Integer>(value->get<std::uint64_t>());
    else is_whole_ = false;
  }
  void get_ranks(char const* key, std::vector<std::int32_t>& to, std::int32_t bound) {
    std::string text;
    get(key, text);
    auto const ranks = RankSet::parse_ascending(text);
    bool const are_below = ranks && (ranks->empty() || static_cast<std::int32_t>(ranks->highest()) < bound);
    if (auto numbers = are_below ? ranks->numbers() : std::nullopt) to = *std::move(numbers);
    else is_whole_ = false;
  }
  template <class Take>
  void get_all(char const* key, Take&& take) {
    if (Json const* const value = find(key, &Json::is_array))
      for (Json const& one : *value) take(one);
  }
  Json const* find(char const* key, bool (Json::*is_right)() const noexcept) {
    auto const found = json_.is_object() ? json_.find(key) : json_.end();
    if (found != json_.end() && ((*found).*is_right)()) return &*found;
    is_whole_ = false;
    return nullptr;
  }
  void judge(bool is_whole) { is_whole_ &= is_whole; }
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  [[nodiscard]] bool has(char const* key) const { return json_.is_object() && json_.contains(key); }
  [[nodiscard]] bool is_null(char const* key) const {
    return json_.is_object() && json_.contains(key) && json_[key].is_null();
  }

 private:
  Json const& json_;
  bool is_whole_;
};

bool take(Json const& json, CodePlace& place) {
  Values values(json);
  values.get("module", place.module);
  values.get("build_id", place.build_id);
  values.get_count("offset", place.offset, UINT64_MAX);
  if (json.is_object() && json.contains("interpreted")) values.get("interpreted", place.function);
  return values.is_whole();
}

bool take(Json const& json, RankGroup& group, std::int32_t ranks, std::size_t groups) {
  Values values(json);
  std::string state;
  values.get("state", state);
  auto const known = states.parse(state);
  values.judge(known.has_value());
  group.state = known.value_or(group.state);
  values.get_ranks("ranks", group.ranks, ranks);
  values.judge(!group.ranks.empty());
  values.get("has_ended", group.has_ended);
  values.get("operation", group.operation);
  values.get("comm", group.communicator);
  values.get("peer", group.peer);
  values.get("longest_s", group.longest_s);
  values.get("shortest_s", group.shortest_s);
  values.get("at_least", group.is_at_least);
  if (!values.is_null("place"))
    if (Json const* const place = values.find("place", &Json::is_object)) values.judge(take(*place, group.place));
  values.get_all("pending", [&](Json const& one) {
    values.judge(one.is_string());
    if (one.is_string()) group.pending.push_back(one.get<std::string>());
  });
  values.get_ranks("waits_for", group.waits_for, ranks);
  values.get("certain", group.is_certain);
  values.get("any", group.waits_for_any);
  values.get_all("chain", [&](Json const& one) {
    Values of_link(one);
    RankGroup::Link link;
    of_link.get_ranks("ranks", link.ranks, ranks);
    link.group = RankGroup::Link::no_group;
    if (!of_link.is_null("group")) of_link.get_count("group", link.group, groups);
    of_link.get("peer", link.peer);
    values.judge(of_link.is_whole() && !link.ranks.empty());
    group.chain.push_back(std::move(link));
  });
  return values.is_whole();
}

bool take(Json const& json, StuckRanks& stuck, std::int32_t ranks, std::size_t groups) {
  Values values(json);
  values.get("circle", stuck.is_circle);
  values.get("lasting", stuck.is_lasting);
  values.get("seconds", stuck.seconds);
  values.get("at_least", stuck.is_at_least);
  if (values.has("unless_more_threads")) values.get("unless_more_threads", stuck.unless_more_threads);
  values.get_all("steps", [&](Json const& one) {
    Values of_step(one);
    StuckRanks::Step step;
    of_step.get_count("rank", step.rank, static_cast<std::uint64_t>(ranks));
    of_step.get_count("group", step.group, groups);
    of_step.get("peer", step.peer);
    values.judge(of_step.is_whole());
    stuck.steps.push_back(std::move(step));
  });
  values.judge(!stuck.steps.empty());
  return values.is_whole();
}

bool take(Json const& json, Mismatch& mismatch, std::int32_t ranks, std::size_t groups) {
  Values values(json);
  values.get("comm", mismatch.communicator);
  values.get("seconds", mismatch.seconds);
  values.get("at_least", mismatch.is_at_least);
  values.get_all("sides", [&](Json const& one) {
    Values of_side(one);
    Mismatch::Side side;
    of_side.get_ranks("ranks", side.ranks, ranks);
    of_side.get_count("group", side.group, groups);
    of_side.get("peer", side.peer);
    values.judge(of_side.is_whole() && !side.ranks.empty());
    mismatch.sides.push_back(std::move(side));
  });
  values.judge(mismatch.sides.size() > 1);
  return values.is_whole();
}

}  // namespace

std::string_view name_of(RankGroup::State state) { return states.of(state); }

Json to_json(Situation const& situation, PlaceDetails const& details) {
  Json groups = Json::array(), stuck = Json::array(), mismatches = Json::array();
  for (RankGroup const& group : situation.groups) groups.push_back(json_of(group, details));
  for (StuckRanks const& one : situation.stuck) stuck.push_back(json_of(one));
  for (Mismatch const& one : situation.mismatches) mismatches.push_back(json_of(one));
  return {{"ranks", situation.ranks},
          {"running", situation.running},
          {"ended", situation.ended},
          {"without_file", situation.without_file},
          {"groups", std::move(groups)},
          {"stuck", std::move(stuck)},
          {"stuck_ranks", situation.stuck_ranks},
          {"also_stuck", situation.also_stuck},
          {"mismatches", std::move(mismatches)}};
}

std::optional<Situation> situation_of(Json const& json) {
  Situation situation;
  Values values(json);
  values.get_count("ranks", situation.ranks, std::uint64_t{Job::most_ranks} + 1);
  values.get_count("running", situation.running, UINT32_MAX);
  values.get_count("ended", situation.ended, UINT32_MAX);
  values.get_count("stuck_ranks", situation.stuck_ranks, UINT32_MAX);
  values.get("without_file", situation.without_file);
  if (values.has("also_stuck")) values.get("also_stuck", situation.also_stuck);
  Json const* const groups = values.find("groups", &Json::is_array);
  values.get_all("groups", [&](Json const& one) {
    situation.groups.emplace_back();
    values.judge(take(one, situation.groups.back(), situation.ranks, groups->size()));
  });
  auto const get_all = [&](char const* key, auto& list) {
    values.get_all(key, [&](Json const& one) {
      list.emplace_back();
      values.judge(take(one, list.back(), situation.ranks, groups == nullptr ? 0 : groups->size()));
    });
  };
  get_all("stuck", situation.stuck);
  if (values.has("mismatches")) get_all("mismatches", situation.mismatches);
  return values.is_whole() ? std::optional(std::move(situation)) : std::nullopt;
}

}  // namespace mpisee_through
