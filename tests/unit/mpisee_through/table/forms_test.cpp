#include "table/forms.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using mpisee_through::Json;
using namespace mpisee_through::table;

namespace {

struct Fruit {
  std::string name;
  double share;
  bool is_bound = false;
};

View<Fruit> view_of_fruit() {
  return {
      .name = "fruit",
      .columns = {{"fruit", "Fruit", Kind::name, [](Fruit const& one) { return one.name; }},
                  {"length", "", Kind::count, [](Fruit const& one) { return one.name.size(); }},
                  {"size", "Size", Kind::figure, [](Fruit const&) { return "big"; }, only_text},
                  {.key = "share",
                   .title = "Share",
                   .kind = Kind::share,
                   .value =
                       [](Fruit const& one) { return bounded(one.share, one.is_bound ? Bound::at_most : Bound::none); },
                   .has_bounds = true}},
      .text = {"Share", "Fruit"}};
}

template <class Shown>
std::string text_of(Shown const& shown, TextLayout const& layout = {}) {
  std::ostringstream out;
  write_text(out, shown, layout);
  return out.str();
}

template <class Shown>
std::string csv_of(Shown const& shown) {
  std::ostringstream out;
  write_csv(out, shown);
  return out.str();
}

template <class Shown>
Json json_of(Shown const& shown) {
  std::ostringstream out;
  write_json(out, shown, {{"run", 1}});
  return Json::parse(out.str());
}

std::vector<Fruit> const fruit{{"apple", 0.25}, {"fig", 0.5, true}};

}  // namespace

TEST_CASE("text has the columns with a title, first those that are listed") {
  auto const view = view_of_fruit();
  CHECK(text_of(table_of(view, fruit)) ==
        "         Share  Fruit  Size\n"
        "        25.0 %  apple   big\n"
        "at most 50.0 %  fig     big\n");
  View<Fruit> misspelled = view;
  misspelled.text = {"Fruits"};
  CHECK_THROWS_AS(table_of(misspelled, fruit), std::logic_error);
}

TEST_CASE("data have the columns with a key, and bounds behind all others") {
  auto const view = view_of_fruit();
  auto const table = table_of(view, fruit);
  CHECK(csv_of(table) ==
        "fruit,length,share,share_bound\n"
        "apple,5,0.25,\n"
        "fig,3,0.5,at most\n");
  Json const expected = Json::parse(
      R"({"run": 1, "fruit": [{"fruit": "apple", "length": 5, "share": 0.25, "share_bound": null},
                              {"fruit": "fig", "length": 3, "share": 0.5, "share_bound": "at most"}]})");
  CHECK(json_of(table) == expected);
}

TEST_CASE("the page has the columns of text, with all digits and the marks of bounds") {
  auto const view = view_of_fruit();
  CHECK(page_table(table_of(view, fruit)) == Json::parse(R"({"name": "fruit",
                        "columns": [{"key": "share", "title": "Share", "kind": "share"},
                                    {"key": "fruit", "title": "Fruit", "kind": "name"},
                                    {"key": "size", "title": "Size", "kind": "figure"}],
                        "lines": [[0.25, "apple", "big"],
                                  [{"value": 0.5, "bound": "at most"}, "fig", "big"]]})"));
}

TEST_CASE("a text that makes lines too long is cut") {
  View<Fruit> view = view_of_fruit();
  std::vector<Fruit> const long_names{{"a fruit with quite a long name", 0}};
  view.cut = {.title = "Fruit"};
  CHECK(text_of(table_of(view, long_names), {.width = 30}) ==
        "Share  Fruit              Size\n"
        "0.0 %  a fruit with q...   big\n");
  view.cut.is_site = true;
  CHECK(text_of(table_of(view, long_names), {.width = 30}) ==
        "Share  Fruit              Size\n"
        "0.0 %  ...te a long name   big\n");
}

TEST_CASE("lines below lines: text has headings, CSV repeats, JSON nests") {
  View<Fruit> outer{.name = "baskets",
                    .columns = {{"basket", "", Kind::name, [](Fruit const& one) { return one.name; }},
                                {"sum", "", Kind::share, [](Fruit const& one) { return one.share; }, only_json}}};
  View<Fruit> const inner = view_of_fruit();
  std::vector<Fruit> const baskets{{"red", 0.75}, {"green", 1}};
  std::vector<Fruit> const all{{"apple", 0.25}, {"fig", 0.5}, {"kiwi", 1}};
  auto const heading = [&](std::size_t block) { return baskets[block].name + ":\n"; };
  auto const footing = [](std::size_t block) { return std::string(block == 0 ? "  and a nut\n" : ""); };
  Nested const nested{table_of(outer, baskets), table_of(inner, all), {0, 2}, heading, footing};
  outer.columns.front().title = "Basket";
  Json const page = page_table(Nested{table_of(outer, baskets), table_of(inner, all), {0, 2}});
  CHECK(page["columns"].size() == 4);
  CHECK(page["columns"][0]["title"] == "Basket");
  CHECK(page["lines"] == Json::parse(R"([["red", 0.25, "apple", "big"], ["red", 0.5, "fig", "big"],
                                         ["green", 1.0, "kiwi", "big"]])"));
  CHECK(text_of(nested, {.indent = 2}) ==
        "red:\n"
        "    Share  Fruit  Size\n"
        "   25.0 %  apple   big\n"
        "   50.0 %  fig     big\n"
        "  and a nut\n"
        "\n"
        "green:\n"
        "    Share  Fruit  Size\n"
        "  100.0 %  kiwi    big\n");
  CHECK(csv_of(nested) ==
        "basket,fruit,length,share,share_bound\n"
        "red,apple,5,0.25,\n"
        "red,fig,3,0.5,\n"
        "green,kiwi,4,1,\n");
  Json const json = json_of(nested);
  CHECK(json["baskets"][0]["sum"] == 0.75);
  CHECK(json["baskets"][0]["fruit"].size() == 2);
  CHECK(json["baskets"][1]["fruit"][0]["fruit"] == "kiwi");
}

