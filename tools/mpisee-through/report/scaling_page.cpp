#include "report/scaling_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "report/page.hpp"

namespace mpisee_through {
namespace {

Json data_of(Document const& document) {
  std::ostringstream out;
  write_json(out, document);
  return Json::parse(out.view());
}

Json table_for_people(Document const& document) {
  return page_table(
      *std::ranges::find_if(document.tables, [](auto const& one) { return is_in(one.in, table::In::page); }));
}

}  // namespace

void write_scaling_page(std::ostream& out, Document const& scaling) {
  Json facts = Json::array();
  for (auto const& [label, text] : scaling.head) facts.push_back(fmt::format("{}: {}", label, text));
  Json const json{{"commprof", COMMPROF_VERSION},
                  {"facts", std::move(facts)},
                  {"scaling", data_of(scaling)},
                  {"values", table_for_people(scaling)}};
  write_page(out, page, json.dump());
}

}  // namespace mpisee_through
