#include "finalize/exchanges.hpp"

#include <algorithm>
#include <span>
#include <tuple>

#include "comm_naming/comm_naming.hpp"
#include "mpi/host_clocks.hpp"
#include "profile/profile.hpp"
#include "request_table/requests.hpp"

namespace commprof {

namespace {

using sparse_exchange::Part;

// Tags of exchanges: of questions, with the answers by the next tag.
constexpr int of_counts = 0, of_levels = 1, of_questions = 2, of_parts = 4, of_hops = 6, of_blames = 0;
static_assert(of_hops + 2 == sparse_exchange::tags);

constexpr std::uint64_t most_asked = std::uint64_t{1} << 17;  // questions that a process answers

// The parts of an ordered array, by the process of each value. False if memory is used up.
template <class Value, class ToOf>
bool find_parts(PageVector<Value> const& values, ToOf&& to_of, PageVector<Part>& parts) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    int const to = to_of(*(values.begin() + i));
    bool const is_next = parts.size() == 0 || (parts.end() - 1)->to != to;
    if (is_next && !parts.push_back({to, i, 0})) return false;
    ++(parts.end() - 1)->count;
  }
  return true;
}
std::span<Part const> all_of(PageVector<Part> const& parts) { return {parts.begin(), parts.size()}; }

// Asks processes in parts of an ordered array of questions, and answers theirs. answer(question) is the answer to
// another process's; take(index, answer) gets that to this process's.
template <class Question, class Answer, class AnswerIt, class Take>
void ask_and_answer(Tree& tree, int tag, PageVector<Question> const& questions, PageVector<Part>& parts,
                    AnswerIt&& answer, Take&& take) {
  PageVector<Answer> answers;
  PageVector<Part> to_askers;
  exchange_sparsely(tree, tag, questions.begin(), all_of(parts), [&](int from, std::span<Question const> values) {
    Part const part{from, answers.size(), values.size()};
    for (Question const& one : values) tree.require(answers.push_back(answer(one)));
    tree.require(to_askers.push_back(part));
  });
  exchange_sparsely(tree, tag + 1, answers.begin(), all_of(to_askers), [&](int from, std::span<Answer const> values) {
    Part* const part = std::find_if(parts.begin(), parts.end(), [&](Part const& one) { return one.to == from; });
    if (part == parts.end() || part->count < values.size()) return;
    for (Answer const& one : values) take(part->first++, one);
    part->count -= values.size();
  });
}

// How many chains of the subtree are open.
struct OpenChains {
  std::uint64_t count = 0;

  bool add(OpenChains const& other) {
    count += other.count;
    return true;
  }
};

class MessageExchange {
 public:
  MessageExchange(OwnMessageWaits& own, int ranks, Tree& tree) : own_(own), ranks_(ranks), tree_(tree) {}

  void find_levels();
  void ask();
  void judge();
  void follow_chains(Ticks budget);
  void blame();

 private:
  std::uint64_t hop(PageVector<Causes::Chain>& chains);

  OwnMessageWaits& own_;
  int ranks_;
  Tree& tree_;
};

void MessageExchange::find_levels() {
  std::uint64_t const free = most_asked / 2 / static_cast<std::uint64_t>(ranks_);
  PageVector<Part> asked, told;
  tree_.require(find_parts(
      own_.questions(), [](OwnMessageWaits::ToAsk const& one) { return one.to; }, asked));
  PageVector<std::uint64_t> counts;
  for (Part const& part : asked) {
    if (part.count <= free) continue;
    if (counts.push_back(part.count)) told.push_back({part.to, counts.size() - 1, 1});
  }
  PageVector<Part> to_askers;  // all get the same level
  std::uint64_t sum = 0;
  exchange_sparsely(tree_, of_counts, counts.begin(), all_of(told),
                    [&](int from, std::span<std::uint64_t const> values) {
                      for (std::uint64_t const questions : values) sum += questions;
                      to_askers.push_back({from, 0, 1});
                    });
  std::uint32_t level = 0;
  while (sum >> level > most_asked / 2) ++level;
  struct Level {
    int of;
    std::uint32_t level;
  };
  PageVector<Level> known;
  exchange_sparsely(tree_, of_levels, &level, all_of(to_askers), [&](int from, std::span<std::uint32_t const> values) {
    if (!values.empty()) known.push_back({from, values[0]});
  });
  std::sort(known.begin(), known.end(), [](Level const& a, Level const& b) { return a.of < b.of; });
  own_.thin([&](int process) {
    Level const* const found =
        std::lower_bound(known.begin(), known.end(), process, [](Level const& one, int of) { return one.of < of; });
    return found != known.end() && found->of == process ? found->level : 0U;
  });
}

