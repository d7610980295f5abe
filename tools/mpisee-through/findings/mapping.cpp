// Finds whether another placement of the ranks on the run's hosts would keep more messages inside hosts. Compares three
// placements by the bytes between each pair of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "summary/traffic.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

using Placement = std::vector<std::size_t>;  // host of each rank

std::vector<std::size_t> ranks_of_hosts(Overview const& overview) {
  std::vector<std::size_t> ranks(overview.host_names.size(), 0);
  for (HostIndex const host : overview.host_of_rank) ++ranks[static_cast<std::size_t>(host)];
  return ranks;
}

std::uint64_t bytes_across(MessageSums const& traffic, Placement const& placement) {
  std::uint64_t bytes = 0;
  for (PairTraffic const& pair : traffic.pairs) {
    if (pair.from == other_world || pair.to == other_world) continue;
    if (placement[static_cast<std::size_t>(pair.from)] != placement[static_cast<std::size_t>(pair.to)]) {
      bytes += pair.amount.bytes;
    }
  }
  return bytes;
}

Placement as_it_was(Overview const& overview) {
  Placement placement;
  for (HostIndex const host : overview.host_of_rank) placement.push_back(static_cast<std::size_t>(host));
  return placement;
}

// Fills one host after the other. The next rank is always the one that exchanges most with the ranks on the host.
Placement gathered(MessageSums const& traffic, std::vector<std::size_t> const& room) {
  std::size_t const ranks = std::accumulate(room.begin(), room.end(), std::size_t{0});
  std::vector<std::vector<std::pair<std::size_t, std::uint64_t>>> partners(ranks);
  std::vector<std::uint64_t> exchanged(ranks, 0);
  for (PairTraffic const& pair : traffic.pairs) {
    if (pair.from == other_world || pair.to == other_world || pair.from == pair.to) continue;
    auto const from = static_cast<std::size_t>(pair.from);
    auto const to = static_cast<std::size_t>(pair.to);
    partners[from].emplace_back(to, pair.amount.bytes);
    partners[to].emplace_back(from, pair.amount.bytes);
    exchanged[from] += pair.amount.bytes;
    exchanged[to] += pair.amount.bytes;
  }
  std::size_t const nowhere = room.size();
  Placement placement(ranks, nowhere);
  for (std::size_t host = 0; host < room.size(); ++host) {
    std::vector<std::uint64_t> with_host(ranks, 0);
    for (std::size_t placed = 0; placed < room[host]; ++placed) {
      std::size_t best = ranks;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (placement[rank] != nowhere) continue;
        auto const better = [&] {
          return std::pair(with_host[rank], exchanged[rank]) > std::pair(with_host[best], exchanged[best]);
        };
        if (best == ranks || better()) best = rank;
      }
      placement[best] = host;
      for (auto const& [partner, bytes] : partners[best]) with_host[partner] += bytes;
    }
  }
  return placement;
}

// For more ranks the first page does not read the messages of all pairs, and gathered() takes quadratic time.
constexpr std::size_t most_ranks = 4096;

struct Alternative {
  std::uint64_t bytes_across;
  std::string_view condition;
  std::string_view advice;
};

std::vector<Alternative> simple_alternatives(MessageSums const& traffic, std::vector<std::size_t> const& room) {
  return {{bytes_across(traffic, dealt_in_blocks(room)), "with consecutive ranks on each host",
           "place consecutive ranks on a host: mpirun --map-by slot (Open MPI), mpiexec -ppn N (MPICH)."},
          {bytes_across(traffic, dealt_in_turn(room)), "with ranks dealt to the hosts in turn",
           "deal ranks to the hosts in turn: mpirun --map-by node (Open MPI), mpiexec -ppn 1 (MPICH)."}};
}

// The simplest placement with at most 10 % more bytes between hosts than the best.
Alternative simplest(std::vector<Alternative> const& alternatives) {
  std::uint64_t const least = std::ranges::min(alternatives, {}, &Alternative::bytes_across).bytes_across;
  return *std::ranges::find_if(alternatives,
                               [&](Alternative const& one) { return one.bytes_across <= least + least / 10; });
}

Alternative best_alternative(MessageSums const& traffic, Overview const& overview) {
  std::vector<std::size_t> const room = ranks_of_hosts(overview);
  std::vector<Alternative> alternatives = simple_alternatives(traffic, room);
  alternatives.push_back({bytes_across(traffic, gathered(traffic, room)), "with ranks that exchange most on one host",
                          "place ranks as mpisee-through place -o DIR proposes, or let a Cartesian or graph "
                          "communicator reorder them."});
  return simplest(alternatives);
}

// The time of calls for messages that is not waiting.
double time_of_messages(Evidence const& evidence) {
  double time_s = 0;
  for (Cell const& operation : evidence.summary.operations()) {
    OperationKind const kind = kind_of(evidence.summary.name_of(operation.operation));
    if (kind == OperationKind::p2p || kind == OperationKind::completion || kind == OperationKind::one_sided)
      time_s += time_beside_waiting_s(evidence, operation);
  }
  return time_s;
}

// Bytes between hosts, and all bytes.
struct Crossing {
  std::uint64_t all;  // including bytes within hosts
  std::uint64_t now;
  Alternative better;
};

bool is_much(std::uint64_t now, std::uint64_t all) {
  bool const counts = all >= thresholds::mapping_bytes;
  return counts && static_cast<double>(now) >= thresholds::crossing_hosts * static_cast<double>(all);
}

// Nothing if unknown, or not worth a finding.
std::optional<Crossing> crossing_of(Evidence const& evidence) {
  if (!evidence.messages) return std::nullopt;
  MessageSums const& traffic = evidence.messages();
  std::uint64_t const now = bytes_across(traffic, as_it_was(evidence.summary));
  if (!is_much(now, traffic.total.bytes)) return std::nullopt;
  return Crossing{traffic.total.bytes, now, best_alternative(traffic, evidence.summary)};
}

}  // namespace

std::vector<Finding> find_bad_mapping(Evidence const& evidence) {
  if (!evidence.whole_ranks || evidence.summary.host_names.size() < 2) return {};
  if (evidence.summary.host_of_rank.size() > most_ranks) return {};
  double const time = share_of_wall(evidence, time_of_messages(evidence));
  if (time < thresholds::least_saving) return {};
  auto const crossing = crossing_of(evidence);
  if (!crossing) return {};
  auto const& [all, now, better] = *crossing;
  auto const share = [all = all](std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(all); };
  if (static_cast<double>(better.bytes_across) > thresholds::crossing_left * static_cast<double>(now)) return {};
  double const saving = time * share(now - better.bytes_across);
  if (saving < thresholds::least_saving) return {};
  return {{.rule = {},
           .saving = saving,
           .fact = fmt::format(
               "{} of the bytes of messages ({} of {}) cross hosts; {}, {} of them would. Moving them takes "
               "{} of the ranks' time.",
               format_share(share(now)), format_bytes(now), format_bytes(all), better.condition,
               format_share(share(better.bytes_across)), format_share(time)),
           .options = "place --class p2p --class rma",
           .advice = std::string(better.advice)}};
}

}  // namespace mpisee_through
