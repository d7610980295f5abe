// The performance variables: a program reads by MPI_T the calls that it made while its handle was started; each handle
// has a value of its own; the MPI's own variables do not change; and misuse gets the errors of the standard (MPI-4.0
// §15.3.7).
#include <set>
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

using Values = std::vector<unsigned long>;

struct Wanted {
  char const* name;
  int var_class;
  MPI_Datatype datatype;
};
Wanted const messages{"commprof_messages_count", MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG};
Wanted const message_bytes{"commprof_messages_size", MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG};
Wanted const calls{"commprof_calls", MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG};
Wanted const time_s{"commprof_time", MPI_T_PVAR_CLASS_TIMER, MPI_DOUBLE};
void require(bool condition, std::string const& what) { workload::require(condition, what.c_str()); }
void is(int result, int expected, std::string const& what) {
  require(result == expected, what + ": " + std::to_string(result) + ", not " + std::to_string(expected));
}
void succeeds(int result, std::string const& what) { is(result, MPI_SUCCESS, what); }

int index_of(Wanted const& wanted) {
  int index = -1;
  succeeds(MPI_T_pvar_get_index(wanted.name, wanted.var_class, &index), std::string("index of ") + wanted.name);
  return index;
}

struct Info {
  int result;
  std::string name;
  int var_class = 0, bind = 0, readonly = 0, continuous = 0, atomic = 0;
  MPI_Datatype datatype{};
};
Info info_of(int index) {
  char name[256], text[1024];
  int name_length = sizeof name, text_length = sizeof text, verbosity = 0;
  MPI_T_enum enumeration;
  Info info{};
  info.result =
      MPI_T_pvar_get_info(index, name, &name_length, &verbosity, &info.var_class, &info.datatype, &enumeration, text,
                          &text_length, &info.bind, &info.readonly, &info.continuous, &info.atomic);
  if (info.result == MPI_SUCCESS) info.name = name;
  return info;
}

struct Session {
  Session() { succeeds(MPI_T_pvar_session_create(&handle), "a session"); }
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;
  ~Session() {
    succeeds(MPI_T_pvar_session_free(&handle), "the end of a session");
    require(handle == MPI_T_PVAR_SESSION_NULL, "a session that is freed becomes null");
  }
  MPI_T_pvar_session handle;
};

// A handle of a variable in a session.
struct Variable {
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  std::string name;
  int count = 0;

  Variable(Session const& in, Wanted const& wanted, MPI_Comm comm) : session(in.handle), name(wanted.name) {
    succeeds(MPI_T_pvar_handle_alloc(session, index_of(wanted), &comm, &handle, &count), name);
  }
  void start() { succeeds(MPI_T_pvar_start(session, handle), name + " is started"); }
  void stop() { succeeds(MPI_T_pvar_stop(session, handle), name + " is stopped"); }
  void reset() { succeeds(MPI_T_pvar_reset(session, handle), name + " is reset"); }
  void is(Values expected, std::string const& when) {
    Values values(static_cast<std::size_t>(count) + 1, 4711);
    succeeds(MPI_T_pvar_read(session, handle, values.data()), name + " is read");
    expected.push_back(4711);  // it writes no value beyond its count
    require(values == expected, name + " " + when);
  }
};

// Lists all variables: ours are among them, and once MPI has begun, no two have one name and class.
void list_variables(bool has_begun) {
  int count = 0, index = -1;
  succeeds(MPI_T_pvar_get_num(&count), "the number of variables");
  std::set<std::pair<std::string, int>> names;
  for (int i = 0; i < count; ++i) {
    Info const info = info_of(i);
    if (info.result != MPI_SUCCESS) continue;  // Open MPI counts variables of components that it has closed
    bool const is_new = names.emplace(info.name, info.var_class).second;
    require(is_new || !has_begun, info.name + " is there twice");
  }
  for (Wanted const& wanted : {messages, message_bytes, calls, time_s}) {
    Info const info = info_of(index_of(wanted));
    std::string const name = wanted.name;
    require(names.contains({name, wanted.var_class}), name + " is not listed");
    require(info.name == name && info.var_class == wanted.var_class, name + ": another is at its index");
    require(info.datatype == wanted.datatype && info.bind == MPI_T_BIND_MPI_COMM, name + ": type and binding");
    require(info.readonly == 0 && info.continuous == 0 && info.atomic == 1, name + ": flags");
    is(MPI_T_pvar_get_index(wanted.name, MPI_T_PVAR_CLASS_STATE, &index), MPI_T_ERR_INVALID_NAME, name + " of a class");
  }
  is(MPI_T_pvar_get_index("commprof_nothing", MPI_T_PVAR_CLASS_SIZE, &index), MPI_T_ERR_INVALID_NAME, "a name");
  is(info_of(count).result, MPI_T_ERR_INVALID_INDEX, "an index beyond the last");
  is(info_of(-1).result, MPI_T_ERR_INVALID_INDEX, "a negative index");
}

