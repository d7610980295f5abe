#include "waiting/situation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "files/rank_set.hpp"
#include "waiting/job.hpp"

namespace mpisee_through {
namespace {

using State = RankGroup::State;

class Understanding {
 public:
  Understanding(Job const& job, Job const* before) : job_(job), before_(before), waits_(job) {}

  Situation run() {
    count_processes();
    make_groups();
    for (RankGroup& group : result_.groups) {
      tell_waits(group);
      tell_pending(group);
    }
    tell_mismatches();
    tell_stuck();
    return std::move(result_);
  }

 private:
  using Ranks = std::vector<std::int32_t>;

  void count_processes() {
    result_.ranks = job_.ranks;
    Ranks present;
    for (ProcessState const& process : job_.processes) {
      present.push_back(process.rank);
      if (process.life == Life::running) ++result_.running;
      if (process.life == Life::ended) ++result_.ended;
    }
    result_.without_file = others_than(present, job_.ranks);
  }

  // A process without calls is outside MPI.
  static ThreadState const& main_of(ProcessState const& process) {
    static ThreadState const outside;
    ThreadState const* const main = process.main_thread();
    return main == nullptr ? outside : *main;
  }
  [[nodiscard]] ThreadState const& main_of(std::int32_t rank) const { return main_of(*job_.process(rank)); }

  // The group of a process, without its members.
  RankGroup group_of(ProcessState const& process) const {
    RankGroup group;
    group.has_ended = process.life == Life::ended && result_.running > 0;
    if (process.threads.empty()) return group;
    ThreadState const& main = main_of(process);
    group.state = process.is_changing ? State::changing : main.op ? State::in_mpi : State::outside;
    if (process.is_changing) return group;
    group.place = main.place;
    if (main.op) group.operation = name_of(*main.op);
    if (main.op && main.has_comm) group.communicator = job_.name_of(main.comm);
    return group;
  }

  static auto key_of(RankGroup const& group) {
    return std::tie(group.state, group.has_ended, group.operation, group.communicator, group.place);
  }

  void make_groups() {
    auto const comes_before = [](RankGroup const& a, RankGroup const& b) { return key_of(a) < key_of(b); };
    std::map<RankGroup, std::size_t, decltype(comes_before)> known(comes_before);
    for (ProcessState const& process : job_.processes) {
      RankGroup const kind = group_of(process);
      auto const [place, is_new] = known.try_emplace(kind, result_.groups.size());
      if (is_new) result_.groups.push_back(kind);
      RankGroup& group = result_.groups[place->second];
      double const seconds = main_of(process).seconds;
      group.longest_s = std::max(group.longest_s, seconds);
      group.shortest_s = is_new ? seconds : std::min(group.shortest_s, seconds);
      group.is_at_least |= process.is_at_least;
      group.ranks.push_back(process.rank);
    }
    std::ranges::stable_sort(result_.groups, std::ranges::greater{}, &RankGroup::longest_s);
    for (std::size_t i = 0; i < result_.groups.size(); ++i) {
      for (std::int32_t const rank : result_.groups[i].ranks) group_of_rank_.emplace(rank, i);
      result_.groups[i].peer = peer_of(result_.groups[i].ranks);
    }
  }

  [[nodiscard]] std::string name_of_rank(CommId comm, GivenRank given) const {
    if (given == GivenRank::any) return "any";
    if (given == GivenRank::own_group) return "its own group";
    std::int32_t const rank = job_.world_rank_of(comm, given);
    if (rank >= 0) return std::to_string(rank);
    return given < GivenRank{} ? "?" : fmt::format("its rank {}", static_cast<std::int32_t>(given));
  }

  // "to 1 and from 3"; nobody is left out.
  [[nodiscard]] std::string peers_of(commprof::Op op, CommId comm, GivenRank dest, GivenRank source,
                                     GivenRank root = GivenRank::nobody) const {
    OperationFacts const& facts = facts_of(op);
    std::string text;
    auto const add = [&](bool has, std::string_view how, GivenRank rank) {
      if (has && rank != GivenRank::nobody)
        text += fmt::format("{}{} {}", text.empty() ? "" : " and ", how, name_of_rank(comm, rank));
    };
    add(facts.has_dest, "to", dest);
    add(facts.has_source, "from", source);
    add(facts.has_root, "with root", root);
    return text;
  }
  [[nodiscard]] std::string peer_of(ThreadState const& state) const {
    return state.op ? peers_of(*state.op, state.comm, state.dest, state.source, state.root) : std::string();
  }

