// The tables that have rows of each rank. They are large, so they can be read in parts.
#include <fmt/format.h>

#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "reader/row_fields.hpp"
#include "reader/table_file.hpp"

namespace mpisee_through {
namespace schema = commprof::schema;
namespace {

RankSet missing_ranks(Profile const& profile) {
  return profile.run().unfinished ? profile.run().unfinished->missing : RankSet();
}

// There is a row for each rank, whatever run.json counts.
std::uint64_t rows_of_ranks(Profile const& profile) { return profile.run().ranks - missing_ranks(profile).size(); }

}  // namespace

struct RankRows::File : TableFile<schema::ranks> {
  File(Csv&& table, Profile const& profile) : TableFile(std::move(table), profile), missing(missing_ranks(profile)) {}

  RankSet missing;
  std::uint32_t next_rank = 0;
  RankRow row{};
};

RankRows::RankRows(Profile const& profile)
    : RankRows(std::make_unique<File>(File::Csv(profile.files(), rows_of_ranks(profile)), profile)) {}
RankRows::RankRows(std::unique_ptr<File> file) : file_(std::move(file)) {}
RankRows::RankRows(RankRows&&) noexcept = default;
RankRows::~RankRows() = default;
void RankRows::fail(std::string_view problem) { file_->csv.fail(problem); }
std::uint64_t RankRows::rows_read() const { return file_->rows_read(); }

std::vector<RankRows> RankRows::parts(Profile const& profile) {
  return parts_of<RankRows, File>(profile, rows_of_ranks(profile), std::nullopt,
                                  [](std::unique_ptr<File> file) { return RankRows(std::move(file)); });
}
void RankRows::check_row_count(Profile const& profile, std::uint64_t rows) {
  check_rows(profile, schema::ranks, rows_of_ranks(profile), rows);
}

RankRow const* RankRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!file_->next()) return nullptr;
  RankRow& row = file_->row;
  row.rank = rank_field(csv, Csv::column("rank"), file_->ranks);
  row.host = csv.text(Csv::column("host"));
  row.cpus = csv.text(Csv::column("cpus"));
  row.package = csv.text(Csv::column("package"));
  row.numa = csv.text(Csv::column("numa"));
  row.core = csv.text(Csv::column("core"));
  row.wall_s = csv.seconds(Csv::column("wall_s"));
  row.mpi_s = csv.seconds(Csv::column("mpi_s"));
  row.cpu_s = csv.known_seconds(Csv::column("cpu_s"));
  row.queued_s = csv.known_seconds(Csv::column("queued_s"));
  row.receiving_s = csv.known_seconds(Csv::column("receiving_s"));
  row.waiting_s = csv.known_seconds(Csv::column("waiting_s"));
  row.involuntary_switches = csv.known_count(Csv::column("involuntary_switches"));
  auto const rank = static_cast<std::uint32_t>(row.rank);
  if (file_->is_row_before) file_->next_rank = rank;
  while (file_->missing.contains(WorldRank{file_->next_rank})) ++file_->next_rank;
  if (rank != file_->next_rank++) csv.fail(fmt::format("rank {} where rank {} should be", rank, file_->next_rank - 1));
  return file_->is_row_before ? next() : &row;
}

struct OperationRows::File : TableFile<schema::operations> {
  using TableFile::TableFile;
  OperationRow row{};
};

OperationRows::OperationRows(Profile const& profile)
    : OperationRows(std::make_unique<File>(File::Csv(profile.files(), profile.expected_rows(schema::operations.name)),
                                           profile)) {}
OperationRows::OperationRows(std::unique_ptr<File> file) : file_(std::move(file)) {}
OperationRows::OperationRows(OperationRows&&) noexcept = default;
OperationRows::~OperationRows() = default;
void OperationRows::fail(std::string_view problem) { file_->csv.fail(problem); }
std::uint64_t OperationRows::rows_read() const { return file_->rows_read(); }