// Before MPI_Init there is no communicator to bind a variable to; texts are cut off where there is no room.
void before_init() {
  list_variables(false);
  auto const get = [index = index_of(calls)](char* name, int* length) {
    return MPI_T_pvar_get_info(index, name, length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr, nullptr);
  };
  char name[] = "xxxxxxxxxxxxxxxxxxxxxxxxxx";
  int const full = sizeof "commprof_calls";
  int length = 5, count = 0;
  succeeds(get(name, &length), "a room that is too small");
  require(std::string(name) == "comm" && name[5] == 'x' && length == full, "a name is cut off");
  length = 0;
  require(get(name, &length) == MPI_SUCCESS && length == full, "the length of a name without room");
  require(get(nullptr, &length) == MPI_SUCCESS && length == full, "the length of a name without a pointer");
  succeeds(get(name, nullptr), "no length");
  Session const session;
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  for (Wanted const& wanted : {calls, messages})
    is(MPI_T_pvar_handle_alloc(session.handle, index_of(wanted), &world, &handle, &count), MPI_T_ERR_INVALID_HANDLE,
       "a communicator before MPI_Init");
}

// Sends ints to the right neighbour.
void send(Ring const& ring, int size, int times = 1) {
  std::vector<int> out(100), in(100);
  for (int i = 0; i < times; ++i)
    MPI_Sendrecv(out.data(), size, MPI_INT, ring.right(), 0, in.data(), size, MPI_INT, ring.left(), 0, ring.handle,
                 MPI_STATUS_IGNORE);
}
Values to_right(Ring const& ring, unsigned long value) {
  Values values(static_cast<std::size_t>(ring.size));
  values[static_cast<std::size_t>(ring.right())] = value;
  return values;
}

// A handle counts while it is started, whatever other handles of the same variable do.
void values_of_handles(Ring const& ring) {
  Session const session, other_session;
  MPI_Comm const comm = ring.handle;
  send(ring, 1);  // before any handle
  Variable count(session, messages, comm), size(session, message_bytes, comm), later(other_session, messages, comm);
  Variable all(session, calls, comm), time(session, time_s, comm);
  require(count.count == ring.size && all.count == 1, "the number of elements");
  send(ring, 1);
  count.is(to_right(ring, 0), "before it is started");
  for (Variable* const one : {&count, &size, &all}) one->start();
  send(ring, 10, 3);
  count.is(to_right(ring, 3), "while it is started");
  size.is(to_right(ring, 120), "while it is started");
  all.is({3}, "while it is started");
  later.start();
  count.stop();
  send(ring, 20, 2);
  count.is(to_right(ring, 3), "after it is stopped");
  size.is(to_right(ring, 120 + 160), "goes on");
  later.is(to_right(ring, 2), "of another session");
  count.start();
  send(ring, 1);
  count.is(to_right(ring, 4), "after it is started again");
  count.reset();
  count.is(to_right(ring, 0), "after a reset");
  later.is(to_right(ring, 3), "after the reset of another handle");
  send(ring, 1);
  Values values(static_cast<std::size_t>(ring.size));
  succeeds(MPI_T_pvar_readreset(session.handle, count.handle, values.data()), "readreset");
  require(values == to_right(ring, 1), "what readreset reads");
  count.is(to_right(ring, 0), "after readreset");
  count.stop();
  count.reset();
  send(ring, 1);
  count.is(to_right(ring, 0), "after a reset while it is stopped");
  all.is({3 + 2 + 1 + 1 + 1}, "of all calls");

  double before = -1, after = -1;
  time.start();
  MPI_T_pvar_read(session.handle, time.handle, &before);
  double const begun = MPI_Wtime();
  send(ring, 100, 100);
  double const wall = MPI_Wtime() - begun;
  MPI_T_pvar_read(session.handle, time.handle, &after);
  require(before == 0.0 && after > 0 && after <= wall * 1.01, "time: " + std::to_string(after));
}

