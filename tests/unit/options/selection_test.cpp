#include "options/selection.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ops.hpp"

using namespace commprof;
using namespace commprof::selection;

namespace {

// The operations that a list selects, each preceded by a space.
std::string wanted_ops(std::string_view list) {
  std::string names;
  for (std::size_t op = 0; op < static_cast<std::size_t>(Op::count_); ++op)
    if (wanted_operations(list)[op]) names += " " + std::string(op_name(static_cast<Op>(op)));
  return names;
}

bool wants_comm(std::string_view list, std::string_view comm, std::int32_t size) {
  return is_wanted_communicator(list, comm, size);
}

template <class Kind>
std::vector<std::string> senseless(std::string_view list) {
  std::vector<std::string> patterns;
  for_each_senseless<Kind>(list, [&](Item item) { patterns.emplace_back(item.pattern); });
  return patterns;
}
using Patterns = std::vector<std::string>;

}  // namespace

TEST_CASE("globs match whole texts") {
  for (char const* const glob : {"Iprobe", "I*", "*probe", "*o*", "Ipr?be", "??????", "I*r*e", "**", "Iprobe*"})
    CHECK(selection::matches(glob, "Iprobe"));
  for (char const* const glob : {"", "probe", "Iprob", "I?", "*I", "Iprobe?", "*x*", "iprobe", "?Iprobe"})
    CHECK_FALSE(selection::matches(glob, "Iprobe"));
  CHECK((selection::matches("", "") && selection::matches("*", "") && !selection::matches("?", "")));
  CHECK(selection::matches("*ab", "aaab"));  // the * must not stop at the first a that fits
  CHECK(selection::matches("*a*b?d", "xaxbxabcd"));
}

TEST_CASE(
    "operations are wanted that a list names, in any case and with or without MPI_, and not those that it excludes") {
  std::pair<char const*, char const*> const cases[] = {{"Send,mpi_RECV", " Send Recv"},
                                                       {"?send,-Ssend,-rsend", " Bsend Isend"},
                                                       {"-Ssend,?send,-MPI_rsend", " Bsend Isend"},
                                                       {"Iprobe*", " Iprobe Iprobe-none"},
                                                       {"iprobe-NONE", " Iprobe-none"},
                                                       {"Send,-*", ""},
                                                       {"Snd,Recv", " Recv"}};
  for (auto const& [list, ops] : cases) CHECK(wanted_ops(list) == ops);
  std::string const all = wanted_ops("*");
  CHECK(all.starts_with(" Send Bsend"));
  // A pattern that no operation matches is as if it were not there.
  for (char const* const list : {"", ",", "Send,*", "Snd", "Snd,-Rcv"}) CHECK(wanted_ops(list) == all);
  CHECK(wanted_ops("-Iprobe*") + " Iprobe Iprobe-none" != all);
  CHECK(wanted_ops("-Iprobe*").size() + std::string(" Iprobe Iprobe-none").size() == all.size());
  CHECK(wanted_ops("M*") == wanted_ops("MPI_M*"));  // a * does not match the prefix
  CHECK(senseless<Operations>("Send,Snd,-Recv*,-W_s1,-") == Patterns{"Snd", "W_s1", ""});
  CHECK((is_everything<Operations>("Snd,-Rcv") && !is_everything<Operations>("Send")));
}

TEST_CASE("a size that makes no sense is as if it were not there") {
  CHECK(senseless<Communicators>("5-2,4x,2--3,99999999999,-1-0,2-4,W*,-") ==
        Patterns{"5-2", "4x", "2--3", "99999999999", "1-0", ""});
  CHECK(wants_comm("5-2", "W", 3));
  CHECK(wants_comm("-5-2", "W", 3));
  CHECK_FALSE(wants_comm("5-2,4", "W", 3));
  for (char const* const list : {"", "*", "*,*", "5-2"}) CHECK(is_everything<Communicators>(list));
  for (char const* const list : {"1-", "-1", "W*", "*,-W"}) CHECK_FALSE(is_everything<Communicators>(list));
}
