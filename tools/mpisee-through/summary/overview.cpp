#include "summary/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "reader/group_by.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {

namespace {

std::optional<Account> account_of(RankRow const& row) {
  if (!row.work_s || !row.moving_s || !row.other_s || !row.unknown_s) return std::nullopt;
  return Account{.work_s = *row.work_s,
                 .without_processor_s = row.queued_outside_s.value_or(0) + row.queued_inside_s.value_or(0),
                 .waiting_s = row.waiting_s.value_or(0),
                 .moving_s = *row.moving_s,
                 .other_s = *row.other_s,
                 .unknown_s = *row.unknown_s};
}

// Numbers texts anew, in the order of ranks, whichever thread came first. Those of the first kept numbers stay. A
// larger number stands for no text.
template <class Index>
std::vector<std::string> in_order_of_ranks(std::vector<std::string> const& texts, std::vector<Index>& of_rank,
                                           std::size_t kept = 0) {
  std::vector<std::optional<Index>> numbers(texts.size());
  std::vector<std::string> ordered;
  auto const place = [&](std::size_t number) {
    if (!numbers[number]) {
      numbers[number] = static_cast<Index>(ordered.size());
      ordered.push_back(texts[number]);
    }
    return *numbers[number];
  };
  for (std::size_t number = 0; number < kept; ++number) place(number);
  for (Index& one : of_rank)
    if (static_cast<std::size_t>(one) < texts.size()) one = place(static_cast<std::size_t>(one));
  return ordered;
}

class OverviewReader {
 public:
  OverviewReader(Profile const& profile, Selection const& selection) : profile_(profile), selection_(selection) {}

  Overview run() {
    overview_.profile = visible(profile_.directory().string());
    overview_.run = profile_.run();
    check_ranks("--rank", selection_.ranks, overview_.run);
    std::uint32_t const ranks = overview_.run.ranks;
    overview_.host_of_rank.resize(ranks, HostIndex{ranks});
    overview_.times_of_rank.resize(ranks);
    overview_.processors_of_rank.resize(ranks, processors_.number_of(""));  // the text of an unknown set
    (void)read_in_parts<RankRows>(profile_, [this](RankRows& rows) { return read(rows); });
    for (std::string const& text : in_order_of_ranks(hosts_.all(), overview_.host_of_rank))
      overview_.host_names.push_back(visible(text));
    for (std::string const& text : in_order_of_ranks(processors_.all(), overview_.processors_of_rank, 1))
      overview_.processors.push_back(RankSet::parse(text).value_or(RankSet()));
    add_up_ranks();
    return std::move(overview_);
  }

 private:
  // Reads one part of the file, which has other ranks than any other part. Returns nothing of interest.
  bool read(RankRows& rows) {
    Memo<HostIndex> hosts;
    Memo<ProcessorsIndex> processors;
    while (RankRow const* row = rows.next()) {
      auto const rank = static_cast<std::uint32_t>(row->rank);
      overview_.times_of_rank[rank] = {
          .wall_s = row->wall_s,
          .mpi_s = row->mpi_s,
          .cpu_s = row->cpu_s,
          .queued_s = row->queued_s,
          .queued_outside_s = row->queued_outside_s,
          .queued_inside_s = row->queued_inside_s,
          .threads = static_cast<double>(std::max(row->threads_at_once.value_or(row->threads), std::uint64_t{1})),
          .max_rss_bytes = row->max_rss_bytes,
          .throttled_s = row->throttled_s,
          .stolen_s = row->stolen_s,
          .waiting_s = row->waiting_s,
          .waiting_error_s = row->waiting_error_s,
          .caused_s = row->caused_s,
          .account = account_of(*row)};
      overview_.host_of_rank[rank] = hosts.get(row->host, [&] { return hosts_.number_of(row->host); });
      overview_.processors_of_rank[rank] = processors.get(row->cpus, [&] { return processors_.number_of(row->cpus); });
    }
    return true;
  }

