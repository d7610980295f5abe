#include "summary/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <strings.h>

#include <algorithm>

#include "files/text_lines.hpp"
#include "files/visible_text.hpp"
#include "profile/schema.hpp"

namespace mpisee_through {
namespace {

// Parses 64, 64k, 64K, 64KiB.
std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::size_t const end = std::min(text.find_first_not_of("0123456789"), text.size());
  auto const number = number_in<std::uint64_t>(text.substr(0, end));
  std::string_view const unit = text.substr(end);
  if (!number || unit.empty()) return number;
  std::size_t const prefix = std::string_view("kmgtpe").find(static_cast<char>(unit.front() | 0x20));
  std::string_view const rest = unit.substr(1);
  if (prefix == unit.npos || !(rest.empty() || rest == "i" || rest == "iB")) return std::nullopt;
  std::size_t const shift = 10 * (prefix + 1);
  return *number > UINT64_MAX >> shift ? std::nullopt : std::optional(*number << shift);
}

}  // namespace

std::optional<SizeRange> SizeRange::parse(std::string_view text) {
  std::size_t const dash = text.find('-');
  auto const min = parse_bytes(text.substr(0, dash));
  if (!min) return std::nullopt;
  if (dash == text.npos) return SizeRange{*min, *min};
  std::string_view const upper = text.substr(dash + 1);
  if (upper.empty()) return SizeRange{*min, UINT64_MAX};
  auto const max = parse_bytes(upper);
  if (!max || *max < *min) return std::nullopt;
  return SizeRange{*min, *max};
}

std::string SizeRange::to_string() const {
  return max_bytes == UINT64_MAX ? fmt::format("{}-", min_bytes) : fmt::format("{}-{}", min_bytes, max_bytes);
}

bool matches_region(std::string const& glob, std::string const& region) {
  return glob == region || ::fnmatch(glob.c_str(), region.c_str(), 0) == 0;
}

bool matches_communicator(std::string const& glob, std::string const& name) {
  return matches_region(glob, name) || (name == "W" && glob == "MPI_COMM_WORLD") ||
         (name == "SELF" && glob == "MPI_COMM_SELF");
}

bool matches_operation(std::string const& glob, std::string const& operation) {
  constexpr std::string_view prefix = "MPI_";
  bool const prefixed = ::strncasecmp(glob.c_str(), prefix.data(), prefix.size()) == 0;
  return ::fnmatch(glob.c_str() + (prefixed ? prefix.size() : 0), operation.c_str(), FNM_CASEFOLD) == 0;
}

bool has_rows_of(Run const& run, Selection const& selection) {
  if (!run.has_only_sums()) return true;
  return selection.ranks && selection.ranks->count_in(*run.detailed_ranks) == selection.ranks->size();
}

void require_rows(Profile const& profile, Selection const& selection, std::string_view option) {
  Run const& run = profile.run();
  if (has_rows_of(run, selection)) return;
  throw ProfileError(profile.directory(), std::nullopt,
                     fmt::format("holds sums over ranks, and the rows of {} of {} ranks (COMMPROF_DETAIL=summary): {} "
                                 "needs the rows of all",
                                 run.detailed_ranks->size(), run.ranks, option));
}

std::string describe(Selection const& selection) {
  std::vector<std::string> parts;
  for (TrafficClass const one : selection.classes) parts.emplace_back(name_of(one));
  auto const add = [&](std::string_view kind, std::vector<std::string> const& globs) {
    if (!globs.empty()) parts.push_back(fmt::format("{} {}", kind, fmt::join(globs, " or ")));
  };
  auto const add_ranks = [&](std::string_view kind, std::optional<RankSet> const& ranks) {
    if (ranks) parts.push_back(fmt::format("{} {}", kind, ranks->to_string()));
  };
  add("communicator", selection.communicators);
  add("operation", selection.operations);
  for (OperationKind const kind : selection.kinds) parts.emplace_back(name_of(kind));
  add("region", selection.regions);
  add("call site", selection.sites);
  add_ranks("rank", selection.ranks);
  if (selection.sizes) parts.push_back(fmt::format("size {}", selection.sizes->to_string()));
  add_ranks("from", selection.from);
  add_ranks("to", selection.to);
  return visible(fmt::format("{}", fmt::join(parts, ", ")));
}

