#include "options/selection.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
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

bool wants_op(std::string_view list, std::string_view op) {
  return (wanted_ops(list) + " ").find(" " + std::string(op) + " ") != std::string::npos;
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
  for (char const* const glob : {"Iprobe", "I*", "*probe", "*o*", "Ipr?be", "*", "??????", "I*r*e", "**", "Iprobe*"}) {
    INFO(glob);
    CHECK(selection::matches(glob, "Iprobe"));
  }
  for (char const* const glob : {"", "probe", "Iprob", "I?", "*I", "Iprobe?", "*x*", "iprobe", "?Iprobe"}) {
    INFO(glob);
    CHECK_FALSE(selection::matches(glob, "Iprobe"));
  }
  CHECK(selection::matches("", ""));
  CHECK(selection::matches("*", ""));
  CHECK_FALSE(selection::matches("?", ""));
  CHECK(selection::matches("W_d*", "W_d*"));
  CHECK(selection::matches("*ab", "aaab"));  // the * must not stop at the first a that fits
  CHECK(selection::matches("*a*b?d", "xaxbxabcd"));
}

TEST_CASE("items of a list stand between commas, blanks aside") {
  std::string_view list = " Send ,,- Recv,\t-I*,";
  std::vector<std::pair<std::string, bool>> items;
  for (Item item; take_item(list, item);) items.emplace_back(item.pattern, item.excludes);
  CHECK(items == std::vector<std::pair<std::string, bool>>{{"Send", false}, {"Recv", true}, {"I*", true}});
}

TEST_CASE("operations are wanted that a list names, and not those that it excludes") {
  CHECK(wanted_ops("Send") == " Send");
  CHECK(wanted_ops("Send,Recv") == " Send Recv");
  CHECK(wanted_ops("?send,-Ssend,-rsend") == " Bsend Isend");
  CHECK(wanted_ops("-Ssend,?send,-rsend") == wanted_ops("?send,-Ssend,-rsend"));
  CHECK(wanted_ops("Iprobe*") == " Iprobe Iprobe-none");
  CHECK(wanted_ops("iprobe-NONE") == " Iprobe-none");
  CHECK(wanted_ops("-*").empty());
  CHECK(wanted_ops("Send,-*").empty());
}

TEST_CASE("exclusions alone have all others counted") {
  CHECK_FALSE(wants_op("-Iprobe*", "Iprobe"));
  CHECK_FALSE(wants_op("-Iprobe*", "Iprobe-none"));
  CHECK(wants_op("-Iprobe*", "Improbe"));
  CHECK(wants_op("-Iprobe*", "Send"));
  for (char const* const list : {"", "*", ",", "Send,*"}) CHECK(wanted_ops(list) == wanted_ops("*"));
  CHECK(wanted_ops("*").starts_with(" Send Bsend"));
}

TEST_CASE("operations are named in any case, with or without MPI_") {
  for (char const* const list :
       {"Allreduce", "allreduce", "ALLREDUCE", "MPI_Allreduce", "mpi_allreduce", "MPI_ALLREDUC?"})
    CHECK(wanted_ops(list) == " Allreduce");
  // A * does not match the prefix.
  CHECK(wanted_ops("M*") == wanted_ops("MPI_M*"));
  CHECK_FALSE(wants_op("M*", "Send"));
}

TEST_CASE("a pattern that no operation matches is as if it were not there") {
  CHECK(senseless<Operations>("Send,Snd,-Recv*,-W_s1,") == Patterns{"Snd", "W_s1"});
  CHECK(wanted_ops("Snd") == wanted_ops("*"));
  CHECK(wanted_ops("Snd,Recv") == " Recv");
  CHECK(senseless<Operations>("-") == Patterns{""});
  CHECK(is_everything<Operations>("Snd,-Rcv"));
}

TEST_CASE("communicators are wanted by their size") {
  for (std::int32_t size : {0, 1, 2, 3, 4, 64, 65, INT32_MAX}) {
    INFO(size);
    CHECK(wants_comm("4", "W", size) == (size == 4));
    CHECK(wants_comm("-4", "W", size) == (size != 4));
    CHECK(wants_comm("2-", "W", size) == (size >= 2));
    CHECK(wants_comm("2-64", "W", size) == (size >= 2 && size <= 64));
    CHECK(wants_comm("-2-64", "W", size) == (size < 2 || size > 64));
    CHECK(wants_comm("1,64-", "W", size) == (size == 1 || size >= 64));
    CHECK(wants_comm("2-,-4", "W", size) == (size >= 2 && size != 4));
    CHECK(wants_comm("4-4", "W", size) == (size == 4));
  }
}

TEST_CASE("communicators are wanted by their name") {
  CHECK(wants_comm("W_s*", "W_s2.0", 4));
  CHECK(wants_comm("W_s*", "W_s2.0_d1", 4));
  CHECK_FALSE(wants_comm("W_s*", "W", 4));
  CHECK_FALSE(wants_comm("W_s*", "W_S2", 4));  // case matters: u and U differ
  CHECK_FALSE(wants_comm("-SELF", "SELF", 1));
  CHECK(wants_comm("-SELF", "SELF_d1", 1));
  CHECK(wants_comm("W_d*,4", "W_s1.0", 4));
  CHECK_FALSE(wants_comm("W_d*,4,-*_s?.0", "W_s1.0", 4));
}

TEST_CASE("a size that makes no sense is as if it were not there") {
  CHECK(senseless<Communicators>("5-2,4x,2--3,99999999999,-1-0,2-4,W*,-") ==
        Patterns{"5-2", "4x", "2--3", "99999999999", "1-0", ""});
  CHECK(wants_comm("5-2", "W", 3));
  CHECK(wants_comm("-5-2", "W", 3));
  CHECK_FALSE(wants_comm("5-2,4", "W", 3));
}

TEST_CASE("what leaves nothing out is everything") {
  for (char const* const list : {"", "*", "*,*", "5-2"}) CHECK(is_everything<Communicators>(list));
  for (char const* const list : {"1-", "-1", "W*", "*,-W"}) CHECK_FALSE(is_everything<Communicators>(list));
}
