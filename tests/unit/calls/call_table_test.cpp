#include "calls/call_table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "calls/other_calls.hpp"
#include "calls/rules.hpp"
#include "counters/counters.hpp"
#include "join.hpp"
#include "ops.hpp"
#include "profile/schema.hpp"
#include "support/temporary_directory.hpp"

using namespace commprof;
using generator::words;

namespace {

std::vector<std::string> parameters(calls::Row const& row) { return words(row.parameters); }

bool has(calls::Row const& row, std::string_view parameter) {
  auto const names = parameters(row);
  return std::find(names.begin(), names.end(), parameter) != names.end();
}

calls::Row const& row_of(std::string_view name) {
  auto const row =
      std::find_if(std::begin(calls::rows), std::end(calls::rows), [&](auto const& r) { return r.name == name; });
  REQUIRE(row != std::end(calls::rows));
  return *row;
}

std::vector<std::string> matches(std::string const& text, char const* pattern) {
  std::regex const expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

}  // namespace

TEST_CASE("a call has one row, or one place among the other calls") {
  std::set<std::string> names;
  for (calls::Row const& row : calls::rows) {
    INFO(row.name);
    CHECK_FALSE(row.name.starts_with("MPI_"));
    CHECK(names.emplace(row.name).second);
  }
  for (std::string_view const list : {calls::needs_none})
    for (std::string const& name : words(list)) {
      INFO(name);
      CHECK_FALSE(name.starts_with("MPI_"));
      CHECK(names.insert(name).second);
    }
}

TEST_CASE("a call with large counts is the row of the call without the suffix") {
  for (calls::Row const& row : calls::rows) CHECK_FALSE(row.name.ends_with("_c"));
}

TEST_CASE("each parameter of a call has a name of its own") {
  for (calls::Row const& row : calls::rows) {
    INFO(row.name);
    auto const names = parameters(row);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    std::string joined;
    for (std::string const& name : names) joined += (joined.empty() ? "" : " ") + name;
    CHECK(joined == row.parameters);  // one space between them
  }
}

TEST_CASE("each kind of call has the parameters that its wrapper needs") {
  for (calls::Row const& row : calls::rows) {
    INFO(row.name);
    switch (row.kind) {
      case calls::operation:
      case calls::by_hand:
        break;
      case calls::by_status:
        CHECK(has(row, "status") != has(row, "request"));
        break;
      case calls::completing:
        CHECK(has(row, "request") != has(row, "array_of_requests"));
        if (has(row, "array_of_requests"))
          CHECK((row.parameters.starts_with("count ") || row.parameters.starts_with("incount ")));
        break;
      case calls::persistent:
      case calls::persistent_receive:
        CHECK(has(row, "comm"));
        CHECK(has(row, "request"));
        break;
      case calls::start:
        CHECK((row.parameters == "request" || row.parameters == "count array_of_requests"));
        break;
      case calls::partition:
        CHECK(has(row, "request"));
        break;
      case calls::creation:
        CHECK(has(row, "newcomm"));
        break;
      case calls::window_creation:
        CHECK(has(row, "comm"));
        CHECK(has(row, "win"));
        break;
      case calls::file_opening:
        CHECK(row.parameters.starts_with("comm "));
        CHECK(has(row, "fh"));
        break;
      case calls::release:
        CHECK((row.parameters == "comm" || row.parameters == "win" || row.parameters == "fh"));
        break;
    }
  }
}

TEST_CASE("where a call counts is told by a parameter that it has") {
  std::map<calls::On, std::vector<char const*>> const needed{
      {calls::on_comm, {"comm"}},      {calls::on_dest, {"comm", "dest"}},
      {calls::on_window, {"win"}},     {calls::on_target, {"win", "target_rank"}},
      {calls::on_opened_file, {"fh"}}, {calls::on_message, {"message"}}};
  for (calls::Row const& row : calls::rows) {
    INFO(row.name);
    if (row.on == calls::on_requests) CHECK(has(row, "request") != has(row, "array_of_requests"));
    else if (needed.contains(row.on))
      for (char const* const parameter : needed.at(row.on)) CHECK(has(row, parameter));
    else
      for (char const* const parameter : {"comm", "win", "fh", "message"}) CHECK_FALSE(has(row, parameter));
    // The standard's dest and target_rank name processes that data go to.
    if (has(row, "dest")) CHECK(row.on == calls::on_dest);
    if (has(row, "target_rank")) CHECK(row.on == calls::on_target);
  }
}

TEST_CASE("a rule speaks of parameters of its call") {
  for (calls::Row const& row : calls::rows) {
    INFO(row.name << ": " << row.rule);
    std::string const rule(row.rule);
    if (row.rule == calls::not_counted) {
      CHECK(row.kind == calls::Kind::by_hand);
      continue;
    }
    if (row.kind == calls::Kind::completing) {
      // The rule is a member function of Completion, which has the arguments that it needs.
      CHECK(std::set<std::string>{"seen_all", "seen_any", "seen_some", "all", "any", "some", "released", "cancelled"}
                .contains(rule));
      continue;
    }
    std::size_t const open = rule.find('(');
    REQUIRE(open != std::string::npos);
    CHECK(rule.back() == ')');
    for (std::string const& argument : matches(rule.substr(open), "([A-Za-z_]+)")) {
      INFO(argument);
      CHECK((has(row, argument) || argument == "MPI_REPLACE"));
    }
  }
}

TEST_CASE("the rules are those of volume.hpp and collective_volume.hpp") {
  std::string const directory = COMMPROF_SOURCE_DIR "/src/wrappers/";
  std::string const header = contents(directory + "volume.hpp") + contents(directory + "collective_volume.hpp");
  REQUIRE_FALSE(header.empty());
  auto const found = matches(header, "Volume ([a-z_]+)\\(CommView const&");
  std::set<std::string> const defined(found.begin(), found.end());
  std::set<std::string> used;
  for (calls::Row const& row : calls::rows) {
    if (row.kind == calls::Kind::completing || row.rule == calls::not_counted) continue;
    std::string const name(row.rule.substr(0, row.rule.find('(')));
    INFO(row.name << " wants " << name);
    CHECK(defined.contains(name));
    used.insert(name);
  }
  for (std::string const& name : defined) {
    INFO(name << " is defined and no row uses it");
    CHECK(used.contains(name));
  }
  std::set<std::string> described;
  for (calls::Rule const& rule : calls::rules) CHECK(described.emplace(rule.name).second);
  CHECK(described == defined);
}

TEST_CASE("a receive is counted with what arrived, where that is known at once") {
  for (calls::Row const& row : calls::rows) {
    if (row.kind != calls::by_status) continue;
    INFO(row.name);
    CHECK((row.rule.find("status") != std::string_view::npos) == has(row, "status"));
  }
}

TEST_CASE("each blocking collective has a nonblocking one") {
  std::set<std::string_view> names;
  for (calls::Row const& row : calls::rows) names.insert(row.name);
  for (calls::Row const& row : calls::rows) {
    if (!is_collective(row) || has(row, "request")) continue;
    std::string twin(row.name);
    twin[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(twin[0])));
    INFO(row.name);
    CHECK(names.contains("I" + twin));
  }
}

