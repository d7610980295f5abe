// Wraps the functions of MPI_T for performance variables: handles ours here, and forwards everything else.
#include "api/mpi_t/mpi_t.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/compiler.hpp"
#include "base/memory.hpp"
#include "counters/counters.hpp"
#include "mpi_messages/mpi_messages.hpp"

namespace commprof::mpi_t {

namespace {

// Guards the tables of handles and sessions. Not held while a call with a handle or a session is forwarded.
std::mutex mutex;
constinit Immortal<HandleTable> handles;
constinit LastingVector<MPI_T_pvar_session> sessions;  // the open ones

bool is_open(MPI_T_pvar_session session) {
  return std::find(sessions.begin(), sessions.end(), session) != sessions.end();
}

// Copies a text as MPI_T returns it (MPI-4.0 §15.3.3).
void put_text(std::string_view text, char* buffer, int* length) {
  if (length == nullptr) return;
  if (buffer != nullptr && *length > 0) {
    std::size_t const fitting = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(buffer, text.data(), fitting);
    buffer[fitting] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

template <class Value>
void put(Value value, Value* where) {
  if (where != nullptr) *where = value;
}

// The error of a call about the variable with this index.
int error_of(int index) {
  if (!are_served()) return MPI_SUCCESS;
  int native = 0;
  int const result = PMPI_T_pvar_get_num(&native);
  bool const exists = index >= 0 && index < index_of_native(native);
  return result == MPI_SUCCESS && !exists ? MPI_T_ERR_INVALID_INDEX : result;
}

// The variable that an index means: ours, or the MPI's with this index.
struct Place {
  bool is_own;
  int index;
};
Place find_index(int index) {
  if (!are_served()) return {false, index};
  return index < variable_count ? Place{true, index} : Place{false, index - variable_count};
}

// Calls own() for one of our handles, or for all of the session's after the MPI has handled its own
// (MPI_T_PVAR_ALL_HANDLES).
template <class Native, class Own>
int with_handles(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Native&& native, Own&& own) {
  bool const is_for_all = handle == MPI_T_PVAR_ALL_HANDLES;
  std::unique_lock lock(mutex);
  if (!is_for_all && handles->is_own(handle)) {
    if (int const result = error_of(0); result != MPI_SUCCESS) return result;  // MPI_T has been finalised
    Handle* const found = handles->find(session, handle);
    return found == nullptr ? MPI_T_ERR_INVALID_HANDLE : own(*found);
  }
  lock.unlock();
  int const result = native();
  if (!is_for_all) return result;
  lock.lock();
  handles->for_each(session, own);
  return result;
}

// Like with_handles(), for calls that do not accept MPI_T_PVAR_ALL_HANDLES.
template <class Native, class Own>
int with_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Native&& native, Own&& own) {
  if (handle == MPI_T_PVAR_ALL_HANDLES && are_served()) return MPI_T_ERR_INVALID_HANDLE;
  return with_handles(session, handle, native, own);
}

// Forgets a session and its handles.
void forget(MPI_T_pvar_session session) {
  handles->remove_all(session);
  MPI_T_pvar_session* const open = std::find(sessions.begin(), sessions.end(), session);
  if (open == sessions.end()) return;
  *open = *(sessions.end() - 1);
  sessions.pop_back();
}

// Allocates a handle of our variable for a communicator.
int allocate(MPI_T_pvar_session session, Variable const& variable, void* object, MPI_T_pvar_handle* handle,
             int* count) {
  if (!is_offered(variable)) return MPI_T_ERR_INVALID_INDEX;
  std::lock_guard const lock(mutex);
  if (!is_open(session)) return MPI_T_ERR_INVALID_SESSION;
  if (object == nullptr || handle == nullptr || !state.is_tracking()) return MPI_T_ERR_INVALID_HANDLE;
  MPI_Comm const comm = *static_cast<MPI_Comm const*>(object);
  CommIndex const index = communicators::of_any(comm);
  if (index == CommIndex::unknown) return MPI_T_ERR_INVALID_HANDLE;
  Handle* const made = Handle::make(session, variable.quantity, comm, index);
  if (made == nullptr) return MPI_T_ERR_OUT_OF_HANDLES;
  MPI_T_pvar_handle const given_out = handles->add(made);
  if (given_out == MPI_T_PVAR_HANDLE_NULL) return Handle::destroy(made), MPI_T_ERR_OUT_OF_HANDLES;
  *handle = given_out;
  put(made->count(), count);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace commprof::mpi_t

using namespace commprof;
using namespace commprof::mpi_t;

extern "C" {

// The MPI may read its settings here, before MPI_Init.
COMMPROF_EXPORT int MPI_T_init_thread(int required, int* provided) {
  mpi_messages::prepare();
  int const result = PMPI_T_init_thread(required, provided);
  mpi_messages::leave_environment();
  return result;
}

COMMPROF_EXPORT int MPI_T_pvar_get_num(int* num_pvar) {
  int const result = PMPI_T_pvar_get_num(num_pvar);
  if (result == MPI_SUCCESS && num_pvar != nullptr && are_served()) *num_pvar += variable_count;
  return result;
}

COMMPROF_EXPORT int MPI_T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                                        MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                                        int* bind, int* readonly, int* continuous, int* atomic) {
  if (int const result = error_of(pvar_index); result != MPI_SUCCESS) return result;
  Place const place = find_index(pvar_index);
  if (!place.is_own)
    return PMPI_T_pvar_get_info(place.index, name, name_len, verbosity, var_class, datatype, enumtype, desc, desc_len,
                                bind, readonly, continuous, atomic);
  Variable const& variable = variable_at(place.index);
  if (!is_offered(variable)) return MPI_T_ERR_INVALID_INDEX;
  put_text(variable.name, name, name_len);
  put<int>(MPI_T_VERBOSITY_USER_BASIC, verbosity);
  put(variable.var_class, var_class);
  put(variable.datatype, datatype);
  put(MPI_T_ENUM_NULL, enumtype);
  put_text(variable.description, desc, desc_len);
  put<int>(MPI_T_BIND_MPI_COMM, bind);
  put(0, readonly);  // 0: a program can reset it, though not write it
  put(0, continuous);
  put(1, atomic);
  return MPI_SUCCESS;
}

COMMPROF_EXPORT int MPI_T_pvar_get_index(char const* name, int var_class, int* pvar_index) {
  if (name == nullptr || pvar_index == nullptr || !are_served())
    return PMPI_T_pvar_get_index(name, var_class, pvar_index);
  Variable const* const own = find(name);
  if (own != nullptr && is_offered(*own)) {
    if (own->var_class != var_class) return MPI_T_ERR_INVALID_NAME;
    *pvar_index = place_of(*own);
    return error_of(*pvar_index);
  }
  int index = 0;
  int const result = PMPI_T_pvar_get_index(name, var_class, &index);
  if (result == MPI_SUCCESS) *pvar_index = index_of_native(index);
  return result;
}

COMMPROF_EXPORT int MPI_T_pvar_session_create(MPI_T_pvar_session* session) {
  int const result = PMPI_T_pvar_session_create(session);
  if (result != MPI_SUCCESS || !are_served()) return result;
  std::lock_guard const lock(mutex);
  forget(*session);  // MPI_T_finalize ends sessions silently, and their handles are reused
  sessions.push_back(*session);
  return result;
}

COMMPROF_EXPORT int MPI_T_pvar_session_free(MPI_T_pvar_session* session) {
  // Held during the call: otherwise another thread might get the same session right after.
  std::lock_guard const lock(mutex);
  MPI_T_pvar_session const freed = session == nullptr ? MPI_T_PVAR_SESSION_NULL : *session;
  int const result = PMPI_T_pvar_session_free(session);
  if (result == MPI_SUCCESS) forget(freed);
  return result;
}

COMMPROF_EXPORT int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void* obj_handle,
                                            MPI_T_pvar_handle* handle, int* count) {
  if (int const result = error_of(pvar_index); result != MPI_SUCCESS) return result;
  Place const place = find_index(pvar_index);
  if (!place.is_own) return PMPI_T_pvar_handle_alloc(session, place.index, obj_handle, handle, count);
  return allocate(session, variable_at(place.index), obj_handle, handle, count);
}

COMMPROF_EXPORT int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  auto const native = [&] { return PMPI_T_pvar_handle_free(session, handle); };
  if (handle == nullptr) return native();
  return with_handle(session, *handle, native, [&](Handle& own) {
    handles->remove(&own);
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
  });
}

COMMPROF_EXPORT int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  auto const native = [&] { return PMPI_T_pvar_start(session, handle); };
  return with_handles(session, handle, native,
                      [](Handle& own) { return own.start() ? MPI_SUCCESS : MPI_T_ERR_PVAR_NO_STARTSTOP; });
}

COMMPROF_EXPORT int MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  auto const native = [&] { return PMPI_T_pvar_stop(session, handle); };
  return with_handles(session, handle, native,
                      [](Handle& own) { return own.stop() ? MPI_SUCCESS : MPI_T_ERR_PVAR_NO_STARTSTOP; });
}