void for_all_handles(Ring const& ring) {
  Session const session, other_session;
  MPI_Comm const comm = ring.handle;
  Variable count(session, messages, comm), size(session, message_bytes, comm), other(other_session, messages, comm);
  Values values(static_cast<std::size_t>(ring.size));
  count.start();
  send(ring, 1);
  succeeds(MPI_T_pvar_start(session.handle, MPI_T_PVAR_ALL_HANDLES), "all are started");
  send(ring, 1);
  count.is(to_right(ring, 2), "that was started before all");
  size.is(to_right(ring, 4), "that was started with all");
  other.is(to_right(ring, 0), "of another session");
  succeeds(MPI_T_pvar_stop(session.handle, MPI_T_PVAR_ALL_HANDLES), "all are stopped");
  send(ring, 1);
  count.is(to_right(ring, 2), "that is stopped with all");
  succeeds(MPI_T_pvar_reset(session.handle, MPI_T_PVAR_ALL_HANDLES), "all are reset");
  for (Variable* const one : {&count, &size}) one->is(to_right(ring, 0), "that is reset with all");
  for (auto* const read : {MPI_T_pvar_read, MPI_T_pvar_readreset})
    is(read(session.handle, MPI_T_PVAR_ALL_HANDLES, values.data()), MPI_T_ERR_INVALID_HANDLE, "all are read");
}

void misuse(Ring const& ring) {
  MPI_Comm comm = ring.handle, none = MPI_COMM_NULL;
  Session session, other;
  Variable count(session, messages, comm);
  Values values(static_cast<std::size_t>(ring.size) + 1);
  int const index = index_of(messages);
  int number = 0;
  MPI_T_pvar_get_num(&number);
  auto const alloc = [&](MPI_T_pvar_session in, int of, MPI_Comm* on, MPI_T_pvar_handle* made) {
    return MPI_T_pvar_handle_alloc(in, of, on, made, nullptr);
  };
  is(MPI_T_pvar_stop(session.handle, count.handle), MPI_T_ERR_PVAR_NO_STARTSTOP, "stopped and not started");
  count.start();
  is(MPI_T_pvar_start(session.handle, count.handle), MPI_T_ERR_PVAR_NO_STARTSTOP, "started twice");
  is(MPI_T_pvar_write(session.handle, count.handle, values.data()), MPI_T_ERR_PVAR_NO_WRITE, "written");
  is(MPI_T_pvar_read(other.handle, count.handle, values.data()), MPI_T_ERR_INVALID_HANDLE, "read in another session");
  is(MPI_T_pvar_start(other.handle, count.handle), MPI_T_ERR_INVALID_HANDLE, "started in another session");
  is(MPI_T_pvar_reset(other.handle, count.handle), MPI_T_ERR_INVALID_HANDLE, "reset in another session");
  MPI_T_pvar_handle copy = count.handle;
  is(MPI_T_pvar_handle_free(other.handle, &copy), MPI_T_ERR_INVALID_HANDLE, "freed in another session");
  succeeds(MPI_T_pvar_handle_free(session.handle, &count.handle), "free");
  require(count.handle == MPI_T_PVAR_HANDLE_NULL, "a handle that is freed becomes null");
  Variable next(session, messages, comm);  // must not be taken for the freed one
  is(MPI_T_pvar_handle_free(session.handle, &copy), MPI_T_ERR_INVALID_HANDLE, "freed twice");
  is(MPI_T_pvar_read(session.handle, copy, values.data()), MPI_T_ERR_INVALID_HANDLE, "read after it is freed");
  next.start();
  is(alloc(session.handle, index, &none, &copy), MPI_T_ERR_INVALID_HANDLE, "the null communicator");
  is(alloc(session.handle, index, nullptr, &copy), MPI_T_ERR_INVALID_HANDLE, "no communicator");
  is(alloc(MPI_T_PVAR_SESSION_NULL, index, &comm, &copy), MPI_T_ERR_INVALID_SESSION, "no session");
  is(alloc(session.handle, number, &comm, &copy), MPI_T_ERR_INVALID_INDEX, "no index");

  // Handles that are not freed end with their session.
  MPI_T_pvar_session ended;
  MPI_T_pvar_session_create(&ended);
  succeeds(alloc(ended, index, &comm, &copy), "without a count");
  MPI_T_pvar_session const stale = ended;
  MPI_T_pvar_session_free(&ended);
  is(MPI_T_pvar_read(stale, copy, values.data()), MPI_T_ERR_INVALID_HANDLE, "read after its session");
}

