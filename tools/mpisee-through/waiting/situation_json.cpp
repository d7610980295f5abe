#include <algorithm>
#include <concepts>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "files/names.hpp"
#include "files/rank_set.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {
namespace {

constexpr auto states = names_in_order<RankGroup::State, 4>({"in_mpi", "outside", "changing", "silent"});

template <class One, class Type>
concept Like = std::same_as<std::remove_const_t<One>, Type>;

// The fields of each part, for both ways.
template <class Fields, Like<CodePlace> Place>
void list(Fields& fields, Place& place) {
  fields("module", place.module);
  fields("build_id", place.build_id);
  fields("offset", place.offset);
}
template <class Fields, Like<RanksOfGroup> Link>
void list(Fields& fields, Link& link) {
  fields("ranks", link.ranks);
  fields.group("group", link.group);
  fields("peer", link.peer);
}
template <class Fields, Like<RankGroup> Group>
void list(Fields& fields, Group& group) {
  fields("ranks", group.ranks);
  fields.count("count", group.ranks);
  fields("state", group.state);
  fields("has_ended", group.has_ended);
  fields("operation", group.operation);
  fields("comm", group.communicator);
  fields("peer", group.peer);
  fields("longest_s", group.longest_s);
  fields("shortest_s", group.shortest_s);
  fields("at_least", group.is_at_least);
  fields("place", group.place);
  fields("pending", group.pending);
  fields("waits_for", group.waits_for);
  fields("certain", group.is_certain);
  fields("any", group.waits_for_any);
  fields("chain", group.chain);
}
template <class Fields, Like<StuckRanks::Step> Step>
void list(Fields& fields, Step& step) {
  fields.rank("rank", step.rank);
  fields.group("group", step.group);
  fields("peer", step.peer);
}
template <class Fields, Like<StuckRanks> Stuck>
void list(Fields& fields, Stuck& stuck) {
  fields("steps", stuck.steps);
  fields("circle", stuck.is_circle);
  fields("lasting", stuck.is_lasting);
  fields("seconds", stuck.seconds);
  fields("at_least", stuck.is_at_least);
  fields.newer("unless_more_threads", stuck.unless_more_threads);
}
template <class Fields, Like<Mismatch> One>
void list(Fields& fields, One& mismatch) {
  fields("comm", mismatch.communicator);
  fields("sides", mismatch.sides);
  fields("seconds", mismatch.seconds);
  fields("at_least", mismatch.is_at_least);
}
template <class Fields, Like<Situation> One>
void list(Fields& fields, One& situation) {
  fields("ranks", situation.ranks);
  fields("running", situation.running);
  fields("ended", situation.ended);
  fields("without_file", situation.without_file);
  fields("groups", situation.groups);
  fields("stuck", situation.stuck);
  fields("stuck_ranks", situation.stuck_ranks);
  fields.newer("also_stuck", situation.also_stuck);
  fields.newer("mismatches", situation.mismatches);
}

class Writing {
 public:
  explicit Writing(PlaceDetails const& details) : details_(details) {}
  template <class Part>
  [[nodiscard]] Json object(Part const& part) const {
    Writing fields(details_);
    list(fields, part);
    return std::move(fields.json_);
  }

  void operator()(char const* key, auto const& value) { json_[key] = of(value); }
  void newer(char const* key, auto const& value) { json_[key] = of(value); }
  void rank(char const* key, std::int32_t rank) { json_[key] = rank; }
  void group(char const* key, std::size_t group) { json_[key] = group == no_group ? Json() : Json(group); }
  void count(char const* key, std::vector<std::int32_t> const& ranks) { json_[key] = ranks.size(); }

 private:
  static Json of(std::vector<std::int32_t> const& ranks) { return ranges_of(ranks); }
  static Json of(RankGroup::State state) { return states.of(state); }
  [[nodiscard]] Json of(CodePlace const& place) const {
    if (!place.is_known()) return {};
    Json json = object(place);
    if (!place.function.empty()) json["interpreted"] = place.function;
    if (details_) details_(place, json);
    return json;
  }
  template <class One>
  [[nodiscard]] Json of(One const& value) const {
    return value;
  }
  template <class Part>
  requires requires(Writing fields, Part const& part) { list(fields, part); }
  [[nodiscard]] Json of(std::vector<Part> const& parts) const {
    Json all = Json::array();
    for (Part const& part : parts) all.push_back(object(part));
    return all;
  }