  // The peer that all these ranks of the group name; empty if they differ.
  [[nodiscard]] std::string peer_of(Ranks const& ranks) const {
    std::string text;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      std::string const one = peer_of(main_of(ranks[i]));
      if (i > 0 && one != text) return {};
      text = one;
    }
    return text;
  }

  [[nodiscard]] bool waits_for_any(std::int32_t rank) const {
    ThreadState const& main = main_of(rank);
    return main.op && facts_of(*main.op).has_source && main.source == GivenRank::any;
  }

  void tell_waits(RankGroup& group) const {
    group.waits_for = waits_.awaited_by(group.ranks);
    if (group.waits_for.empty()) return;
    group.is_certain = std::ranges::all_of(group.ranks, [this](std::int32_t rank) { return waits_.is_certain(rank); });
    group.waits_for_any = std::ranges::any_of(group.ranks, [this](std::int32_t rank) { return waits_for_any(rank); });
    // A message from any sender would end the wait, so there is no chain.
    if (group.waits_for_any) return;
    std::unordered_set<std::int32_t> told(group.ranks.begin(), group.ranks.end());
    for (Ranks next = group.waits_for; !next.empty() && group.chain.size() < longest_chain;) {
      std::map<std::size_t, Ranks> by_group;
      for (std::int32_t const rank : next) {
        if (!told.insert(rank).second) continue;
        by_group[group_of_rank_.contains(rank) ? group_of_rank_.at(rank) : no_group].push_back(rank);
      }
      Ranks those;
      for (auto& [index, ranks] : by_group) {
        bool const has_file = index != no_group;
        if (has_file) those.insert(those.end(), ranks.begin(), ranks.end());
        std::string peer = has_file ? peer_of(ranks) : std::string();
        group.chain.push_back({std::move(ranks), index, std::move(peer)});
      }
      std::erase_if(those, [this](std::int32_t rank) { return waits_for_any(rank); });
      next = waits_.awaited_by(those);
    }
  }

  void tell_pending(RankGroup& group) const {
    std::map<std::tuple<commprof::Op, CommId, GivenRank, GivenRank>, std::size_t> counts;
    auto const shown = [&](GivenRank rank) {
      return group.ranks.size() == 1 && rank != GivenRank::not_known ? rank : GivenRank::nobody;
    };
    for (std::int32_t const rank : group.ranks) {
      ProcessState const& process = *job_.process(rank);
      ThreadState const& main = main_of(process);
      if (!main.op || facts_of(*main.op).needs != Needs::requests) return;
      for (PendingOperation const& one : process.pending)
        ++counts[{one.op, one.comm, shown(one.dest), shown(one.source)}];
    }
    for (auto const& [what, count] : counts) {
      auto const& [op, comm, dest, source] = what;
      std::string const peers = peers_of(op, comm, dest, source);
      group.pending.push_back(fmt::format("{}{}{}{} on {}", count > 1 ? fmt::format("{} ", count) : "", name_of(op),
                                          peers.empty() ? "" : " ", peers, job_.name_of(comm)));
    }
  }

  // Whether the process was in this call at the earlier look already.
  [[nodiscard]] bool is_unchanged(std::int32_t rank) const {
    ProcessState const* const then = before_ == nullptr ? nullptr : before_->process(rank);
    return then != nullptr && main_of(rank).stamp == main_of(*then).stamp && main_of(rank).op == main_of(*then).op;
  }

  // The obstacle is there since the last of its ranks entered its call.
  template <class Obstacle>
  void note_time(Obstacle& one, std::int32_t rank) const {
    one.seconds = std::min(one.seconds, main_of(rank).seconds);
    one.is_at_least |= job_.process(rank)->is_at_least;
  }
  template <class Obstacle>
  [[nodiscard]] bool is_brief(Obstacle const& one) const {
    return result_.is_over() && !one.is_at_least && one.seconds < Situation::brief_s;
  }

