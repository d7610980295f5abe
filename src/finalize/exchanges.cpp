#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>

#include "comm_naming/comm_naming.hpp"
#include "finalize/gathering.hpp"
#include "mpi/host_clocks.hpp"
#include "mpi/polite_wait.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"
#include "request_table/requests.hpp"

namespace commprof {

namespace {

// A part of an array, for one process.
struct Part {
  int to = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

constexpr int first_tag = Tree::first_free_tag + static_cast<int>(schema::tables.size());  // after those of rows

// Receives the messages that have come. False if there is none.
template <class Receive>
bool receive_all(Tree& tree, int tag, Receive&& receive) {
  for (bool has_come = false;; has_come = true) {
    int is_there = 0;
    MPI_Status status;
    int const error = PMPI_Iprobe(MPI_ANY_SOURCE, tag, tree.comm(), &is_there, &status);
    if (error != MPI_SUCCESS) tree.fail(error);
    if (error != MPI_SUCCESS || is_there == 0) return has_come;
    receive(status.MPI_SOURCE, tree.take(status.MPI_SOURCE, tag).text);
  }
}

// Starts to send all parts, each in messages of limited size.
template <class Value>
void start_sends(Tree& tree, int tag, Value const* values, PageVector<Part> const& parts,
                 PageVector<MPI_Request>& sends) {
  constexpr std::size_t most = Tree::piece_bytes / sizeof(Value);
  for (Part const& part : parts) {
    for (std::size_t done = 0; done < part.count; done += most) {
      if (!sends.push_back(MPI_REQUEST_NULL)) return tree.require(false);
      auto const bytes = static_cast<int>(std::min(most, part.count - done) * sizeof(Value));
      if (int const error =
              PMPI_Issend(values + part.first + done, bytes, MPI_BYTE, part.to, tag, tree.comm(), sends.end() - 1))
        return tree.fail(error);
    }
  }
}

// Sends blocks of values to processes that do not know who sends them anything: the nonblocking consensus of Hoefler,
// Siebert and Lumsdaine (PPoPP 2010). A process sends synchronously, receives what comes, enters a nonblocking barrier
// once all that it has sent was received, and is done when the barrier is. The cost does not grow with the number of
// processes, but for the barrier.
//
// Collective over the processes of the tree. Two exchanges with one tag must not follow each other. visit(from, values)
// gets the values of a part in order. After a failure of the tree, messages may be missing.
template <class Value, class Visitor>
void exchange_sparsely(Tree& tree, int tag, Value const* values, PageVector<Part> const& parts, Visitor&& visit) {
  tag += first_tag;
  PageVector<MPI_Request> sends;
  if (!tree.failure()) start_sends(tree, tag, values, parts, sends);
  MPI_Request barrier = MPI_REQUEST_NULL;
  std::size_t next = 0;  // all sends before it are complete
  auto const is_complete = [&](MPI_Request& request) {
    int is_there = 0;
    int const error = test_surely(request, is_there);
    if (error != MPI_SUCCESS) tree.fail(error);
    return error != MPI_SUCCESS || is_there != 0;
  };
  for (int polls = 0, is_in_barrier = 0, is_done = 0; is_done == 0;) {
    bool const has_come = receive_all(tree, tag, [&](int from, std::string_view text) {
      visit(from, std::span(reinterpret_cast<Value const*>(text.data()), text.size() / sizeof(Value)));
    });
    while (next < sends.size() && is_complete(sends.begin()[next])) ++next;
    if (is_in_barrier == 0 && next == sends.size()) {
      is_in_barrier = 1;
      if (int const error = PMPI_Ibarrier(tree.comm(), &barrier)) return tree.fail(error);
    }
    is_done = is_in_barrier != 0 && is_complete(barrier) ? 1 : 0;
    if (has_come) polls = 0;
    else if (is_done == 0) rest(polls, [] {});
  }
}

// Tags of exchanges: of questions, with the answers by the next tag.
constexpr int of_blames = 0, of_questions = 2, of_parts = 4, of_hops = 6;

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

// Asks processes in parts of an ordered array of questions, and answers theirs. answer(question) is the answer to
// another process's; take(index, answer) gets that to this process's.
template <class Question, class Answer, class AnswerIt, class Take>
void ask_and_answer(Tree& tree, int tag, PageVector<Question> const& questions, PageVector<Part>& parts,
                    AnswerIt&& answer, Take&& take) {
  PageVector<Answer> answers;
  PageVector<Part> to_askers;
  exchange_sparsely(tree, tag, questions.begin(), parts, [&](int from, std::span<Question const> values) {
    Part const part{from, answers.size(), values.size()};
    for (Question const& one : values) tree.require(answers.push_back(answer(one)));
    tree.require(to_askers.push_back(part));
  });
  exchange_sparsely(tree, tag + 1, answers.begin(), to_askers, [&](int from, std::span<Answer const> values) {
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

void ask(OwnMessageWaits& own, Tree& tree) {
  PageVector<OwnMessageWaits::ToAsk> const& asked = own.questions();
  PageVector<MessageQuestion> questions;
  PageVector<Part> parts;
  tree.require(find_parts(
      asked, [](OwnMessageWaits::ToAsk const& one) { return one.to; }, parts));
  for (OwnMessageWaits::ToAsk const& one : asked) tree.require(questions.push_back(one.question));
  ask_and_answer<MessageQuestion, MessageAnswer>(
      tree, of_questions, questions, parts, [&](MessageQuestion const& one) { return own.answer(one); },
      [&](std::size_t i, MessageAnswer const& answer) { own.take(*(asked.begin() + i), answer); });
}

// Each process learns from those for which it waits which part of their time in MPI they do not wait.
void judge(Causes& causes, int ranks_of_run, Tree& tree) {
  // One process may make all others wait. Of more than it can answer, each takes its own part.
  if (static_cast<std::uint64_t>(ranks_of_run) > most_asked)
    return causes.judge([&](std::int32_t) { return static_cast<double>(causes.moving()); });
  PageVector<std::int32_t> ranks;
  for (Causes::Wait const& wait : causes.waits())
    if (wait.whom >= 0) tree.require(ranks.push_back(wait.whom));
  std::sort(ranks.begin(), ranks.end());
  ranks.resize(static_cast<std::size_t>(std::unique(ranks.begin(), ranks.end()) - ranks.begin()));
  PageVector<Part> parts;
  PageVector<float> moving;
  tree.require(find_parts(
      ranks, [](std::int32_t rank) { return rank; }, parts));
  tree.require(moving.resize(ranks.size()));
  ask_and_answer<std::int32_t, float>(
      tree, of_parts, ranks, parts, [&](std::int32_t) { return causes.moving(); },
      [&](std::size_t i, float part) { *(moving.begin() + i) = part; });
  if (tree.failure()) return;
  causes.judge([&](std::int32_t rank) {
    return static_cast<double>(
        *(moving.begin() + (std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin())));
  });
}

// Asks the process at the end of each open chain what it has waited for last. The number of chains that are open.
std::uint64_t hop(Causes const& causes, PageVector<Causes::Chain>& chains, Tree& tree) {
  struct ToAsk {
    int to;
    std::uint32_t chain;
  };
  PageVector<ToAsk> asked;
  for (Causes::Chain& chain : chains) {
    if (chain.end == Causes::Chain::open) causes.advance(chain);
    if (chain.end == Causes::Chain::open)
      tree.require(asked.push_back({chain.whom, static_cast<std::uint32_t>(&chain - chains.begin())}));
  }
  std::sort(asked.begin(), asked.end(),
            [](ToAsk const& a, ToAsk const& b) { return std::tuple(a.to, a.chain) < std::tuple(b.to, b.chain); });
  PageVector<instants::Cell> questions;
  PageVector<Part> parts;
  tree.require(find_parts(
      asked, [](ToAsk const& one) { return one.to; }, parts));
  for (ToAsk const& one : asked) tree.require(questions.push_back((chains.begin() + one.chain)->cell));
  ask_and_answer<instants::Cell, Causes::Next>(
      tree, of_hops, questions, parts, [&](instants::Cell cell) { return causes.next(cell); },
      [&](std::size_t i, Causes::Next const& next) {
        Causes::follow(*(chains.begin() + (asked.begin() + i)->chain), next);
      });
  return asked.size();
}

// Rank 0 decides when it is enough. All processes hear of it, so tags may be used again.
void follow_chains(Causes& causes, int ranks, Ticks budget, Tree& tree) {
  PageVector<Causes::Chain>& chains = causes.chain(Causes::level_for(ranks));
  Ticks const begin = clock::now();
  for (OpenChains open{1}; open.count > 0;) {
    open.count = hop(causes, chains, tree);
    reduce_up(tree, open);
    if (clock::now() - begin > budget) open.count = 0;
    tell_down(tree, open);
  }
}

void blame(OwnMessageWaits& own, Tree& tree) {
  PageVector<Part> parts;
  PageVector<OwnMessageWaits::Blame> const& blames = own.blames();
  tree.require(find_parts(
      blames, [](OwnMessageWaits::Blame const& one) { return one.to; }, parts));
  exchange_sparsely(tree, of_blames, blames.begin(), parts, [&](int, std::span<OwnMessageWaits::Blame const> values) {
    for (OwnMessageWaits::Blame const& one : values) tree.require(own.take(one));
  });
}

// Joins collections of all processes, up the tree and down again. Each has heads, for communicators or operations on
// them; in the end, the processes have the heads that they had before, with what belongs to these on all members.
//
// A process sends its parent only heads that are incomplete in its subtree: communicators whose members are all in the
// subtree are left out. So its messages grow with the number of communicators that reach beyond the subtree, not with
// the number of processes.
template <class Joined>
void join_of_members(Tree& tree, Joined& own) {
  Joined all, told_by[Tree::most_children], result;
  auto const select = [&](Joined& to, auto&& condition) { tree.require(all.select(to, condition)); };
  auto const wanted_by = [](Joined const& those) { return [&](auto const& head) { return those.wants(head); }; };
  tree.require(all.add(own));
  std::span<int const> const children = tree.children();
  for (std::size_t i = 0; i < children.size(); ++i) {
    receive_parts(tree, told_by[i], children[i]);
    tree.require(all.add(told_by[i]));
    told_by[i].keep_heads();
  }
  if (!tree.is_root()) {
    Joined whole, part, answer;
    select(whole, [](auto const& head) { return head.is_complete(); });
    select(part, [](auto const& head) { return !head.is_complete(); });
    send_parts(tree, part, tree.parent());
    receive_parts(tree, answer, tree.parent());
    tree.require(whole.add(answer));
    all.swap(whole);
  }
  for (std::size_t i = children.size(); i-- > 0;) {
    Joined answer;
    select(answer, wanted_by(told_by[i]));
    send_parts(tree, answer, children[i]);
  }
  select(result, wanted_by(own));
  own.swap(result);
}

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
  own.take_meetings();
  int const ranks = context.facts.ranks;
  own.thin(std::max<std::uint64_t>(most_asked / static_cast<std::uint64_t>(ranks), 1));
  ask(own, tree);
  own.find_waits();
  judge(own.causes(), ranks, tree);
  follow_chains(own.causes(), ranks, {static_cast<std::uint64_t>(context.rate.hertz() / 4) + context.wall.count / 100},
                tree);
  own.count(context.records, context.sites);
  tree.require(own.finish());
  blame(own, tree);
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
  tree.require(hosts.hosts.push_back(name_hash(context.facts.host)));
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
