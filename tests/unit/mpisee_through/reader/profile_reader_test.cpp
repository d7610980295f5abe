#include "reader/profile_reader.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "profile/schema.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// region,comm,comm_size,rank,op,size_min,size_max,calls,bytes_sent,bytes_received,time_s,time_min_s,time_max_s
constexpr char const* row_of_rank_0 = "main,W,2,0,Send,8,15,3,24,0,0.5,0.125,0.25";
constexpr char const* row_of_rank_1 = "main,W,2,1,Recv,8,15,3,0,24,1.5,0.25,0.75";

}  // namespace

TEST_CASE("every field of run.json is read") {
  TemporaryProfile const files;
  files.write("run.json", R"({"schema_version": 1, "program": "/usr/bin/hpcc", "arguments": ["-x", "a b"],
    "mpi": {"library": "Open MPI v4.1.4", "version": "3.1"}, "ranks": 4, "start": "2026-11-21T09:00:00Z", "wall_s": 12.345,
    "clock": {"source": "tsc"}, "unknown to this version": [1, {"x": null}],
    "left_out": {"operations": {"only": ["*send*", "Recv"], "without": ["Isend"]}, "communicators": null},
    "dropped": {"records": 0, "requests": 7}, "folded": {"communicators": 2},
    "files": {"operations.csv": {"rows": 123}}})");
  Profile const profile(files.path());
  Run const& run = profile.run();
  CHECK(run.program == "/usr/bin/hpcc");
  CHECK(run.arguments == std::vector<std::string>{"-x", "a b"});
  CHECK(run.mpi_library == "Open MPI v4.1.4");
  CHECK(run.mpi_version == "3.1");
  CHECK(run.ranks == 4);
  CHECK(run.start == "2026-11-21T09:00:00Z");
  CHECK(run.wall_s == 12.345);
  REQUIRE(run.operations_left_out);
  CHECK(run.operations_left_out->only == std::vector<std::string>{"*send*", "Recv"});
  CHECK(run.operations_left_out->without == std::vector<std::string>{"Isend"});
  CHECK_FALSE(run.communicators_left_out);
  using Counts = std::vector<std::pair<std::string, std::uint64_t>>;
  CHECK(run.dropped == Counts{{"records", 0}, {"requests", 7}});
  CHECK(run.folded == Counts{{"communicators", 2}});
  CHECK(profile.expected_rows("operations.csv") == 123);
  CHECK_FALSE(profile.expected_rows("ranks.csv").has_value());
}

TEST_CASE("columns are found by name, and unknown ones are skipped") {
  TemporaryProfile const files({.operations = {row_of_rank_0}});
  files.write(
      "operations.csv",
      "time_max_s,time_min_s,\"op\",new column,rank,comm,region,comm_size,calls,size_max,size_min,bytes_received,"
      "bytes_sent,time_s\r\n"
      "0.25,0.125,Send,\"?,\",0,W,main,2,3,15,8,0,24,0.5\r\n");
  Summary const summary = files.summarise();
  REQUIRE(summary.communicators[0].operations.size() == 1);
  CHECK(summary.communicators[0].totals.calls == 3);
  CHECK(summary.communicators[0].totals.bytes_sent == 24);
  CHECK(summary.communicators[0].totals.time_s == 0.5);
}

TEST_CASE("a profile without calls is a profile") { CHECK(TemporaryProfile().problem().empty()); }

TEST_CASE("a directory in place of a file is named") {
  TemporaryProfile const files;
  files.remove("operations.csv");
  std::filesystem::create_directory(files.file("operations.csv"));
  CHECK(files.problem() == "operations.csv: Is a directory");
}

TEST_CASE("a newer schema is turned down before anything else is looked at") {
  TemporaryProfile const files;
  files.write("run.json", "{\n  \"program\": 1,\n  \"schema_version\": 2\n}\n");
  CHECK(files.problem() == "run.json:3: schema_version is 2, newer than 1, the newest that this mpisee-through reads");
}

