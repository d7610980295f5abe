// From what a message of the MPI says of its communicator to the communicator's handle.
//
// A message that the transport has (transport/transport.hpp) carries a number of the MPI, its context. Which
// communicator has it shows at the first collective call there. Open MPI's own report has the handle itself.
//
// Knows no MPI. Callers serialise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/open_slots.hpp"

namespace commprof::mpi_messages {

class Contexts {
 public:
  // The communicator of a context is known from now on.
  void learn(std::uint64_t context, std::uint64_t comm) {
    Known* const known = slots_.find_or_room(
        hash(context), size_, [=](Known const& one) { return one.context == context; },
        [](Known const& one) { return hash(one.context); });
    if (known == nullptr) return;
    if (!known->is_used) ++size_;
    *known = {context, comm, true};
  }
  // 0 if it is not known.
  std::uint64_t comm_of(std::uint64_t context) const {
    if (slots_.is_empty()) return 0;
    Known const& known = slots_.find(hash(context), [=](Known const& one) { return one.context == context; });
    return known.is_used ? known.comm : 0;
  }
  // Whether some context is the communicator's.
  bool has(std::uint64_t comm) {
    bool is_there = false;
    slots_.for_each([&](Known const& known) { is_there = is_there || known.comm == comm; });
    return is_there;
  }
  // The handle will denote another communicator.
  void forget(std::uint64_t comm) {
    slots_.for_each([=](Known& known) {
      if (known.comm == comm) known.comm = 0;
    });
  }

 private:
  struct Known {
    std::uint64_t context;
    std::uint64_t comm;
    bool is_used;

    explicit operator bool() const { return is_used; }
  };
  static std::uint64_t hash(std::uint64_t context) { return context * 0x9E3779B97F4A7C15ULL >> 32; }

  OpenSlots<Known> slots_;
  std::size_t size_ = 0;
};

}  // namespace commprof::mpi_messages
