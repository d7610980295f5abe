#include "symbols/site_names.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

#include "files/visible_text.hpp"

namespace mpisee_through {

namespace {

constexpr std::string_view behind = " < ", unknown = "?";

std::string_view without_directory(std::string_view path) { return path.substr(path.rfind('/') + 1); }

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// Shortens "solver::step(int) const [clone .cold]" to "solver::step": the name that debugging information has, short
// enough for a table.
std::string_view without_parameters(std::string_view name) {
  name = name.substr(0, name.find(" [clone "));
  std::size_t const end = name.rfind(')');
  std::size_t depth = 0;
  for (std::size_t i = end == name.npos ? 0 : end + 1; i-- > 0;) {
    depth += name[i] == ')' ? 1 : 0;
    depth -= name[i] == '(' ? 1 : 0;
    if (depth == 0) return name.substr(0, i);
  }
  return name;
}

std::string demangled(char const* name) {
  int status = -1;
  std::unique_ptr<char, Free> const text(abi::__cxa_demangle(name, nullptr, nullptr, &status));
  return visible(status == 0 && text ? without_parameters(text.get()) : name);
}

// The name of a function or inlined function, without parameters.
std::string name_of(Dwarf_Die* function) {
  Dwarf_Attribute attribute;
  char const* const name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_name, &attribute));
  return name == nullptr ? std::string() : visible(name);
}

void append(std::string& list, std::string_view text) { list += fmt::format("{}{}", list.empty() ? "" : " < ", text); }

// Appends the place of the call that was inlined.
void append_call(SourcePlace& place, Dwarf_Die* unit, Dwarf_Die* inlined) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0, line = 0;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  bool const has_file = dwarf_getsrcfiles(unit, &files, &count) == 0 &&
                        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) == 0 && file < count;
  char const* const name = has_file ? dwarf_filesrc(files, file, nullptr, nullptr) : nullptr;
  append(place.file, name == nullptr ? "?" : visible(name));
  bool const has_line = dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) == 0;
  append(place.line, has_line ? fmt::format("{}", line) : "?");
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
  Rows<SiteRow> sites(profile);
  while (SiteRow const* row = sites.next()) {
    Site site{std::string(row->module), row->offset, {visible(row->function), visible(row->file), visible(row->line)}};
    site.is_looked_up = site.place.is_known();
    sites_.emplace(row->site, std::move(site));
  }
  if (!profile.holds(commprof::schema::modules)) return;
  Rows<ModuleRow> modules(profile);
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

struct Symbolizer::Opened {
  struct End {
    void operator()(Dwfl* opened) const { dwfl_end(opened); }
  };
  std::unique_ptr<Dwfl, End> session;
  Dwfl_Module* module = nullptr;

  explicit Opened(std::filesystem::path const& file) {
    // Keeps libdw from asking a server for missing files and waiting for it.
    ::unsetenv("DEBUGINFOD_URLS");
    static char* default_path = nullptr;
    static Dwfl_Callbacks const callbacks{.find_elf = dwfl_build_id_find_elf,
                                          .find_debuginfo = dwfl_standard_find_debuginfo,
                                          .section_address = dwfl_offline_section_address,
                                          .debuginfo_path = &default_path};
    session.reset(dwfl_begin(&callbacks));
    if (!session) return;
    dwfl_report_begin(session.get());
    module = dwfl_report_offline(session.get(), file.c_str(), file.c_str(), -1);
    dwfl_report_end(session.get(), nullptr, nullptr);
  }

  [[nodiscard]] std::string build_id() const {
    unsigned char const* bits = nullptr;
    GElf_Addr place = 0;
    int const length = dwfl_module_build_id(module, &bits, &place);
    std::string text;
    for (int i = 0; i < length; ++i) text += fmt::format("{:02x}", bits[i]);
    return text;
  }
};

std::string line_of(SourcePlace const& place) {
  std::string_view const file = innermost_of(place.file);
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), innermost_of(place.line));
}

Symbolizer::Symbolizer(std::filesystem::path const& file, std::string_view build_id) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  opened_ = std::make_unique<Opened>(file);
  if (opened_->module == nullptr) return;
  // The profile may have only the beginning of a long build id.
  bool const is_same = build_id.empty() || opened_->build_id().starts_with(build_id);
  state_ = is_same ? ModuleState::usable : ModuleState::rebuilt;
}

Symbolizer::~Symbolizer() = default;

SourcePlace Symbolizer::find(std::uint64_t offset) const {
  SourcePlace place;
  if (state_ != ModuleState::usable) return place;
  Dwarf_Addr bias = 0;
  if (dwfl_module_getelf(opened_->module, &bias) == nullptr) return place;
  Dwarf_Addr const address = offset + bias;

  int line = 0;
  Dwfl_Line* const source = dwfl_module_getsrc(opened_->module, address);
  char const* const file =
      source == nullptr ? nullptr : dwfl_lineinfo(source, nullptr, &line, nullptr, nullptr, nullptr);
  if (file != nullptr) {
    place.file = visible(file);
    place.line = fmt::format("{}", line);
  }

  Dwarf_Addr unit_bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(opened_->module, address, &unit_bias);
  Dwarf_Die* scopes = nullptr;
  int const innermost = unit == nullptr ? 0 : dwarf_getscopes(unit, address - unit_bias, &scopes);
  std::unique_ptr<Dwarf_Die, Free> const own_scopes(innermost > 0 ? scopes : nullptr);
  if (innermost > 0) {
    // Scopes around the innermost one itself; dwarf_getscopes would go on with those around the definition of inlined
    // code.
    Dwarf_Die* around = nullptr;
    int const count = dwarf_getscopes_die(&scopes[0], &around);
    std::unique_ptr<Dwarf_Die, Free> const own_around(count > 0 ? around : nullptr);
    for (int i = 0; i < count; ++i) {
      int const tag = dwarf_tag(&around[i]);
      if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
      append(place.function, name_of(&around[i]));
      if (tag == DW_TAG_subprogram) break;
      append_call(place, unit, &around[i]);
    }
  }
  if (place.function.empty()) {
    GElf_Off distance = 0;
    GElf_Sym symbol{};
    char const* const name =
        dwfl_module_addrinfo(opened_->module, address, &distance, &symbol, nullptr, nullptr, nullptr);
    if (name != nullptr) place.function = demangled(name);
  }
  return place;
}

}  // namespace mpisee_through
