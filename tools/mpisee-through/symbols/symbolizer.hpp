// From a place in the file of a program or library to the function, file and line that it was compiled from, by
// elfutils' libdw: from the file itself, or from a file of debug information beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace mpisee_through {

// What is known of a place: all of it, the function alone, or nothing. Where code was inlined there are several, the
// innermost first, joined by " < ".
struct SourcePlace {
  std::string function;
  std::string file;
  std::string line;

  [[nodiscard]] bool is_known() const { return !function.empty() || !file.empty(); }
};

// Of several, the innermost: the one that makes the call.
[[nodiscard]] inline std::string_view innermost_of(std::string_view list) { return list.substr(0, list.find(" < ")); }
// "grid.c:88", of a place whose line is known.
[[nodiscard]] std::string line_of(SourcePlace const& place);

enum class ModuleState : std::uint8_t {
  usable,
  missing,  // the file is not there, or is no program or library
  rebuilt,  // the file has another build id than the one that ran
};

// One program or library.
class Symbolizer {
 public:
  // build_id: of the one that ran, hexadecimal; empty where it is not known.
  Symbolizer(std::filesystem::path const& file, std::string_view build_id);
  ~Symbolizer();
  Symbolizer(Symbolizer const&) = delete;
  Symbolizer& operator=(Symbolizer const&) = delete;

  [[nodiscard]] ModuleState state() const { return state_; }
  // offset: an address in the file. Knows nothing unless state() is usable.
  [[nodiscard]] SourcePlace find(std::uint64_t offset) const;

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
  ModuleState state_ = ModuleState::missing;
};

}  // namespace mpisee_through
