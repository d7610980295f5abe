#include <catch2/catch.hpp>
#include <sstream>

#include "views/forms.hpp"

using namespace mpisee_through;

namespace {

Traffic ring(std::uint32_t ranks) {
  Traffic traffic;
  traffic.run.ranks = ranks;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    traffic.pairs.push_back({WorldRank{rank}, WorldRank{(rank + 1) % ranks}, {1, 1024}});
    traffic.total += {1, 1024};
  }
  return traffic;
}

std::string shown(Traffic const& traffic, TrafficLayout const& layout) {
  std::ostringstream out;
  show(out, traffic, Format::text, layout);
  return out.str();
}

bool is_matrix(std::string const& text) { return text.find("From\\To") != std::string::npos; }

}  // namespace

TEST_CASE("a matrix has sums, and a place for other worlds") {
  Traffic traffic;
  traffic.run.ranks = 5;
  traffic.pairs = {{WorldRank{0}, WorldRank{4}, {2, 2048}}, {WorldRank{4}, other_world, {1, 0}}};
  traffic.total = {3, 2048};
  std::string const text = shown(traffic, {});
  CHECK(text.substr(text.find("From")) ==
        "From\\To  0          4  other        All\n"
        "      0  -  2.000 KiB      -  2.000 KiB\n"
        "      4  -          -    0 B        0 B\n"
        "  other  -          -      -          -\n"
        "    All  -  2.000 KiB    0 B  2.000 KiB\n");
}

TEST_CASE("a matrix is shown of up to 32 ranks, and if the terminal is wide enough") {
  CHECK(is_matrix(shown(ring(32), {})));
  CHECK_FALSE(is_matrix(shown(ring(33), {})));
  // "From\To", 8 ranks and the sum, two blanks between: 7 + 8 x (2 + 9) + 2 + 9 columns, "1.000 KiB" has 9
  CHECK(is_matrix(shown(ring(8), {.width = 106})));
  CHECK_FALSE(is_matrix(shown(ring(8), {.width = 105})));
}

TEST_CASE("of more pairs the busiest are listed, and the others counted") {
  Traffic traffic = ring(40);
  traffic.pairs[17].amount = {5, 4096};
  traffic.total = {44, 39 * 1024 + 4096};
  std::string const text = shown(traffic, {});
  CHECK(text.find("From  To  Messages      Bytes  Of all bytes\n"
                  "  17  18         5  4.000 KiB         9.3 %\n"  // 4 of 43 KiB
                  "   0   1         1  1.000 KiB         2.3 %\n") != std::string::npos);
  CHECK(text.find("\nNot shown: 30 pairs. --top N shows more, --matrix-csv FILE writes all.\n") != std::string::npos);
  CHECK(shown(traffic, {.top = 39}).find("Not shown: 1 pair.") != std::string::npos);
  CHECK(shown(traffic, {.top = 40}).find("Not shown") == std::string::npos);
  CHECK(shown(traffic, {.by = Measure::messages}).find("Of all messages") != std::string::npos);
}

TEST_CASE("a matrix says what the transport was given, and for which messages nothing") {
  Traffic traffic = ring(4);
  traffic.seen_by_transport = {.messages = 3400, .unseen = 1200, .unseen_pairs = 4};
  CHECK(shown(traffic, {})
            .find("\nTransport  was given nothing for 1,200 of 3,400 messages of the program, those of 4 "
                  "pairs of ranks\n") != std::string::npos);
  Run::Messages messages{};
  messages.network = {2500, 4096};
  traffic.run.messages = messages;
  traffic.bytes_given_for_each = 1.3421;
  CHECK(shown(traffic, {})
            .find("\nTransport  was given 2,500 with 4.000 KiB in the whole run, 1.34 bytes for each byte "
                  "that the program sends: --class network\n"
                  "           was given nothing for 1,200 of 3,400 messages") != std::string::npos);
  std::ostringstream json;
  show(json, traffic, Format::json, {});
  CHECK(json.str().find(R"("transport":{"messages":2500,"bytes":4096,"bytes_for_each":1.3421,)"
                        R"("messages_of_program":3400,"unseen":1200,"unseen_pairs":4})") != std::string::npos);
  traffic.seen_by_transport->unseen = 0;
  CHECK(shown(traffic, {}).find("nothing for") == std::string::npos);
  CHECK(shown(ring(4), {}).find("Transport") == std::string::npos);
}

TEST_CASE("no messages are an answer") { CHECK(shown({}, {}).ends_with("\n\nNo messages in this selection.\n")); }
