#include <catch2/catch.hpp>
#include <cstdint>

#include "doctor/inspected.hpp"

using namespace commprof_launcher;

namespace {

std::string bytes_of(std::uint64_t number, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(number >> 8 * i);
  return bytes;
}

}  // namespace

TEST_CASE("a cache of the dynamic linker is read") {
  // Two entries; one is for processors with certain features.
  std::string cache = "ld.so-1.7.0 and the older form behind it; ";
  cache += "glibc-ld.so.cache1.1" + bytes_of(2, 4) + bytes_of(0, 24);
  std::size_t const texts = 48 + 2 * 24;
  cache += bytes_of(0x303, 4) + bytes_of(texts, 4) + bytes_of(texts + 5, 4) + bytes_of(0, 4) + bytes_of(1, 8);
  cache += bytes_of(0x303, 4) + bytes_of(texts, 4) + bytes_of(texts + 11, 4) + bytes_of(0, 4) + bytes_of(0, 8);
  using namespace std::string_literals;
  cache += "l.so\0/a/v3\0/a/l.so\0"s;
  CHECK(paths_in_cache(cache, "l.so") == std::vector<std::string>{"/a/l.so"});
  CHECK(paths_in_cache(cache, "m.so").empty());
  for (std::size_t length = 0; length < cache.size(); ++length)
    static_cast<void>(paths_in_cache(cache.substr(0, length), "l.so"));
}
