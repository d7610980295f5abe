#include "mpi_messages/mpi_messages.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <mutex>

#include "base/compiler.hpp"
#include "base/dropped.hpp"
#include "base/index.hpp"
#include "base/message.hpp"
#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "flavour/flavour.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
#include "mpi_messages/operation_tags.hpp"

namespace commprof::mpi_messages {

namespace {

// Set at the beginning of MPI_Init; begin() clears it if the MPI reports nothing. The MPI may call the recorder
// although messages are not to be counted.
std::atomic<bool> is_wanted{false};

// Enables Open MPI's recorder. Open MPI 6.0.0rc2 crashes in MPI_Init if it is to record messages, and no later release
// is known that does not: its branch and the main one had the same recorder in August 2026. With a release that has
// been mended, the user can set the variable.
constexpr char switch_variable[] = "OMPI_MCA_pml_monitoring_enable";
constexpr int first_to_crash = 6;
bool has_set_variable = false;

bool has_begun = false;
std::uint64_t (*context_of)(MPI_Comm) = nullptr;  // if messages have contexts in the place of handles
struct Rehearsal {
  bool heard = false;
  bool tells_comm = true;  // whether the MPI reported MPI_COMM_WORLD correctly as the communicator of a message
  int first_tag = INT_MIN, last_tag = 0;
} rehearsal;

// Shared by all threads: another thread may send the messages of an operation.
std::mutex tags_mutex;
OperationTags tags;
Index<std::uint64_t, std::uint64_t> contexts;  // by handle; 0: not known yet

// What messages have in the place of the communicator with this handle; 0 if that is not known.
std::uint64_t shown_for(std::uint64_t handle) {
  if (context_of == nullptr || handle == 0) return handle;
  Guard const guard(tags_mutex);
  std::uint64_t const* const context = contexts.find(handle);
  return context == nullptr ? 0 : *context;
}

void add(SentMessage const& message, Cause cause) {
  if (cause.comm == CommIndex::unknown) return;
  RecordKey const key = RecordKey::of(cause.comm, state.detail_of(cause.op, size_bin(message.bytes)));
  auto const dest = static_cast<WorldRank>(message.dest);
  Peer const peer = Peer::in_world(dest, MessageClass::internal).for_call_of(cause.size);
  count_message(key, peer, message.bytes, [dest] { return dest; });
}

void count_for(CallOnComm const& call) {
  if (this_thread.site == &within_callback) return;  // counted as part of the call that runs the callback
  PageVector<SentMessage>& list = this_thread.shard->internal_messages->list;
  {
    Guard const guard(tags_mutex);
    for (SentMessage const& message : list)
      if (message.tag != tag_of_started || !call.only_progresses)
        add(message, tags.cause_of(message.tag, message.comm, call));
  }
  list.clear();
  this_thread.internal_messages = 0;
}

// The handle of the record's communicator; 0 if that is freed.
std::uint64_t handle_of(CommIndex index) {
  return communicators::registry.is_freed(index) ? 0 : communicators::registry[index].handle_now();
}

void rehearse(SentMessage const& message) {
  rehearsal.heard = true;
  if (message.tag > largest_operation_tag) return;
  if (message.comm != handle_bits(MPI_COMM_WORLD)) rehearsal.tells_comm = false;
  rehearsal.first_tag = std::max(rehearsal.first_tag, static_cast<int>(message.tag));
  rehearsal.last_tag = std::min(rehearsal.last_tag, static_cast<int>(message.tag));
}

PageVector<SentMessage>* list_of_thread() {
  Shard* const shard = Shards::mine();
  if (shard == nullptr) return nullptr;
  if (shard->internal_messages == nullptr)
    if (void* const pages = map_pages(sizeof(InternalMessages)))
      shard->internal_messages = new (pages) InternalMessages;
  return shard->internal_messages == nullptr ? nullptr : &shard->internal_messages->list;
}

}  // namespace

void prepare() {
  settings.read();
  Options const& options = settings.options();
  if (!options.enable || !options.peers || !options.internal) return;
  is_wanted = true;
  if (is_open_mpi() && OpenMpiVersion::of_process().major < first_to_crash)
    has_set_variable = std::getenv(switch_variable) == nullptr && setenv(switch_variable, "1", 0) == 0;
}

void leave_environment() {
  if (has_set_variable) unsetenv(switch_variable);
  has_set_variable = false;
}

void begin(int rank, int ranks) {
  if (!state.options.peers) state.options.internal = false;
  leave_environment();
  if (!state.options.internal) return;
  if (!rehearsal.heard && ranks > 1) {
    is_wanted = state.options.internal = false;
    if (rank == 0)
      say({"COMMPROF_INTERNAL=1: the internal messages of this MPI are not seen, so the profile has none"});
    return;
  }
  if (rehearsal.last_tag != 0) {
    tags.set_first(rehearsal.first_tag);
    created(MPI_COMM_WORLD, true);
    tags.expect(shown_for(handle_bits(MPI_COMM_WORLD)), rehearsal.last_tag - 1);
  }
  has_begun = true;
}

void are_told_by_transport(std::uint64_t (*tells_context)(MPI_Comm), int last_tag) {
  context_of = tells_context;
  rehearsal = {.heard = true, .first_tag = largest_operation_tag, .last_tag = last_tag};
}

void sent(SentMessage message) {
  if (!state.is_tracking()) return;
  if (!has_begun) {
    if (is_in_rehearsal) rehearse(message);
    return;
  }
  if (!rehearsal.tells_comm) message.comm = 0;
  if (this_thread.outermost_call == nullptr) {
    // Sent outside any wrapper: by the profiler, or by the MPI's progress for a pending operation of the program.
    Guard const guard(tags_mutex);
    if (tags.may_be_of_operation(message.tag)) add(message, tags.cause_of(message.tag, message.comm, no_call));
    return;
  }
  constexpr std::size_t most_in_a_call = std::size_t{1} << 16;
  PageVector<SentMessage>* const list = list_of_thread();
  bool const has_room = list != nullptr && list->size() < most_in_a_call && list->push_back(message);
  if (!has_room) return dropped::count(Dropped::messages);
  this_thread.internal_messages = list->size();
}

void count_sent(CommIndex index, Op op, MPI_Comm comm, SizeBin size) {
  count_for({{index, op, size}, shown_for(comm == MPI_COMM_NULL ? handle_of(index) : handle_bits(comm)), false});
}

void count_sent_meanwhile(CommIndex index, Op op) { count_for({{index, op}, shown_for(handle_of(index)), true}); }

void count_others_sent() { count_for(no_call); }

void issued(MPI_Comm comm, CommIndex index, Op op, SizeBin size) {
  if (shown_for(handle_bits(comm)) == 0) created(comm, true);
  std::uint64_t const shown = shown_for(handle_bits(comm));
  if (shown == 0) return;
  Guard const guard(tags_mutex);
  if (this_thread.internal_messages != 0)
    for (SentMessage const& message : this_thread.shard->internal_messages->list)
      if (tags.may_be_of_operation(message.tag) && message.comm == shown) tags.expect(shown, message.tag);
  tags.issue(shown, {index, op, size});
}

void created(MPI_Comm comm, bool is_complete) {
  std::uint64_t const handle = handle_bits(comm);
  if (context_of == nullptr) {
    Guard const guard(tags_mutex);
    return tags.reset(handle);
  }
  std::uint64_t const context = is_complete ? context_of(comm) : 0;
  Guard const guard(tags_mutex);
  tags.reset(context);
  if (std::uint64_t* const known = contexts.find_or_add(handle)) *known = context;
}

}  // namespace commprof::mpi_messages

