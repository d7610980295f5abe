#include "finalize/gathering.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string_view>

#include "base/dropped.hpp"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

RunSummary summary_of(Contents const& contents, OwnPairs const& pairs) {
  RunSummary summary;
  summary.wall_ns = contents.rows.rate.to_ns(contents.rows.wall);
  summary.all_us = summary.wall_ns / 1000;
  summary.mpi_us = contents.rows.rate.to_ns(contents.rows.records.total_time()) / 1000;
  summary.messages = pairs.totals();
  std::copy(dropped::counts->dropped.begin(), dropped::counts->dropped.end(), summary.dropped.begin());
  std::copy(dropped::counts->folded.begin(), dropped::counts->folded.end(), summary.folded.begin());
  summary.dropped[static_cast<std::size_t>(Dropped::requests_unfinished)] += contents.unfinished.count();
  summary.dropped[static_cast<std::size_t>(Dropped::records)] +=
      contents.unfinished.lost_calls() + contents.rows.records.lost();
  summary.dropped[static_cast<std::size_t>(Dropped::messages)] += contents.rows.peers.lost();
  if (contents.rows.waits.is_joined()) count_calls_without_waits(contents.rows, summary);
  return summary;
}

bool OwnRows::format(bool is_detailed) {
  bool is_whole = true;
  for (RowWriter const& writer : row_writers) {
    OfFile& own = own_[static_cast<std::size_t>(writer.file)];
    own.rows = 0;
    own.text.clear();
    bool const is_of_all = is_detailed || writer.file == File::ranks || writer.file == File::waits;
    if (!is_of_all || writer.file == File::communicators) continue;
    auto const write = [&](TextWriter& out) { return writer.write(context_, out); };
    is_whole = own.add(write) && is_whole;
  }
  return is_whole;
}

PerFile OwnRows::rows() const {
  PerFile all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = own_[i].rows + further_[i].rows;
  return all;
}

PerFile OwnRows::bytes() const {
  PerFile all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = own_[i].text.size() + further_[i].text.size();
  return all;
}

void DetailedRanks::add(int rank) {
  if (rank < 0 || count == most || contain(rank)) return;
  ranks[count++] = rank;
  std::sort(ranks, ranks + count);
}

void DetailedRanks::choose(Sums const& sums, int of_ranks, int sender) {
  for (int const quarter : {0, 1, 2, 3}) add(static_cast<int>(std::int64_t{of_ranks} * quarter / 4));
  add(sender);
  constexpr std::size_t operations = 16;  // the ones that take the most time
  sums.for_each_longest(operations, [&](Sum const& sum) {
    add(sum.least_rank);
    add(sum.most_rank);
  });
}

