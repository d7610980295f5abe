#include "wrappers/issuing.hpp"

#include "base/dropped.hpp"

namespace commprof {

void match(MPI_Comm comm, MPI_Message message, void const* variable) {
  static std::uint64_t matches = 0;
  IssuedRequest matched{.key = RecordKey::of(communicators::of(comm), 0)};
  Guard const guard(requests::messages.mutex);
  matched.since = {++matches};  // in place of a time: messages are not pending requests
  if (!requests::messages.table.insert(handle_bits(message), requests::variable_of(variable), matched))
    dropped::count(Dropped::requests);
}

}  // namespace commprof
