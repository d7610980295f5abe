#include "profile/offers.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace commprof;

namespace {

std::string rows_in(Offers const& offers, File file) {
  std::string rows;
  offers.for_each([&](File of, std::string_view row) {
    if (of == file) rows += row;
  });
  return rows;
}

// The offers as another process receives them.
void receive(Offers& told, Offers& received) {
  PageVector<char> parts[2];
  int part = 0;
  told.visit_parts([&](auto& all) {
    auto const* const bytes = reinterpret_cast<char const*>(all.begin());
    PageVector<char>& copy = parts[part++];
    REQUIRE(copy.resize(all.size() * sizeof *all.begin()));
    std::copy(bytes, bytes + copy.size(), copy.begin());
  });
  part = 0;
  received.visit_parts([&](auto& all) {
    PageVector<char> const& copy = parts[part++];
    REQUIRE(all.resize(copy.size() / sizeof *all.begin()));
    std::copy(copy.begin(), copy.end(), reinterpret_cast<char*>(all.begin()));
  });
}

}  // namespace

TEST_CASE("of communicators the first row of each name is kept, of other files each different row") {
  Offers offers;
  offers.take(File::communicators, "W_a1,first\nW_d1,first\n");
  offers.take(File::communicators, "W_d1,second\nW_d2,second\n");
  offers.take(File::sites, "a+0x1,a,0x1,,,\na+0x1,a,0x1,,,\n");
  offers.take(File::sites, "a+0x1,a,0x1,f,a.c,3\n");
  offers.take(File::modules, "W_d1,first\n");
  CHECK(rows_in(offers, File::communicators) == "W_a1,first\nW_d1,first\nW_d2,second\n");
  CHECK(rows_in(offers, File::sites) == "a+0x1,a,0x1,,,\na+0x1,a,0x1,f,a.c,3\n");
  CHECK(rows_in(offers, File::modules) == "W_d1,first\n");
  CHECK(offers.is_whole());
}

TEST_CASE("offers of other processes follow the own ones") {
  Offers own, told, received;
  own.take(File::communicators, "W_a1,own\n");
  told.take(File::communicators, "W_a1,other\nW_d1,other\n");
  receive(told, received);
  CHECK(received.is_sound());
  own.take(received);
  CHECK(rows_in(own, File::communicators) == "W_a1,own\nW_d1,other\n");
}

TEST_CASE("offers that lack rows say so, and those that were cut are not sound") {
  Offers own, told;
  told.take(File::communicators, "W_a1,row\n");
  told.lose_some();
  own.take(told);
  CHECK_FALSE(own.is_whole());
  CHECK(told.is_sound());
  int part = 0;
  told.visit_parts([&](auto& all) {
    if (part++ == 1) all.pop_back();
  });
  CHECK_FALSE(told.is_sound());
}
