#include "symbols/symbolizer.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

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