  void add_up_ranks() {
    HostIndex const unknown_host{overview_.run.ranks};
    std::vector<bool> hosts_selected(overview_.host_names.size());
    overview_.account.emplace();
    for (std::uint32_t rank = 0; rank < overview_.run.ranks; ++rank) {
      HostIndex const host = overview_.host_of_rank[rank];
      if (host == unknown_host || !selection_.selects(WorldRank{rank})) continue;
      RankTimes const& times = overview_.times_of_rank[rank];
      ++overview_.selected_ranks;
      hosts_selected[static_cast<std::size_t>(host)] = true;
      overview_.wall_s += times.wall_s;
      overview_.mpi_s += times.mpi_s;
      overview_.threads_wall_s += times.threads_wall_s();
      RankTimes of_efficiency = times;
      if (!selection_.has_whole_ranks()) of_efficiency.account.reset();  // of the whole run
      overview_.efficiency.add_rank(of_efficiency);
      if (overview_.account && times.account) *overview_.account += *times.account;
      else overview_.account.reset();
    }
    if (!std::isfinite(overview_.threads_wall_s + overview_.mpi_s))
      throw ProfileError(profile_.files().file(commprof::schema::ranks.name).shown, std::nullopt, beyond_counting);
    if (!overview_.run.has_efficiencies()) overview_.efficiency.withhold();
    overview_.hosts = static_cast<std::uint64_t>(std::ranges::count(hosts_selected, true));
    // Ranks that the profile lacks get an unknown host.
    std::ranges::replace(overview_.host_of_rank, unknown_host, static_cast<HostIndex>(overview_.host_names.size()));
    if (overview_.run.lacks_ranks()) overview_.host_names.emplace_back("(unknown)");
  }

  Profile const& profile_;
  Selection const& selection_;
  Overview overview_;
  NumberedTexts<HostIndex> hosts_;
  NumberedTexts<ProcessorsIndex> processors_;
};

}  // namespace

void Efficiency::add_rank(RankTimes const& times) {
  ++ranks_;
  useful_s_ += times.useful_s();
  useful_max_s_ = std::max(useful_max_s_, times.useful_s());
  outside_s_ += times.outside_mpi_s();
  outside_max_s_ = std::max(outside_max_s_, times.outside_mpi_s());
  wall_max_s_ = std::max(wall_max_s_, times.wall_s);
  if (!times.account) return;
  ++ranks_with_account_;
  if (!times.waiting_s) return;
  mpi_s_ += times.mpi_s;
  unknown_s_ += times.account->unknown_s;
  double const busy_s = times.outside_mpi_s() + *times.waiting_of_thread_s();
  if (ranks_with_waiting_++ > 0 && busy_s > least_s_) return;
  least_s_ = busy_s;
  error_s_ = times.waiting_error_s;
  if (error_s_) *error_s_ /= times.threads;
}

double Efficiency::without_transfer_s() const {
  constexpr double most_unknown = 0.1;  // of the time in MPI
  bool const is_known = ranks_with_waiting_ == ranks_ && unknown_s_ <= most_unknown * mpi_s_;
  return is_known ? std::clamp(least_s_, outside_max_s_, wall_max_s_) : 0;
}

std::optional<double> Overview::queued_share() const {
  std::optional<double> queued_s;
  double its_wall_s = 0;
  for (RankTimes const& times : times_of_rank) {
    its_wall_s += times.wall_s;
    if (times.queued_s) queued_s = queued_s.value_or(0) + *times.queued_s;
  }
  return queued_s ? share_of(*queued_s, its_wall_s) : std::nullopt;
}

Overview read_overview(Profile const& profile, Selection const& selection) {
  return OverviewReader(profile, selection).run();
}

void check_ranks(std::string_view option, std::optional<RankSet> const& ranks, Run const& run) {
  if (!ranks || ranks->empty()) return;
  auto const highest = static_cast<std::uint32_t>(ranks->highest());
  if (highest >= run.ranks) {
    throw SelectionError(fmt::format("{}: no rank {}, the run had ranks 0 to {}", option, highest, run.ranks - 1));
  }
}

}  // namespace mpisee_through