TEST_CASE("many lines are the same whatever thread formats them") {
  std::vector<Fruit> many;
  std::string expected = " Share  Fruit  Size\n";
  for (int i = 0; i < 10'000; ++i) {
    many.push_back({"f" + std::to_string(10'000 + i).substr(1), 0.25});
    expected += "25.0 %  " + many.back().name + "   big\n";
  }
  auto const view = view_of_fruit();
  CHECK(text_of(table_of(view, many)) == expected);
}

TEST_CASE("columns of a part keep their values, and are not known where a line has no such part") {
  std::vector<Column<Fruit>> const declared{{"share", "", Kind::share, [](Fruit const& one) { return one.share; }},
                                            {"fruit", "", Kind::name, [](Fruit const& one) { return one.name; }}};
  View<std::optional<Fruit>> view{.name = "lines", .columns = {}};
  add_columns(view.columns, declared, [](std::optional<Fruit> const& line) { return line; },
              {Pick("fruit=Fruit"), Pick("share=Of all").as("part"), Pick("fruit:Again")});
  std::vector<std::optional<Fruit>> const lines{fruit[0], std::nullopt};
  CHECK(csv_of(table_of(view, lines)) == "fruit,part\napple,0.25\n,\n");
  CHECK(text_of(table_of(view, lines)) == "Fruit  Of all  Again\napple  25.0 %  apple\n-           -  -\n");
  CHECK_THROWS_AS(add_columns(
                      view.columns, declared, [](auto const& line) { return line; }, picks("price")),
                  std::logic_error);
}

// Generates any number of lines, so that all threads take part; values and bounds depend on a seed.
TEST_CASE("the forms of a table have the same lines, numbers and marks in the same order") {
  struct Line {
    std::uint64_t count;
    double share;
    Bound bound;
    bool is_known;
  };
  std::mt19937 random(20261125);
  for (std::size_t const size : {0, 1, 7, 300, 5000}) {
    std::vector<Line> lines;
    for (std::size_t i = 0; i < size; ++i)
      lines.push_back({random() % 1000, static_cast<double>(random() % 1001) / 1000,
                       std::array{Bound::none, Bound::at_most, Bound::at_least}[random() % 3], random() % 5 > 0});
    View<Line> const view{
        .name = "lines",
        .columns = {{"count", "Count", Kind::count, [](Line const& one) { return one.count; }},
                    {.key = "share",
                     .title = "Share",
                     .kind = Kind::share,
                     .value = [](Line const& one) { return one.is_known ? bounded(one.share, one.bound) : Value(); },
                     .has_bounds = true}}};
    Table const table = table_of(view, lines);
    std::istringstream text(text_of(table)), csv(csv_of(table));
    Json const json = json_of(table);
    REQUIRE(json["lines"].size() == size);
    std::string text_line, csv_line;
    std::getline(text, text_line);
    std::getline(csv, csv_line);
    CHECK(csv_line == "count,share,share_bound");
    for (std::size_t i = 0; i < size; ++i) {
      Json const& object = json["lines"][i];
      std::string const mark = object["share_bound"].is_null() ? "" : object["share_bound"].get<std::string>();
      std::string const share = object["share"].is_null() ? "" : object["share"].dump();
      std::getline(text, text_line);
      std::getline(csv, csv_line);
      REQUIRE(object["count"] == lines[i].count);
      REQUIRE(object["share"].is_null() != lines[i].is_known);
      REQUIRE(mark == (lines[i].is_known ? words_of(lines[i].bound) : ""));
      auto const [field, end] = std::pair(csv_line.find(','), csv_line.rfind(','));
      REQUIRE(csv_line.substr(0, field) == object["count"].dump());
      REQUIRE(csv_line.substr(end + 1) == mark);
      std::string const in_csv = csv_line.substr(field + 1, end - field - 1);
      REQUIRE((share.empty() ? in_csv.empty() : std::stod(in_csv) == object["share"].get<double>()));
      std::string const shown = share.empty() ? "-" : Value(object["share"].get<double>()).text(Kind::share);
      REQUIRE(text_line.ends_with((mark.empty() || share.empty() ? "  " : mark + " ") + shown));
    }
    CHECK_FALSE(std::getline(text, text_line));
    CHECK_FALSE(std::getline(csv, csv_line));
  }
}
