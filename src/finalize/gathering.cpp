#include "finalize/gathering.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string_view>

#include "counters/counters.hpp"
#include "finalize/exchanges.hpp"
#include "finalize/own_rows.hpp"
#include "finalize/run_json.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

namespace {

constexpr int ranks_ahead = 16;  // a writer asks this many ranks for rows before it receives those of the first

void take_own(RowContext const& context, Offers& offers) {
  for (RowWriter const& writer : offer_writers) {
    OwnRows rows(context);
    bool const is_whole = rows.add(writer.file, [&](TextWriter& out) { return writer.write(context, out); });
    rows.deliver([&](File file, std::string_view text) { offers.take(file, text); });
    if (!is_whole) offers.lose_some();
  }
}

void describe_size(std::uint64_t bytes, Problem& problem) {
  std::snprintf(problem, sizeof problem, "it would have %" PRIu64 " bytes, more than COMMPROF_MAX_SIZE", bytes);
}

Problem first_problem;  // static, because it is too long for a thread's stack

// Whether the tag is that of a file. Another one may be from a failed send that was delivered nevertheless.
bool is_file(int tag) { return tag >= 0 && tag < static_cast<int>(File::count_); }

}  // namespace

void describe(char const* what, int error, Problem& problem) {
  char reason[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  PMPI_Error_string(error, reason, &length);
  std::snprintf(problem, sizeof problem, "%s: %s", what, reason);
}

// The group size is constant up to 16,384 ranks; beyond that, there are 1,024 groups: file systems can serve this many
// writers at once.
int ranks_of_group(int ranks) {
  constexpr int least = 16, most_groups = 1024;
  int group = least;
  while (group < ranks / most_groups) group *= 2;
  return group;
}

void Gathering::Gap::open(int of_rank, Failure why) {
  if (rank == 0 && why) *this = {of_rank, why.is_of_other, why.error};
}

void Gathering::Gap::open(Gap const& other) {
  if (rank == 0) *this = other;
}

Gathering::Gathering(Contents const& contents, Attempt const& attempt, MPI_Comm comm, OutputDirectory& output)
    : contents_(contents),
      attempt_(attempt),
      channel_(comm, attempt.number),
      output_(output),
      tree_(contents.rows.facts.rank, contents.rows.facts.ranks),
      group_(ranks_of_group(contents.rows.facts.ranks)),
      rows_(contents.rows),
      pairs_(contents.rows) {}

int Gathering::end_of_group() const { return std::min(writer() + group_, ranks()); }

Outcome Gathering::run(Problem& problem, RunSummary& total) {
  if (attempt_.has_waits) exchange_waits(contents_.waits, contents_.rows.facts, channel_);
  if (attempt_.has_messages) exchange_messages(contents_.messages, contents_.rows, contents_.waits.clock(), channel_);
  join_directory();
  gather_reports();
  tell_plan();
  if (!plan_.is_given_up) {
    add_windows();
    format_rows();
    gather_sizes();
    if (attempt_.has_limit) fit_into_limit();
  }
  if (!plan_.is_given_up) {
    send_offsets();
    move_rows();
    gather_results();
  }
  return finish(problem, total);
}

void Gathering::join_directory() {
  if (is_root() || writer() != rank() || !attempt_.may_share) return;
  char wanted[PATH_MAX];
  std::snprintf(wanted, sizeof wanted, "%s", attempt_.directory);
  if (char* end = std::strstr(wanted, OutputDirectory::aside)) {
    if (end[-1] == '/') --end;
    *end = '\0';
  }
  report_.all_see_directory = output_.join(attempt_.directory, wanted, attempt_.token);
}

bool Gathering::take_report(Parcel& parcel, Sums& sums, Offers& offers) {
  Report told_report;
  bool is_sound = parcel.get(told_report);
  bool const all_see_directory = report_.all_see_directory && told_report.all_see_directory;
  auto const get = [&](auto& part) { is_sound = is_sound && parcel.get(part); };
  sums.visit(get);
  offers.visit_parts(get);
  if (!is_sound || !offers.is_sound()) return false;
  report_.summary.add(told_report.summary);
  report_.gap.open(told_report.gap);
  report_.all_see_directory = all_see_directory;
  report_.candidates.merge(told_report.candidates);
  report_.windows.merge(told_report.windows);
  return true;
}

void Gathering::gather_reports() {
  RowContext const& context = contents_.rows;
  report_.summary = summary_of(contents_, pairs_);
  report_.windows = contents_.windows.span();
  Sums sums;
  Offers offers;
  sums.take(context);
  if (attempt_.is_of_sums || attempt_.has_limit) report_.candidates.take(context, pairs_.totals().busiest.amount.bytes);
  take_own(context, offers);
  for (int const child : tree_.children()) {
    Parcel parcel;
    Sums sums_of_child, sums_of_both;
    Offers offers_of_child;
    Failure failure = parcel.receive(channel_, child, tag_of_reports);
    if (!failure && !take_report(parcel, sums_of_child, offers_of_child)) failure = {MPI_ERR_NO_MEM, false};
    report_.gap.open(child, failure);
    if (failure) continue;
    sums_of_both.merge(sums, sums_of_child);
    sums.swap(sums_of_both);
    offers.take(offers_of_child);
  }
  if (!take_summary(sums)) report_.summary.has_sums = 0;
  if (is_root()) {
    report_.candidates.choose(sums, plan_.detailed);
    bool is_kept = offers.is_whole();
    offers.for_each([&](File file, std::string_view row) {
      is_kept = is_kept && rows_.add(file, [=](TextWriter& out) { return out.raw(row), 1U; });
    });
    if (!is_kept) report_.gap.open(ranks() > 1 ? 1 : 0, {MPI_ERR_NO_MEM, false});
    return;
  }
  if (!offers.is_whole()) report_.gap.open(rank(), {MPI_ERR_NO_MEM, true});
  Parcel parcel;
  auto const put = [&](auto const& part) { parcel.put(part); };
  parcel.put(report_);
  sums.visit(put);
  offers.visit_parts(put);
  parcel.send(channel_, tree_.parent(), tag_of_reports);
}

// Removes from the sums the rows of summary.csv that are complete here; on rank 0, all remaining rows and those of
// sizes.csv. False if memory does not suffice.
bool Gathering::take_summary(Sums& sums) {
  if (!sums.is_whole()) return false;
  if (!is_root()) return rows_.add(File::summary, [&](TextWriter& out) { return sums.write_complete(out); });
  return rows_.add(File::summary, [&](TextWriter& out) { return sums.write(out); }) &&
         rows_.add(File::sizes, [&](TextWriter& out) { return sums.write_sizes(out); });
}

void Gathering::tell_plan() {
  if (is_root()) {
    plan_.is_unwanted = is_unwanted_job();
    plan_.has_summary = report_.summary.has_sums != 0;
    plan_.is_of_sums = attempt_.is_of_sums && plan_.has_summary;
    plan_.most_bytes = report_.summary.messages.busiest.amount.bytes;
    if (report_.windows.is_of_one_clock()) plan_.windows = report_.windows;
    plan_.windows.widen();
    // The files must exist before a writer can open them.
    if (!report_.gap && !plan_.is_unwanted) files_.emplace(output_, files_of_profile());
    bool const have_failed = report_.gap || output_.has_failed();
    plan_.is_given_up = have_failed || plan_.is_unwanted;
    plan_.has_one_writer = !attempt_.may_share || !report_.all_see_directory;
  }
  tell_children_plan();
  if (plan_.has_one_writer) group_ = ranks();
}

void Gathering::tell_children_plan() {
  if (!is_root()) channel_.receive_surely(&plan_, sizeof plan_, tree_.parent(), tag_of_plan);
  for (int const child : tree_.children()) channel_.send_surely(&plan_, sizeof plan_, child, tag_of_plan);
}

// Once in an attempt. A limited profile may become one of sums.
void Gathering::add_windows() {
  if (plan_.windows.is_known == 0) return;
  int const group = ranks_of_windows(ranks(), plan_.is_of_sums || attempt_.has_limit);
  if (!exchange_windows(contents_.windows, plan_.windows, group, contents_.rows, channel_, rows_))
    result_.gap.open(rank(), {MPI_ERR_NO_MEM, true});
}

void Gathering::format_rows() {
  rows_.format(!plan_.is_of_sums || plan_.detailed.contain(rank()));
  if (wants_hosts(plan_.is_of_sums, ranks()))
    exchange_hosts(contents_.rows, plan_.is_of_sums, report_.summary.messages, channel_, rows_);
}

// On rank 0. Snapshots that the program asks for are always wanted.
bool Gathering::is_unwanted_job() const {
  Options const& options = state.options;
  RunSummary const& total = report_.summary;
  constexpr std::uint64_t ns_of_second = 1'000'000'000, percent = 100;
  if (contents_.is_of_snapshot()) return false;
  return total.wall_ns < options.min_time * ns_of_second || total.mpi_us * percent < total.all_us * options.min_mpi;
}

// If the profile is too large, tries again with the rows of few ranks.
void Gathering::fit_into_limit() {
  for (;;) {
    bool const was_of_sums = plan_.is_of_sums;
    if (is_root()) decide_by_size();
    tell_children_plan();
    if (plan_.is_given_up || plan_.is_of_sums == was_of_sums) return;
    if (is_root()) files_->add(File::host_pairs);
    format_rows();
    gather_sizes();
  }
}

void Gathering::decide_by_size() {
  std::uint64_t const size = std::accumulate(bytes_.begin(), bytes_.end(), std::uint64_t{0});
  if (size <= state.options.max_size) return;
  if (plan_.is_of_sums || !plan_.has_summary) plan_.is_given_up = plan_.is_unwanted = true;
  plan_.is_of_sums = plan_.has_summary;
  report_.summary.bytes_over_limit = size;
}

void Gathering::gather_sizes() {
  bytes_ = rows_.bytes();
  row_counts_ = rows_.rows();
  pairs_about_most_ = pairs_.count_about(plan_.most_bytes);
  std::span<int const> const children = tree_.children();
  for (std::size_t i = 0; i < children.size(); ++i) {
    Parcel parcel;
    PerFile counts{};
    std::uint64_t pairs = 0;
    Failure failure = parcel.receive(channel_, children[i], tag_of_sizes);
    bool const is_whole = parcel.get(bytes_of_child_[i]) && parcel.get(counts) && parcel.get(pairs);
    if (!failure && !is_whole) failure = {MPI_ERR_OTHER, false};
    result_.gap.open(children[i], failure);
    pairs_about_most_ += pairs;
    for (std::size_t file = 0; file < counts.size(); ++file) {
      bytes_[file] += bytes_of_child_[i][file];
      row_counts_[file] += counts[file];
    }
  }
  if (is_root()) return;
  Parcel parcel;
  parcel.put(bytes_);
  parcel.put(row_counts_);
  parcel.put(pairs_about_most_);
  parcel.send(channel_, tree_.parent(), tag_of_sizes);
}

void Gathering::send_offsets() {
  if (!is_root()) channel_.receive_surely(&places_, sizeof places_, tree_.parent(), tag_of_places);
  PerFile next = places_;
  PerFile const own = rows_.bytes();
  for (std::size_t file = 0; file < own.size(); ++file) next[file] += own[file];
  std::span<int const> const children = tree_.children();
  for (std::size_t i = 0; i < children.size(); ++i) {
    channel_.send_surely(&next, sizeof next, children[i], tag_of_places);
    for (std::size_t file = 0; file < own.size(); ++file) next[file] += bytes_of_child_[i][file];
  }
}

void Gathering::move_rows() {
  if (writer() == rank()) write_rows();
  else send_rows();
}

void Gathering::send_rows() {
  char nothing = 0;
  channel_.receive_surely(&nothing, 0, writer(), tag_of_go);
  int error = MPI_SUCCESS;
  rows_.deliver([&](File file, std::string_view text) {
    while (!text.empty() && error == MPI_SUCCESS) {
      std::string_view const part = text.substr(0, Channel::chunk_bytes);
      error = channel_.send(part.data(), part.size(), writer(), static_cast<int>(file));
      text.remove_prefix(part.size());
    }
  });
  if (error == MPI_SUCCESS) error = channel_.send(nullptr, 0, writer(), tag_of_end);
  if (error == MPI_SUCCESS) return;
  int const error_class = error_class_of(error);
  channel_.send_surely(&error_class, sizeof error_class, writer(), tag_of_failure);
}

void Gathering::take(File file, std::string_view text) {
  if (!text.empty() && files_of_profile().has(file)) files_->take(file, text);
}

void Gathering::write_rows() {
  if (!is_root()) files_.emplace(output_, files_of_profile());
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (files_of_profile().has(static_cast<File>(i))) files_->continue_at(static_cast<File>(i), places_[i]);
  rows_.deliver([&](File file, std::string_view text) { take(file, text); });
  int const end = end_of_group();
  auto const ask = [&](int member) { channel_.send_surely(nullptr, 0, member, tag_of_go); };
  for (int member = rank() + 1; member < std::min(end, rank() + 1 + ranks_ahead); ++member) ask(member);
  for (int member = rank() + 1; member < end; ++member) {
    collect_from(member);
    if (member + ranks_ahead < end) ask(member + ranks_ahead);
  }
  if (is_root()) {
    RunSummary& total = report_.summary;
    total.rows = row_counts_;
    total.messages.others = std::max<std::uint64_t>(pairs_about_most_, 1) - 1;
    files_->write_run_file([&](TextWriter& out) {
      write_run_json(out, contents_.rows.facts, total, contents_.rows.rate, contents_.snapshot,
                     plan_.is_of_sums ? &plan_.detailed : nullptr, plan_.windows);
    });
  } else {
    result_.is_written = output_.leave();
    if (!result_.is_written) std::snprintf(first_problem, sizeof first_problem, "%s", output_.problem());
  }
}

// Receives all messages of the process even after a failure, because the process waits for its sends to complete. Gives
// up after two consecutive failures.
void Gathering::collect_from(int member) {
  for (bool has_failed = false;;) {
    Message const message = channel_.receive(member, has_failed);
    bool const is_last = message.tag == tag_of_end || message.tag == tag_of_failure;
    bool const fails = message.error != MPI_SUCCESS;
    if (fails) result_.gap.open(member, {message.error, false});
    else if (message.tag == tag_of_failure) result_.gap.open(member, {message.as<int>(), true});
    else if (is_file(message.tag) && !result_.gap) take(static_cast<File>(message.tag), message.text);
    if (is_last || (fails && has_failed)) return;
    has_failed = fails;
  }
}

void Gathering::gather_results() {
  for (int const child : tree_.children()) {
    Parcel parcel;
    Result of_child;
    Failure failure = parcel.receive(channel_, child, tag_of_results);
    if (!failure && (!parcel.get(of_child.gap) || !parcel.get(of_child.is_written))) failure = {MPI_ERR_OTHER, false};
    bool const is_first = !of_child.is_written && result_.is_written;
    if (!failure && is_first && !parcel.get(first_problem)) failure = {MPI_ERR_OTHER, false};
    result_.gap.open(child, failure);
    result_.gap.open(of_child.gap);
    if (is_first) result_.is_written = false;
  }
  if (is_root()) return;
  Parcel parcel;
  parcel.put(result_.gap);
  parcel.put(result_.is_written);
  if (!result_.is_written) parcel.put(first_problem);
  parcel.send(channel_, tree_.parent(), tag_of_results);
}

Outcome Gathering::finish(Problem& problem, RunSummary& total) {
  if (!is_root()) return Outcome::written;
  Gap gap = report_.gap;
  gap.open(result_.gap);
  if (gap) {
    char what[64];
    std::snprintf(what, sizeof what,
                  gap.is_of_sender ? "rank %d cannot send its rows" : "the rows of rank %d cannot be received",
                  gap.rank);
    describe(what, gap.error, problem);
    return Outcome::no_rows;
  }
  if (plan_.is_unwanted) {
    problem[0] = '\0';
    if (report_.summary.bytes_over_limit > 0) describe_size(report_.summary.bytes_over_limit, problem);
    return Outcome::unwanted;
  }
  if (result_.is_written && !plan_.is_given_up && output_.publish()) {
    total = report_.summary;
    return Outcome::written;
  }
  std::snprintf(problem, sizeof problem, "%s", result_.is_written ? output_.problem() : first_problem);
  return Outcome::no_place;
}

}  // namespace commprof
