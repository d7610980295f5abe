#include <catch2/catch.hpp>
#include <initializer_list>

#include "mpi_messages/operation_tags.hpp"

using commprof::mpi_messages::HeardTags;
using commprof::mpi_messages::TagLayout;

namespace {

// MPICH 4.0: 16 bits of context, 16 of the sender's rank, 32 of the tag, of which programs have 28. A collective adds 1
// to the context, one among processes of a host 2 more. Nonblocking ones begin with the tag 287.
std::uint64_t of_mpich(std::uint64_t context, std::uint64_t rank, std::uint64_t tag) {
  return context << 48 | rank << 32 | tag;
}
HeardTags heard_in_mpich(std::uint64_t rank) {
  std::uint64_t const one = of_mpich(0x1f3, rank, 1), two = of_mpich(0x1f3, rank, 2);
  return {of_mpich(0x1f0, rank, 0),
          of_mpich(0x1f0, rank, 1),
          of_mpich(0x1f0, rank, 0xfffffff),
          of_mpich(0x1f1, rank, 287),
          of_mpich(0x1f1, rank, 288),
          one | two,
          ~one | ~two};
}

// Open MPI 4.1: 24 bits of the tag, negative for collectives and descending from -27 for nonblocking ones, 20 of the
// sender's rank, 20 of the communicator.
std::uint64_t of_open_mpi(std::int64_t tag, std::uint64_t rank, std::uint64_t comm) {
  return static_cast<std::uint64_t>(tag) << 40 | rank << 20 | comm;
}
HeardTags heard_in_open_mpi(std::uint64_t rank) {
  std::uint64_t const of_barrier = of_open_mpi(-16, rank, 3);
  return {of_open_mpi(0, rank, 3),
          of_open_mpi(1, rank, 3),
          of_open_mpi(0x7fffff, rank, 3),
          of_open_mpi(-27, rank, 3),
          of_open_mpi(-28, rank, 3),
          of_barrier,
          ~of_barrier};
}

TagLayout combined(std::initializer_list<HeardTags> all) {
  TagLayout::Lesson lesson{};
  for (HeardTags const& heard : all) {
    TagLayout::Lesson const own = TagLayout::lesson_of(heard);
    for (std::size_t i = 0; i < lesson.size(); ++i) lesson[i] |= own[i];
  }
  return TagLayout(lesson);
}

}  // namespace

TEST_CASE("the tags of MPICH") {
  TagLayout const layout = combined({heard_in_mpich(0), heard_in_mpich(1), heard_in_mpich(2)});
  REQUIRE(layout.is_known());
  CHECK(!layout.is_internal(of_mpich(0x1f0, 2, 287)));
  CHECK(layout.is_internal(of_mpich(0x1f1, 2, 14)));
  CHECK(layout.number(of_mpich(0x1f1, 2, 14)) < 0);
  CHECK(layout.number(of_mpich(0x1f1, 2, 287)) == 0);
  CHECK(layout.number(of_mpich(0x1f1, 2, 290)) == 3);
  // One communicator, whoever sends and whether it is for a collective, on the host or across.
  CHECK(layout.context(of_mpich(0x1f0, 2, 5)) == layout.context(of_mpich(0x1f3, 1, 287)));
  CHECK(layout.context(of_mpich(0x1f0, 2, 5)) != layout.context(of_mpich(0x1f8, 2, 5)));
}

TEST_CASE("the tags of Open MPI") {
  TagLayout const layout = combined({heard_in_open_mpi(0), heard_in_open_mpi(1)});
  REQUIRE(layout.is_known());
  CHECK(!layout.is_internal(of_open_mpi(27, 1, 3)));
  CHECK(layout.is_internal(of_open_mpi(-12, 1, 3)));
  CHECK(layout.number(of_open_mpi(-12, 1, 3)) < 0);
  CHECK(layout.number(of_open_mpi(-27, 1, 3)) == 0);
  CHECK(layout.number(of_open_mpi(-30, 1, 3)) == 3);
  CHECK(layout.context(of_open_mpi(5, 0, 3)) == layout.context(of_open_mpi(-27, 1, 3)));
  CHECK(layout.context(of_open_mpi(5, 0, 3)) != layout.context(of_open_mpi(5, 0, 4)));
}

TEST_CASE("tags that are not understood are left alone") {
  HeardTags heard = heard_in_mpich(0);
  heard.first_nonblocking = of_mpich(0x1f6, 0, 287);  // two bits of the context differ
  CHECK(!combined({heard}).is_known());
  heard = heard_in_mpich(0);
  heard.second_nonblocking = of_mpich(0x1f1, 0, 295);  // not the next one
  CHECK(!combined({heard}).is_known());
  heard = heard_in_mpich(0);
  heard.with_largest_tag = of_mpich(0x1f0, 0, 0xff0ff);  // two fields
  CHECK(!combined({heard}).is_known());
  // Two processes that have learned different things.
  CHECK(!combined({heard_in_mpich(0), heard_in_open_mpi(1)}).is_known());
}
