#include "symbols/site_names.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view behind = " < ", unknown = "?";

std::string_view without_directory(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

SiteNames::SiteNames(Profile const& profile) {
  try {
    read(profile);
  } catch (ProfileError const& error) {
    damage_ = error;
  }
}

void SiteNames::read(Profile const& profile) {
  if (!profile.holds(commprof::schema::sites)) return;
  SiteRows sites(profile);
  while (SiteRow const* row = sites.next()) {
    Site site{std::string(row->module), row->offset, {visible(row->function), visible(row->file), visible(row->line)}};
    site.is_looked_up = site.place.is_known();
    sites_.emplace(row->site, std::move(site));
  }
  if (!profile.holds(commprof::schema::modules)) return;
  ModuleRows modules(profile);
  while (ModuleRow const* row = modules.next()) {
    auto const [place, is_new] = modules_.try_emplace(std::string(row->module));
    Module& module = place->second;
    if (is_new) module.build_id = row->build_id;
    else if (module.build_id != row->build_id || row->build_id.empty()) module.has_several = true;
    module.paths.emplace_back(row->path);
  }
}

SiteNames::~SiteNames() = default;

SourcePlace SiteNames::look_up(std::string_view name, std::uint64_t offset) const {
  auto const module = modules_.find(name);
  if (module == modules_.end()) return {};
  auto& [paths, build_id, has_several, symbolizer] = module->second;
  for (std::size_t i = 0; i < paths.size() && (!symbolizer || symbolizer->state() != ModuleState::usable); ++i)
    symbolizer = std::make_unique<Symbolizer>(paths[i], build_id);
  return has_several ? SourcePlace{} : symbolizer->find(offset);
}

// Adds a caller; an unknown one gets an entry, too, so that the lists stay parallel.
void SiteNames::add_caller(std::string_view caller, SourcePlace& place) const {
  std::size_t const plus = caller.rfind("+0x");
  std::uint64_t offset = 0;
  bool const has_offset =
      plus != std::string_view::npos &&
      std::from_chars(caller.data() + plus + 3, caller.data() + caller.size(), offset, 16).ec == std::errc{};
  SourcePlace const above = has_offset ? look_up(caller.substr(0, plus), offset) : SourcePlace{};
  place.function += fmt::format("{}{}", behind, above.function.empty() ? visible(caller) : above.function);
  place.file += fmt::format("{}{}", behind, above.file.empty() ? unknown : above.file);
  place.line += fmt::format("{}{}", behind, above.line.empty() ? unknown : above.line);
}

SourcePlace const& SiteNames::place(std::string_view name) const {
  static SourcePlace const nothing;
  auto const found = sites_.find(name);
  if (found == sites_.end()) return nothing;
  std::lock_guard const lock(mutex_);
  Site& site = found->second;
  if (site.is_looked_up) return site.place;
  site.is_looked_up = true;
  site.place = look_up(site.module, site.offset);
  std::size_t at = name.find(behind);
  if (at == std::string_view::npos) return site.place;
  if (site.place.function.empty()) site.place.function = visible(name.substr(0, at));
  if (site.place.file.empty()) site.place.file = site.place.line = unknown;
  while (at != std::string_view::npos) {
    std::size_t const next = name.find(behind, at + behind.size());
    add_caller(name.substr(at + behind.size(), next == std::string_view::npos ? next : next - at - behind.size()),
               site.place);
    at = next;
  }
  return site.place;
}

// A call site in a library, and its callers: "solve, libsolver.c:9 < main, grid.c:88".
std::string SiteNames::label_with_callers(SourcePlace const& place) {
  std::string text;
  std::string_view functions = place.function, files = place.file, lines = place.line;
  while (!functions.empty()) {
    auto const take = [](std::string_view& list) {
      std::string_view const first = innermost_of(list);
      list.remove_prefix(std::min(list.size(), first.size() + behind.size()));
      return first;
    };
    std::string_view const function = take(functions), file = take(files), line = take(lines);
    text += fmt::format("{}{}", text.empty() ? "" : behind, function);
    if (!file.empty() && file != unknown) text += fmt::format(", {}:{}", without_directory(file), line);
  }
  return text;
}

std::string SiteNames::label(std::string_view site) const {
  SourcePlace const& known = place(site);
  if (!known.is_known()) return visible(site);
  if (site.find(behind) != std::string_view::npos) return label_with_callers(known);
  std::string const where = known.file.empty() ? visible(site) : line_of(known);
  return known.function.empty() ? where : fmt::format("{}, {}", innermost_of(known.function), where);
}

std::string SiteNames::line(std::string_view site) const {
  SourcePlace const& known = place(site);
  constexpr std::size_t longest_function = 60;  // names of templates may be longer than a page is wide
  if (site.find(behind) != std::string_view::npos) return label(site);
  if (!known.file.empty()) return line_of(known);
  return innermost_of(known.function).size() > longest_function ? visible(site) : label(site);
}

bool SiteNames::matches(std::string const& glob, std::string_view site) const {
  auto const is_like = [&](std::string_view text) {
    return text == glob || fnmatch(glob.c_str(), std::string(text).c_str(), 0) == 0;
  };
  if (is_like(visible(site))) return true;
  SourcePlace const& known = place(site);
  if (!known.is_known()) return false;
  // Also matches the functions that the code was inlined into.
  auto const is_any_like = [&](std::string_view list) {
    for (;;) {
      std::string_view const one = innermost_of(list);
      if (is_like(one) || is_like(without_directory(one))) return true;
      if (one.size() == list.size()) return false;
      list.remove_prefix(one.size() + 3);
    }
  };
  return is_any_like(known.function) || is_any_like(known.file) || is_like(line_of(known));
}

bool SiteNames::is_stripped(std::string_view name) const {
  if (place(name).is_known()) return false;
  auto const site = sites_.find(name);
  auto const module = site == sites_.end() ? modules_.end() : modules_.find(site->second.module);
  return module != modules_.end() && module->second.symbolizer && !module->second.has_several &&
         module->second.symbolizer->state() == ModuleState::usable;
}

std::vector<std::string> SiteNames::problems() const {
  std::vector<std::string> problems;
  if (damage_) problems.emplace_back(damage_->what());
  auto const add = [&](std::string_view before, std::string_view module, std::string_view behind_it) {
    problems.push_back(fmt::format("{}{} {}: its call sites have no lines", before, visible(module), behind_it));
  };
  for (auto const& [name, module] : modules_) {
    if (!module.symbolizer) continue;
    if (module.has_several) add("several builds of ", name, "ran");
    else if (module.symbolizer->state() == ModuleState::missing) add("", module.paths.front(), "is not there");
    else if (module.symbolizer->state() == ModuleState::rebuilt)
      add("", module.paths.front(), "was rebuilt after the run");
  }
  std::map<std::string_view, std::size_t> stripped;
  for (auto const& [name, site] : sites_)
    if (site.is_looked_up && is_stripped(name)) ++stripped[site.module];
  for (auto const& [name, sites] : stripped)
    problems.push_back(fmt::format("{} has no names for {} call site{}: {}", visible(name), sites,
                                   sites == 1 ? "" : "s", how_to_name));
  return problems;
}

SourcePlace const& CodeLines::find(CodePlace const& place) const {
  auto const [found, is_new] = known_.try_emplace(place);
  if (is_new && !place.function.empty()) {
    found->second = {visible(place.function), visible(place.module), fmt::format("{}", place.offset)};
  } else if (is_new && place.is_known()) {
    auto const key = std::pair(place.module, place.build_id);
    SourcePlace const exact = modules_.try_emplace(key, place.module, place.build_id).first->second.find(place.offset);
    found->second = {visible(exact.function), visible(exact.file), visible(exact.line)};
  }
  return found->second;
}

std::string CodeLines::label(CodePlace const& place) const {
  if (!place.is_known()) return {};
  SourcePlace const& source = find(place);
  std::string const module = place.module.substr(place.module.rfind('/') + 1);
  std::string const where =
      source.file.empty() ? fmt::format("{}+0x{:x}", visible(module), place.offset) : line_of(source);
  return source.function.empty() ? where : fmt::format("{} ({})", where, innermost_of(source.function));
}

}  // namespace mpisee_through
