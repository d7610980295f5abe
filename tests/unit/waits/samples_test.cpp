#include "waits/samples.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <thread>

#include "ops.hpp"

using namespace commprof;

namespace {

constexpr CommIndex comm_of_samples{7};

// Makes this many calls of an operation; call n begins at time 10 n and takes one tick.
void make_calls(WaitSamples& samples, Sampler& sampler, std::uint64_t calls) {
  for (std::uint64_t n = sampler.calls; calls > 0; ++n, --calls) {
    ++sampler.calls;
    if (n == sampler.next) samples.keep(sampler, n, {{1}, {10 * n + 1}}, n % 3 == 0);
  }
}

std::set<std::uint64_t> sampled_calls(WaitSamples const& samples, Sampler const& sampler) {
  std::set<std::uint64_t> calls;
  samples.for_each(sampler, [&](WaitSample const& sample) {
    CHECK(sample.entry.count == 10 * sample.call);
    CHECK(sample.is_root == (sample.call % 3 == 0 ? 1 : 0));
    CHECK(calls.insert(sample.call).second);
  });
  CHECK(calls.size() == sampler.kept);
  return calls;
}

}  // namespace

TEST_CASE("a few calls are all kept") {
  static WaitSamples own_samples;
  Sampler& sampler = *own_samples.find_or_add(comm_of_samples, Op::Barrier, 0);
  make_calls(own_samples, sampler, WaitSamples::most_of_one);
  CHECK(sampler.level == 0);
  CHECK(sampled_calls(own_samples, sampler).size() == WaitSamples::most_of_one);
  CHECK(*sampled_calls(own_samples, sampler).rbegin() == WaitSamples::most_of_one - 1);
}

TEST_CASE("of many calls a sample is kept that follows from their number alone") {
  static WaitSamples own_samples;
  Sampler& sampler = *own_samples.find_or_add(comm_of_samples, Op::Allreduce, 0);
  for (std::uint64_t const calls : {3000U, 10'000U, 100'000U, 1'000'000U}) {
    make_calls(own_samples, sampler, calls - sampler.calls);
    std::set<std::uint64_t> const kept = sampled_calls(own_samples, sampler);
    CHECK(kept.size() <= WaitSamples::most_of_one);
    CHECK(kept.size() > WaitSamples::most_of_one / 3);
    std::set<std::uint64_t> expected;
    for (std::uint64_t n = 0; n < calls; ++n)
      if (waits::is_sampled(n, sampler.level)) expected.insert(n);
    CHECK(kept == expected);
  }
}

TEST_CASE("a sample has calls of each residue, as programs alternate") {
  for (std::uint32_t const level : {1U, 3U, 6U}) {
    for (std::uint64_t const period : {2U, 3U, 4U, 8U, 10U, 64U}) {
      std::vector<std::uint64_t> of_residue(period);
      std::uint64_t all = 0;
      for (std::uint64_t n = 0; n < 1'000'000; ++n) {
        if (!waits::is_sampled(n, level)) continue;
        ++of_residue[n % period];
        ++all;
      }
      CHECK(static_cast<double>(all) == Approx(1e6 / static_cast<double>(1U << level)).epsilon(0.05));
      for (std::uint64_t const one : of_residue)
        CHECK(static_cast<double>(one) == Approx(static_cast<double>(all) / static_cast<double>(period)).epsilon(0.3));
    }
  }
}

TEST_CASE("calls that are passed over leave the sample of the others as it is") {
  static WaitSamples own_samples;
  Sampler& sampler = *own_samples.find_or_add(comm_of_samples, Op::Bcast, 0);
  for (std::uint64_t n = 0; n < 50'000; ++n) {
    ++sampler.calls;
    if (n != sampler.next) continue;
    if (n % 2 == 0) own_samples.pass(sampler, n);
    else own_samples.keep(sampler, n, {{1}, {10 * n + 1}}, n % 3 == 0);
  }
  std::set<std::uint64_t> expected;
  for (std::uint64_t n = 1; n < 50'000; n += 2)
    if (waits::is_sampled(n, sampler.level)) expected.insert(n);
  CHECK(sampled_calls(own_samples, sampler) == expected);
}

TEST_CASE("each operation and communicator has a sample of its own") {
  static WaitSamples own_samples;
  Sampler* const first = own_samples.find_or_add(comm_of_samples, Op::Barrier, 2);
  CHECK(own_samples.find_or_add(comm_of_samples, Op::Barrier, 2) == first);
  CHECK(own_samples.find_or_add(CommIndex{8}, Op::Barrier, 2) != first);
  CHECK(own_samples.find_or_add(comm_of_samples, Op::Bcast, 2) != first);
  CHECK(own_samples.size() == 3);
  CHECK((own_samples[0].own_root == 2 && own_samples[0].number == 1 && own_samples[2].number == 3));
}

TEST_CASE("operations share the room there is") {
  static WaitSamples own_samples;
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    Sampler& sampler = *own_samples.find_or_add(CommIndex{i}, Op::Barrier, 0);
    make_calls(own_samples, sampler, 2 * WaitSamples::most_of_one);
    for (std::uint64_t const call : sampled_calls(own_samples, sampler))
      REQUIRE(waits::is_sampled(call, sampler.level));
    kept += sampler.kept;
  }
  CHECK(kept <= std::size_t{128} * ((1U << 11) - 1));
  CHECK(kept > std::size_t{128} * ((1U << 11) - 1) / 2);
}