TEST_CASE("a nonblocking or persistent collective has the rule of the blocking one") {
  // MPI-4.0 sections 6.12 and 6.13: it has the parameters of the blocking one, then maybe an info, and a request.
  for (calls::Row const& row : calls::rows) {
    if (!is_collective(row) || !has(row, "request")) continue;
    INFO(row.name);
    bool const is_persistent = row.kind == calls::persistent;
    std::string name(row.name.substr(is_persistent ? 0 : 1));
    if (is_persistent) name.resize(name.rfind("_init"));
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    calls::Row const& blocking = row_of(name);
    CHECK(blocking.rule == row.rule);
    CHECK(blocking.family == row.family);
    CHECK(row.parameters == std::string(blocking.parameters) + (is_persistent ? " info request" : " request"));
  }
}

TEST_CASE("a creation call has the letter that the documentation gives it") {
  std::map<Letter, std::set<std::string>> documented, calls_of;
  std::string const page = contents(COMMPROF_SOURCE_DIR "/docs/design.md");
  std::regex const letter_and_calls("\\| ([a-z]) \\| ([^|]*)");
  for (std::sregex_iterator match(page.begin(), page.end(), letter_and_calls), end; match != end; ++match)
    for (std::string const& name : matches((*match)[2], "`([A-Za-z_]+)`"))
      documented[Letter{match->str(1)[0]}].insert(name);
  std::set<Letter> const several{Letter::split,        Letter::split_type, Letter::create,
                                 Letter::create_group, Letter::cart_sub,   Letter::from_group};
  for (calls::Row const& row : calls::rows) {
    INFO(row.name);
    CHECK((row.kind == calls::creation) == (row.letter != Letter::none));
    if (row.letter != Letter::none) calls_of[row.letter].emplace(row.name);
    CHECK(several.contains(row.letter) == row.several);
  }
  CHECK(calls_of == documented);
}

