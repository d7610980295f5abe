// Finds the names of call sites in sites.csv; for sites without names there, in the debugging information of the
// programs and libraries, as long as these still exist unchanged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reader/profile_reader.hpp"
#include "waiting/job.hpp"

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

// One program or library. Uses elfutils' libdw, and reads the file itself or a separate file of debug information.
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

// For a program without names of functions: what a user can do.
inline constexpr std::string_view how_to_name =
    "if it is stripped, install its debug symbols, or compile it with -g and run it again";

class SiteNames {
 public:
  // A profile without sites gives an object without names; so does one with damaged files of sites, and problems() says
  // so.
  explicit SiteNames(Profile const& profile);
  ~SiteNames();

  struct Site {
    std::string module;
    std::uint64_t offset = 0;
    SourcePlace place;
    bool is_looked_up = false;
  };

  // Looks the site up at its first use. Any thread may call it.
  [[nodiscard]] SourcePlace const& place(std::string_view site) const;
  // The site for a line of text: "exchange, grid.c:88"; with an unknown line "solve, libsolver.so+0x4a2f"; else the
  // site itself.
  [[nodiscard]] std::string label(std::string_view site) const;
  // A shorter text: "grid.c:88" if the line is known. Else label(), or the site if the function's name is very long.
  [[nodiscard]] std::string line(std::string_view site) const;
  // Whether its module is at hand, but has no name for the site, as after strip.
  [[nodiscard]] bool is_stripped(std::string_view site) const;
  // Whether a shell pattern matches the site, its function, its file, or its line as "grid.c:88".
  [[nodiscard]] bool matches(std::string const& glob, std::string_view site) const;

  // Throws the ProfileError of damaged files of sites; for callers that need sites.
  void require() const {
    if (damage_) throw ProfileError(*damage_);
  }

  // Sorted by site.
  [[nodiscard]] std::map<std::string, Site, std::less<>> const& all() const { return sites_; }
  // Sentences about modules whose sites could not be looked up, or have no names though they were.
  [[nodiscard]] std::vector<std::string> problems() const;

 private:
  // The modules with one name: one file, or one at several paths. has_several: there are several builds, which sites do
  // not distinguish.
  struct Module {
    std::vector<std::string> paths;
    std::string build_id;
    bool has_several = false;
    std::unique_ptr<Symbolizer> symbolizer;
  };

  void read(Profile const& profile);
  [[nodiscard]] SourcePlace look_up(std::string_view module, std::uint64_t offset) const;
  void add_caller(std::string_view caller, SourcePlace& place) const;
  [[nodiscard]] static std::string label_with_callers(SourcePlace const& place);

  mutable std::mutex mutex_;  // guards what has been looked up
  mutable std::map<std::string, Site, std::less<>> sites_;
  mutable std::map<std::string, Module, std::less<>> modules_;
  std::optional<ProfileError> damage_;
};

// Finds the source lines of places in programs and libraries; remembers each place.
class CodeLines {
 public:
  [[nodiscard]] SourcePlace const& find(CodePlace const& place) const;
  // "solver.f90:214 (dt_min)"; with an unknown line "solver+0x4a2f (dt_min)"; without a function if that is unknown,
  // too. Empty for an unknown place.
  [[nodiscard]] std::string label(CodePlace const& place) const;

 private:
  mutable std::map<std::pair<std::string, std::string>, Symbolizer> modules_;  // by path and build id
  mutable std::map<CodePlace, SourcePlace> known_;
};

}  // namespace mpisee_through