std::string literally(std::string_view text) {
  std::string pattern;
  for (char const one : text) {
    if (std::string_view("*?[\\").find(one) != std::string_view::npos) pattern += '\\';
    pattern += one;
  }
  return pattern;
}

bool NameFilter::selects(std::string_view name) {
  return globs_.empty() || selected_.get(name, [&] { return match(visible(name)); });
}

bool NameFilter::match(std::string const& name, std::string const& further_name) {
  bool any = globs_.empty();
  for (std::size_t i = 0; i < globs_.size(); ++i)
    if (matches_(globs_[i], name) || (!further_name.empty() && matches_(globs_[i], further_name)))
      any = matched_[i] = true;
  return any;
}

bool NameFilter::add(std::string_view name, std::string const& user_name) {
  if (globs_.empty()) return true;
  bool& selected = selected_.get(name, [] { return false; });
  return selected |= match(visible(name), user_name);
}

void NameFilter::add(NameFilter const& other) {
  for (std::size_t i = 0; i < matched_.size(); ++i) matched_[i] = matched_[i] || other.matched_[i];
}

bool NameFilter::have_all_matched() const { return std::ranges::find(matched_, false) == matched_.end(); }

void NameFilter::check(std::string_view option, std::string_view kind) const {
  auto const missed = std::ranges::find(matched_, false) - matched_.begin();
  if (have_all_matched()) return;
  throw SelectionError(visible(
      fmt::format("{}: no {} of the profile matches \"{}\"", option, kind, globs_[static_cast<std::size_t>(missed)])));
}

RowFilter::RowFilter(Selection const& selection, SiteNames const* site_names)
    : communicators(selection.communicators, matches_communicator),
      operations(selection.operations, matches_operation),
      regions(selection.regions, matches_region),
      sites(site_names == nullptr ? std::vector<std::string>() : selection.sites,
            [site_names](std::string const& glob, std::string const& site) { return site_names->matches(glob, site); }),
      selection_(selection) {}

RowFilter::RowFilter(Profile const& profile, Selection const& selection) : RowFilter(selection, nullptr) {
  if (selection.communicators.empty()) return;
  Rows<CommunicatorRow> rows(profile);
  while (CommunicatorRow const* row = rows.next()) communicators.add(row->name, visible(row->user_name));
}

bool RowFilter::selects_operation(std::string_view name) {
  auto const& kinds = selection_.kinds;
  return operations.selects(name) && (kinds.empty() || std::ranges::count(kinds, kind_of(name)) > 0);
}

// Every filter sees every row, so that a check reports only patterns that match nothing at all.
bool RowFilter::selects(OperationRow const& row) {
  bool const communicator = communicators.selects(row.communicator), operation = selects_operation(row.operation),
             region = regions.selects(row.region), site = sites.selects(row.site);
  return communicator && operation && region && site && selection_.selects(row.rank) && selection_.selects(row.size);
}

bool RowFilter::selects(PeerRow const& row) {
  bool const communicator = communicators.selects(row.communicator), operation = operations.selects(row.operation),
             region = regions.selects(row.region);
  auto const holds = [](std::optional<RankSet> const& ranks, WorldRank rank) {
    return !ranks || (rank != other_world && ranks->contains(rank));
  };
  return communicator && operation && region && selection_.selects(row.traffic_class) && selection_.selects(row.size) &&
         (holds(selection_.ranks, row.from) || holds(selection_.ranks, row.to)) && holds(selection_.from, row.from) &&
         holds(selection_.to, row.to);
}

void RowFilter::add(RowFilter const& other) {
  communicators.add(other.communicators);
  operations.add(other.operations);
  regions.add(other.regions);
  sites.add(other.sites);
}

void RowFilter::check(Profile const& profile, std::string_view kind_of_operation) {
  communicators.check("--comm", "communicator");
  operations.check("--op", kind_of_operation);
  // Regions may be without calls.
  if (!regions.have_all_matched() && profile.holds(commprof::schema::regions)) {
    Rows<RegionRow> rows(profile);
    while (RegionRow const* row = rows.next()) (void)regions.selects(row->region);
  }
  regions.check("--region", "region");
  sites.check("--site", "call site");
}

}  // namespace mpisee_through
