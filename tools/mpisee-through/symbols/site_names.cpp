#include "symbols/site_names.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

// Of several, the innermost: the one that makes the call.
std::string_view first_of(std::string_view list) { return list.substr(0, list.find(" < ")); }

std::string_view without_directory(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string line_of(SourcePlace const& place) {
  return fmt::format("{}:{}", without_directory(first_of(place.file)), first_of(place.line));
}

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

SourcePlace const& SiteNames::place(std::string_view name) const {
  static SourcePlace const nothing;
  auto const found = sites_.find(name);
  if (found == sites_.end()) return nothing;
  Site& site = found->second;
  if (!site.is_looked_up) {
    site.is_looked_up = true;
    auto const module = modules_.find(site.module);
    if (module == modules_.end()) return nothing;
    auto& [paths, build_id, has_several, symbolizer] = module->second;
    for (std::size_t i = 0; i < paths.size() && (!symbolizer || symbolizer->state() != ModuleState::usable); ++i)
      symbolizer = std::make_unique<Symbolizer>(paths[i], build_id);
    if (!has_several) site.place = symbolizer->find(site.offset);
  }
  return site.place;
}

std::string SiteNames::label(std::string_view site) const {
  SourcePlace const& known = place(site);
  if (!known.is_known()) return visible(site);
  std::string const where = known.file.empty() ? visible(site) : line_of(known);
  return known.function.empty() ? where : fmt::format("{}, {}", first_of(known.function), where);
}

std::string SiteNames::line(std::string_view site) const {
  SourcePlace const& known = place(site);
  return known.file.empty() ? visible(site) : line_of(known);
}

bool SiteNames::matches(std::string const& glob, std::string_view site) const {
  auto const is_like = [&](std::string_view text) {
    return text == glob || fnmatch(glob.c_str(), std::string(text).c_str(), 0) == 0;
  };
  if (is_like(visible(site))) return true;
  SourcePlace const& known = place(site);
  if (!known.is_known()) return false;
  // Any of those that the code was inlined into, too.
  auto const is_any_like = [&](std::string_view list) {
    for (;;) {
      std::string_view const one = first_of(list);
      if (is_like(one) || is_like(without_directory(one))) return true;
      if (one.size() == list.size()) return false;
      list.remove_prefix(one.size() + 3);
    }
  };
  return is_any_like(known.function) || is_any_like(known.file) || is_like(line_of(known));
}

std::vector<std::string> SiteNames::problems() const {
  std::vector<std::string> problems;
  if (damage_) problems.emplace_back(damage_->what());
  for (auto const& [name, module] : modules_) {
    if (!module.symbolizer) continue;
    if (module.has_several) {
      problems.push_back(fmt::format("several builds of {} ran: its call sites have no lines", visible(name)));
      continue;
    }
    if (module.symbolizer->state() == ModuleState::missing)
      problems.push_back(fmt::format("{} is not there: its call sites have no lines", visible(module.paths.front())));
    if (module.symbolizer->state() == ModuleState::rebuilt)
      problems.push_back(
          fmt::format("{} was rebuilt after the run: its call sites have no lines", visible(module.paths.front())));
  }
  return problems;
}

}  // namespace mpisee_through