TEST_CASE("values of run.json that make no sense are named with their line") {
  struct Case {
    char const* before;
    char const* after;
    char const* problem;
  };
  Case const cases[] = {
      {"\"schema_version\": 1,", "", "run.json:1: schema_version is missing"},
      {"\"schema_version\": 1,", "\"schema_version\": 0,", "run.json:2: schema_version is 0, which never existed"},
      {"\"schema_version\": 1,", "\"schema_version\": \"1\",", "run.json:2: schema_version is not a whole number"},
      {"\"program\": \"a.out\",", "", "run.json:1: program is missing"},
      {"\"program\": \"a.out\",", "\"program\": 3,", "run.json:3: program is not a text"},
      {"\"ranks\": 2", "\"ranks\": 0", "run.json:4: ranks is no number of MPI processes (1 to 4194304)"},
      {"\"ranks\": 2", "\"ranks\": -2", "run.json:4: ranks is not a whole number"},
      {"\"ranks\": 2", "\"ranks\": 2.5", "run.json:4: ranks is not a whole number"},
      {"\"ranks\": 2", "\"ranks\": 4294967298", "run.json:4: ranks is no number of MPI processes (1 to 4194304)"},
      {"\"wall_s\": 10", "\"wall_s\": null", "run.json:5: wall_s is not a time in seconds"},
      {"\"wall_s\": 10", "\"wall_s\": -1", "run.json:5: wall_s is not a time in seconds"},
      {"\"wall_s\": 10", "\"wall_s\": 1e999", "run.json:1: no valid JSON: a number is out of range"},
      {"\"wall_s\": 10", "\"arguments\": {}, \"wall_s\": 10", "run.json:5: arguments is not a list"},
      {"\"wall_s\": 10", "\"mpi\": [], \"wall_s\": 10", "run.json:5: mpi is not an object"},
      {"\"wall_s\": 10", "\"dropped\": {\"records\": 0.5}, \"wall_s\": 10",
       "run.json:5: records is not a whole number"},
      {"{\"rows\": 0}", "0", "run.json:6: operations.csv is not an object"},
  };
  for (Case const& one : cases) {
    TemporaryProfile const files;
    files.replace("run.json", one.before, one.after);
    CHECK(files.problem() == one.problem);
  }
}

TEST_CASE("files that are not regular are refused, unless somebody writes into them") {
  TemporaryProfile const files;
  files.remove("run.json");
  REQUIRE(::mkfifo(files.file("run.json").c_str(), 0600) == 0);
  CHECK(files.problem() == "run.json: not a regular file");
}

TEST_CASE("a text like a key in a value does not mislead about the line") {
  TemporaryProfile const files;
  files.write("run.json", "{\n\"program\": \"ranks\",\n\"schema_version\": 1,\n\"ranks\": 0}\n");
  CHECK(files.problem() == "run.json:4: ranks is no number of MPI processes (1 to 4194304)");
}

TEST_CASE("a run.json that is no JSON is named with the line") {
  TemporaryProfile const files;
  files.write("run.json", "{\n\"schema_version\": 1,\n\"ranks\": what\n}");
  CHECK(files.problem().rfind("run.json:3: no valid JSON: ", 0) == 0);
  files.write("run.json", "{\n\"schema_version\": 1,\n\"ra");
  CHECK(files.problem() == "run.json:3: cut off");
  files.write("run.json", "");
  CHECK(files.problem() == "run.json:1: cut off");
  files.write("run.json", "[]\n");
  CHECK(files.problem() == "run.json:1: not an object");
}

TEST_CASE("a table that was cut off is noticed wherever the cut is") {
  TemporaryProfile const files({.operations = {row_of_rank_0, row_of_rank_1}});
  std::string const whole = files.read("operations.csv");

  SECTION("at the end of a line") {
    files.write("operations.csv", whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1));
    CHECK(files.problem() == "operations.csv:2: cut off after 1 of 2 rows");
  }
  SECTION("before the last newline") {
    files.write("operations.csv", whole.substr(0, whole.size() - 1));
    CHECK(files.problem() == "operations.csv:3: cut off in the middle of the line");
  }
  SECTION("within the last number, which stays a number") {
    files.write("operations.csv", whole.substr(0, whole.size() - 2));
    CHECK(files.problem() == "operations.csv:3: cut off in the middle of the line");
  }
  SECTION("within a line") {
    files.write("operations.csv", whole.substr(0, whole.size() - 20));
    CHECK(files.problem() == "operations.csv:3: cut off in the middle of the line");
  }
  SECTION("within the header") {
    files.write("operations.csv", whole.substr(0, 20));
    CHECK(files.problem() == "operations.csv:1: cut off in the middle of the line");
  }
  SECTION("after the header") {
    files.write("operations.csv", whole.substr(0, whole.find('\n') + 1));
    CHECK(files.problem() == "operations.csv:1: cut off after 0 of 2 rows");
  }
  SECTION("before the header") {
    files.write("operations.csv", "");
    CHECK(files.problem() == "operations.csv:1: empty, without even the header line");
  }
}

TEST_CASE("a table with more rows than counted is noticed") {
  TemporaryProfile const files({.operations = {row_of_rank_0}});
  files.write("operations.csv", files.read("operations.csv") + row_of_rank_1 + "\n");
  CHECK(files.problem() == "operations.csv:3: more rows than the 1 that run.json counts");
}

TEST_CASE("rows that run.json does not count are read to the end of the file") {
  TemporaryProfile const files({.operations = {row_of_rank_0, row_of_rank_1}});
  files.replace("run.json", "\"files\"", "\"other files\"");
  CHECK(files.summarise().communicators[0].totals.calls == 6);
}