  // Only of processes that have been in their calls for two looks, or have ended: the count of a process that goes on
  // may be older than its call.
  void tell_mismatches() {
    using Call = std::pair<commprof::Op, GivenRank>;  // with its root
    std::map<std::pair<CommId, std::uint64_t>, std::map<Call, Ranks>> calls;
    for (ProcessState const& process : job_.processes) {
      ThreadState const& main = main_of(process);
      bool const is_certain = !process.is_moving && (is_unchanged(process.rank) || process.life == Life::ended);
      if (!main.op || !is_certain) continue;
      OperationFacts const& facts = facts_of(*main.op);
      JobCommunicator const* const comm = job_.communicator(main.comm);
      if (!facts.is_ordered || facts.needs == Needs::nobody || comm == nullptr || !comm->is_plain) continue;
      calls[{main.comm, process.collectives_on(main.comm)}][{*main.op, facts.has_root ? main.root : GivenRank::nobody}]
          .push_back(process.rank);
    }
    for (auto const& [place, sides] : calls)
      if (sides.size() > 1) tell_mismatch(*job_.communicator(place.first), sides);
  }

  template <class Sides>
  void tell_mismatch(JobCommunicator const& comm, Sides const& sides) {
    Mismatch mismatch{.communicator = comm.name, .sides = {}, .seconds = INFINITY, .is_at_least = false};
    for (auto const& [call, ranks] : sides) {
      mismatch.sides.push_back({ranks, group_of_rank_.at(ranks.front()), peer_of(ranks)});
      for (std::int32_t const rank : ranks) note_time(mismatch, rank);
    }
    if (is_brief(mismatch)) return;
    for (RanksOfGroup const& side : mismatch.sides) mismatched_.insert(side.ranks.begin(), side.ranks.end());
    std::ranges::sort(mismatch.sides, {}, [](RanksOfGroup const& one) { return one.ranks.front(); });
    result_.mismatches.push_back(std::move(mismatch));
  }

  void tell_stuck() {
    std::unordered_set<std::int32_t> told = mismatched_;
    bool has_brief = false;
    for (auto const& [ranks, is_circle] : waits_.stuck_ways()) {
      if (std::ranges::all_of(ranks, [this](std::int32_t rank) { return mismatched_.contains(rank); })) continue;
      StuckRanks stuck{.steps = {}, .is_circle = is_circle, .is_lasting = true, .seconds = INFINITY};
      stuck.unless_more_threads = job_.may_have_more_threads;
      told.insert(ranks.begin(), ranks.end());
      for (std::int32_t const rank : ranks) {
        stuck.steps.push_back({rank, group_of_rank_.at(rank), peer_of(Ranks{rank})});
        if (is_circle || rank != ranks.back()) note_time(stuck, rank);
        stuck.is_lasting &= is_unchanged(rank) || job_.process(rank)->life == Life::ended;
      }
      stuck.is_lasting &= stuck.seconds >= Situation::lasting_s;
      if (is_brief(stuck)) has_brief = true;
      else result_.stuck.push_back(std::move(stuck));
    }
    if (has_brief && result_.stuck.empty() && result_.mismatches.empty()) return;
    std::ranges::stable_sort(result_.stuck, std::ranges::greater{}, &StuckRanks::seconds);
    Ranks others;
    for (ProcessState const& process : job_.processes) {
      if (!waits_.is_stuck(process.rank)) continue;
      ++result_.stuck_ranks;
      if (!told.contains(process.rank)) others.push_back(process.rank);
    }
    result_.also_stuck = ranges_of(others);
  }

  static constexpr std::size_t longest_chain = 16;

  Job const& job_;
  Job const* before_;
  JobWaits waits_;
  Situation result_;
  std::unordered_map<std::int32_t, std::size_t> group_of_rank_;
  std::unordered_set<std::int32_t> mismatched_;
};

}  // namespace

Situation understand(Job const& job, Job const* before) { return Understanding(job, before).run(); }

}  // namespace mpisee_through
