#include "reader/summary_rows.hpp"

#include "profile/schema.hpp"
#include "reader/row_fields.hpp"
#include "reader/table_file.hpp"

namespace mpisee_through {
namespace schema = commprof::schema;

struct SummaryRows::File : TableFile<schema::summary> {
  using TableFile::TableFile;
  SummaryRow row{};
};

SummaryRows::SummaryRows(Profile const& profile) {
  require(profile, schema::summary, "sums over ranks");
  file_ = std::make_unique<File>(File::Csv(profile.files(), profile.expected_rows(schema::summary.name)), profile);
}
SummaryRows::SummaryRows(std::unique_ptr<File> file) : file_(std::move(file)) {}
SummaryRows::SummaryRows(SummaryRows&&) noexcept = default;
SummaryRows::~SummaryRows() = default;
void SummaryRows::fail(std::string_view problem) { file_->csv.fail(problem); }
std::uint64_t SummaryRows::rows_read() const { return file_->rows_read(); }

std::vector<SummaryRows> SummaryRows::parts(Profile const& profile) {
  require(profile, schema::summary, "sums over ranks");
  return parts_of<SummaryRows, File>(profile, profile.expected_rows(schema::summary.name), File::Csv::column("comm"),
                                     [](std::unique_ptr<File> file) { return SummaryRows(std::move(file)); });
}
void SummaryRows::check_row_count(Profile const& profile, std::uint64_t rows) {
  check_rows(profile, schema::summary, profile.expected_rows(schema::summary.name), rows);
}

SummaryRow const* SummaryRows::next() {
  if (!file_->next()) return nullptr;
  if (file_->is_row_before) return next();
  read_totals();
  read_spread();
  return &file_->row;
}

SummaryRow const* SummaryRows::next(Sizes sizes) {
  constexpr std::size_t size_min = File::Csv::column("size_min");
  do {
    if (!(sizes == Sizes::none ? file_->next_with_empty(size_min) : file_->next())) return nullptr;
  } while (file_->is_row_before);
  read_totals();
  if (!file_->row.size) read_spread();
  return &file_->row;
}

void SummaryRows::read_totals() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  SummaryRow& row = file_->row;
  row.region = csv.text(Csv::column("region"));
  row.communicator = csv.text(Csv::column("comm"));
  row.site = csv.text(Csv::column("site"));
  row.operation = csv.text(Csv::column("op"));
  row.size.reset();
  if (csv.known_count(Csv::column("size_min"))) row.size = size_field(csv);
  row.calls = csv.count(Csv::column("calls"));
  row.bytes_sent = csv.count(Csv::column("bytes_sent"));
  row.bytes_received = csv.count(Csv::column("bytes_received"));
  row.time_s = csv.time(Csv::column("time_s"));
  if (row.communicator.empty()) csv.fail("comm is empty");
  if (row.operation.empty()) csv.fail("op is empty");
}

void SummaryRows::read_spread() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  SummaryRow& row = file_->row;
  row.communicator_size = csv.known_count(Csv::column("comm_size")).value_or(0);
  row.ranks = csv.count(Csv::column("ranks"));
  row.least_s = csv.time(Csv::column("time_min_s"));
  row.least_rank = rank_field(csv, Csv::column("time_min_rank"), file_->ranks);
  row.most_s = csv.time(Csv::column("time_max_s"));
  row.most_rank = rank_field(csv, Csv::column("time_max_rank"), file_->ranks);
  row.shortest_s = csv.seconds(Csv::column("call_min_s"));
  row.longest_s = csv.seconds(Csv::column("call_max_s"));
  if (row.ranks == 0 || row.ranks > file_->ranks)
    csv.fail(fmt::format("{} ranks in a run of {}", row.ranks, file_->ranks));
}

struct SizeRows::File {
  using Csv = CsvFile<schema::sizes>;
  Csv csv;
  SizeRow row{};
};

SizeRows::SizeRows(Profile const& profile) {
  require(profile, schema::sizes, "sizes of calls");
  file_.reset(new File{File::Csv(profile.files(), profile.expected_rows(schema::sizes.name))});
}
SizeRows::~SizeRows() = default;

SizeRow const* SizeRows::next() {
  using Csv = File::Csv;
  Csv& csv = file_->csv;
  if (!csv.next()) return nullptr;
  file_->row = {csv.text(Csv::column("op")),
                size_field(csv),
                csv.count(Csv::column("calls")),
                csv.count(Csv::column("bytes_sent")),
                csv.count(Csv::column("bytes_received")),
                csv.time(Csv::column("time_s"))};
  if (file_->row.operation.empty()) csv.fail("op is empty");
  return &file_->row;
}

}  // namespace mpisee_through