// Variables of the MPI that need no object, used before, together with and after ours.
void native_variables(Ring const& ring) {
  int count = 0;
  MPI_T_pvar_get_num(&count);
  Session const session;
  Variable own(session, messages, ring.handle);
  [[maybe_unused]] int found = 0;
  for (int index = 0; index < count; ++index) {
    Info const info = info_of(index);
    if (info.result != MPI_SUCCESS || info.bind != MPI_T_BIND_NO_OBJECT) continue;
    int native = -1, elements = 0;
    succeeds(MPI_T_pvar_get_index(info.name.c_str(), info.var_class, &native), info.name);
    require(native == index, info.name + ": another index");
    MPI_T_pvar_handle handle;
    succeeds(MPI_T_pvar_handle_alloc(session.handle, index, nullptr, &handle, &elements), info.name);
    succeeds(MPI_T_pvar_start(session.handle, MPI_T_PVAR_ALL_HANDLES), "all, with the MPI's");
    send(ring, 1);
    Values values(static_cast<std::size_t>(elements) * 2);
    succeeds(MPI_T_pvar_read(session.handle, handle, values.data()), info.name + " is read");
    succeeds(MPI_T_pvar_stop(session.handle, MPI_T_PVAR_ALL_HANDLES), "all, with the MPI's");
    succeeds(MPI_T_pvar_reset(session.handle, MPI_T_PVAR_ALL_HANDLES), "all, with the MPI's");
    own.is(to_right(ring, 0), "after a reset beside the MPI's");
    succeeds(MPI_T_pvar_handle_free(session.handle, &handle), info.name + " is freed");
    ++found;
  }
#ifdef OPEN_MPI
  require(found > 0, "there is none of the MPI's own");  // it has at least one, for its memory pools
#endif
}

// The elements are the processes of the remote group.
void between_groups(Ring const& world) {
  MPI_Comm half, inter;
  int const lower = (world.size + 1) / 2, upper = world.size - lower;
  bool const is_lower = world.rank < lower;
  MPI_Comm_split(MPI_COMM_WORLD, is_lower ? 0 : 1, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_lower ? lower : 0, 0, &inter);
  Session const session;
  Variable count(session, messages, inter);
  require(count.count == (is_lower ? upper : lower), "the size of the remote group");
  count.start();
  Values expected(static_cast<std::size_t>(count.count));
  int value = 0;
  if (Ring(half).rank == 0) {
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 0, 0, 0, inter, MPI_STATUS_IGNORE);
    expected[0] = 1;
  }
  count.is(expected, "between groups");
  MPI_Comm_free(&inter);
  count.is(expected, "after the communicator is freed");
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, unused = 0;
  is(MPI_T_pvar_get_num(&unused), MPI_T_ERR_NOT_INITIALIZED, "MPI_T is not initialised");
  succeeds(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
  int const index = index_of(calls);
  before_init();
  MPI_Init(&argc, &argv);
  is(index_of(calls), index, "an index changes in MPI_Init");
  list_variables(true);
  for (MPI_Comm const comm : {MPI_COMM_WORLD, workload::reversed(), MPI_COMM_SELF}) {
    Ring const ring(comm);
    values_of_handles(ring);
    for_all_handles(ring);
    misuse(ring);
    native_variables(ring);
  }
  if (Ring(MPI_COMM_WORLD).size > 1) between_groups(Ring(MPI_COMM_WORLD));

  // Leaves handles to MPI_T_finalize.
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  MPI_Comm world = MPI_COMM_WORLD;
  unsigned long value = 0;
  MPI_T_pvar_session_create(&session);
  succeeds(MPI_T_pvar_handle_alloc(session, index, &world, &handle, &unused), "the last handle");
  succeeds(MPI_T_finalize(), "MPI_T_finalize");
  is(MPI_T_pvar_get_num(&unused), MPI_T_ERR_NOT_INITIALIZED, "the number after MPI_T_finalize");
  is(info_of(index).result, MPI_T_ERR_NOT_INITIALIZED, "a variable after MPI_T_finalize");
  is(MPI_T_pvar_read(session, handle, &value), MPI_T_ERR_NOT_INITIALIZED, "a handle after MPI_T_finalize");
  return workload::finish();
}
