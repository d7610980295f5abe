#include "wrappers/creating.hpp"

#include "sites/sites.hpp"

namespace commprof {

namespace {

SiteIndex site_of(Call const& call) {
  RecordKey const key = RecordKey::of(CommIndex{}, state.detail_of_call(Op{}, SizeBin{}));
  return key.is_of_nothing() ? sites::table.site_of(call.site()) : sites::table.site(key.scope());
}

}  // namespace

[[gnu::hot]] void create(Call const& call, communicators::CreationCall const& creation, CountedComm parent,
                         MPI_Comm const* comm, RequestsOfCall request) {
  bool const succeeded = parent.succeeded(), follows_internal = state.options.internal && succeeded;
  if (follows_internal && request && parent.is_known())
    mpi_messages::issued(parent.comm, parent.index, creation.op, no_size, true);
  record(call, creation.op, parent, volume::none);
  if (!parent.is_known() && !succeeded) return;
  communicators::CreationCall made = creation;
  made.site = site_of(call);
  communicators::created(made, parent.index, parent.comm, succeeded ? *comm : MPI_COMM_NULL);
  if (follows_internal && *comm != MPI_COMM_NULL) mpi_messages::created(*comm);
  if (request && succeeded && parent.is_known())
    issuing::follow(call, request, {.key = key_of_begun(parent.index, creation.op)});
}

[[gnu::hot]] void create(Call const& call, communicators::CreationCall const& creation, GivenComm parent,
                         MPI_Comm const* comm, RequestsOfCall request) {
  CachedCall const* const found = counting::find(creation.op, parent);
  CommIndex const index = found != nullptr ? found->comm->index : counting::index_of_failed(parent.comm, parent.result);
  create(call, creation, CountedComm{index, parent.result, parent.comm}, comm, request);
}

[[gnu::hot]] void release(Call const& call, Op op, CommIndex index) {
  record(call, op, CountedComm{index, MPI_SUCCESS}, volume::none);
}

}  // namespace commprof