void MessageExchange::ask() {
  PageVector<OwnMessageWaits::ToAsk> const& asked = own_.questions();
  PageVector<MessageQuestion> questions;
  PageVector<Part> parts;
  tree_.require(find_parts(
      asked, [](OwnMessageWaits::ToAsk const& one) { return one.to; }, parts));
  for (OwnMessageWaits::ToAsk const& one : asked) tree_.require(questions.push_back(one.question));
  ask_and_answer<MessageQuestion, MessageAnswer>(
      tree_, of_questions, questions, parts, [&](MessageQuestion const& one) { return own_.answer(one); },
      [&](std::size_t i, MessageAnswer const& answer) { own_.take(*(asked.begin() + i), answer); });
}

// Each process learns from those for which it waits which part of their time in MPI they do not wait.
void MessageExchange::judge() {
  Causes& causes = own_.causes();
  // One process may make all others wait. Of more than it can answer, each takes its own part.
  if (static_cast<std::uint64_t>(ranks_) > most_asked)
    return causes.judge([&](std::int32_t) { return static_cast<double>(causes.moving()); });
  PageVector<std::int32_t> ranks;
  for (Causes::Wait const& wait : causes.waits())
    if (wait.whom >= 0) tree_.require(ranks.push_back(wait.whom));
  std::sort(ranks.begin(), ranks.end());
  ranks.resize(static_cast<std::size_t>(std::unique(ranks.begin(), ranks.end()) - ranks.begin()));
  PageVector<Part> parts;
  PageVector<float> moving;
  tree_.require(find_parts(
      ranks, [](std::int32_t rank) { return rank; }, parts));
  tree_.require(moving.resize(ranks.size()));
  ask_and_answer<std::int32_t, float>(
      tree_, of_parts, ranks, parts, [&](std::int32_t) { return causes.moving(); },
      [&](std::size_t i, float part) { *(moving.begin() + i) = part; });
  if (tree_.failure()) return;
  causes.judge([&](std::int32_t rank) {
    return static_cast<double>(
        *(moving.begin() + (std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin())));
  });
}

// Asks the process at the end of each open chain what it has waited for last. The number of chains that are open.
std::uint64_t MessageExchange::hop(PageVector<Causes::Chain>& chains) {
  struct ToAsk {
    int to;
    std::uint32_t chain;
  };
  PageVector<ToAsk> asked;
  for (Causes::Chain& chain : chains) {
    if (chain.end == Causes::Chain::open) own_.causes().advance(chain);
    if (chain.end == Causes::Chain::open)
      tree_.require(asked.push_back({chain.whom, static_cast<std::uint32_t>(&chain - chains.begin())}));
  }
  std::sort(asked.begin(), asked.end(),
            [](ToAsk const& a, ToAsk const& b) { return std::tuple(a.to, a.chain) < std::tuple(b.to, b.chain); });
  PageVector<instants::Cell> questions;
  PageVector<Part> parts;
  tree_.require(find_parts(
      asked, [](ToAsk const& one) { return one.to; }, parts));
  for (ToAsk const& one : asked) tree_.require(questions.push_back((chains.begin() + one.chain)->cell));
  ask_and_answer<instants::Cell, Causes::Next>(
      tree_, of_hops, questions, parts, [&](instants::Cell cell) { return own_.causes().next(cell); },
      [&](std::size_t i, Causes::Next const& next) {
        Causes::follow(*(chains.begin() + (asked.begin() + i)->chain), next);
      });
  return asked.size();
}

// Rank 0 decides when it is enough. All processes hear of it, so tags may be used again.
void MessageExchange::follow_chains(Ticks budget) {
  PageVector<Causes::Chain>& chains = own_.causes().chain(Causes::level_for(ranks_));
  Ticks const begin = clock::now();
  for (OpenChains open{1}; open.count > 0;) {
    open.count = hop(chains);
    reduce_up(tree_, open);
    if (clock::now() - begin > budget) open.count = 0;
    tell_down(tree_, open);
  }
}

