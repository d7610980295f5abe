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
    Known* const known = contexts_.find_or_add(context);
    Known* const back = comms_.find_or_add(comm);
    if (known == nullptr || back == nullptr) return;
    known->value = comm;
    back->value = context;
  }
  // 0 if it is not known.
  std::uint64_t comm_of(std::uint64_t context) const {
    Known const* const known = contexts_.find(context);
    return known == nullptr ? 0 : known->value;
  }
  // Whether some context is the communicator's.
  bool has(std::uint64_t comm) const {
    Known const* const back = comms_.find(comm);
    return back != nullptr && comm_of(back->value) == comm;
  }
  // The handle will denote another communicator.
  void forget(std::uint64_t comm) {
    if (has(comm)) contexts_.find(comms_.find(comm)->value)->value = 0;
  }

 private:
  struct Known {
    std::uint64_t key, value;
    bool is_used;

    explicit operator bool() const { return is_used; }
  };
  class Table {
   public:
    Known* find(std::uint64_t key) const {
      if (slots_.is_empty()) return nullptr;
      Known& known = slots_.find(hash(key), [=](Known const& one) { return one.key == key; });
      return known.is_used ? &known : nullptr;
    }
    Known* find_or_add(std::uint64_t key) {
      Known* const known = slots_.find_or_room(
          hash(key), size_, [=](Known const& one) { return one.key == key; },
          [](Known const& one) { return hash(one.key); });
      if (known != nullptr && !known->is_used) *known = {key, 0, true}, ++size_;
      return known;
    }

   private:
    static std::uint64_t hash(std::uint64_t key) { return key * 0x9E3779B97F4A7C15ULL >> 32; }

    OpenSlots<Known> slots_;
    std::size_t size_ = 0;
  };

  Table contexts_;  // to the communicator; 0: it is not known any more
  Table comms_;     // to the latest context
};

}  // namespace commprof::mpi_messages
