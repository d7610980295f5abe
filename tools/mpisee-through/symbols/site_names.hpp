// What call sites are called: by what sites.csv says of them and, where that is nothing, by looking at the programs and
// libraries themselves, as far as they are still here and the same.
#pragma once

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
#include "symbols/symbolizer.hpp"

namespace mpisee_through {

class SiteNames {
 public:
  // Of a profile without sites: knows none. One whose files of sites are damaged, too: problems() says so.
  explicit SiteNames(Profile const& profile);
  ~SiteNames();

  struct Site {
    std::string module;
    std::uint64_t offset = 0;
    SourcePlace place;
    bool is_looked_up = false;
  };

  // Looks it up at the first time. Any thread may ask.
  [[nodiscard]] SourcePlace const& place(std::string_view site) const;
  // For a line of text: "exchange, grid.c:88"; where the line is not known, "solve, libsolver.so+0x4a2f"; where nothing
  // is, the site itself.
  [[nodiscard]] std::string label(std::string_view site) const;
  // Shorter: "grid.c:88", where the line is known. Else the same as label(), unless the function's name is very long:
  // then the site.
  [[nodiscard]] std::string line(std::string_view site) const;
  // Whether a shell pattern matches the site, its function, its file, or its line as "grid.c:88".
  [[nodiscard]] bool matches(std::string const& glob, std::string_view site) const;

  // Throws the ProfileError of files that are damaged: for whoever asks for sites, and not for calls.
  void require() const {
    if (damage_) throw ProfileError(*damage_);
  }

  // In the order of names.
  [[nodiscard]] std::map<std::string, Site, std::less<>> const& all() const { return sites_; }
  // Sentences on the modules that sites were looked for in and could not be.
  [[nodiscard]] std::vector<std::string> problems() const;

 private:
  // What has one name: one file, or one at several paths. has_several: of several builds, which sites do not tell
  // apart.
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

  mutable std::mutex mutex_;  // of what is looked up
  mutable std::map<std::string, Site, std::less<>> sites_;
  mutable std::map<std::string, Module, std::less<>> modules_;
  std::optional<ProfileError> damage_;
};

}  // namespace mpisee_through