TEST_CASE("a wrong header is named") {
  TemporaryProfile const files({.operations = {row_of_rank_0}});
  SECTION("missing column") {
    files.replace("operations.csv", ",calls,", ",cells,");
    CHECK(files.problem() == "operations.csv:1: no column \"calls\" in the header");
  }
  SECTION("column twice") {
    files.replace("operations.csv", ",bytes_sent,", ",calls,");
    CHECK(files.problem() == "operations.csv:1: column \"calls\" twice in the header");
  }
}

TEST_CASE("a field that is not what its column holds is named") {
  struct Case {
    char const* row;
    char const* problem;
  };
  Case const cases[] = {
      {"main,W,2,0,Send,8,15,x,24,0,0.5,0.1,0.2", "calls is not a whole number: \"x\""},
      {"main,W,2,0,Send,8,15,,24,0,0.5,0.1,0.2", "calls is not a whole number: \"\""},
      {"main,W,2,0,Send,8,15,-3,24,0,0.5,0.1,0.2", "calls is not a whole number: \"-3\""},
      {"main,W,2,0,Send,8,15,3 ,24,0,0.5,0.1,0.2", "calls is not a whole number: \"3 \""},
      {"main,W,2,0,Send,8,15,3,2.5,0,0.5,0.1,0.2", "bytes_sent is not a whole number: \"2.5\""},
      {"main,W,2,0,Send,8,15,3,24,99999999999999999999,0.5,0.1,0.2",
       "bytes_received is not a whole number: \"99999999999999999999\""},
      {"main,W,?,0,Send,8,15,3,24,0,0.5,0.1,0.2", "comm_size is not a whole number: \"?\""},
      {"main,W,2,0,Send,8,15,3,24,0,fast,0.1,0.2", "time_s is not a time in seconds: \"fast\""},
      {"main,W,2,0,Send,8,15,3,24,0,-0.5,0.1,0.2", "time_s is not a time in seconds: \"-0.5\""},
      {"main,W,2,0,Send,8,15,3,24,0,nan,0.1,0.2", "time_s is not a time in seconds: \"nan\""},
      {"main,W,2,0,Send,8,15,3,24,0,inf,0.1,0.2", "time_s is not a time in seconds: \"inf\""},
      {"main,W,2,0,Send,8,15,3,24,0,0.5s,0.1,0.2", "time_s is not a time in seconds: \"0.5s\""},
      {"main,W,2,0,Send,8,15,3,24,0,0.5,\"0,1\",0.2", "time_min_s is not a time in seconds: \"0,1\""},
      {"main,W,2,0,Send,8,15,3,24,0,0.5,0.1,", "time_max_s is not a time in seconds: \"\""},
      {"main,W,2,0,Send,15,8,3,24,0,0.5,0.1,0.2", "size_min is greater than size_max"},
      {"main,W,2,2,Send,8,15,3,24,0,0.5,0.1,0.2", "rank 2 in a run of 2 ranks"},
      {"main,,2,0,Send,8,15,3,24,0,0.5,0.1,0.2", "comm is empty"},
      {"main,W,2,0,,8,15,3,24,0,0.5,0.1,0.2", "op is empty"},
      {"main,W,2,0,Send,8,15,3,24,0,0.5,0.1", "fewer fields than the header has columns"},
      {"main,W,2,0,Send,8,15,3,24,0,0.5,0.1,0.2,9", "more fields than the header has columns"},
      {"", "fewer fields than the header has columns"},
      {"main,\"W,2,0,Send,8,15,3,24,0,0.5,0.1,0.2", "quote not closed"},
      {"main,\"W\"x,2,0,Send,8,15,3,24,0,0.5,0.1,0.2", "text after the closing quote of a field"},
      {"main,W\"x\",2,0,Send,8,15,3,24,0,0.5,0.1,0.2", "quote in a field that does not begin with one"},
  };
  for (Case const& one : cases) {
    TemporaryProfile const files({.operations = {row_of_rank_0, one.row, row_of_rank_1}});
    CHECK(files.problem() == std::string("operations.csv:3: ") + one.problem);
  }
}

TEST_CASE("a NUL byte does not end a number") {
  TemporaryProfile const files({.operations = {row_of_rank_0}});
  files.replace("operations.csv", "0.25\n", std::string_view("0.2\0\n", 5));
  CHECK(files.problem() == "operations.csv:2: time_max_s is not a time in seconds: \"0.2\\x00\"");
}

