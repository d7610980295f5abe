#include "report/scaling_page.hpp"

#include <sstream>
#include <string>
#include <vector>

#include "report/page.hpp"
#include "scaling/scaling_forms.hpp"

namespace mpisee_through {
namespace {

template <class Shown>
Json document_of(Shown const& shown) {
  std::ostringstream out;
  show(out, shown, Format::json);
  return Json::parse(out.view());
}

}  // namespace

void write_page(std::ostream& out, ScalingShown const& shown, History const* history) {
  std::vector<std::string> facts{describe_runs(shown), "Scaling: " + describe_kind(shown.scaling)};
  if (history != nullptr) facts.insert(facts.begin(), "The latest commit is " + history->back().commit);
  std::vector<std::string> beyond{describe_law(shown)};
  for (ExtrapolatedTime const& one : shown.extrapolation.times) beyond.push_back(describe(one));
  Json json{{"commprof", COMMPROF_VERSION},
            {"program", programs_of(shown.runs) + (shown.region.empty() ? "" : ", region " + shown.region)},
            {"facts", std::move(facts)},
            {"beyond", std::move(beyond)},
            {"scaling", document_of(shown)},
            {"values", page_table_of_values(shown)},
            {"shares", page_table_of_shares(shown)},
            {"history", nullptr}};
  if (history != nullptr) {
    json["history"] = document_of(*history);
    json["history"]["table"] = page_table_of(*history);
  }
  write_page(out, page, json.dump());
}

}  // namespace mpisee_through
