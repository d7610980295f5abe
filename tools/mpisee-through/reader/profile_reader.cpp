#include "reader/profile_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "comm_naming/rank_ranges.hpp"
#include "profile/schema.hpp"
#include "reader/csv_file.hpp"
#include "reader/row_fields.hpp"
#include "reader/run_file.hpp"

namespace mpisee_through {
namespace schema = commprof::schema;
std::string_view name_of(TrafficClass one) {
  switch (one) {
    case TrafficClass::p2p:
      return "p2p";
    case TrafficClass::rma:
      return "rma";
    case TrafficClass::internal:
      break;
  }
  return "internal";
}

std::optional<TrafficClass> parse_traffic_class(std::string_view name) {
  auto const found = std::ranges::find(traffic_classes, name, [](TrafficClass one) { return name_of(one); });
  return found == traffic_classes.end() ? std::nullopt : std::optional(*found);
}

Profile::Profile(std::filesystem::path const& path) : files_(path), run_(read_run(files_.file(schema::run_file))) {}

std::optional<std::uint64_t> Profile::expected_rows(std::string_view file) const {
  auto const found = run_.rows_of_file.find(file);
  return found == run_.rows_of_file.end() ? std::nullopt : std::optional(found->second);
}

bool Profile::holds(schema::File const& file) const {
  return expected_rows(file.name).has_value() || files_.has(file.name);
}

struct CommunicatorRows::File {
  using Csv = CsvFile<schema::communicators>;
  Csv csv;
  std::uint32_t ranks;
  CommunicatorRow row{};
};

CommunicatorRows::CommunicatorRows(Profile const& profile)
    : file_(new File{File::Csv(profile.files(), profile.expected_rows(schema::communicators.name)),
                     profile.run().ranks}) {}
CommunicatorRows::~CommunicatorRows() = default;
void CommunicatorRows::fail(std::string_view problem) { file_->csv.fail(problem); }

bool is_number_of_members(std::string_view members) { return members.find(commprof::folded_ranks) != members.npos; }

CommunicatorRow const* CommunicatorRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!csv.next()) return nullptr;
  CommunicatorRow& row = file_->row;
  row.name = csv.text(Csv::column("comm"));
  row.parent = csv.text(Csv::column("parent"));
  row.created_by = csv.text(Csv::column("created_by"));
  row.size = csv.count(Csv::column("size"));
  row.members = csv.text(Csv::column("members"));
  row.topology = csv.text(Csv::column("topology"));
  row.reorder = csv.text(Csv::column("reorder"));
  row.user_name = csv.text(Csv::column("user_name"));
  row.freed = csv.text(Csv::column("freed")) == "1";
  row.created_at = csv.text(Csv::column("created_at"));

  if (row.name.empty()) csv.fail("comm is empty");
  std::optional<RankSet> members = is_number_of_members(row.members) ? RankSet() : RankSet::parse(row.members);
  if (!members || !members->is_ascending()) {
    csv.fail(fmt::format("members is not an ascending list of ranks: \"{}\"", row.members.substr(0, 64)));
  }
  row.member_ranks = *std::move(members);
  if (!row.member_ranks.empty() && static_cast<std::uint32_t>(row.member_ranks.highest()) >= file_->ranks) {
    csv.fail(fmt::format("member {} in a run of {} ranks", static_cast<std::uint32_t>(row.member_ranks.highest()),
                         file_->ranks));
  }
  if (!row.freed && csv.text(Csv::column("freed")) != "0") csv.fail("freed is neither 0 nor 1");
  return &row;
}

struct RegionRows::File {
  using Csv = CsvFile<schema::regions>;
  Csv csv;
  std::uint32_t ranks;
  RegionRow row{};
};

RegionRows::RegionRows(Profile const& profile) {
  require(profile, schema::regions, "times of regions");
  file_.reset(new File{File::Csv(profile.files(), profile.expected_rows(schema::regions.name)), profile.run().ranks});
}
RegionRows::~RegionRows() = default;
void RegionRows::fail(std::string_view problem) { file_->csv.fail(problem); }

RegionRow const* RegionRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!csv.next()) return nullptr;
  RegionRow& row = file_->row;
  row.region = csv.text(Csv::column("region"));
  row.rank = rank_field(csv, Csv::column("rank"), file_->ranks);
  row.entered = csv.count(Csv::column("entered"));
  row.wall_s = csv.seconds(Csv::column("wall_s"));
  row.mpi_s = csv.seconds(Csv::column("mpi_s"));
  if (row.region.empty()) csv.fail("region is empty");
  return &row;
}

struct SiteRows::File {
  using Csv = CsvFile<schema::sites>;
  Csv csv;
  SiteRow row{};
};

SiteRows::SiteRows(Profile const& profile) {
  require(profile, schema::sites, "call sites");
  file_.reset(new File{File::Csv(profile.files(), profile.expected_rows(schema::sites.name))});
}
SiteRows::~SiteRows() = default;
void SiteRows::fail(std::string_view problem) { file_->csv.fail(problem); }

SiteRow const* SiteRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!csv.next()) return nullptr;
  SiteRow& row = file_->row;
  row.site = csv.text(Csv::column("site"));
  row.module = csv.text(Csv::column("module"));
  std::string_view const offset = csv.text(Csv::column("offset"));
  char const* const end = offset.data() + offset.size();
  bool const is_hexadecimal = offset.starts_with("0x") && [&] {
    auto const [stopped, error] = std::from_chars(offset.data() + 2, end, row.offset, 16);
    return error == std::errc() && stopped == end;
  }();
  if (row.site.empty()) csv.fail("site is empty");
  if (!is_hexadecimal) csv.fail(fmt::format("offset is no number like 0x4a2f: \"{}\"", offset));
  row.function = csv.text(Csv::column("function"));
  row.file = csv.text(Csv::column("file"));
  row.line = csv.text(Csv::column("line"));
  return &row;
}