namespace {

constexpr int ranks_ahead = 16;  // a writer asks this many ranks for rows before it receives those of the first

// False if memory is used up.
bool take_own(RowContext const& context, Offers& offers) {
  bool is_whole = true;
  for (RowWriter const& writer : offer_writers) {
    PageVector<char> rows;
    is_whole = append_written(rows, [&](TextWriter& out) { writer.write(context, out); }) && is_whole;
    is_whole = offers.take(writer.file, {rows.begin(), rows.size()}) && is_whole;
  }
  return is_whole;
}

void describe_size(std::uint64_t bytes, Problem& problem) {
  std::snprintf(problem, sizeof problem, "it would have %" PRIu64 " bytes, more than COMMPROF_MAX_SIZE", bytes);
}

void describe(Tree::Failure const& failure, Problem& problem) {
  char reason[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  if (failure.error == MPI_ERR_NO_MEM) {
    std::snprintf(problem, sizeof problem, "rank %d has no memory for it", failure.rank);
    return;
  }
  PMPI_Error_string(failure.error, reason, &length);
  std::snprintf(problem, sizeof problem, "the MPI has failed on rank %d: %s", failure.rank, reason);
}

constexpr int tag_of_rows = Tree::first_free_tag;  // plus the number of the file

}  // namespace

// The group size is constant up to 16,384 ranks; beyond that, there are 1,024 groups: file systems can serve this many
// writers at once.
int ranks_of_group(int ranks) {
  constexpr int least = 16, most_groups = 1024;
  int group = least;
  while (group < ranks / most_groups) group *= 2;
  return group;
}

bool Gathering::Report::add(Report const& others) {
  summary.add(others.summary);
  all_see_directory = all_see_directory && others.all_see_directory;
  windows.merge(others.windows);
  return true;
}

Gathering::Gathering(Contents const& contents, Attempt const& attempt, Tree& tree, OutputDirectory& output)
    : contents_(contents),
      attempt_(attempt),
      tree_(tree),
      output_(output),
      group_(ranks_of_group(contents.rows.facts.ranks)),
      rows_(contents.rows),
      pairs_(contents.rows) {}

int Gathering::end_of_group() const { return std::min(writer() + group_, ranks()); }

Outcome Gathering::run(Problem& problem, RunSummary& total) {
  if (attempt_.has_waits) exchange_waits(contents_.waits, contents_.rows, tree_);
  join_directory();
  gather_reports();
  tell_plan();
  if (!plan_.is_given_up) {
    // Once: while a snapshot is written, another thread may name and make communicators.
    tree_.require(
        rows_.add(File::communicators, [&](TextWriter& out) { return write_communicator_rows(contents_.rows, out); }));
    add_windows();
    format_rows();
    gather_sizes();
    if (attempt_.has_limit) fit_into_limit();
  }
  if (!plan_.is_given_up) {
    send_offsets();
    move_rows();
    reduce_up(tree_, result_);
  }
  Outcome outcome = finish(problem, total);
  tell_down(tree_, outcome);
  return outcome;
}

void Gathering::join_directory() {
  if (is_root() || writer() != rank() || !attempt_.may_share) return;
  report_.all_see_directory = output_.join(attempt_.directory);
}

void Gathering::gather_reports() {
  report_.summary = summary_of(contents_, pairs_);
  report_.windows = contents_.windows.span();
  reduce_up(tree_, report_);
  gather_sums();
  gather_offers();
}

// The rows of summary.csv that are complete here are written here; on rank 0, all that remain.
void Gathering::gather_sums() {
  Sums sums;
  tree_.require(sums.take(contents_.rows));
  add_children(tree_, sums);
  if (!is_root()) {
    tree_.require(rows_.add(File::summary, [&](TextWriter& out) { return sums.write_complete(out); }));
    sums.drop_complete();
    return send_parts(tree_, sums, tree_.parent());
  }
  tree_.require(rows_.add(File::summary, [&](TextWriter& out) { return sums.write(out); }));
  plan_.detailed.choose(sums, ranks(), report_.summary.messages.busiest.from);
}

void Gathering::gather_offers() {
  Offers offers;
  tree_.require(take_own(contents_.rows, offers));
  add_children(tree_, offers);
  if (!is_root()) return send_parts(tree_, offers, tree_.parent());
  offers.for_each([&](File file, std::string_view row) {
    tree_.require(rows_.add(file, [=](TextWriter& out) { return out.raw(row).raw("\n"), 1U; }));
  });
}

void Gathering::tell_plan() {
  if (is_root()) {
    plan_.is_unwanted = is_unwanted_job();
    plan_.is_of_sums = attempt_.is_of_sums;
    plan_.most_bytes = report_.summary.messages.busiest.amount.bytes;
    if (report_.windows.is_of_one_clock()) plan_.windows = report_.windows;
    plan_.windows.widen();
    // The files must exist before a writer can open them.
    if (!tree_.failure() && !plan_.is_unwanted) output_.add_files(plan_.is_of_sums);
    plan_.is_given_up = tree_.failure() || output_.has_failed() || plan_.is_unwanted;
    plan_.has_one_writer = !attempt_.may_share || !report_.all_see_directory;
  }
  tell_down(tree_, plan_);
  if (plan_.has_one_writer) group_ = ranks();
}

// Once in an attempt. A limited profile may become one of sums.
void Gathering::add_windows() {
  if (plan_.windows.is_known == 0) return;
  int const group = ranks_of_windows(ranks(), plan_.is_of_sums || attempt_.has_limit);
  exchange_windows(contents_.windows, plan_.windows, group, contents_.rows.facts, tree_, rows_);
}

void Gathering::format_rows() {
  tree_.require(rows_.format(!plan_.is_of_sums || plan_.detailed.contain(rank())));
  if (plan_.is_of_sums) exchange_hosts(contents_.rows, report_.summary.messages, tree_, rows_);
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
    tell_down(tree_, plan_);
    if (plan_.is_given_up || plan_.is_of_sums == was_of_sums) return;
    if (is_root()) output_.add_files(plan_.is_of_sums);
    format_rows();
    gather_sizes();
  }
}

void Gathering::decide_by_size() {
  std::uint64_t const size = std::accumulate(sizes_.bytes.begin(), sizes_.bytes.end(), std::uint64_t{0});
  if (size <= state.options.max_size) return;
  if (plan_.is_of_sums) plan_.is_given_up = plan_.is_unwanted = true;
  plan_.is_of_sums = true;
  report_.summary.bytes_over_limit = size;
}