TEST_CASE("numbers that cannot be added up are noticed") {
  std::string const most = "18446744073709551615";
  TemporaryProfile const calls({.operations = {"main,W,2,0,Send,8,15," + most + ",0,0,0,0,0", row_of_rank_1}});
  CHECK(calls.problem() == "operations.csv:3: the numbers add up to more than can be counted");
  TemporaryProfile const both_ways({.operations = {"main,W,2,0,Send,8,15,1," + most + ",0,0,0,0", row_of_rank_1}});
  CHECK(both_ways.problem() == "operations.csv:3: the numbers add up to more than can be counted");
  TemporaryProfile const times(
      {.operations = {"main,W,2,0,Send,8,15,1,0,0,1.7e308,0,0", "main,W,2,1,Send,8,15,1,0,0,1.7e308,0,0"}});
  CHECK(times.problem() == "operations.csv:3: the numbers add up to more than can be counted");
}

TEST_CASE("rows out of the order of ranks are turned down") {
  TemporaryProfile const files({.operations = {row_of_rank_1, row_of_rank_0}});
  CHECK(files.problem() == "operations.csv:3: rank 0 after rank 1: rows must be in the order of ranks");
}

TEST_CASE("ranks.csv has each rank once and in order") {
  TemporaryProfile const files({.ranks = 3});
  SECTION("a rank for the second time") {
    files.replace("ranks.csv", "\n1,", "\n0,");
    CHECK(files.problem() == "ranks.csv:3: rank 0 where rank 1 should be");
  }
  SECTION("a rank too many") {
    files.write("ranks.csv", files.read("ranks.csv") + "3,host,1,0,1,10,2\n");
    CHECK(files.problem() == "ranks.csv:5: more rows than the 3 that run.json counts");
  }
  SECTION("a rank missing") {
    files.write("ranks.csv", "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,host,1,0,1,10,2\n");
    CHECK(files.problem() == "ranks.csv:2: cut off after 1 of 3 rows");
  }
  SECTION("no time") {
    files.replace("ranks.csv", "\n1,host,1,0,1,10,2", "\n1,host,1,0,1,10,?");
    CHECK(files.problem() == "ranks.csv:3: mpi_s is not a time in seconds: \"?\"");
  }
}

TEST_CASE("a communicator that makes no sense is named") {
  struct Case {
    char const* row;
    char const* problem;
  };
  Case const cases[] = {
      {",W,Comm_dup,2,0-1,,,,0", "comm is empty"},
      {"W_d1,W,Comm_dup,many,0-1,,,,0", "size is not a whole number: \"many\""},
      {"W_d1,W,Comm_dup,2,0-x,,,,0", "members is not an ascending list of ranks: \"0-x\""},
      {"W_d1,W,Comm_dup,2,\"1,0\",,,,0", "members is not an ascending list of ranks: \"1,0\""},
      {"W_d1,W,Comm_dup,2,0-2,,,,0", "member 2 in a run of 2 ranks"},
      {"W_d1,W,Comm_dup,2,0-1,,,,yes", "freed is neither 0 nor 1"},
      {"W,,,2,,,,,0", "communicator W occurs again, but not with higher ranks"},
      {"W,,,2,0-1,,,,0", "communicator W occurs again, but not with higher ranks"},
  };
  for (Case const& one : cases) {
    TemporaryProfile const files({.communicators = {one.row}});
    CHECK(files.problem() == std::string("communicators.csv:4: ") + one.problem);
  }
}

TEST_CASE("a table of many of the reader's blocks is read to its last line") {
  // A block is a power of two of at most 1 MiB: this file ends exactly where one does.
  constexpr std::size_t size = std::size_t{3} << 20U;
  TemporaryProfile const files;
  std::string text = std::string(commprof::schema::operations.header) + "\n";
  std::string const row = "main,W,2,0,Send,8,15,1,8,0,0.5,0.125,0.25,solver+0x4a2f\n";
  std::uint64_t rows = 0;
  for (; text.size() + 2 * row.size() <= size; ++rows) text += row;
  std::size_t const left = size - text.size();  // for a last row, filled up with leading zeros
  std::string last = row;
  last.insert(last.find(",1,8,") + 1, left - row.size(), '0');
  text += last;
  ++rows;
  REQUIRE(text.size() == size);
  files.write("operations.csv", text);
  files.replace("run.json", "\"files\"", "\"other files\"");

  CHECK(files.summarise().communicators[0].totals.calls == rows);
  files.write("operations.csv", text.substr(0, size - 1));
  CHECK(files.problem() == "operations.csv:" + std::to_string(rows + 1) + ": cut off in the middle of the line");
  files.write("operations.csv", text + "m");
  CHECK(files.problem() == "operations.csv:" + std::to_string(rows + 2) + ": cut off in the middle of the line");
}

TEST_CASE("a line of more than 16 MiB is turned down") {
  TemporaryProfile const files({.operations = {row_of_rank_0}});
  files.replace("operations.csv", "Send", std::string(std::size_t{1} << 24U, 'S'));
  CHECK(files.problem() == "operations.csv:2: line longer than 16 MiB");
}
