// For objects of static storage: never destroyed. A program may call MPI, and MPI_Finalize above all, from a destructor
// of its own or from what runs at exit, when the library's own destructors would have run already.
#pragma once

#include <cstddef>
#include <new>

namespace commprof {

// Made at its first use. Callers serialise.
template <class T>
class Immortal {
 public:
  T& operator*() {
    if (object_ == nullptr) object_ = new (room_) T;
    return *object_;
  }
  T* operator->() { return &**this; }

 private:
  alignas(T) std::byte room_[sizeof(T)]{};
  T* object_ = nullptr;
};

}  // namespace commprof