  PlaceDetails const& details_;
  Json json_ = Json::object();
};

// Throws what Json throws for other types, and std::out_of_range for numbers out of bounds.
class Reading {
 public:
  Reading(Json const& json, Situation const& whole) : json_(json), whole_(whole) {}

  void operator()(char const* key, auto& to) { read(json_.at(key), to); }
  void newer(char const* key, auto& to) {
    if (json_.contains(key)) read(json_.at(key), to);
  }
  void rank(char const* key, std::int32_t& to) { check_below(read(json_.at(key), to), whole_.ranks); }
  void group(char const* key, std::size_t& to) {
    to = no_group;
    if (!json_.at(key).is_null()) check_below(read(json_.at(key), to), whole_.groups.size());
  }
  static void count(char const*, std::vector<std::int32_t> const&) {}

 private:
  static void check(bool is_right) {
    if (!is_right) throw std::out_of_range("no situation");
  }
  template <class Number>
  static void check_below(Number number, Number bound) {
    check(number < bound);
  }

  static void read(Json const& json, std::string& to) { to = json.get<std::string>(); }
  static void read(Json const& json, bool& to) { to = json.get<bool>(); }
  static void read(Json const& json, double& to) { to = json.get<double>(); }
  template <std::integral Number>
  static Number read(Json const& json, Number& to) {
    check(json.is_number_integer() && (json.is_number_unsigned() || json.get<std::int64_t>() >= 0));
    check(std::in_range<Number>(json.get<std::uint64_t>()));
    return to = json.get<Number>();
  }
  static void read(Json const& json, RankGroup::State& to) { to = states.parse(json.get<std::string>()).value(); }
  void read(Json const& json, std::vector<std::int32_t>& to) const {
    auto const ranks = RankSet::parse_ascending(json.get<std::string>());
    check(ranks && (ranks->empty() || static_cast<std::int32_t>(ranks->highest()) < whole_.ranks));
    to = ranks->numbers().value();
  }
  void read(Json const& json, CodePlace& to) const {
    if (json.is_null()) return;
    read_part(json, to);
    if (json.contains("interpreted")) read(json.at("interpreted"), to.function);
  }
  static void read(Json const& json, std::vector<std::string>& to) { to = json.get<std::vector<std::string>>(); }
  template <class Part>
  void read(Json const& json, std::vector<Part>& to) const {
    check(json.is_array());
    to.resize(json.size());
    for (std::size_t i = 0; i < to.size(); ++i) read_part(json[i], to[i]);
  }
  template <class Part>
  void read_part(Json const& json, Part& to) const {
    Reading fields(json, whole_);
    list(fields, to);
  }

  Json const& json_;
  Situation const& whole_;  // whose numbers of ranks and groups are read before what refers to them
};

}  // namespace

std::string_view name_of(RankGroup::State state) { return states.of(state); }

Json to_json(Situation const& situation, PlaceDetails const& details) { return Writing(details).object(situation); }

std::optional<Situation> situation_of(Json const& json) try {
  Situation situation;
  Reading fields(json, situation);
  list(fields, situation);
  auto const has_ranks = [](auto const& one) { return !one.ranks.empty(); };
  bool is_whole = situation.ranks <= Job::most_ranks;
  for (RankGroup const& group : situation.groups)
    is_whole &= has_ranks(group) && std::ranges::all_of(group.chain, has_ranks);
  for (StuckRanks const& stuck : situation.stuck) is_whole &= !stuck.steps.empty();
  for (Mismatch const& one : situation.mismatches)
    is_whole &= one.sides.size() > 1 && std::ranges::all_of(one.sides, has_ranks);
  return is_whole ? std::optional(std::move(situation)) : std::nullopt;
} catch (std::exception const&) {
  return std::nullopt;
}

}  // namespace mpisee_through
