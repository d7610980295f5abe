#include "synthetic_sums.hpp"

#include <fmt/format.h>
#include <fmt/os.h>

#include <numeric>

#include "profile/schema.hpp"

namespace bench {
namespace {

std::string seconds(std::uint64_t nanoseconds) {
  return fmt::format("{}.{:09}", nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000);
}

// what: the fields from region to size_max.
void write_row(fmt::ostream& out, std::string const& what, Sum const& sum) {
  out.print("{},{},{},{},0,{},{},{},{},{},{},{}\n", what, sum.ranks, sum.calls, sum.bytes_sent, seconds(sum.time_ns),
            seconds(sum.least_ns), sum.least_rank, seconds(sum.most_ns), sum.most_rank, seconds(sum.shortest_ns),
            seconds(sum.longest_ns));
}

}  // namespace

void write_sums(std::filesystem::path const& directory, std::vector<CommunicatorSums> const& communicators,
                std::array<Sum, operations.size()> const& by_operation) {
  std::array<std::size_t, operations.size()> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [](std::size_t i) { return operations[i]; });
  auto out = fmt::output_file((directory / commprof::schema::summary.name).string(), fmt::buffer_size = 1 << 20);
  out.print("{}\n", commprof::schema::summary.header);
  for (CommunicatorSums const& one : communicators) {
    write_row(out, fmt::format("main,{},{},,*,,", one.name, one.size), one.all);
    for (std::size_t const i : order) {
      write_row(out, fmt::format("main,{},{},,{},,", one.name, one.size, operations[i]), one.by_operation[i]);
      for (std::size_t bin = 0; bin < bin_minima.size(); ++bin) {
        write_row(out,
                  fmt::format("main,{},{},,{},{},{}", one.name, one.size, operations[i], bin_minima[bin],
                              2 * bin_minima[bin] - 1),
                  one.by_size[i][bin]);
      }
    }
  }
  auto sizes = fmt::output_file((directory / commprof::schema::sizes.name).string());
  sizes.print("{}\n", commprof::schema::sizes.header);
  for (std::size_t const i : order) {
    write_row(out, fmt::format("main,*,,,{},,", operations[i]), by_operation[i]);
    for (std::size_t bin = 0; bin < bin_minima.size(); ++bin) {
      Sum of_size;
      of_size.ranks = by_operation[i].ranks;
      for (CommunicatorSums const& one : communicators) of_size.add_row(one.by_size[i][bin]);
      write_row(sizes, fmt::format("{},{},{}", operations[i], bin_minima[bin], 2 * bin_minima[bin] - 1), of_size);
    }
  }
}

}  // namespace bench
