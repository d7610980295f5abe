// Reading damaged files of a profile ends in an answer or in a ProfileError, whatever the damage.
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>

#include "profile/schema.hpp"
#include "support/long_run.hpp"
#include "support/temporary_profile.hpp"
#include "views/forms.hpp"
#include "views/placement_files.hpp"

using namespace mpisee_through;

namespace {

constexpr std::array<char const*, 8> file_names{"run.json",  "ranks.csv",   "communicators.csv", "operations.csv",
                                                "peers.csv", "regions.csv", "waits.csv",         "waits_by_rank.csv"};
constexpr std::size_t files_of_sample = 6;

class DamagedSample {
 public:
  DamagedSample() {
    for (std::size_t i = 0; i < files_of_sample; ++i) {
      std::filesystem::copy_file(std::filesystem::path(MPISEE_THROUGH_SAMPLE) / file_names[i],
                                 files_.file(file_names[i]), std::filesystem::copy_options::overwrite_existing);
    }
    files_.write("waits.csv", std::string(commprof::schema::waits.header) +
                                  "\nW,Allreduce,4,4000,256,entries,4.0,2.0,0.1,1.5,0.5,2,0.75,0.001,collective,,,,,\n"
                                  "W_s2.2,Bcast,2,24,12,durations,0.75,0.25,,,,3,0.5,,collective,,,,,\n");
    files_.write("waits_by_rank.csv", std::string(commprof::schema::waits_by_rank.header) +
                                          "\nW,Allreduce,0,256,1.5,1.0,10,collective,,,\n"
                                          "W,Allreduce,2,256,0.5,0.0,192,collective,,,\n"
                                          "W_s2.2,Bcast,3,12,0.5,0.25,6,collective,,,\n");
    files_.replace("run.json", "\"regions.csv\": {\"rows\": 10}",
                   "\"regions.csv\": {\"rows\": 10}, \"waits.csv\": {\"rows\": 2}, "
                   "\"waits_by_rank.csv\": {\"rows\": 3}");
  }
  [[nodiscard]] TemporaryProfile const& files() const { return files_; }

  // True if the profile was read and could be shown in every form.
  [[nodiscard]] bool is_readable() const {
    try {
      for (Detail const detail : {Detail::operations, Detail::message_sizes}) {
        Summary const summary = files_.summarise({}, detail);
        Traffic const traffic = add_up_traffic(Profile(files_.path()), {}, detail);
        for (Format const format : {Format::text, Format::csv, Format::json}) {
          std::ostringstream out;
          for (auto* const show_view :
               {show_communicators, show_census, show_tree, show_operations, show_sites, show_collectives}) {
            show_view(out, format, summary, {});
          }
          show(out, traffic, format, {});
        }
        std::ostringstream out;
        write_treematch(out, traffic, Measure::bytes);
        write_scotch(out, traffic, Measure::bytes);
        write_metis(out, traffic, Measure::messages);
      }
      FirstScreen const screen = read_first_page(Profile(files_.path()), {});
      for (Format const format : {Format::text, Format::csv, Format::json}) {
        std::ostringstream out;
        show(out, screen, format, {});
      }
      for (WaitDetail const detail : {WaitDetail::operations, WaitDetail::ranks}) {
        Waits const waits = read_waits(Profile(files_.path()), screen.summary, {}, detail);
        for (Format const format : {Format::text, Format::csv, Format::json}) {
          std::ostringstream out;
          show(out, screen.summary, waits, format, {},
               detail == WaitDetail::ranks ? WaitLines::ranks : WaitLines::operations);
        }
      }
      Regions const regions = add_up_regions(Profile(files_.path()), {});
      for (Format const format : {Format::text, Format::csv, Format::json}) {
        std::ostringstream out;
        show(out, regions, format);
      }
      return true;
    } catch (ProfileError const& error) {
      CHECK(std::string(error.what()).find(files_.path().string()) == 0);
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
      return false;
    }
  }

 private:
  TemporaryProfile files_;
};

// Damages a file in one of several ways at a random place.
std::string damaged(std::string text, std::mt19937& random) {
  auto const below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  constexpr std::string_view awkward("\0\n\r\",:{}[]-.eE0919x \x1b\x80\xff*", 25);
  std::size_t const at = below(text.size());
  std::size_t const length = std::min(below(40) + 1, text.size() - at);
  switch (below(6)) {
    case 0:
      text[at] = static_cast<char>(below(256));
      break;
    case 1:
      text[at] = awkward[below(awkward.size())];
      break;
    case 2:
      text.insert(at, 1, awkward[below(awkward.size())]);
      break;
    case 3:
      text.erase(at, length);
      break;
    case 4:
      text.insert(below(text.size()), text.substr(at, length));
      break;
    default:
      text.insert(at, std::string(below(30), '9'));
      break;
  }
  return text;
}

}  // namespace

TEST_CASE("the sample is readable as it is") { CHECK(DamagedSample().is_readable()); }

TEST_CASE("a profile cut off anywhere is noticed") {
  DamagedSample const sample;
  std::size_t const step = is_long_run() ? 1 : 19;
  for (char const* name : file_names) {
    std::string const whole = sample.files().read(name);
    std::size_t const end =
        name == file_names[0] ? whole.rfind('}') : whole.size() - 1;  // JSON is whole without its newline
    for (std::size_t length = 0; length <= end; length += step + length % 3) {
      sample.files().write(name, whole.substr(0, length));
      INFO(name << " cut off after " << length << " bytes");
      CHECK_FALSE(sample.is_readable());
    }
    sample.files().write(name, whole);
  }
}

TEST_CASE("no damage crashes the reader") {
  DamagedSample const sample;
  std::mt19937 random(20261121);
  int readable = 0;
  int const repetitions = is_long_run() ? 400 : 60;
  for (char const* name : file_names) {
    std::string const whole = sample.files().read(name);
    for (int i = 0; i < repetitions; ++i) {
      std::string text = whole;
      for (std::size_t hits = 1 + static_cast<std::size_t>(i) % 3; hits > 0 && !text.empty(); --hits) {
        text = damaged(std::move(text), random);
      }
      sample.files().write(name, text);
      INFO(text);
      REQUIRE_NOTHROW(readable += sample.is_readable() ? 1 : 0);
    }
    sample.files().write(name, whole);
  }
  // Both kinds of ends must have been seen, or this tests less than it says.
  CHECK(readable > repetitions / 10);
  CHECK(readable < static_cast<int>(file_names.size()) * repetitions / 2);
}
