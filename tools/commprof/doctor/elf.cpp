#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "doctor/inspected.hpp"
#include "launch/launchers.hpp"

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using OpenElf = std::unique_ptr<Elf, EndElf>;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  ~Descriptor() { close(descriptor_); }

 private:
  int descriptor_;
};

char const* text_at(Elf* elf, std::size_t section, std::size_t offset) {
  char const* const text = elf_strptr(elf, section, offset);
  return text == nullptr ? "" : text;
}

void read_symbols(Elf* elf, Elf_Scn* section, GElf_Shdr const& header, ElfFile& file) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr) return;
  GElf_Sym symbol;
  for (int i = 1; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
    if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    (symbol.st_shndx == SHN_UNDEF ? file.imports : file.exports).emplace(text_at(elf, header.sh_link, symbol.st_name));
  }
}

void read_dynamic(Elf* elf, Elf_Scn* section, GElf_Shdr const& header, ElfFile& file) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr) return;
  file.is_dynamic = true;
  GElf_Dyn entry;
  for (int i = 0; gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
    auto const text = [&] { return text_at(elf, header.sh_link, entry.d_un.d_val); };
    if (entry.d_tag == DT_SONAME) file.soname = text();
    if (entry.d_tag == DT_NEEDED) file.needed.emplace_back(text());
    if (entry.d_tag == DT_RPATH) file.rpath = text();
    if (entry.d_tag == DT_RUNPATH) file.runpath = text();
  }
}

template <class Visit>
void for_each_section(Elf* elf, Visit&& visit) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr) visit(section, header);
  }
}

std::string interpreter_of(Elf* elf) {
  std::size_t count = 0, size = 0;
  char const* const bytes = elf_rawfile(elf, &size);
  if (bytes == nullptr || elf_getphdrnum(elf, &count) != 0) return {};
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_INTERP) continue;
    if (header.p_offset >= size || header.p_filesz > size - header.p_offset) continue;
    std::string_view const text(bytes + header.p_offset, header.p_filesz);
    return std::string(text.substr(0, text.find('\0')));
  }
  return {};
}

// Names of libraries and their paths, from the cache of the dynamic linker: "\tlibm.so.6 (libc6,x86-64) => /lib/…".
// Copies for certain processors are left out.
std::vector<std::pair<std::string, std::string>> read_cache() {
  std::string const ldconfig = find_executable("ldconfig");
  std::istringstream lines(output_of({ldconfig.empty() ? "/sbin/ldconfig" : ldconfig, "-p"}));
  std::vector<std::pair<std::string, std::string>> found;
  for (std::string line; std::getline(lines, line);) {
    std::size_t const arrow = line.find(" => "), end = line.find(" (");
    if (arrow == line.npos || end == line.npos || line.find("hwcap") < arrow) continue;
    found.emplace_back(line.substr(1, end - 1), line.substr(arrow + 4));
  }
  return found;
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
    for (auto const& [cached, place] : cache_)
      if (cached == name)
        if (auto library = opened(name, place)) return *library;
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
  std::vector<std::pair<std::string, std::string>> const cache_ = read_cache();
  std::vector<Library> found_;
  std::vector<Directories> rpaths_;  // by index of the library found
};

}  // namespace

std::optional<ElfFile> read_elf(std::string const& path) {
  elf_version(EV_CURRENT);
  int const descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return std::nullopt;
  Descriptor const file_to_read(descriptor);  // read, not mapped: the file may become shorter
  OpenElf const elf(elf_begin(descriptor, ELF_C_READ, nullptr));
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr) return std::nullopt;
  ElfFile file;
  file.machine = header.e_machine;
  file.is_64_bit = gelf_getclass(elf.get()) == ELFCLASS64;
  file.interpreter = interpreter_of(elf.get());
  for_each_section(elf.get(), [&](Elf_Scn* section, GElf_Shdr const& of_section) {
    if (of_section.sh_type == SHT_DYNSYM) read_symbols(elf.get(), section, of_section, file);
    if (of_section.sh_type == SHT_DYNAMIC) read_dynamic(elf.get(), section, of_section, file);
  });
  if (file.interpreter.empty() && file.soname.empty())
    for_each_section(elf.get(), [&](Elf_Scn* section, GElf_Shdr const& of_section) {
      if (of_section.sh_type == SHT_SYMTAB) read_symbols(elf.get(), section, of_section, file);
    });
  return file;
}

std::string machine_name(ElfFile const& file) {
  switch (file.machine) {
    case EM_X86_64:
      return file.is_64_bit ? "x86-64" : "x32";
    case EM_AARCH64:
      return "AArch64";
    default:
      return fmt::format("machine {}", file.machine);
  }
}

std::vector<Library> libraries_of(std::string const& path, ElfFile const& file) {
  return Search(file).find(path, file);
}

}  // namespace commprof_launcher
