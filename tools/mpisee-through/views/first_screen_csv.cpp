// The first page as CSV: the members of its JSON, a fact a line.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "views/forms.hpp"

namespace mpisee_through {
namespace {

struct FactLine {
  std::string_view about;
  std::string name, quantity;
  table::Value value;
};

table::View<FactLine> const& view_of_facts() {
  using table::Kind;
  static table::View<FactLine> const view{.name = "facts",
                                          .columns = {{"about", "", Kind::name, &FactLine::about},
                                                      {"name", "", Kind::name, &FactLine::name},
                                                      {"quantity", "", Kind::name, &FactLine::quantity},
                                                      {"value", "", Kind::figure, &FactLine::value}}};
  return view;
}

table::Value value_of(Json const& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  return json.is_number_unsigned() ? table::Value(json.get<std::uint64_t>()) : table::Value(json.dump());
}

using Keys = std::vector<std::string_view>;

// Collects the subject, its name, the quantity and the value of each member, except those that are empty or not known.
class Facts {
 public:
  void add(std::string_view about, std::string const& name, Json const& members, Keys const& without,
           std::string const& prefix = "") {
    for (auto const& [key, value] : members.items()) {
      if (value.is_null() || value == "" || std::ranges::find(without, key) != without.end()) continue;
      lines_.push_back({about, name, prefix + key, value_of(value)});
    }
  }
  void add_list(std::string_view about, Json const& list, char const* key_of_name) {
    for (Json const& one : list) add(about, one[key_of_name].get<std::string>(), one, {key_of_name});
  }
  void add_call(std::string_view about, Json const& call) {
    if (!call.is_null())
      add(about, fmt::format("{} on {}", call["op"].get<std::string>(), call["comm"].get<std::string>()), call,
          {"op", "comm"});
  }
  [[nodiscard]] std::vector<FactLine> const& lines() const { return lines_; }

 private:
  std::vector<FactLine> lines_;
};

// The efficiencies have a second name in JSON.
Keys const other_names{"ranks", "parallel", "communication", "serialisation", "transfer"};

}  // namespace

void write_csv(std::ostream& out, FirstScreen const& screen) {
  Json const page = json_of(screen);
  Facts facts;
  facts.add("run", "", page["run"]["selected"], {});
  facts.add("run", "", page["efficiency"], other_names);
  for (Json const& region : page["regions"]) {
    auto const name = region["region"].get<std::string>();
    facts.add("region", name, region["efficiency"], other_names);
    facts.add("region", name, region["inclusive_efficiency"], other_names, "inclusive_");
  }
  facts.add_list("communicator", page["communicators"], "comm");
  facts.add_call("uneven", page["most_uneven"]);
  facts.add_list("kind", page["kinds"], "kind");
  facts.add_call("call", page["costliest_call"]);
  if (Json const& pair = page["busiest_pair"]; !pair.is_null())
    facts.add("pair", fmt::format("{} {}", pair["src"].dump(), pair["dst"].dump()), pair, {"src", "dst"});
  for (auto const& [what, size] : page["main_sizes"].items())
    facts.add("size", fmt::format("{} {}", size["size_min"].dump(), size["size_max"].dump()), size,
              {"size_min", "size_max"}, what + "_");
  facts.add_list("finding", page["findings"], "finding");
  write_csv(out, table_of(view_of_facts(), facts.lines()));
}

}  // namespace mpisee_through