// Stands in for Open MPI's recorder of messages.
#ifdef OPEN_MPI

namespace commprof::mpi_messages {

namespace {

using Recorder = void (*)(int, std::size_t, int);

// The recorder that ours replaces: that of the calling component or of its dependencies. The component's own handle
// leads to it, whatever the libraries are called.
Recorder original_of(void const* caller) {
  Dl_info component;
  if (dladdr(caller, &component) == 0) return nullptr;
  void* const library = dlopen(component.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const original = find_in_library(library, "mca_common_monitoring_record_pml");
  dlclose(library);  // the MPI keeps its component loaded
  return reinterpret_cast<Recorder>(original);
}

#ifdef __x86_64__

// The recorder does not get the communicator, but its caller does: the component's send function has it as seventh
// argument, which the calling convention puts on the stack, at the caller's canonical frame address. MPI_Init tests
// whether this holds. frame: of the recorder. Counts frames, so only comm_of() may call it.
[[gnu::noinline]] std::ptrdiff_t distance_to_arguments(char const* frame) {
  struct Walk {
    int frames;
    std::uintptr_t place;
  } walk{0, reinterpret_cast<std::uintptr_t>(frame)};
  auto const step = [](_Unwind_Context* context, void* data) {
    Walk& at = *static_cast<Walk*>(data);
    if (at.frames++ < 3) return _URC_NO_REASON;  // this function, the recorder, its caller
    at.place = _Unwind_GetCFA(context);
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(step, &walk);
  return reinterpret_cast<char const*>(walk.place) - frame;
}

// Caches the distance, which is the same for all calls from one place: unwinding takes microseconds.
[[gnu::always_inline]] inline std::uint64_t comm_of(void const* caller, char const* frame) {
  static thread_local struct {
    void const* caller;
    std::ptrdiff_t distance;
  } last{};
  if (last.caller != caller) last = {caller, distance_to_arguments(frame)};
  return *reinterpret_cast<std::uint64_t const*>(frame + last.distance);
}

#endif

}  // namespace

}  // namespace commprof::mpi_messages

extern "C" COMMPROF_EXPORT void mca_common_monitoring_record_pml(int world_rank, std::size_t bytes, int tag) {
  using namespace commprof::mpi_messages;
  static Recorder const original = original_of(__builtin_return_address(0));
  if (original != nullptr && original != &mca_common_monitoring_record_pml) original(world_rank, bytes, tag);
  if ((tag >= 0 && tag != tag_of_started) || context_of != nullptr || !is_wanted.load(std::memory_order_relaxed))
    return;
  std::uint64_t comm = 0;
#ifdef __x86_64__
  if (tag <= largest_operation_tag)
    comm = comm_of(__builtin_return_address(0), static_cast<char const*>(__builtin_frame_address(0)));
#endif
  sent({.dest = world_rank, .tag = tag, .bytes = bytes, .comm = comm});
}

#endif
