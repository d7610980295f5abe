#include "message_waits/message_rows.hpp"

#include <bit>

namespace commprof {

namespace {

// The variance of the sum of the residuals of a ratio, from random groups (Cochran, Sampling Techniques, 6.4). Negative
// if a single group is used.
template <std::size_t Groups>
double variance_between(double const (&known)[Groups], double const (&late)[Groups], double share) {
  double squares = 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < Groups; ++i) {
    double const residual = late[i] - share * known[i];
    squares += residual * residual;
    if (known[i] > 0) ++used;
  }
  return used < 2 ? -1 : squares * static_cast<double>(used) / static_cast<double>(used - 1);
}

// Adds an instant to a call's weight, and to the sum of the squares of such weights.
void add_to_call(double& of_call, double weight, double& squares) {
  squares += weight * (weight + 2 * of_call);
  of_call += weight;
}

}  // namespace

double square_root(double square) {
  if (!(square > 0)) return 0;
  double root = square > 1 ? square : 1;
  for (double next = (root + square / root) / 2; next < root; next = (root + square / root) / 2) root = next;
  return root;
}

void MeetingHead::join(MeetingHead const& other) {
  MessageHead::join(other);
  level = std::max(level, other.level);
  for (std::size_t i = 0; i < Counts::joints; ++i) {
    least.calls[i] = std::min(least.calls[i], other.least.calls[i]);
    most.calls[i] = std::max(most.calls[i], other.most.calls[i]);
  }
  least.creations = std::min(least.creations, other.least.creations);
  most.creations = std::max(most.creations, other.most.creations);
}

void Meeting::join(Meeting const& other) {
  level = std::max(level, other.level);
  is_left_out = is_left_out || other.is_left_out;
  is_close = is_close || other.is_close;
  is_surely_late = is_surely_late || other.is_surely_late;
  known += other.known;
  earliest = std::min(earliest, other.earliest);
  if (other.last_rank < 0 || (last_rank >= 0 && latest >= other.latest)) return;
  last_rank = other.last_rank;
  latest = other.latest;
  coming = other.coming;
}

void MessageRow::add_known(CallWeight& call, instants::Cell cell, std::uint64_t stream, double weight, bool is_late) {
  std::size_t const group = scattered(cell ^ 0x5bd1e995) % groups, stream_group = scattered(stream) % stream_groups;
  ++instants;
  moments_seen |= std::uint64_t{1} << scattered(cell ^ 0x27d4eb2f) % 64;
  known += weight;
  known_of[group] += weight;
  known_of_streams[stream_group] += weight;
  known_squares += weight * weight;
  add_to_call(call.known, weight, known_of_calls_squares);
  if (!is_late) return;
  late += weight;
  late_of[group] += weight;
  late_of_streams[stream_group] += weight;
  late_squares += weight * weight;
}

void MessageRow::add_unknown(CallWeight& call, double weight) {
  unknown += weight;
  add_to_call(call.unknown, weight, unknown_of_calls_squares);
}

void MessageRow::join(MessageRow const& other) {
  ranks += other.ranks;
  calls += other.calls;
  time_ns += other.time_ns;
  instants += other.instants;
  moments_seen |= other.moments_seen;
  time_variance += other.time_variance;
  known += other.known;
  late += other.late;
  unknown += other.unknown;
  close += other.close;
  concerned += other.concerned;
  caused += other.caused;
  pattern += other.pattern;
  wait_ns += other.wait_ns;
  for (std::size_t i = 0; i < groups; ++i) {
    known_of[i] += other.known_of[i];
    late_of[i] += other.late_of[i];
  }
  for (std::size_t i = 0; i < stream_groups; ++i) {
    known_of_streams[i] += other.known_of_streams[i];
    late_of_streams[i] += other.late_of_streams[i];
  }
  known_squares += other.known_squares;
  late_squares += other.late_squares;
  known_of_calls_squares += other.known_of_calls_squares;
  unknown_of_calls_squares += other.unknown_of_calls_squares;
  whom.add(other.whom);
  cause.add(other.cause);
}

double MessageRow::error() const {
  double const of_instants = error_of_instants(), of_clocks = close / known;
  double const of_unknown = std::max(error_of_streams(), error_of_calls());
  return square_root(of_instants * of_instants + of_clocks * of_clocks + of_unknown * of_unknown);
}
// The error counts one more moment: if few are in the waiting, or few outside it, that may be by chance. If none is in
// the waiting, it is as if 1.5 of one more had been.
double MessageRow::error_of_instants() const {
  double const one_more = 1 / (moments() + 1);
  if (late <= 0) return 1.5 * one_more;
  double const variance = variance_between(known_of, late_of, share());
  return variance < 0 ? 1 : square_root(variance / (known * known) + one_more * one_more);
}
// About how many different moments the instants have, at most some 300: by how many of 64 bits they have set.
double MessageRow::moments() const {
  double sum = 0;
  for (int bits = std::popcount(moments_seen); bits > 0; --bits) sum += 64.0 / (65 - bits);
  return std::min(sum, static_cast<double>(instants));
}
// The error because only some streams are known. Streams are clusters of instants: the variance between groups, but for
// the part that instants have each for itself, as far as not all is known (Cochran, 9.3).
double MessageRow::error_of_streams() const {
  double const unknown_share = unknown / (known + unknown), p = share();
  double const of_streams = variance_between(known_of_streams, late_of_streams, p);
  if (of_streams < 0) return unknown_share / 2;  // one stream stands for all
  double const of_each = late_squares * (1 - 2 * p) + p * p * known_squares;
  return square_root(unknown_share * (of_streams - of_each)) / known;
}

// Calls are clusters of instants, too, and a few long ones may have most of these. n calls of equal weight would have
// the same variance. That all known calls wait, or none, does not say that all others do: two more of each kind are
// counted (Agresti and Coull, 1998).
double MessageRow::variance_of_calls(double part) const {
  if (unknown <= 0) return 0;
  double const unknown_share = unknown / (known + unknown);
  double const one_known = known_of_calls_squares / (known * known);  // the part of one of n: 1 / n
  double const one_unknown = unknown_of_calls_squares / (unknown * unknown);
  double const p = (part + 2 * one_known) / (1 + 4 * one_known);
  return unknown_share * unknown_share * p * (1 - p) * (one_known + one_unknown);
}

}  // namespace commprof
