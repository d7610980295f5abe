#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "base/memory.hpp"

using namespace commprof;

namespace {

std::size_t keys_read = 0;

struct Row {
  unsigned name = 0;
  unsigned count = 0;

  unsigned key() const { return ++keys_read, name; }
  Row& operator+=(Row const& other) {
    count += other.count;
    return *this;
  }
};

// Rows with names below a limit, sorted; adds their counts to the sums.
void fill(PageVector<Row>& rows, std::size_t number, unsigned limit, std::mt19937& random,
          std::map<unsigned, unsigned>& sums) {
  for (std::size_t i = 0; i < number; ++i) {
    Row const row{static_cast<unsigned>(random() % limit), static_cast<unsigned>(random() % 9)};
    REQUIRE(rows.push_back(row));
    sums[row.name] += row.count;
  }
  order_rows(rows);
}

}  // namespace

TEST_CASE("merged rows are the sums by key, in order, and merging is linear") {
  std::mt19937 random(1);
  for (std::size_t const others : {0U, 1U, 30U, 16'000U}) {
    for (unsigned const limit : {1U, 20U, 100'000U}) {
      std::map<unsigned, unsigned> sums;
      PageVector<Row> rows, more;
      fill(rows, 100, limit, random, sums);
      fill(more, others, limit, random, sums);
      keys_read = 0;
      REQUIRE(merge_rows(rows, more));
      CHECK(keys_read < 16 * (100 + others));
      std::map<unsigned, unsigned> merged;
      bool is_sorted = true;
      for (Row const& row : rows) {
        is_sorted = is_sorted && (merged.empty() || merged.rbegin()->first < row.name);
        merged[row.name] = row.count;
      }
      CHECK(is_sorted);
      CHECK(merged == sums);
    }
  }
}
