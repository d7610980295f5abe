#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "doctor/inspected.hpp"

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

// The layout is that of glibc's dl-cache.h: after the header, an entry for each library. Texts are given by their
// distance from the header.
constexpr std::string_view magic = "glibc-ld.so.cache1.1";
struct Header {
  char magic[20];
  std::uint32_t count, bytes_of_texts;
  std::uint32_t unused[5];
};
struct Entry {
  std::int32_t flags;
  std::uint32_t name, path, version;
  std::uint64_t capabilities;  // processor features that this copy of the library needs
};
static_assert(sizeof(Header) == 48 && sizeof(Entry) == 24);

std::string read_cache() {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Search {
 public:
  explicit Search(ElfFile const& program) : program_(program) {}

  std::vector<Library> find(std::string const& path, ElfFile const& file) {
    add_needed(path, file, {});
    for (std::size_t i = 0; i < found_.size(); ++i) {  // breadth first, like the dynamic linker
      Library const library = found_[i];
      add_needed(library.path, library.file, rpaths_[i]);
    }
    return std::move(found_);
  }

 private:
  // DT_RPATH of a library, and of those that led to it. A DT_RUNPATH overrides the library's own DT_RPATH.
  using Directories = std::vector<std::string>;

  void add_needed(std::string const& path, ElfFile const& file, Directories const& inherited) {
    Directories rpaths = file.runpath.empty() ? directories(file.rpath, path) : Directories{};
    rpaths.insert(rpaths.end(), inherited.begin(), inherited.end());
    for (std::string const& name : file.needed) {
      auto const is_same = [&](Library const& other) { return other.name == name || other.file.soname == name; };
      if (std::ranges::any_of(found_, is_same)) continue;
      found_.push_back(find_one(name, path, file, rpaths));
      rpaths_.push_back(rpaths);
    }
  }

  Library find_one(std::string const& name, std::string const& path, ElfFile const& file,
                   Directories const& rpaths) const {
    if (name.find('/') != name.npos) return opened(name, with_origin(name, path)).value_or(Library{name, "", {}});
    char const* const variable = std::getenv("LD_LIBRARY_PATH");
    Directories places = file.runpath.empty() ? rpaths : Directories{};
    for (Directories const& more :
         {directories(variable == nullptr ? "" : variable, path), directories(file.runpath, path)})
      places.insert(places.end(), more.begin(), more.end());
    for (std::string const& directory : places)
      if (auto library = opened(name, fmt::format("{}/{}", directory, name))) return *library;
    for (std::string const& candidate : paths_in_cache(cache_, name))
      if (auto library = opened(name, candidate)) return *library;
    for (char const* const directory : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"})
      if (auto library = opened(name, directory + ("/" + name))) return *library;
    return {name, "", {}};
  }

  std::optional<Library> opened(std::string const& name, std::string const& path) const {
    auto file = read_elf(path);
    if (!file || file->machine != program_.machine || file->is_64_bit != program_.is_64_bit) return std::nullopt;
    return Library{name, path, std::move(*file)};
  }

  static std::string with_origin(std::string text, std::string const& path) {
    std::error_code error;
    std::string const origin = fs::canonical(path, error).parent_path().string();
    for (std::string_view const token : {"${ORIGIN}", "$ORIGIN"})
      for (std::size_t at = 0; (at = text.find(token, at)) != text.npos; at += origin.size())
        text.replace(at, token.size(), origin);
    return text;
  }

  static Directories directories(std::string const& list, std::string const& path) {
    Directories result;
    for (std::size_t begin = 0; begin < list.size();) {
      std::size_t const end = std::min(list.find_first_of(":;", begin), list.size());
      if (end > begin) result.push_back(with_origin(list.substr(begin, end - begin), path));
      begin = end + 1;
    }
    return result;
  }

  ElfFile const& program_;
  std::string const cache_ = read_cache();
  std::vector<Library> found_;
  std::vector<Directories> rpaths_;  // by index of the library found
};

}  // namespace

std::vector<std::string> paths_in_cache(std::string const& cache, std::string_view name) {
  std::vector<std::string> paths;
  std::size_t const start = cache.find(magic);  // an older format precedes it
  Header header;
  if (start == cache.npos || cache.size() - start < sizeof header) return paths;
  std::string_view const rest = std::string_view(cache).substr(start);
  std::memcpy(&header, rest.data(), sizeof header);
  auto const text_at = [&](std::size_t place) {
    std::string_view const text = place < rest.size() ? rest.substr(place) : std::string_view{};
    return text.substr(0, text.find('\0'));
  };
  for (std::size_t i = 0; i < header.count && sizeof header + (i + 1) * sizeof(Entry) <= rest.size(); ++i) {
    Entry entry;
    std::memcpy(&entry, rest.data() + sizeof header + i * sizeof entry, sizeof entry);
    if (entry.capabilities == 0 && text_at(entry.name) == name) paths.emplace_back(text_at(entry.path));
  }
  return paths;
}

std::vector<Library> libraries_of(std::string const& path, ElfFile const& file) {
  return Search(file).find(path, file);
}

}  // namespace commprof_launcher
