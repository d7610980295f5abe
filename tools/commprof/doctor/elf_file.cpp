#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include <memory>
#include <string_view>

#include "doctor/inspected.hpp"

namespace commprof_launcher {

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
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "AArch64";
    case EM_PPC64:
      return "POWER";
    case EM_RISCV:
      return "RISC-V";
    default:
      return fmt::format("machine {}", file.machine);
  }
}

}  // namespace commprof_launcher
