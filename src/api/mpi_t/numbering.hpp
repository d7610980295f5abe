// The indices of our variables among those of the MPI. Knows no MPI.
#pragma once

#include <optional>

namespace commprof::mpi_t {

// Our indices follow those that the MPI has when the first index is asked for. Indices are never given up (MPI-4.0
// §15.3.7), so variables that the MPI adds later follow ours. native: the number of the MPI's variables now.
class Numbering {
 public:
  constexpr explicit Numbering(int own_count) : own_count_(own_count) {}

  struct Place {
    bool is_own;
    int index;  // among ours, or among the MPI's
    friend bool operator==(Place, Place) = default;
  };

  int total(int native) {
    fix(native);
    return native + own_count_;
  }

  // Nothing if the index does not exist.
  std::optional<Place> find(int index, int native) {
    if (index < 0 || index >= total(native)) return std::nullopt;
    if (index < first_own_) return Place{false, index};
    if (index < first_own_ + own_count_) return Place{true, index - first_own_};
    return Place{false, index - own_count_};
  }

  int index_of(Place place, int native) {
    fix(native);
    if (place.is_own) return first_own_ + place.index;
    return place.index < first_own_ ? place.index : place.index + own_count_;
  }

  // Whether some of the MPI's variables follow ours.
  bool parts_native(int native) {
    fix(native);
    return native > first_own_;
  }

 private:
  void fix(int native) {
    if (first_own_ < 0) first_own_ = native;
  }

  int own_count_;
  int first_own_ = -1;
};

}  // namespace commprof::mpi_t
