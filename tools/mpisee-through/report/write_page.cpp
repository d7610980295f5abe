#include <filesystem>
#include <stdexcept>
#include <utility>

#include "report/page.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {
namespace {

Json section_json(Section const& section) {
  Json json = page_json(section.document);
  json["id"] = section.id;
  json["title"] = section.title;
  json["lead"] = section.lead;
  return json;
}

// Escapes "<", which JSON has only in texts: it could begin the end tag of the element that contains the data.
void write_data(std::ostream& out, Json const& json) {
  std::string const text = dump(json);
  std::string_view rest = text;
  for (std::size_t at = rest.find('<'); at != rest.npos; at = rest.find('<')) {
    out << rest.substr(0, at) << "\\u003c";
    rest.remove_prefix(at + 1);
  }
  out << rest;
}

void write(std::ostream& out, Page const& page) {
  Json facts = Json::array();
  for (auto const& [label, text] : page.facts) facts.push_back({label, text});
  out << page_frame.before_data << "{\"commprof\": \"" COMMPROF_VERSION "\", \"head\": ";
  write_data(out, {{"kicker", page.kicker}, {"title", page.title}, {"facts", std::move(facts)}});
  out << ", \"sections\": [";
  for (Section const& section : page.sections) {
    out << (&section == page.sections.data() ? "\n" : ",\n");
    write_data(out, section_json(section));
  }
  out << "]}" << page_frame.after_data;
}

std::string text_of(Json const& run, char const* key) {
  auto const found = run.is_object() ? run.find(key) : run.end();
  return found != run.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Page page_of(std::span<Document const> documents, std::string command) {
  Page page{.kicker = std::move(command), .title = {}};
  bool const are_several = documents.size() > 1;
  for (Document const& one : documents) {
    std::string const id = "part-" + std::to_string(page.sections.size() + 1);
    page.sections.push_back({id, are_several ? text_of(one.run, "profile") : "", "", one});
    if (page.title.empty()) page.title = text_of(one.run, "program");
  }
  if (!are_several) std::swap(page.facts, page.sections.front().document.head);
  return page;
}

void require_page() {
  if (page_frame.before_data.empty())
    throw std::runtime_error("this mpisee-through was built without the page: configure with -DCOMMPROF_REPORT=ON");
}

void write_page(std::string const& path, Page const& page, std::vector<std::filesystem::path> const& profiles) {
  require_page();
  check_no_part_of_profile(path, std::filesystem::absolute(path).parent_path());
  for (std::filesystem::path const& profile : profiles) check_no_part_of_profile(path, profile);
  OutputFile file(path);
  write(file.stream(), page);
  file.close();
}

}  // namespace mpisee_through
