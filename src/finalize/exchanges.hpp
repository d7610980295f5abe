// Joins what the processes know about waiting, windows of time and messages between hosts.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "base/process.hpp"
#include "finalize/own_rows.hpp"
#include "message_waits/own_message_waits.hpp"
#include "mpi/tree.hpp"
#include "profile/profile.hpp"
#include "time_windows/time_windows.hpp"

namespace commprof {

// Joins what processes know about waiting.
//
//   meetings     the collective calls in which processes are at instants, up a binomial tree and down again; then when
//                all members have entered them
//   counts       a process with many questions for another one says how many, and gets a level: how often it is to
//                halve the instants that it asks about. So no process is asked more than it can answer.
//   questions    whether a message was sent, or its receive posted, at an instant; and the answers
//   hops         whom the process that is waited for waits for itself; the distance doubles each time
//   rows         up a binomial tree and down again, those of a communicator up to where its members meet
//
// Collective over the processes of the tree.
void exchange_waits(OwnMessageWaits& own, RowContext const& context, Tree& tree);

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

// Adds up the windows of time of neighbouring ranks, up the tree within their group.
//
// Collective over the processes of the tree. The first rank of a group of so many gets the rows of the group.
void exchange_windows(OwnTimeWindows const& own, WindowSpan const& span, int group, RunFacts const& facts, Tree& tree,
                      OwnRows& rows);

// Sums the messages of all processes by the hosts of sender and receiver.
//
//   up     the hosts of the subtree's ranks
//   down   the hosts of all ranks
//   up     the sums of the subtree's messages
//
// The size of these exchanges grows with the number of hosts, and of pairs of hosts up to a limit, not with the number
// of processes, because ranks are placed in blocks or in turn.

// Collective over the processes of the tree. On rank 0, adds the rows of host_pairs.csv. Messages of pairs beyond the
// limits go into the rows without hosts.
void exchange_hosts(RowContext const& context, MessageTotals const& totals, Tree& tree, OwnRows& rows);

// Sends blocks of values to processes that do not know who sends them anything: the nonblocking consensus of Hoefler,
// Siebert and Lumsdaine (PPoPP 2010). A process sends synchronously, receives what comes, enters a nonblocking barrier
// once all that it has sent was received, and is done when the barrier is. The cost does not grow with the number of
// processes, but for the barrier.

namespace sparse_exchange {

inline constexpr int tags = 8;

// A part of an array, for one process.
struct Part {
  int to = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

// Collective over the processes of the tree. tag: below tags; two exchanges with one tag must not follow each other.
// receive(self, from, data, bytes) gets the values of a part in order, in messages of limited size. After a failure of
// the tree, messages may be missing.
void run(Tree& tree, int tag, void const* data, std::size_t value_bytes, std::span<Part const> parts,
         void (*receive)(void* self, int from, void const* data, std::size_t bytes), void* self);

}  // namespace sparse_exchange

// visit(from, values) gets the values of a part in order, in messages of limited size.
template <class Value, class Visitor>
void exchange_sparsely(Tree& tree, int tag, Value const* values, std::span<sparse_exchange::Part const> parts,
                       Visitor&& visit) {
  auto const receive = [](void* self, int from, void const* data, std::size_t bytes) {
    std::span<Value const> const received(static_cast<Value const*>(data), bytes / sizeof(Value));
    (*static_cast<std::remove_reference_t<Visitor>*>(self))(from, received);
  };
  sparse_exchange::run(tree, tag, values, sizeof(Value), parts, receive, &visit);
}

}  // namespace commprof
