#include <algorithm>
#include <atomic>
#include <utility>

#include "base/text.hpp"
#include "comm_naming/comm_naming.hpp"
#include "comm_naming/creation.hpp"
#include "counters/counters.hpp"
#include "mpi/quiet_errors.hpp"
#include "ops.hpp"

namespace commprof {

namespace communicators {

Registry registry;

namespace {

int keyval = MPI_KEYVAL_INVALID;

// [[gnu::hot]], here and in the folder's other files, in the registry and the counters, puts the functions that every
// creation and release calls next to each other, so that they share cache lines: MPI's part of such a call leaves
// little of ours in the caches.
[[gnu::hot]] void attach(Communicator& record, MPI_Comm comm) {
  std::atomic_ref const handle(record.handle);
  handle.store(handle_bits(comm), std::memory_order_relaxed);
  if (!record.is_folded) record.own_root = record.is_inter ? MPI_ROOT : record.rank;
  // Without the attribute, on_delete() would not be called when the communicator is freed.
  if (PMPI_Comm_set_attr(comm, keyval, &record) != MPI_SUCCESS) handle.store(0, std::memory_order_relaxed);
}

// Communicators of MPI_Comm_idup. No call may be given one before its request is complete, not even for an attribute:
// that is attached at the program's first call on the communicator.
struct Unattached {
  std::uint64_t handle;
  Communicator* record;
  bool is_being_attached;
};
LastingVector<Unattached> unattached;          // the registry's mutex protects it
std::atomic<bool> has_duplicated_late{false};  // the program uses MPI_Comm_idup, so that the list may have entries

void forget_unattached(std::uint64_t handle) {
  Guard const lock(registry.mutex);
  Unattached* const end =
      std::remove_if(unattached.begin(), unattached.end(), [=](Unattached const& one) { return one.handle == handle; });
  unattached.resize(static_cast<std::size_t>(end - unattached.begin()));
}

// The entry as it was; from now on it is being attached.
Unattached claim_unattached(std::uint64_t handle) {
  Guard const lock(registry.mutex);
  for (Unattached& one : unattached)
    if (one.handle == handle) return std::exchange(one, {handle, one.record, true});
  return {};
}

// The record, which this thread or just now another one attaches; nullptr if the communicator is none of these.
Communicator* attach_late(MPI_Comm comm) {
  Unattached const one = claim_unattached(handle_bits(comm));
  if (one.record == nullptr || one.is_being_attached) return one.record;
  attach(*one.record, comm);
  forget_unattached(one.handle);
  return one.record;
}

// A spawned world has a communicator to its parents from the start.
bool add_parent_of_world() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) return false;
  CommIndex const index = registry.add_root("PARENT", Op::Comm_spawn, Letter::spawn);
  if (index == CommIndex::unknown) return true;
  describe(registry[index], parent);
  attach(registry[index], parent);
  return true;
}

}  // namespace

[[gnu::hot]] int on_delete(MPI_Comm comm, int, void* value, void*) {
  // MPI may hold locks of its own here, so this callback takes none.
  auto& record = *static_cast<Communicator*>(value);
  record.count_freed(handle_bits(comm));  // a handle that MPI will give out again
  if (record.is_folded) CallCache::forget_shared();
  if (Shard* const shard = this_thread.shard; shard != nullptr && shard->release.handle == handle_bits(comm))
    shard->release.freed = record.index;
  return MPI_SUCCESS;
}

bool start(std::uint32_t max_children, MPI_Group world) {
  registry.set_max_children(max_children);
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, nullptr) != MPI_SUCCESS) return false;
  world_group = world;
  if (registry.add({}) != CommIndex::world || registry.add({}) != CommIndex::self) return false;
  Communicator& world_record = registry[CommIndex::world];
  PMPI_Group_rank(world, &world_record.rank);
  world_record.size = size_of(world);
  world_record.has_all_processes = true;
  world_record.is_described_here = world_record.rank == 0;
  if (world_record.is_described_here) world_record.members = members_text(world);
  registry[CommIndex::self].size = 1;
  return true;
}