void MessageExchange::blame() {
  PageVector<Part> parts;
  PageVector<OwnMessageWaits::Blame> const& blames = own_.blames();
  tree_.require(find_parts(
      blames, [](OwnMessageWaits::Blame const& one) { return one.to; }, parts));
  exchange_sparsely(tree_, of_blames, blames.begin(), all_of(parts),
                    [&](int, std::span<OwnMessageWaits::Blame const> values) {
                      for (OwnMessageWaits::Blame const& one : values) tree_.require(own_.take(one));
                    });
}

}  // namespace

namespace {

// When the last process has entered MPI_Finalize.
struct LatestEntry {
  Ticks at;

  bool add(LatestEntry const& other) {
    at = std::max(at, other.at);
    return true;
  }
};

// A process whose program has ended early waits for the others, as in a barrier. Returns how long.
Ticks meet_in_finalize(MessageWaits& waits, RowContext const& context, Tree& tree) {
  Ticks const entry = context.facts.start + context.wall;
  constexpr auto joint = calls::Joint::communicator;
  std::uint32_t const number = waits.count(StreamKey::of_members(CommIndex::world, joint), entry, Op::Finalize);
  LatestEntry latest{entry};
  reduce_up(tree, latest);
  tell_down(tree, latest);
  Awaited const members{.comm = CommIndex::world,
                        .peer = StreamKey::everybody,
                        .tag = static_cast<std::int32_t>(joint),
                        .number = number,
                        .what = context.facts.ranks > 1 ? Awaited::members : Awaited::nothing};
  Ticks const exit = waits.is_common() ? clock::now() : std::max(latest.at, entry);  // hosts have clocks of their own
  waits.span({.entry = entry, .exit = exit, .op = Op::Finalize}, &members, 1);
  waits.stop();
  return exit - entry;
}

}  // namespace

void exchange_waits(OwnMessageWaits& own, RowContext const& context, Tree& tree) {
  MessageWaits& waits = message_waits::of_process;
  Ticks const in_finalize = meet_in_finalize(waits, context, tree);
  requests::for_each_pending([&](PendingRequest const& request) {
    if (request.is_pending()) waits.add_pending(request.key, request.since);
  });
  waits.order(host_clocks::compare(clock::calibrate()));
  own.begin(waits, context.facts.rank, context.rate);
  own.set_finalize(in_finalize);
  take_communicators(own, context.registry, context.facts.rank);
  own.ask();
  join_of_members(tree, own.meetings());
  own.answer_meetings();
  join_of_members(tree, own.meetings());
  own.take_meetings(true);
  MessageExchange exchange(own, context.facts.ranks, tree);
  exchange.find_levels();
  exchange.ask();
  own.find_waits();
  exchange.judge();
  exchange.follow_chains({static_cast<std::uint64_t>(context.rate.hertz() / 4) + context.wall.count / 100});
  own.count(context.records, context.sites);
  tree.require(own.finish());
  exchange.blame();
  tree.require(own.finish_causes());
  join_of_members(tree, own.rows());
}

void exchange_windows(OwnTimeWindows const& own, WindowSpan const& span, int group, RunFacts const& facts, Tree& tree,
                      OwnRows& rows) {
  Tree of_group(tree.comm(), facts.rank, facts.ranks, group);
  of_group.fail(tree.failure());
  SummedWindows sums;
  bool const has_memory = sums.begin(span);
  of_group.require(has_memory);
  if (has_memory) sums.add(own);
  reduce_up(of_group, sums);
  tree.fail(of_group.failure());
  if (!of_group.is_root()) return;
  int const last = std::min(facts.rank + group, facts.ranks) - 1;
  tree.require(
      rows.add(File::when, [&](TextWriter& out) { return write_window_rows(span, facts.rank, last, sums, out); }));
}

void exchange_hosts(RowContext const& context, MessageTotals const& totals, Tree& tree, OwnRows& rows) {
  HostRanks hosts;
  Texts names;
  HostPairs pairs;
  tree.require(hosts.take(name_hash(context.facts.host)));
  tree.require(names.add(context.facts.host));
  reduce_up(tree, hosts);
  reduce_up(tree, names);
  tell_down(tree, hosts);
  pairs.take(context, hosts);
  reduce_up(tree, pairs);
  if (!tree.is_root()) return;
  tree.require(rows.add(File::host_pairs, [&](TextWriter& out) { return pairs.write(totals, names, out); }));
}

}  // namespace commprof
