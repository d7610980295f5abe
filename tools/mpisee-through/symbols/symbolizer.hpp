// Finds the function, file and line of an address in a program or library, with elfutils' libdw: from the file itself,
// or from a separate file of debug information.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace mpisee_through {

// The source of a place: function and line, the function alone, or nothing. For inlined code the members are lists,
// innermost first, joined by " < ".
struct SourcePlace {
  std::string function;
  std::string file;
  std::string line;

  [[nodiscard]] bool is_known() const { return !function.empty() || !file.empty(); }
};

// The first of a list: the innermost function, which makes the call.
[[nodiscard]] inline std::string_view innermost_of(std::string_view list) { return list.substr(0, list.find(" < ")); }
// "grid.c:88"; the line must be known.
[[nodiscard]] std::string line_of(SourcePlace const& place);

enum class ModuleState : std::uint8_t {
  usable,
  missing,  // the file does not exist, or is neither a program nor a library
  rebuilt,  // the file's build id differs from that of the program that ran
};

// One program or library.
class Symbolizer {
 public:
  // build_id: hexadecimal, of the file that ran; empty if unknown.
  Symbolizer(std::filesystem::path const& file, std::string_view build_id);
  ~Symbolizer();
  Symbolizer(Symbolizer const&) = delete;
  Symbolizer& operator=(Symbolizer const&) = delete;

  [[nodiscard]] ModuleState state() const { return state_; }
  // offset: an address in the file. Returns an empty place unless state() is usable.
  [[nodiscard]] SourcePlace find(std::uint64_t offset) const;

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
  ModuleState state_ = ModuleState::missing;
};

}  // namespace mpisee_through