bool attach_predefined() {
  attach(registry[CommIndex::world], MPI_COMM_WORLD);
  attach(registry[CommIndex::self], MPI_COMM_SELF);
  return add_parent_of_world();
}

CommIndex of(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, keyval, &value, &found);
  if (found != 0) [[likely]]
    return static_cast<Communicator const*>(value)->index;
  if (Communicator const* const late = attach_late(comm)) return late->index;
  if (state.is_threaded()) PMPI_Comm_get_attr(comm, keyval, &value, &found);  // attached since the first look
  if (found != 0) return static_cast<Communicator const*>(value)->index;
  CommIndex const index = add_foreign(comm);
  if (index != CommIndex::unknown) attach(registry[index], comm);
  return index;
}

CommIndex of_doubtful(MPI_Comm comm) {
  Guard const lock(registry.mutex);
  return comm == MPI_COMM_NULL ? CommIndex::unknown : registry.find_by_handle(handle_bits(comm));
}

CommIndex of_any(MPI_Comm comm) {
  CommIndex const known = of_doubtful(comm);
  if (comm == MPI_COMM_NULL || known != CommIndex::unknown) return known;
  QuietErrors const quiet;
  // If handles are pointers, a dangling one is not in MPI's table of handles. Any other call would dereference it.
  if (PMPI_Comm_f2c(PMPI_Comm_c2f(comm)) != comm) return CommIndex::unknown;
  int size = 0;
  return PMPI_Comm_size(comm, &size) == MPI_SUCCESS ? of(comm) : CommIndex::unknown;
}

[[gnu::hot]] void created(CreationCall const& call, CommIndex parent, MPI_Comm parent_handle, MPI_Comm comm) {
  Communicator* const record = add_created(call, parent, parent_handle, comm);
  if (record == nullptr) return;
  if (has_duplicated_late.load(std::memory_order_relaxed)) [[unlikely]]
    forget_unattached(handle_bits(comm));  // an older one with this handle, whose end was not seen
  if (call.op == Op::Comm_idup || call.op == Op::Comm_idup_with_info) [[unlikely]] {
    Guard const lock(registry.mutex);
    std::atomic_ref(record->handle).store(handle_bits(comm), std::memory_order_relaxed);
    has_duplicated_late.store(true, std::memory_order_relaxed);
    unattached.push_back({handle_bits(comm), record, false});
    return;
  }
  attach(*record, comm);
}

std::string_view name(CommIndex index, char* room) {
  Guard const lock(registry.mutex);
  return registry.name(index, room);
}

void named(MPI_Comm comm, std::string_view name) {
  CommIndex const index = of(comm);
  if (index == CommIndex::unknown) return;
  Guard const lock(registry.mutex);
  registry.rename(registry[index], whole_utf8(name, Registry::max_user_name));
}

[[gnu::hot]] Release::Release(MPI_Comm const* comm) : handle_(comm == nullptr ? MPI_COMM_NULL : *comm) {
  if (comm != nullptr && has_duplicated_late.load(std::memory_order_relaxed)) [[unlikely]]
    attach_late(handle_);  // else MPI would not tell that it is freed
  if (Shard* const shard = Shards::mine()) outer_ = std::exchange(shard->release, {handle_bits(handle_)});
}

[[gnu::hot]] CommIndex Release::index(int result) const {
  Shard* const shard = Shards::mine();
  AwaitedRelease const own = shard == nullptr ? AwaitedRelease{} : std::exchange(shard->release, outer_);
  if (own.freed != CommIndex::unknown && own.handle == handle_bits(handle_)) [[likely]]
    return own.freed;
  CommIndex const index = of_doubtful(handle_);
  // MPICH deletes a communicator, and its attributes, when nothing is pending on it any more.
  if (result == MPI_SUCCESS && index != CommIndex::unknown) registry[index].count_kept_by_mpi();
  return index;
}

}  // namespace communicators

int CommView::topology_of(MPI_Comm handle, Letter letter) { return communicators::topology_of(letter, handle); }

}  // namespace commprof
