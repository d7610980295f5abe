#include "message_waits/message_rows.hpp"

#include <bit>

namespace commprof {

namespace {

// The variance of the sum of the residuals of a ratio, from random groups (Cochran, Sampling Techniques, 6.4). Negative
// if a single group is used.
double variance_between(double const (&known)[MessageRow::groups], double const (&late)[MessageRow::groups],
                        double share) {
  double squares = 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < MessageRow::groups; ++i) {
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

Meeting& Meeting::operator+=(Meeting const& other) {
  level = std::max(level, other.level);
  is_left_out = is_left_out || other.is_left_out;
  known += other.known;
  earliest = std::min(earliest, other.earliest);
  if (other.last_rank < 0 || (last_rank >= 0 && latest >= other.latest)) return *this;
  last_rank = other.last_rank;
  latest = other.latest;
  coming = other.coming;
  return *this;
}

void MessageRow::add_known(CallWeight& call, instants::Cell cell, double weight, bool is_late) {
  std::size_t const group = scattered(cell ^ 0x5bd1e995) % groups;
  ++instants;
  moments_seen |= std::uint64_t{1} << scattered(cell ^ 0x27d4eb2f) % 64;
  known += weight;
  known_of[group] += weight;
  add_to_call(call.known, weight, known_of_calls_squares);
  if (!is_late) return;
  late += weight;
  late_of[group] += weight;
}

void MessageRow::add_unknown(CallWeight& call, double weight) {
  unknown += weight;
  add_to_call(call.unknown, weight, unknown_of_calls_squares);
}

MessageRow& MessageRow::operator+=(MessageRow const& other) {
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
  known_of_calls_squares += other.known_of_calls_squares;
  unknown_of_calls_squares += other.unknown_of_calls_squares;
  whom.add(other.whom);
  cause.add(other.cause);
  return *this;
}

double MessageRow::error() const {
  double const of_instants = error_of_instants(), of_clocks = close / known, of_calls = error_of_calls();
  return square_root(of_instants * of_instants + of_clocks * of_clocks + of_calls * of_calls);
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
// Calls are clusters of instants, and a few long ones may have most of these. n calls of equal weight would have the
// same variance. That all known calls wait, or none, does not say that all others do: two more of each kind are
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