std::vector<OperationRows> OperationRows::parts(Profile const& profile) {
  return parts_of<OperationRows, File>(profile, profile.expected_rows(schema::operations.name),
                                       File::Csv::column("rank"),
                                       [](std::unique_ptr<File> file) { return OperationRows(std::move(file)); });
}
void OperationRows::check_row_count(Profile const& profile, std::uint64_t rows) {
  check_rows(profile, schema::operations, profile.expected_rows(schema::operations.name), rows);
}

OperationRow const* OperationRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!file_->next()) return nullptr;
  OperationRow& row = file_->row;
  WorldRank const rank_before = row.rank;
  row.region = csv.text(Csv::column("region"));
  row.communicator = csv.text(Csv::column("comm"));
  row.communicator_size = csv.count(Csv::column("comm_size"));
  row.rank = rank_field(csv, Csv::column("rank"), file_->ranks);
  row.operation = csv.text(Csv::column("op"));
  row.size = size_field(csv);
  row.calls = csv.count(Csv::column("calls"));
  row.bytes_sent = csv.count(Csv::column("bytes_sent"));
  row.bytes_received = csv.count(Csv::column("bytes_received"));
  row.time_s = csv.time(Csv::column("time_s"));
  row.shortest_s = csv.seconds(Csv::column("time_min_s"));
  row.longest_s = csv.seconds(Csv::column("time_max_s"));
  row.site = csv.text(Csv::column("site"));
  if (row.communicator.empty()) csv.fail("comm is empty");
  if (row.operation.empty()) csv.fail("op is empty");
  if (row.rank < rank_before) {
    csv.fail(fmt::format("rank {} after rank {}: rows must be in the order of ranks",
                         static_cast<std::uint32_t>(row.rank), static_cast<std::uint32_t>(rank_before)));
  }
  return file_->is_row_before ? next() : &row;
}

struct PeerRows::File : TableFile<schema::peers> {
  using TableFile::TableFile;
  PeerRow row{};
};

PeerRows::PeerRows(Profile const& profile) {
  require(profile, schema::peers, "who talks to whom");
  file_ = std::make_unique<File>(File::Csv(profile.files(), profile.expected_rows(schema::peers.name)), profile);
}
PeerRows::PeerRows(std::unique_ptr<File> file) : file_(std::move(file)) {}
PeerRows::PeerRows(PeerRows&&) noexcept = default;
PeerRows::~PeerRows() = default;
void PeerRows::fail(std::string_view problem) { file_->csv.fail(problem); }
std::uint64_t PeerRows::rows_read() const { return file_->rows_read(); }

std::vector<PeerRows> PeerRows::parts(Profile const& profile) {
  require(profile, schema::peers, "who talks to whom");
  return parts_of<PeerRows, File>(profile, profile.expected_rows(schema::peers.name), std::nullopt,
                                  [](std::unique_ptr<File> file) { return PeerRows(std::move(file)); });
}
void PeerRows::check_row_count(Profile const& profile, std::uint64_t rows) {
  check_rows(profile, schema::peers, profile.expected_rows(schema::peers.name), rows);
}

PeerRow const* PeerRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!file_->next()) return nullptr;
  PeerRow& row = file_->row;
  row.region = csv.text(Csv::column("region"));
  row.communicator = csv.text(Csv::column("comm"));
  row.traffic_class = class_field(csv, Csv::column("class"));
  row.from = peer_field(csv, Csv::column("src"), file_->ranks);
  row.to = peer_field(csv, Csv::column("dst"), file_->ranks);
  row.size = size_field(csv);
  row.messages = csv.count(Csv::column("messages"));
  row.bytes = csv.count(Csv::column("bytes"));
  row.operation = csv.text(Csv::column("op"));
  if (row.communicator.empty()) csv.fail("comm is empty");
  if (row.from == other_world && row.to == other_world) csv.fail("neither src nor dst is a rank of this run");
  return file_->is_row_before ? next() : &row;
}

}  // namespace mpisee_through
