#include "wrappers/issuing.hpp"

#include "base/dropped.hpp"

namespace commprof {

void match(MPI_Comm comm, MPI_Message message, void const* variable) {
  IssuedRequest const matched{.key = RecordKey::of(communicators::of(comm), 0)};
  Guard const guard(requests::messages.mutex);
  if (!requests::messages.table.insert(handle_bits(message), requests::variable_of(variable), matched))
    dropped::count(Dropped::requests);
}

}  // namespace commprof