TEST_CASE("polling calls are those that may return without having found anything") {
  for (calls::Row const& row : calls::rows) {
    INFO(row.name);
    bool const returns_flag = has(row, "flag") && row.family != calls::file;  // a file's flag goes in
    CHECK(row.polls == (returns_flag || row.name.starts_with("Test") || row.rule.starts_with("seen")));
  }
}

TEST_CASE(
    "in blocking collective calls, and in those on windows, shared files and buffers, a process may wait for others") {
  for (char const* const name :
       {"Barrier", "Scan", "Neighbor_alltoall", "Comm_dup", "Comm_free", "Win_create", "Win_fence", "Win_lock",
        "Win_wait", "File_open", "File_write_all", "File_read_at_all_end", "File_write_ordered", "File_set_size",
        "Buffer_detach", "Comm_flush_buffer", "Session_finalize"}) {
    INFO(name);
    CHECK(waits_for_others(row_of(name)));
  }
  for (char const* const name :
       {"Send",        "Recv",  "Iprobe",   "Start",      "Wait",          "Ibarrier",          "Barrier_init",
        "Comm_idup",   "Put",   "Win_test", "File_write", "File_read_at",  "File_write_shared", "File_iwrite_all",
        "Bsend",       "Mrecv", "Mprobe",   "Sendrecv",   "Buffer_iflush", "Send_init",         "Pready",
        "Session_init"}) {
    INFO(name);
    CHECK_FALSE(waits_for_others(row_of(name)));
  }
}

TEST_CASE("facts of single calls follow from their rows") {
  auto const names_with = [](auto fact) {
    std::set<std::string_view> names;
    for (calls::Row const& row : calls::rows)
      if (fact(row)) names.insert(row.name);
    return names;
  };
  using Names = std::set<std::string_view>;
  CHECK(names_with(calls::is_barrier) == Names{"Barrier", "Ibarrier", "Barrier_init"});
  CHECK(names_with(calls::sets_view) == Names{"File_set_view"});
  CHECK(names_with([](calls::Row const& row) {
          return row.kind == calls::creation && row.on == calls::on_comm && !is_made_by_all(row);
        }) == Names{"Comm_create_group"});
  for (calls::Row const& row : calls::rows)
    if (row.family == calls::Family::file)
      CHECK(joins_accesses(row) == std::regex_search(std::string(row.name), std::regex("_(all|ordered|begin|end)$")));
}

TEST_CASE("each row is an operation, and each polling one is a second") {
  std::vector<std::string> expected;
  for (calls::Row const& row : calls::rows) {
    expected.emplace_back(row.name);
    if (row.polls) expected.push_back(std::string(row.name) + std::string(schema::found_nothing_suffix));
  }
  REQUIRE(expected.size() == static_cast<std::size_t>(Op::count_));
  for (std::size_t op = 0; op < expected.size(); ++op) CHECK(op_name(static_cast<Op>(op)) == expected[op]);
  CHECK(std::set<std::string>(expected.begin(), expected.end()).size() == expected.size());
  CHECK(op_name(Op::Send) == "Send");
  CHECK(op_name(Op::Test_none) == "Test-none");
  CHECK(expected.size() <= 1U << RecordKey::op_bits);
}

TEST_CASE("every blocking and nonblocking point-to-point call of MPI 3.1 has a row") {
  for (char const* const name :
       {"Send", "Bsend", "Ssend", "Rsend", "Recv", "Sendrecv", "Sendrecv_replace", "Isend", "Ibsend", "Issend",
        "Irsend", "Irecv", "Probe", "Iprobe", "Mprobe", "Improbe", "Mrecv", "Imrecv"})
    CHECK(row_of(name).family == calls::Family::point_to_point);
  for (char const* const name : {"Wait", "Waitany", "Waitall", "Waitsome", "Test", "Testany", "Testall", "Testsome",
                                 "Request_free", "Cancel", "Request_get_status"})
    CHECK(row_of(name).kind == calls::Kind::completing);
}
