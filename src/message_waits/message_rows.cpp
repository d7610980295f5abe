#include "message_waits/message_rows.hpp"

namespace commprof {

namespace {

// Orders, and joins neighbours with one key.
template <class One, class Key>
void merge_equal(PageVector<One>& all, Key&& key) {
  std::sort(all.begin(), all.end(), [&](One const& a, One const& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (One const& one : all) {
    One* const last = kept == 0 ? nullptr : all.begin() + (kept - 1);
    if (last != nullptr && key(*last) == key(one)) last->join(one);
    else *(all.begin() + kept++) = One(one);
  }
  all.resize(kept);
}

template <class One>
bool append(PageVector<One>& all, PageVector<One> const& others) {
  for (One const& one : others)
    if (!all.push_back(one)) return false;
  return true;
}

}  // namespace

double square_root(double square) {
  if (!(square > 0)) return 0;
  double root = square > 1 ? square : 1;
  for (double next = (root + square / root) / 2; next < root; next = (root + square / root) / 2) root = next;
  return root;
}

void MessageHead::join(MessageHead const& other) {
  joined += other.joined;
  is_wanted |= other.is_wanted;
}

void MessageRow::join(MessageRow const& other) {
  ranks += other.ranks;
  calls += other.calls;
  time_ns += other.time_ns;
  instants += other.instants;
  known += other.known;
  late += other.late;
  unknown += other.unknown;
  close += other.close;
  concerned += other.concerned;
  caused += other.caused;
  for (std::size_t i = 0; i < groups; ++i) {
    known_of[i] += other.known_of[i];
    late_of[i] += other.late_of[i];
  }
  whom.add(other.whom);
  cause.add(other.cause);
}

double MessageRow::error() const {
  double const of_instants = error_of_instants(), of_clocks = close / known;
  return square_root(of_instants * of_instants + of_clocks * of_clocks);
}
// The error of a ratio of sums, from the residuals of the groups (Cochran, Sampling Techniques, 6.4). If no instant is
// in the waiting, one or two more would have been.
double MessageRow::error_of_instants() const {
  if (late <= 0) return 1.5 / static_cast<double>(instants + 1);
  double squares = 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < groups; ++i) {
    double const residual = late_of[i] - share() * known_of[i];
    squares += residual * residual;
    if (known_of[i] > 0) ++used;
  }
  if (used < 2) return 1;
  double const correction = static_cast<double>(used) / static_cast<double>(used - 1);
  double const error = square_root(squares * correction) / known;
  return std::max(error, late >= known ? 1 / static_cast<double>(instants + 1) : 0.0);
}

void MessageRows::order() {
  merge_equal(heads, [](MessageHead const& one) { return one.comm; });
  merge_equal(rows, [](MessageRow const& one) { return one.key(); });
}

void MessageRows::join(MessageRows const& others) {
  is_whole = append(heads, others.heads) && append(rows, others.rows) && is_whole && others.is_whole;
  order();
}

}  // namespace commprof
