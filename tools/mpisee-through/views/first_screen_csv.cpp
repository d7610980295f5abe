// The first page as CSV: the members of its JSON, a fact a line.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "text/csv_field.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

std::string field_of(Json const& value) {
  if (value.is_string()) return csv_field(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

using Keys = std::vector<std::string_view>;

// Writes the subject, its name, the quantity and the value of each member, except those that are empty or not known.
class Facts {
 public:
  explicit Facts(std::ostream& out) : out_(out) { out_ << "about,name,quantity,value\n"; }

  void add(std::string_view about, std::string const& name, Json const& members, Keys const& without,
           std::string_view prefix = "") {
    for (auto const& [key, value] : members.items()) {
      if (value.is_null() || value == "" || std::ranges::find(without, key) != without.end()) continue;
      fmt::print(out_, "{},{},{}{},{}\n", about, csv_field(name), prefix, key, field_of(value));
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

 private:
  std::ostream& out_;
};

// The efficiencies have a second name in JSON.
Keys const other_names{"ranks", "parallel", "communication", "serialisation", "transfer"};

}  // namespace

void write_csv(std::ostream& out, FirstScreen const& screen) {
  Json const page = json_of(screen);
  Facts facts(out);
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
    facts.add("pair", fmt::format("{} {}", field_of(pair["src"]), field_of(pair["dst"])), pair, {"src", "dst"});
  for (auto const& [what, size] : page["main_sizes"].items())
    facts.add("size", fmt::format("{} {}", field_of(size["size_min"]), field_of(size["size_max"])), size,
              {"size_min", "size_max"}, what + "_");
  facts.add_list("finding", page["findings"], "finding");
}

}  // namespace mpisee_through
