#include "support/temporary_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "profile/schema.hpp"

namespace schema = commprof::schema;

namespace {

// Removes the columns of call sites, which old profiles lack.
std::string_view without_sites(std::string_view header) { return header.substr(0, header.rfind(',')); }

// The header of a file to which columns were added, of which `added` is the first. Without it, if no row has them.
std::string_view header_for(std::string_view header, std::string_view added, std::vector<std::string> const& rows) {
  std::string_view const old = header.substr(0, header.find(added));
  auto const columns = [](std::string_view line) { return std::count(line.begin(), line.end(), ','); };
  bool const is_new =
      std::any_of(rows.begin(), rows.end(), [&](std::string const& row) { return columns(row) > columns(old); });
  return is_new ? header : old;
}

std::string table(std::string_view header, std::vector<std::string> const& rows) {
  return fmt::format("{}\n{}{}", header, fmt::join(rows, "\n"), rows.empty() ? "" : "\n");
}

}  // namespace

TemporaryProfile::TemporaryProfile(Content const& content) {
  std::string name = (std::filesystem::temp_directory_path() / "mpisee_through.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;

  std::vector<std::string> ranks;
  for (std::uint32_t rank = 0; rank < content.ranks; ++rank) ranks.push_back(fmt::format("{},host,1,0,1,10,2", rank));
  for (std::size_t i = 0; i < content.processor_use.size(); ++i) ranks[i] += "," + content.processor_use[i];
  std::string_view const rank_columns = schema::ranks.header;
  std::string const created_at = content.sites ? "," : "";
  std::vector<std::string> communicators{
      fmt::format("W,,,{0},0-{1},,,,0{2}", content.ranks, content.ranks - 1, created_at),
      "SELF,,,1,,,,,0" + created_at};
  communicators.insert(communicators.end(), content.communicators.begin(), content.communicators.end());

  write(schema::ranks.name,
        table(rank_columns.substr(0, rank_columns.find(content.processor_use.empty() ? ",cpu_s" : ",receiving_s")),
              ranks));
  auto const header_of = [&](schema::File const& file) {
    return content.sites ? file.header : without_sites(file.header);
  };
  write(schema::communicators.name, table(header_of(schema::communicators), communicators));
  write(schema::operations.name, table(header_of(schema::operations), content.operations));
  std::string optional_files;
  auto const write_optional = [&](schema::File const& file, std::optional<std::vector<std::string>> const& rows) {
    if (!rows) return;
    bool const is_of_waits = file.name == schema::waits.name || file.name == schema::waits_by_rank.name;
    std::string_view const added = is_of_waits ? ",kind" : file.name == schema::peers.name ? ",call_size_min" : "";
    write(file.name, table(added.empty() ? file.header : header_for(file.header, added, *rows), *rows));
    optional_files += fmt::format(", \"{}\": {{\"rows\": {}}}", file.name, rows->size());
  };
  write_optional(schema::peers, content.peers);
  write_optional(schema::regions, content.regions);
  write_optional(schema::sites, content.sites);
  write_optional(schema::modules, content.modules);
  write_optional(schema::waits, content.waits);
  write_optional(schema::waits_by_rank, content.waits_by_rank);
  write_optional(schema::waits_by_pair, content.waits_by_pair);
  write_optional(schema::when, content.when);
  write(schema::run_file,
        fmt::format(
            "{{\n\"schema_version\": 1,\n\"program\": \"a.out\",\n\"ranks\": {},\n\"wall_s\": 10,\n"
            "\"files\": {{\"operations.csv\": {{\"rows\": {}}}, \"communicators.csv\": {{\"rows\": {}}}{}}}{}\n}}\n",
            content.ranks, content.operations.size(), communicators.size(), optional_files, content.more_of_run));
}

TemporaryProfile::~TemporaryProfile() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryProfile::read(std::string_view name) const {
  std::ifstream in(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void TemporaryProfile::write(std::string_view name, std::string_view text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
}

void TemporaryProfile::remove(std::string_view name) const { std::filesystem::remove(path_ / name); }

void TemporaryProfile::replace(std::string_view name, std::string_view old_text, std::string_view new_text) const {
  std::string text = read(name);
  std::size_t const at = text.find(old_text);
  if (at == std::string::npos) throw std::logic_error(fmt::format("no {} in {}", old_text, name));
  write(name, text.replace(at, old_text.size(), new_text));
}

mpisee_through::Summary TemporaryProfile::summarise(mpisee_through::Selection const& selection,
                                                    mpisee_through::Detail detail) const {
  return mpisee_through::summarise(mpisee_through::Profile(path_), selection, detail);
}

std::string TemporaryProfile::problem() const {
  try {
    (void)summarise();
    return {};
  } catch (mpisee_through::ProfileError const& error) {
    std::string const text = error.what();
    std::string const directory = path_.string() + "/";
    return text.rfind(directory, 0) == 0 ? text.substr(directory.size()) : text;
  }
}
