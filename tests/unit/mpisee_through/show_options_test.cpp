#include "commands/show_options.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "commands/shown_views.hpp"

using namespace mpisee_through;

namespace {

Request parse(std::vector<char const*> arguments) {
  arguments.insert(arguments.begin(), "mpisee-through");
  ShowOptions options;
  REQUIRE(options.parse(static_cast<int>(arguments.size()), arguments.data()) == std::nullopt);
  return options.request();
}

}  // namespace

TEST_CASE("without options everything is shown by time") {
  Request const request = parse({"profile"});
  CHECK(request.profiles == std::vector<std::filesystem::path>{"profile"});
  CHECK(request.selection.communicators.empty());
  CHECK(request.selection.operations.empty());
  CHECK_FALSE(request.selection.ranks.has_value());
  CHECK(request.arrangement.key == SortKey::time);
  CHECK_FALSE(request.arrangement.top.has_value());
  CHECK(request.detail == Detail::operations);
  CHECK(request.view == nullptr);  // the first page
  CHECK(request.format == Format::text);
}

TEST_CASE("every option reaches the request") {
  CHECK(parse({"--communicators", "p"}).view->option == "--communicators");
  CHECK(parse({"--census", "p"}).view->option == "--census");
  CHECK(parse({"--tree", "p"}).view->option == "--tree");
  CHECK(parse({"--operations", "p"}).view->option == "--operations");
  CHECK(parse({"--ranks", "p"}).view->option == "--ranks");
  CHECK(parse({"--sizes", "p"}).view->option == "--operations");
  CHECK(parse({"--size", "1k-", "p"}).selection.sizes->min_bytes == 1024);
  CHECK(parse({"--kind", "p2p", "--kind", "file", "p"}).selection.kinds ==
        std::vector<OperationKind>{OperationKind::p2p, OperationKind::file});
  CHECK(parse({"--width", "72", "p"}).width == 72);
  CHECK(parse({"--color", "never", "p"}).color == ColorWhen::never);
  CHECK(parse({"--sizes", "p"}).detail == Detail::message_sizes);
  CHECK(parse({"--csv", "p"}).format == Format::csv);
  CHECK(parse({"--json", "p"}).format == Format::json);
  CHECK(parse({"--tree", "--top", "3", "p"}).arrangement.top == 3);
  CHECK(parse({"--rank", "0-3,8", "p"}).selection.ranks->size() == 5);
  CHECK(parse({"--tree", "--sort", "time", "p"}).arrangement.key == SortKey::time);
  CHECK(parse({"--tree", "--sort", "calls", "p"}).arrangement.key == SortKey::calls);
  CHECK(parse({"--tree", "--sort", "volume", "p"}).arrangement.key == SortKey::volume);
  CHECK(parse({"--tree", "--sort", "bytes", "p"}).arrangement.key == SortKey::volume);
  CHECK(parse({"--tree", "--sort=name", "p"}).arrangement.key == SortKey::name);
  CHECK(parse({"--tree", "p", "--sort", "size"}).arrangement.key == SortKey::size);
  CHECK(parse({"--regions", "p", "--sort", "imbalance"}).arrangement.key == SortKey::imbalance);
  CHECK(parse({"p"}).region_times == RegionTimes::inclusive);
  CHECK(parse({"--exclusive", "p"}).region_times == RegionTimes::exclusive);
  CHECK(parse({"--regions", "--exclusive", "p"}).region_times == RegionTimes::exclusive);
}

TEST_CASE("a pattern takes one word, so that the profile can follow it") {
  Request const request = parse({"--comm", "W_*", "--comm", "SELF", "--op", "Send", "profile"});
  CHECK(request.profiles == std::vector<std::filesystem::path>{"profile"});
  CHECK(request.selection.communicators == std::vector<std::string>{"W_*", "SELF"});
  CHECK(request.selection.operations == std::vector<std::string>{"Send"});
}

TEST_CASE("every option about messages and regions reaches the request") {
  CHECK(parse({"--matrix", "p"}).view->option == "--matrix");
  CHECK(parse({"--collectives", "p"}).view->option == "--collectives");
  CHECK(parse({"--regions", "p"}).view->option == "--regions");
  CHECK(parse({"--region", "solve", "--region", "io/*", "p"}).selection.regions ==
        std::vector<std::string>{"solve", "io/*"});
  CHECK(parse({"--matrix", "p"}).measure == Measure::bytes);
  CHECK(parse({"--matrix", "--by", "messages", "p"}).measure == Measure::messages);
  CHECK(parse({"--matrix", "--class", "p2p", "--class", "internal", "p"}).selection.classes ==
        std::vector<TrafficClass>{TrafficClass::p2p, TrafficClass::internal});
  Request const ranks = parse({"--matrix", "--from", "0-3", "--to", "8", "p"});
  CHECK(ranks.selection.from->size() == 4);
  CHECK(ranks.selection.to->size() == 1);
  CHECK(parse({"--matrix", "--sizes", "p"}).detail == Detail::message_sizes);
}

TEST_CASE("the matrix as a file is wanted with or without the view") {
  Request const only_files =
      parse({"--matrix-csv", "a.csv", "--treematch", "a.mat", "--matrix-image", "a.svg", "--by", "bytes", "p"});
  CHECK(only_files.view->option == "--matrix");
  CHECK(only_files.only_files);
  CHECK(only_files.matrix_files.csv == "a.csv");
  CHECK(only_files.matrix_files.treematch == "a.mat");
  CHECK(only_files.matrix_files.image == "a.svg");
  CHECK_FALSE(parse({"--matrix", "--matrix-csv", "a.csv", "p"}).only_files);
}
