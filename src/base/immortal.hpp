// Holds a static object that is never destroyed. A program may call MPI, above all MPI_Finalize, from a destructor or
// at exit, when the library's own destructors have already run.
#pragma once

#include <cstddef>
#include <new>

namespace commprof {

// Constructed at first use. Callers must serialise that.
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