struct ModuleRows::File {
  using Csv = CsvFile<schema::modules>;
  Csv csv;
  ModuleRow row{};
};

ModuleRows::ModuleRows(Profile const& profile) {
  require(profile, schema::modules, "modules");
  file_.reset(new File{File::Csv(profile.files(), profile.expected_rows(schema::modules.name))});
}
ModuleRows::~ModuleRows() = default;

ModuleRow const* ModuleRows::next() {
  using Csv = File::Csv;
  if (!file_->csv.next()) return nullptr;
  file_->row = {file_->csv.text(Csv::column("module")), file_->csv.text(Csv::column("path")),
                file_->csv.text(Csv::column("build_id"))};
  return &file_->row;
}

struct HostPairRows::File {
  using Csv = CsvFile<schema::host_pairs>;
  Csv csv;
  HostPairRow row{};
};

HostPairRows::HostPairRows(Profile const& profile) {
  require(profile, schema::host_pairs, "messages by host");
  file_.reset(new File{File::Csv(profile.files(), profile.expected_rows(schema::host_pairs.name))});
}
HostPairRows::~HostPairRows() = default;
void HostPairRows::fail(std::string_view problem) { file_->csv.fail(problem); }

HostPairRow const* HostPairRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!csv.next()) return nullptr;
  HostPairRow& row = file_->row;
  row.traffic_class = class_field(csv, Csv::column("class"));
  row.from = csv.text(Csv::column("src_host"));
  row.to = csv.text(Csv::column("dst_host"));
  row.messages = csv.count(Csv::column("messages"));
  row.bytes = csv.count(Csv::column("bytes"));
  return &row;
}

struct WaitRows::File {
  using Csv = CsvFile<schema::waits>;
  Csv csv;
  std::uint32_t ranks;
  WaitRow row{};
};

WaitRows::WaitRows(Profile const& profile) {
  require(profile, schema::waits, "waiting times");
  file_.reset(new File{File::Csv(profile.files(), profile.expected_rows(schema::waits.name)), profile.run().ranks});
}
WaitRows::~WaitRows() = default;
void WaitRows::fail(std::string_view problem) { file_->csv.fail(problem); }

WaitRow const* WaitRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!csv.next()) return nullptr;
  WaitRow& row = file_->row;
  row.communicator = csv.text(Csv::column("comm"));
  row.operation = csv.text(Csv::column("op"));
  row.ranks = csv.count(Csv::column("ranks"));
  row.calls = csv.count(Csv::column("calls"));
  row.samples = csv.count(Csv::column("samples"));
  std::string_view const how = csv.text(Csv::column("how"));
  row.is_upper_bound = how == schema::how_durations;
  row.time_s = csv.seconds(Csv::column("time_s"));
  row.wait_s = csv.seconds(Csv::column("wait_s"));
  row.wait_error_s = csv.known_seconds(Csv::column("wait_error_s"));
  row.move_s = csv.known_seconds(Csv::column("move_s"));
  row.rest_s = csv.known_seconds(Csv::column("rest_s"));
  row.last_rank = csv.text(Csv::column("last_rank")).empty()
                      ? std::nullopt
                      : std::optional(rank_field(csv, Csv::column("last_rank"), file_->ranks));
  row.last_share = csv.known_seconds(Csv::column("last_share"));
  row.late_s = csv.known_seconds(Csv::column("late_s"));
  if (row.communicator.empty()) csv.fail("comm is empty");
  if (row.operation.empty()) csv.fail("op is empty");
  if (!row.is_upper_bound && how != schema::how_entries)
    csv.fail(fmt::format("how is neither {} nor {}: \"{}\"", schema::how_entries, schema::how_durations, how));
  if (row.last_share.value_or(0) > 1) csv.fail("last_share is greater than 1");
  return &row;
}

struct RankWaitRows::File {
  using Csv = CsvFile<schema::waits_by_rank>;
  Csv csv;
  std::uint32_t ranks;
  RankWaitRow row{};
};

RankWaitRows::RankWaitRows(Profile const& profile) {
  require(profile, schema::waits_by_rank, "waiting times of ranks");
  file_.reset(
      new File{File::Csv(profile.files(), profile.expected_rows(schema::waits_by_rank.name)), profile.run().ranks});
}
RankWaitRows::~RankWaitRows() = default;
void RankWaitRows::fail(std::string_view problem) { file_->csv.fail(problem); }

RankWaitRow const* RankWaitRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!csv.next()) return nullptr;
  RankWaitRow& row = file_->row;
  row.communicator = csv.text(Csv::column("comm"));
  row.operation = csv.text(Csv::column("op"));
  row.rank = rank_field(csv, Csv::column("rank"), file_->ranks);
  row.samples = csv.count(Csv::column("samples"));
  row.time_s = csv.seconds(Csv::column("time_s"));
  row.wait_s = csv.seconds(Csv::column("wait_s"));
  row.last = csv.count(Csv::column("last"));
  if (row.communicator.empty()) csv.fail("comm is empty");
  if (row.operation.empty()) csv.fail("op is empty");
  if (row.last > row.samples) csv.fail("last is greater than samples");
  return &row;
}

}  // namespace mpisee_through
