#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "../support/temporary_directory.hpp"
#include "doctor/inspected.hpp"

using namespace commprof_launcher;

namespace {

std::string own_file() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

// The C library: a small file with every feature of an ELF file.
std::string bytes_of_a_library() {
  for (Library const& library : libraries_of(own_file()))
    if (library.name.starts_with("libdl.so") || library.name.starts_with("libgcc_s.so")) {
      std::ifstream file(library.path, std::ios::binary);
      return {std::istreambuf_iterator<char>(file), {}};
    }
  return {};
}

}  // namespace

TEST_CASE("what is no such file is told apart") {
  CHECK_FALSE(read_elf("/etc/passwd"));
  CHECK_FALSE(read_elf("/"));
  CHECK_FALSE(read_elf(TemporaryDirectory() / "missing"));
}

TEST_CASE("a damaged file does no harm") {
  std::string const whole = bytes_of_a_library();
  REQUIRE(whole.size() > 4096);
  TemporaryDirectory const directory;
  std::string const name = directory / "damaged";
  std::minstd_rand random(1);
  auto const below = [&](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole;
    // Damages the headers (of the file and segments at its start, of sections at its end), and random places.
    for (std::size_t j = 0, count = 1 + below(8); j < count; ++j) {
      std::size_t const places[] = {below(64), below(1024), damaged.size() - 1 - below(4096), below(damaged.size())};
      damaged[places[below(4)]] = static_cast<char>(below(4) == 0 ? 255 : below(256));
    }
    if (below(4) == 0) damaged.resize(below(damaged.size()));
    std::ofstream(name, std::ios::binary) << damaged;
    static_cast<void>(read_elf(name));
  }
}
