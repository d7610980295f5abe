// The data that the torture sends: elements of a datatype, with gaps or without, and room for them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "random.hpp"

namespace torture {

// A datatype created for one call and freed right after it; the standard allows that while data are still on their way.
class Datatype {
 public:
  enum class Kind { character, integer, real, real_and_integer, contiguous, with_gaps, resized };
  static constexpr int kinds = 7;
  static constexpr int predefined_kinds = 4;

  explicit Datatype(Kind kind) : is_derived_(static_cast<int>(kind) >= predefined_kinds) {
    MPI_Datatype const predefined[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_DOUBLE_INT};
    if (!is_derived_) type_ = predefined[static_cast<int>(kind)];
    if (kind == Kind::contiguous) MPI_Type_contiguous(3, MPI_INT, &type_);
    if (kind == Kind::with_gaps) MPI_Type_vector(2, 1, 3, MPI_INT, &type_);
    if (kind == Kind::resized) MPI_Type_create_resized(MPI_INT, 0, 12, &type_);
    if (is_derived_) MPI_Type_commit(&type_);
  }
  ~Datatype() {
    if (is_derived_) MPI_Type_free(&type_);
  }
  Datatype(Datatype const&) = delete;
  Datatype& operator=(Datatype const&) = delete;

  operator MPI_Datatype() const { return type_; }

  // The bytes of data of one element, computed without MPI.
  static std::uint64_t size(Kind kind) {
    constexpr std::uint64_t sizes[] = {1, 4, 8, 12, 12, 8, 4};
    return sizes[static_cast<std::size_t>(kind)];
  }

 private:
  bool is_derived_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

struct Data {
  Datatype::Kind kind = Datatype::Kind::character;
  int count = 0;

  std::uint64_t bytes() const { return static_cast<std::uint64_t>(count) * Datatype::size(kind); }

  static Data draw(Random& plan, int kinds = Datatype::kinds) {
    Data data{static_cast<Datatype::Kind>(plan.below(kinds)), 0};
    int const most[] = {0, 1000, 20000, 10, 10, 10, 10, 10};
    int const number = most[plan.below(8)];
    if (number > 0) data.count = plan.between(1, number);
    return data;
  }
};

using Room = std::shared_ptr<std::vector<char>>;
// Room for `count` elements of any kind.
inline Room room_for(int count) {
  return std::make_shared<std::vector<char>>(static_cast<std::size_t>(count + 1) * 16);
}

}  // namespace torture