void Gathering::gather_sizes() {
  sizes_ = {rows_.bytes(), rows_.rows(), pairs_.count_about(plan_.most_bytes)};
  std::span<int const> const children = tree_.children();
  for (std::size_t i = 0; i < children.size(); ++i) {
    Sizes of_child;
    tree_.receive(of_child, children[i]);
    bytes_of_child_[i] = of_child.bytes;
    sizes_.pairs_about_most += of_child.pairs_about_most;
    for (std::size_t file = 0; file < of_child.rows.size(); ++file) {
      sizes_.bytes[file] += of_child.bytes[file];
      sizes_.rows[file] += of_child.rows[file];
    }
  }
  if (!is_root()) tree_.send(sizes_, tree_.parent());
}

void Gathering::send_offsets() {
  if (!is_root()) tree_.receive(places_, tree_.parent());
  PerFile next = places_;
  PerFile const own = rows_.bytes();
  for (std::size_t file = 0; file < own.size(); ++file) next[file] += own[file];
  std::span<int const> const children = tree_.children();
  for (std::size_t i = 0; i < children.size(); ++i) {
    tree_.tell(next, children[i]);
    for (std::size_t file = 0; file < own.size(); ++file) next[file] += bytes_of_child_[i][file];
  }
}

void Gathering::move_rows() {
  if (writer() == rank()) write_rows();
  else send_rows();
}

void Gathering::send_rows() {
  tree_.take(writer());  // it asks for them
  rows_.deliver([&](File file, std::string_view text) {
    while (!text.empty() && !tree_.failure()) {
      std::string_view const part = text.substr(0, Tree::piece_bytes);
      tree_.put(writer(), tag_of_rows + static_cast<int>(file), part.data(), part.size());
      text.remove_prefix(part.size());
    }
  });
  tree_.end(writer());
}

void Gathering::take(File file, std::string_view text) {
  if (!text.empty() && has(file)) output_.take(file, text);
}

void Gathering::write_rows() {
  if (!is_root()) output_.add_files(plan_.is_of_sums);
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (has(static_cast<File>(i))) output_.continue_at(static_cast<File>(i), places_[i]);
  rows_.deliver([&](File file, std::string_view text) { take(file, text); });
  int const end = end_of_group();
  auto const ask = [&](int member) { tree_.put(member, Tree::of_end, nullptr, 0); };
  for (int member = rank() + 1; member < std::min(end, rank() + 1 + ranks_ahead); ++member) ask(member);
  for (int member = rank() + 1; member < end; ++member) {
    collect_from(member);
    if (member + ranks_ahead < end) ask(member + ranks_ahead);
  }
  if (is_root()) {
    RunSummary& total = report_.summary;
    total.rows = sizes_.rows;
    total.messages.others = std::max<std::uint64_t>(sizes_.pairs_about_most, 1) - 1;
    output_.write_run_file([&](TextWriter& out) {
      write_run_json(out, contents_.rows.facts, total, contents_.rows.rate, contents_.snapshot,
                     plan_.is_of_sums ? &plan_.detailed : nullptr, plan_.windows);
    });
  } else if (!output_.leave()) {
    result_ = {rank(), output_.error()};
  }
}

// After a failure, too, the process waits for its messages to be received.
void Gathering::collect_from(int member) {
  for (;;) {
    Tree::Message const message = tree_.take(member);
    if (tree_.ends(message)) return;
    if (!tree_.failure()) take(static_cast<File>(message.tag - tag_of_rows), message.text);
  }
}

Outcome Gathering::finish(Problem& problem, RunSummary& total) {
  if (!is_root()) return Outcome::failed;
  total = report_.summary;
  if (Tree::Failure const& failure = tree_.failure()) {
    describe(failure, problem);
    return Outcome::failed;
  }
  if (plan_.is_unwanted) {
    if (total.bytes_over_limit > 0) describe_size(total.bytes_over_limit, problem);
    return Outcome::unwanted;
  }
  if (result_.rank < 0 && !plan_.is_given_up && output_.publish()) return Outcome::written;
  char const* const path = output_.path();
  if (result_.rank < 0) std::snprintf(problem, sizeof problem, "%s", output_.problem());
  else std::snprintf(problem, sizeof problem, "%s: %s, on rank %d", path, std::strerror(result_.error), result_.rank);
  return Outcome::failed;
}

}  // namespace commprof