COMMPROF_EXPORT int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  auto const native = [&] { return PMPI_T_pvar_read(session, handle, buf); };
  return with_handle(session, handle, native, [&](Handle& own) { return own.read(buf), MPI_SUCCESS; });
}

COMMPROF_EXPORT int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  auto const native = [&] { return PMPI_T_pvar_readreset(session, handle, buf); };
  return with_handle(session, handle, native, [&](Handle& own) { return own.read_and_reset(buf), MPI_SUCCESS; });
}

COMMPROF_EXPORT int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void const* buf) {
  auto const native = [&] { return PMPI_T_pvar_write(session, handle, buf); };
  return with_handle(session, handle, native, [](Handle&) { return MPI_T_ERR_PVAR_NO_WRITE; });
}

COMMPROF_EXPORT int MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  auto const native = [&] { return PMPI_T_pvar_reset(session, handle); };
  return with_handles(session, handle, native, [](Handle& own) { return own.reset(), MPI_SUCCESS; });
}

COMMPROF_EXPORT int MPI_T_category_get_pvars(int cat_index, int len, int indices[]) {
  int const result = PMPI_T_category_get_pvars(cat_index, len, indices);
  if (result != MPI_SUCCESS || indices == nullptr || !are_served()) return result;
  int name_length = 0, description_length = 0, cvars = 0, pvars = 0, categories = 0;
  PMPI_T_category_get_info(cat_index, nullptr, &name_length, nullptr, &description_length, &cvars, &pvars, &categories);
  for (int i = 0; i < std::min(len, pvars); ++i) indices[i] = index_of_native(indices[i]);
  return result;
}
}
