#include "summary/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "reader/profile_reader.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {

namespace {

// Texts shared by many ranks, in the order in which they first occur.
class Texts {
 public:
  std::uint32_t place_of(std::string_view text) {
    if (!texts_.empty() && texts_[last_] == text) return last_;
    auto known = places_.find(text);
    if (known == places_.end()) {
      known = places_.emplace(text, static_cast<std::uint32_t>(texts_.size())).first;
      texts_.emplace_back(text);
    }
    return last_ = known->second;
  }
  [[nodiscard]] std::vector<std::string> const& all() const { return texts_; }

 private:
  TextMap<std::uint32_t> places_;
  std::vector<std::string> texts_;
  std::uint32_t last_ = 0;
};

// The texts of one part of the file; its ranks refer to them by index.
struct RanksOfPart {
  Texts hosts{}, cpus{};
  std::uint32_t first = 0, end = 0;  // ranks
  bool waiting_is_known = true, waiting_error_is_known = true, caused_is_known = true;
};

void keep(std::vector<double>& of_rank, std::size_t rank, std::optional<double> seconds, bool& is_known) {
  is_known &= seconds.has_value();
  of_rank[rank] = seconds.value_or(0);
}

std::optional<Account> account_of(RankRow const& row) {
  if (!row.work_s || !row.moving_s || !row.other_s || !row.unknown_s) return std::nullopt;
  return Account{
      *row.work_s,   row.queued_outside_s.value_or(0), row.waiting_s.value_or(0), *row.moving_s, *row.other_s,
      *row.unknown_s};
}

class OverviewReader {
 public:
  OverviewReader(Profile const& profile, Selection const& selection) : profile_(profile), selection_(selection) {}

  Overview run() {
    overview_.profile = visible(profile_.directory().string());
    overview_.run = profile_.run();
    check_ranks("--rank", selection_.ranks, overview_.run);
    std::uint32_t const ranks = overview_.run.ranks;
    unknown_host_ = HostIndex{ranks};
    overview_.host_of_rank.resize(ranks, unknown_host_);
    overview_.times_of_rank.resize(ranks);
    overview_.waiting_of_rank.resize(ranks);
    overview_.waiting_error_of_rank.resize(ranks);
    overview_.caused_of_rank.resize(ranks);
    overview_.processors_of_rank.resize(ranks, ProcessorsIndex{0});
    auto const parts = read_in_parts<RankRows>(profile_, [this](RankRows& rows) { return read(rows); });
    (void)processors_.place_of("");  // the text of an unknown set
    for (RanksOfPart const& part : parts) join(part);
    add_up_ranks();
    finish();
    return std::move(overview_);
  }

 private:
  // Reads one part of the file, which has other ranks than any other part.
  RanksOfPart read(RankRows& rows) {
    RanksOfPart part;
    while (RankRow const* row = rows.next()) {
      auto const rank = static_cast<std::uint32_t>(row->rank);
      if (part.end == 0) part.first = rank;
      part.end = rank + 1;
      overview_.times_of_rank[rank] = {.wall_s = row->wall_s,
                                       .mpi_s = row->mpi_s,
                                       .cpu_s = row->cpu_s,
                                       .queued_s = row->queued_s,
                                       .queued_outside_s = row->queued_outside_s,
                                       .threads = threads_of(*row),
                                       .max_rss_bytes = row->max_rss_bytes,
                                       .account = account_of(*row)};
      overview_.host_of_rank[rank] = HostIndex{part.hosts.place_of(row->host)};
      overview_.processors_of_rank[rank] = ProcessorsIndex{part.cpus.place_of(row->cpus)};
      keep(overview_.waiting_of_rank, rank, row->waiting_s, part.waiting_is_known);
      keep(overview_.waiting_error_of_rank, rank, row->waiting_error_s, part.waiting_error_is_known);
      keep(overview_.caused_of_rank, rank, row->caused_s, part.caused_is_known);
    }
    return part;
  }

  // Translates indices of the part's texts into indices of all texts.
  void join(RanksOfPart const& part) {
    auto const places_in = [](Texts& all, Texts const& texts) {
      std::vector<std::uint32_t> places;
      for (std::string const& text : texts.all()) places.push_back(all.place_of(text));
      return places;
    };
    std::vector<std::uint32_t> const hosts = places_in(hosts_, part.hosts);
    std::vector<std::uint32_t> const processors = places_in(processors_, part.cpus);
    for (std::uint32_t rank = part.first; rank < part.end; ++rank) {
      HostIndex& host = overview_.host_of_rank[rank];
      if (host == unknown_host_) continue;
      host = HostIndex{hosts[static_cast<std::size_t>(host)]};
      ProcessorsIndex& place = overview_.processors_of_rank[rank];
      place = ProcessorsIndex{processors[static_cast<std::size_t>(place)]};
    }
    if (!part.waiting_is_known) overview_.waiting_of_rank = {};
    if (!part.waiting_error_is_known) overview_.waiting_error_of_rank = {};
    if (!part.caused_is_known) overview_.caused_of_rank = {};
  }

  void add_up_ranks() {
    std::vector<bool> hosts_selected(hosts_.all().size());
    overview_.account.emplace();
    for (std::uint32_t rank = 0; rank < overview_.run.ranks; ++rank) {
      HostIndex const host = overview_.host_of_rank[rank];
      if (host == unknown_host_ || !selection_.selects(WorldRank{rank})) continue;
      RankTimes const& times = overview_.times_of_rank[rank];
      ++overview_.selected_ranks;
      hosts_selected[static_cast<std::size_t>(host)] = true;
      overview_.wall_s += times.wall_s;
      overview_.mpi_s += times.mpi_s;
      overview_.threads_wall_s += times.threads_wall_s();
      overview_.efficiency.add_rank(times.wall_s, times.mpi_of_thread_s());
      if (overview_.account && times.account) *overview_.account += *times.account;
      else overview_.account.reset();
    }
    if (!std::isfinite(overview_.threads_wall_s + overview_.mpi_s))
      throw ProfileError(profile_.files().file(commprof::schema::ranks.name).shown, std::nullopt, beyond_counting);
    if (!overview_.run.has_efficiencies()) overview_.efficiency.withhold();
    overview_.hosts = static_cast<std::uint64_t>(std::ranges::count(hosts_selected, true));
  }

  void finish() {
    for (std::string const& text : hosts_.all()) overview_.host_names.push_back(visible(text));
    for (std::string const& text : processors_.all())
      overview_.processors.push_back(RankSet::parse(text).value_or(RankSet()));
    // Ranks that the profile lacks get an unknown host.
    std::ranges::replace(overview_.host_of_rank, unknown_host_, static_cast<HostIndex>(overview_.host_names.size()));
    if (overview_.run.lacks_ranks()) overview_.host_names.emplace_back("(unknown)");
  }

  Profile const& profile_;
  Selection const& selection_;
  Overview overview_;
  HostIndex unknown_host_{};
  Texts hosts_, processors_;
};

}  // namespace

std::optional<double> Overview::queued_share() const {
  std::optional<double> queued_s;
  double its_wall_s = 0;
  for (RankTimes const& times : times_of_rank) {
    its_wall_s += times.wall_s;
    if (times.queued_s) queued_s = queued_s.value_or(0) + *times.queued_s;
  }
  return queued_s ? share_of(*queued_s, its_wall_s) : std::nullopt;
}

double threads_of(RankRow const& row) {
  return static_cast<double>(std::max(row.threads_at_once.value_or(row.threads), std::uint64_t{1}));
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
