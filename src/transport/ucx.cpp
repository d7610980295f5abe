// Stands in for the functions of UCX that tell what is sent, and where to. The front leads to these only if
// transport.cpp has asked for it, and then tells the next definitions.
#include "transport/ucx.hpp"

#include <mutex>
#include <utility>

#include "base/compiler.hpp"
#include "flavour/flavour.hpp"
#include "transport/transport.hpp"

namespace commprof::transport {

using namespace ucx;

namespace {

// The bytes of a message with a generic datatype. Its owner, the MPI, packs it by functions of its own, and only UCX
// may begin that: MPICH counts how often. So the profiler's function is between UCX and the one that begins.
namespace generic_types {

// The MPI's own functions for packing: it has the same ones for all its datatypes.
std::mutex mutex;
GenericOperations of_mpi{};

// The bytes of the latest message of a generic datatype that UCX has begun to pack in this thread.
thread_local std::uint64_t latest_size = 0;

void* start_pack(void* context, void const* buffer, std::size_t count) {
  void* const state = of_mpi.start_pack(context, buffer, count);
  latest_size = of_mpi.packed_size(state);
  return state;
}

// The functions for UCX in place of the owner's; those of an owner other than the MPI stay.
GenericOperations observed(GenericOperations operations) {
  std::lock_guard const lock(mutex);
  if (of_mpi.start_pack == nullptr) of_mpi = operations;
  if (operations.start_pack == of_mpi.start_pack && operations.packed_size == of_mpi.packed_size)
    operations.start_pack = start_pack;
  return operations;
}

}  // namespace generic_types

// The bytes of a message that UCX has taken.
std::uint64_t size_of(Datatype datatype, void const* buffer, std::size_t count) {
  bool const is_generic = (datatype & class_mask) == generic;
  return is_generic ? std::exchange(generic_types::latest_size, 0) : size_of_plain(datatype, buffer, count);
}

}  // namespace

// Begins the definition of a function of UCX, which calls the next one as next_NAME.
#define COMMPROF_UCX(Returned, name, ...)                                                  \
  COMMPROF_NEXT_SECTION constinit Next<Returned(__VA_ARGS__)> next_##name{#name, nullptr}; \
  extern "C" COMMPROF_EXPORT Returned name(__VA_ARGS__)

// The body of a function that is given something: calls the next one, and reports if that has taken it.
#define COMMPROF_GIVE(call, report)                              \
  {                                                              \
    CallOfTransport const within;                                \
    auto const returned = next_##call;                           \
    if (!has_failed(returned) && within.is_reported()) (report); \
    return returned;                                             \
  }

// Messages with tags.
COMMPROF_UCX(Result, ucp_tag_send_nb, Endpoint* ep, void const* buffer, std::size_t count, Datatype datatype, Tag tag,
             Callback callback)
COMMPROF_GIVE(ucp_tag_send_nb(ep, buffer, count, datatype, tag, callback),
              sent(ep, size_of(datatype, buffer, count), tag))
COMMPROF_UCX(Result, ucp_tag_send_sync_nb, Endpoint* ep, void const* buffer, std::size_t count, Datatype datatype,
             Tag tag, Callback callback)
COMMPROF_GIVE(ucp_tag_send_sync_nb(ep, buffer, count, datatype, tag, callback),
              sent(ep, size_of(datatype, buffer, count), tag))
COMMPROF_UCX(Status, ucp_tag_send_nbr, Endpoint* ep, void const* buffer, std::size_t count, Datatype datatype, Tag tag,
             void* request)
COMMPROF_GIVE(ucp_tag_send_nbr(ep, buffer, count, datatype, tag, request),
              sent(ep, size_of(datatype, buffer, count), tag))
COMMPROF_UCX(Result, ucp_tag_send_nbx, Endpoint* ep, void const* buffer, std::size_t count, Tag tag,
             RequestParam const* param)
COMMPROF_GIVE(ucp_tag_send_nbx(ep, buffer, count, tag, param),
              sent(ep, size_of(datatype_of(param), buffer, count), tag))
COMMPROF_UCX(Result, ucp_tag_send_sync_nbx, Endpoint* ep, void const* buffer, std::size_t count, Tag tag,
             RequestParam const* param)
COMMPROF_GIVE(ucp_tag_send_sync_nbx(ep, buffer, count, tag, param),
              sent(ep, size_of(datatype_of(param), buffer, count), tag))

COMMPROF_UCX(Result, ucp_tag_probe_nb, Worker* worker, Tag tag, Tag mask, int remove, void* info)
COMMPROF_GIVE(ucp_tag_probe_nb(worker, tag, mask, remove, info), probed(tag& mask))

// Active messages.
COMMPROF_UCX(Result, ucp_am_send_nbx, Endpoint* ep, unsigned id, void const* header, std::size_t header_length,
             void const* buffer, std::size_t count, RequestParam const* param)
COMMPROF_GIVE(ucp_am_send_nbx(ep, id, header, header_length, buffer, count, param),
              moved(ep, header_length + size_of(datatype_of(param), buffer, count), false))

// Puts and gets, each in three forms.
#define COMMPROF_UCX_MOVES(name, Buffer, is_source)                                                        \
  COMMPROF_UCX(Status, name##_nbi, Endpoint* ep, Buffer buffer, std::size_t length, std::uint64_t address, \
               RemoteKey* key)                                                                             \
  COMMPROF_GIVE(name##_nbi(ep, buffer, length, address, key), moved(ep, length, is_source))                \
  COMMPROF_UCX(Result, name##_nb, Endpoint* ep, Buffer buffer, std::size_t length, std::uint64_t address,  \
               RemoteKey* key, Callback callback)                                                          \
  COMMPROF_GIVE(name##_nb(ep, buffer, length, address, key, callback), moved(ep, length, is_source))       \
  COMMPROF_UCX(Result, name##_nbx, Endpoint* ep, Buffer buffer, std::size_t count, std::uint64_t address,  \
               RemoteKey* key, RequestParam const* param)                                                  \
  COMMPROF_GIVE(name##_nbx(ep, buffer, count, address, key, param),                                        \
                moved(ep, size_of(datatype_of(param), buffer, count), is_source))
COMMPROF_UCX_MOVES(ucp_put, void const*, false)
COMMPROF_UCX_MOVES(ucp_get, void*, true)

COMMPROF_UCX(Status, ucp_dt_create_generic, GenericOperations const* operations, void* context, Datatype* datatype) {
  if (!is_listening.load(std::memory_order_relaxed)) return next_ucp_dt_create_generic(operations, context, datatype);
  GenericOperations const observed = generic_types::observed(*operations);
  return next_ucp_dt_create_generic(&observed, context, datatype);
}

COMMPROF_UCX(Status, ucp_ep_create, Worker* worker, EndpointParams const* params, Endpoint** ep) {
  CallOfTransport const within;
  Status const status = next_ucp_ep_create(worker, params, ep);
  if (has_failed(status) || !within.is_reported()) return status;
  bool const has_address = (params->field_mask & EndpointParams::has_address) != 0;
  endpoints.made(*ep, has_address ? worker_of(params->address) : WorkerId::none);
  return status;
}

COMMPROF_UCX(Status, ucp_worker_get_address, Worker* worker, unsigned char** address, std::size_t* length)
COMMPROF_GIVE(ucp_worker_get_address(worker, address, length), has_worker(worker_of(*address)))
COMMPROF_UCX(Status, ucp_worker_query, Worker* worker, WorkerAttributes* attributes)
COMMPROF_GIVE(ucp_worker_query(worker, attributes), (attributes->field_mask & WorkerAttributes::has_address) != 0
                                                        ? has_worker(worker_of(attributes->address))
                                                        : void())

}  // namespace commprof::transport
