#include "views/matrix_files.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "support/temporary_profile.hpp"
#include "text/output_file.hpp"
#include "views/views.hpp"

using namespace mpisee_through;

namespace {

Traffic three_ranks() {
  TemporaryProfile const files(
      {.ranks = 3,
       .peers = {{"main,W,p2p,0,1,8,15,2,16,", "main,W,p2p,1,0,8,15,1,8,", "main,W,p2p,2,0,64,127,1,100,",
                  "main,W,p2p,1,1,1,1,7,7,", "main,W,p2p,1,-1,64,127,1,90,"}}});
  return add_up_traffic(Profile(files.path()), {}, Detail::operations);
}

std::string content(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("each wanted file is written") {
  TemporaryProfile const directory;
  MatrixFiles const files{directory.file("a.csv"), directory.file("a.mat"), directory.file("a.svg"),
                          directory.file("a.grf"), directory.file("a.graph")};
  write_matrix_files(files, three_ranks(), Measure::bytes, "region main");
  CHECK(content(*files.csv) == "src,dst,messages,bytes\n0,1,2,16\n1,0,1,8\n1,1,7,7\n1,-1,1,90\n2,0,1,100\n");
  CHECK(content(*files.treematch) == "0 24 100\n24 0 0\n100 0 0\n");
  CHECK(content(*files.scotch).starts_with("0\n3 4\n"));
  CHECK(content(*files.metis).starts_with("3 2 001\n"));
  std::string const svg = content(*files.image);
  CHECK(svg.find("<svg ") != std::string::npos);
  // Rank 2 sends most, in the darkest shade: the square in row 2, column 0.
  CHECK(svg.find("<path fill=\"#081d58\" d=\"M0 2h1v1h-1z\"/>") != std::string::npos);
  CHECK(svg.rfind("</svg>\n") == svg.size() - 7);
  CHECK(MatrixFiles{}.any() == false);
}

TEST_CASE("a picture of many ranks stays small") {
  TemporaryProfile const directory;
  Traffic everyone;
  everyone.run.ranks = 1'000;
  everyone.run.program = std::string(300, 'x');
  for (std::uint32_t from = 0; from < everyone.run.ranks; ++from) {
    for (std::uint32_t to = 0; to < everyone.run.ranks; ++to) {
      everyone.pairs.push_back({WorldRank{from}, WorldRank{to}, {1, 1 + (from * 7919ULL + to * 104729ULL) % 100'000}});
    }
  }
  write_matrix_files({.image = directory.file("a.svg")}, everyone, Measure::bytes, std::string(500, 'y'));
  CHECK(std::filesystem::file_size(directory.file("a.svg")) < 6U << 20U);
}

TEST_CASE("a file that cannot be written is named") {
  TemporaryProfile const directory;
  std::string const nowhere = directory.file("missing/a");
  for (MatrixFiles const& files :
       {MatrixFiles{.csv = nowhere}, MatrixFiles{.treematch = nowhere}, MatrixFiles{.scotch = nowhere},
        MatrixFiles{.metis = nowhere}, MatrixFiles{.image = nowhere}}) {
    CHECK_THROWS_WITH(write_matrix_files(files, three_ranks(), Measure::bytes, ""),
                      nowhere + ": No such file or directory");
  }
  CHECK_THROWS_AS(write_matrix_files({.csv = "/dev/full"}, three_ranks(), Measure::bytes, ""), OutputError);
}
