#include "files/sparse_file.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <fstream>
#include <string>

#include "files/profile_error.hpp"
#include "files/temporary_directory.hpp"

using namespace mpisee_through;

namespace {

constexpr std::size_t late = std::size_t{200} << 20;

// "first", a hole of 200 MiB, "last".
std::filesystem::path file_with_hole(TemporaryDirectory const& directory) {
  std::filesystem::path const file = directory.path() / "holes";
  std::ofstream out(file, std::ios::binary);
  out << "first";
  out.seekp(late);
  out << "last";
  return file;
}

}  // namespace

TEST_CASE("a file with holes is read without them") {
  TemporaryDirectory const directory;
  std::filesystem::path const path = file_with_hole(directory);
  SparseFile const file({path, path});

  REQUIRE(file.bytes().size() == late + 4);
  CHECK(file.bytes().substr(0, 6) == std::string_view("first\0", 6));
  CHECK(file.bytes().substr(late) == "last");
  struct stat facts {};
  REQUIRE(stat(path.c_str(), &facts) == 0);
  std::size_t read = 0;
  for (auto const& [begin, end] : file.extents()) read += end - begin;
  CHECK(read <= static_cast<std::size_t>(facts.st_blocks) * 512);
  CHECK(file.extents().back().end == late + 4);

  CHECK(file.next_data(3) == 3);
  CHECK(file.next_data(late / 2) <= late);
  CHECK(file.next_data(late + 2) == late + 2);
  CHECK(file.next_data(late + 4) == late + 4);
}

TEST_CASE("of a file that is a hole, nothing is read") {
  TemporaryDirectory const directory;
  std::filesystem::path const path = directory.path() / "hole";
  std::ofstream(path).close();
  std::filesystem::resize_file(path, 10000);
  SparseFile const file({path, path});
  CHECK(file.bytes() == std::string(10000, '\0'));

  std::filesystem::resize_file(path, 0);
  SparseFile const empty({path, path});
  CHECK(empty.bytes().empty());
  CHECK(empty.next_data(0) == 0);

  std::filesystem::remove(path);
  CHECK_THROWS_AS(SparseFile({path, path}), ProfileError);
}
