// The performance variables: a program reads by MPI_T the calls that it made while its handle was started; each handle
// has a value of its own; the MPI's own variables do not change; and misuse gets the errors of the standard (MPI-4.0
// §15.3.7).
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;
using profile_test::ranks_in_name;

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
Wanted const of_monitoring[] = {{"pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG},
                                {"pml_monitoring_messages_size", MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG}};

class Checks {
 public:
  void is(int result, int expected, std::string const& what) {
    if (result != expected)
      failures.push_back(what + ": " + std::to_string(result) + ", not " + std::to_string(expected));
  }
  void succeeds(int result, std::string const& what) { is(result, MPI_SUCCESS, what); }
  void require(bool condition, std::string const& what) {
    if (!condition) failures.push_back(what);
  }
  std::vector<std::string> failures;
};

int index_of(Checks& checks, Wanted const& wanted) {
  int index = -1;
  checks.succeeds(MPI_T_pvar_get_index(wanted.name, wanted.var_class, &index), std::string("index of ") + wanted.name);
  return index;
}

struct Info {
  int result;
  std::string name;
  int var_class = 0, bind = 0, readonly = 0, continuous = 0, atomic = 0;
  MPI_Datatype datatype{};
};
Info info_of(int index) {
  char name[256], description[1024];
  int name_length = sizeof name, description_length = sizeof description, verbosity = 0;
  MPI_T_enum enumeration;
  Info info{};
  info.result =
      MPI_T_pvar_get_info(index, name, &name_length, &verbosity, &info.var_class, &info.datatype, &enumeration,
                          description, &description_length, &info.bind, &info.readonly, &info.continuous, &info.atomic);
  if (info.result == MPI_SUCCESS) info.name = name;
  return info;
}

class Session {
 public:
  explicit Session(Checks& checks) : checks_(checks) {
    checks.succeeds(MPI_T_pvar_session_create(&handle), "a session");
  }
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;
  ~Session() {
    checks_.succeeds(MPI_T_pvar_session_free(&handle), "the end of a session");
    checks_.require(handle == MPI_T_PVAR_SESSION_NULL, "a session that is freed becomes null");
  }
  MPI_T_pvar_session handle;

 private:
  Checks& checks_;
};

// A handle of a variable in a session.
struct Variable {
  Checks& checks;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  std::string name;
  int count = 0;

  Variable(Checks& all_checks, Session const& in, Wanted const& wanted, MPI_Comm comm)
      : checks(all_checks), session(in.handle), name(wanted.name) {
    checks.succeeds(MPI_T_pvar_handle_alloc(session, index_of(checks, wanted), &comm, &handle, &count), name);
  }
  void start() { checks.succeeds(MPI_T_pvar_start(session, handle), name + " is started"); }
  void stop() { checks.succeeds(MPI_T_pvar_stop(session, handle), name + " is stopped"); }
  void reset() { checks.succeeds(MPI_T_pvar_reset(session, handle), name + " is reset"); }
  Values read() {
    Values values(static_cast<std::size_t>(count) + 1, 4711);
    checks.succeeds(MPI_T_pvar_read(session, handle, values.data()), name + " is read");
    checks.require(values.back() == 4711, name + ": a value beyond its count");
    values.pop_back();
    return values;
  }
  void is(Values const& expected, std::string const& when) { checks.require(read() == expected, name + " " + when); }
};

// Lists all variables: ours are among them, and once MPI has begun, no two have one name and class.
void list_variables(Checks& checks, bool has_begun) {
  int count = 0;
  checks.succeeds(MPI_T_pvar_get_num(&count), "the number of variables");
  std::set<std::pair<std::string, int>> names;
  for (int index = 0; index < count; ++index) {
    Info const info = info_of(index);
    if (info.result != MPI_SUCCESS) continue;  // Open MPI counts variables of components that it has closed
    bool const is_new = names.emplace(info.name, info.var_class).second;
    checks.require(is_new || !has_begun, info.name + " is there twice");
  }
  for (Wanted const& wanted : {messages, message_bytes, calls, time_s, of_monitoring[0], of_monitoring[1]}) {
    Info const info = info_of(index_of(checks, wanted));
    std::string const name = wanted.name;
    checks.require(names.contains({name, wanted.var_class}), name + " is not listed");
    checks.require(info.name == name && info.var_class == wanted.var_class, name + ": another is at its index");
    checks.require(info.datatype == wanted.datatype && info.bind == MPI_T_BIND_MPI_COMM, name + ": type and binding");
    checks.require(info.readonly == 0 && info.continuous == 0 && info.atomic == 1, name + ": flags");
    int index = -1;
    checks.is(MPI_T_pvar_get_index(wanted.name, MPI_T_PVAR_CLASS_STATE, &index), MPI_T_ERR_INVALID_NAME,
              name + " of another class");
  }
  int index = -1;
  checks.is(MPI_T_pvar_get_index("commprof_nothing", MPI_T_PVAR_CLASS_SIZE, &index), MPI_T_ERR_INVALID_NAME,
            "a name of nothing");
  checks.is(info_of(count).result, MPI_T_ERR_INVALID_INDEX, "an index beyond the last");
  checks.is(info_of(-1).result, MPI_T_ERR_INVALID_INDEX, "a negative index");
}

void check_texts(Checks& checks) {
  int const index = index_of(checks, calls);
  auto const get = [&](char* name, int* length) {
    return MPI_T_pvar_get_info(index, name, length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr, nullptr);
  };
  char name[] = "xxxxxxxxxxxxxxxxxxxxxxxxxx";
  int const full = sizeof "commprof_calls";
  int length = 5;
  checks.succeeds(get(name, &length), "a room that is too small");
  checks.require(std::string(name) == "comm" && name[5] == 'x' && length == full, "a name is cut off");
  length = 0;
  checks.require(get(name, &length) == MPI_SUCCESS && length == full, "the length of a name without room");
  checks.require(get(nullptr, &length) == MPI_SUCCESS && length == full, "the length of a name without a pointer");
  checks.succeeds(get(name, nullptr), "no length");
}

// Before MPI_Init there is no communicator to bind a variable to.
void before_init(Checks& checks) {
  list_variables(checks, false);
  check_texts(checks);
  Session const session(checks);
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  int count = 0;
  for (Wanted const& wanted : {calls, of_monitoring[0]})
    checks.is(MPI_T_pvar_handle_alloc(session.handle, index_of(checks, wanted), &world, &handle, &count),
              MPI_T_ERR_INVALID_HANDLE, "a communicator before MPI_Init");
}

struct Program {
  ProfileTest& test;
  NamedComm comm;
  unsigned long called = 0;

  // Sends messages to the process of a rank, and receives as many from the other neighbour.
  void send(int to, int from, int size, int times = 1) {
    std::vector<int> out(100), in(100);
    for (int i = 0; i < times; ++i)
      MPI_Sendrecv(out.data(), size, MPI_INT, to, 0, in.data(), size, MPI_INT, from, 0, comm.handle, MPI_STATUS_IGNORE);
    auto const sum = static_cast<std::uint64_t>(times) * bytes(size, MPI_INT);
    test.expect(comm.name, "Sendrecv", {static_cast<std::uint64_t>(times), sum, sum});
    called += static_cast<unsigned long>(times);
  }
  void ring(int size, int times = 1) { send(comm.right(), comm.left(), size, times); }
  Values to_right(unsigned long value) const {
    Values values(static_cast<std::size_t>(comm.size));
    values[static_cast<std::size_t>(comm.right())] = value;
    return values;
  }
};

// A handle counts while it is started, whatever other handles of the same variable do.
void values_of_handles(Checks& checks, Program program) {
  Session const session(checks), other_session(checks);
  MPI_Comm const comm = program.comm.handle;
  program.ring(1);  // before any handle
  Variable count(checks, session, messages, comm), size(checks, session, message_bytes, comm),
      later(checks, other_session, messages, comm);
  Variable all(checks, session, calls, comm);
  checks.require(count.count == program.comm.size && all.count == 1, "the number of elements");
  program.ring(1);
  count.is(program.to_right(0), "before it is started");
  count.start();
  size.start();
  all.start();
  program.ring(10, 3);
  count.is(program.to_right(3), "while it is started");
  size.is(program.to_right(3 * bytes(10, MPI_INT)), "while it is started");
  all.is({3}, "while it is started");
  later.start();
  count.stop();
  program.ring(20, 2);
  count.is(program.to_right(3), "after it is stopped");
  size.is(program.to_right(3 * bytes(10, MPI_INT) + 2 * bytes(20, MPI_INT)), "goes on");
  later.is(program.to_right(2), "of another session");
  count.start();
  program.ring(1);
  count.is(program.to_right(4), "after it is started again");
  count.reset();
  count.is(program.to_right(0), "after a reset");
  later.is(program.to_right(3), "after the reset of another handle");
  program.ring(1);
  count.is(program.to_right(1), "after a reset while it is started");
  Values values(static_cast<std::size_t>(program.comm.size));
  checks.succeeds(MPI_T_pvar_readreset(session.handle, count.handle, values.data()), "readreset");
  checks.require(values == program.to_right(1), "what readreset reads");
  count.is(program.to_right(0), "after readreset");
  count.stop();
  count.reset();
  program.ring(1);
  count.is(program.to_right(0), "after a reset while it is stopped");
  all.is({3 + 2 + 1 + 1 + 1}, "of all calls");

  Variable time(checks, session, time_s, comm);
  double before = -1, after = -1;
  time.start();
  MPI_T_pvar_read(session.handle, time.handle, &before);
  double const begun = MPI_Wtime();
  program.ring(100, 100);
  double const wall = MPI_Wtime() - begun;
  MPI_T_pvar_read(session.handle, time.handle, &after);
  checks.require(before == 0.0 && after > 0 && after <= wall * 1.01,
                 "time: " + std::to_string(after) + " of " + std::to_string(wall));
}

void for_all_handles(Checks& checks, Program program) {
  Session const session(checks), other_session(checks);
  MPI_Comm const comm = program.comm.handle;
  Variable count(checks, session, messages, comm), size(checks, session, message_bytes, comm),
      other(checks, other_session, messages, comm);
  count.start();
  program.ring(1);
  checks.succeeds(MPI_T_pvar_start(session.handle, MPI_T_PVAR_ALL_HANDLES), "all are started");
  program.ring(1);
  count.is(program.to_right(2), "that was started before all");
  size.is(program.to_right(bytes(1, MPI_INT)), "that was started with all");
  other.is(program.to_right(0), "of another session");
  checks.succeeds(MPI_T_pvar_stop(session.handle, MPI_T_PVAR_ALL_HANDLES), "all are stopped");
  program.ring(1);
  count.is(program.to_right(2), "that is stopped with all");
  checks.succeeds(MPI_T_pvar_reset(session.handle, MPI_T_PVAR_ALL_HANDLES), "all are reset");
  count.is(program.to_right(0), "that is reset with all");
  size.is(program.to_right(0), "that is reset with all");
  Values values(static_cast<std::size_t>(program.comm.size));
  checks.is(MPI_T_pvar_read(session.handle, MPI_T_PVAR_ALL_HANDLES, values.data()), MPI_T_ERR_INVALID_HANDLE,
            "all are read");
  checks.is(MPI_T_pvar_readreset(session.handle, MPI_T_PVAR_ALL_HANDLES, values.data()), MPI_T_ERR_INVALID_HANDLE,
            "all are read and reset");
}

void misuse(Checks& checks, NamedComm const& comm) {
  MPI_Comm handle_of_comm = comm.handle, none = MPI_COMM_NULL;
  Session session(checks), other(checks);
  Variable count(checks, session, messages, comm.handle);
  Values values(static_cast<std::size_t>(comm.size) + 1);
  checks.is(MPI_T_pvar_stop(session.handle, count.handle), MPI_T_ERR_PVAR_NO_STARTSTOP, "stopped and not started");
  count.start();
  checks.is(MPI_T_pvar_start(session.handle, count.handle), MPI_T_ERR_PVAR_NO_STARTSTOP, "started twice");
  checks.is(MPI_T_pvar_write(session.handle, count.handle, values.data()), MPI_T_ERR_PVAR_NO_WRITE, "written");
  checks.is(MPI_T_pvar_read(other.handle, count.handle, values.data()), MPI_T_ERR_INVALID_HANDLE,
            "read in another session");
  checks.is(MPI_T_pvar_start(other.handle, count.handle), MPI_T_ERR_INVALID_HANDLE, "started in another session");
  checks.is(MPI_T_pvar_reset(other.handle, count.handle), MPI_T_ERR_INVALID_HANDLE, "reset in another session");
  MPI_T_pvar_handle copy = count.handle;
  checks.is(MPI_T_pvar_handle_free(other.handle, &copy), MPI_T_ERR_INVALID_HANDLE, "freed in another session");
  checks.succeeds(MPI_T_pvar_handle_free(session.handle, &count.handle), "free");
  checks.require(count.handle == MPI_T_PVAR_HANDLE_NULL, "a handle that is freed becomes null");
  Variable next(checks, session, messages, comm.handle);  // must not be taken for the freed one
  checks.is(MPI_T_pvar_handle_free(session.handle, &copy), MPI_T_ERR_INVALID_HANDLE, "freed twice");
  checks.is(MPI_T_pvar_read(session.handle, copy, values.data()), MPI_T_ERR_INVALID_HANDLE, "read after it is freed");
  next.start();

  int const index = index_of(checks, messages);
  checks.is(MPI_T_pvar_handle_alloc(session.handle, index, &none, &copy, nullptr), MPI_T_ERR_INVALID_HANDLE,
            "the null communicator");
  checks.is(MPI_T_pvar_handle_alloc(session.handle, index, nullptr, &copy, nullptr), MPI_T_ERR_INVALID_HANDLE,
            "no communicator");
  checks.is(MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, index, &handle_of_comm, &copy, nullptr),
            MPI_T_ERR_INVALID_SESSION, "no session");
  int count_of_all = 0;
  MPI_T_pvar_get_num(&count_of_all);
  checks.is(MPI_T_pvar_handle_alloc(session.handle, count_of_all, &handle_of_comm, &copy, nullptr),
            MPI_T_ERR_INVALID_INDEX, "no index");

  // Handles that are not freed end with their session.
  MPI_T_pvar_session ended;
  MPI_T_pvar_session_create(&ended);
  checks.succeeds(MPI_T_pvar_handle_alloc(ended, index, &handle_of_comm, &copy, nullptr), "without a count");
  MPI_T_pvar_session const stale = ended;
  MPI_T_pvar_session_free(&ended);
  checks.is(MPI_T_pvar_read(stale, copy, values.data()), MPI_T_ERR_INVALID_HANDLE, "read after its session");
}

// Variables of the MPI that need no object, used before, together with and after ours.
void native_variables(Checks& checks, Program program) {
  int count = 0;
  MPI_T_pvar_get_num(&count);
  Session const session(checks);
  Variable own(checks, session, messages, program.comm.handle);
  [[maybe_unused]] int found = 0;  // Open MPI has some
  for (int index = 0; index < count; ++index) {
    Info const info = info_of(index);
    if (info.result != MPI_SUCCESS || info.bind != MPI_T_BIND_NO_OBJECT) continue;
    int native = -1, elements = 0;
    checks.succeeds(MPI_T_pvar_get_index(info.name.c_str(), info.var_class, &native), info.name);
    checks.require(native == index, info.name + ": another index");
    MPI_T_pvar_handle handle;
    checks.succeeds(MPI_T_pvar_handle_alloc(session.handle, index, nullptr, &handle, &elements), info.name);
    checks.succeeds(MPI_T_pvar_start(session.handle, MPI_T_PVAR_ALL_HANDLES), "all, with the MPI's");
    program.ring(1);
    Values values(static_cast<std::size_t>(elements) * 2);
    checks.succeeds(MPI_T_pvar_read(session.handle, handle, values.data()), info.name + " is read");
    checks.succeeds(MPI_T_pvar_stop(session.handle, MPI_T_PVAR_ALL_HANDLES), "all, with the MPI's");
    checks.succeeds(MPI_T_pvar_reset(session.handle, MPI_T_PVAR_ALL_HANDLES), "all, with the MPI's");
    own.is(program.to_right(0), "after a reset beside the MPI's");
    checks.succeeds(MPI_T_pvar_handle_free(session.handle, &handle), info.name + " is freed");
    ++found;
  }
  // Open MPI has at least one, for its memory pools.
#ifdef OPEN_MPI
  checks.require(found > 0, "there is none of the MPI's own");
#endif
}

// The elements are the processes of the remote group.
void between_groups(Checks& checks, ProfileTest& test) {
  MPI_Comm half, inter;
  bool const is_lower = test.rank < (test.ranks + 1) / 2;
  int const lower = (test.ranks + 1) / 2, upper = test.ranks - lower;
  MPI_Comm_split(MPI_COMM_WORLD, is_lower ? 0 : 1, 0, &half);
  test.expect("W", "Comm_split", {1, 0, 0});
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_lower ? lower : 0, 0, &inter);
  test.expect(is_lower ? "W_s2.0" : "W_s2." + std::to_string(lower), "Intercomm_create", {1, 0, 0});
  std::string const name = "W_i1." + ranks_in_name(0, lower) + "." + ranks_in_name(lower, test.ranks);
  Program program{test, {inter, name}};
  Session const session(checks);
  Variable count(checks, session, messages, inter), all(checks, session, calls, inter);
  checks.require(count.count == (is_lower ? upper : lower), "the size of the remote group");
  checks.succeeds(MPI_T_pvar_start(session.handle, MPI_T_PVAR_ALL_HANDLES), "all are started");
  Values expected(static_cast<std::size_t>(count.count));
  if (program.comm.rank == 0) {
    int const last = count.count - 1;
    program.send(0, 0, 5, 2);
    expected[0] = 2;
    count.is(expected, "between groups");
    all.is({2}, "between groups");
    checks.require(last >= 0, "a group without processes");
  }
  MPI_Comm_free(&inter);
  test.expect(name, "Comm_free", {1, 0, 0});
  count.is(expected, "after the communicator is freed");
}

}  // namespace

int main(int argc, char** argv) {
  Checks checks;
  int provided = 0, unused = 0;
  checks.require(MPI_T_pvar_get_num(&unused) == MPI_T_ERR_NOT_INITIALIZED, "MPI_T is not initialised");
  checks.succeeds(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
  int const index = index_of(checks, calls);
  before_init(checks);

  ProfileTest test(&argc, &argv);
  checks.require(index_of(checks, calls) == index, "an index changes in MPI_Init");
  list_variables(checks, true);
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  test.expect("W", "Comm_split", {1, 0, 0});
  for (NamedComm const& comm :
       {NamedComm(MPI_COMM_WORLD, "W"), NamedComm(reversed, "W_s1.0"), NamedComm(MPI_COMM_SELF, "SELF")}) {
    values_of_handles(checks, {test, comm});
    for_all_handles(checks, {test, comm});
    misuse(checks, comm);
    native_variables(checks, {test, comm});
  }
  if (test.ranks > 1) between_groups(checks, test);

  // Leaves handles to MPI_T_finalize.
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  MPI_Comm world = MPI_COMM_WORLD;
  unsigned long value = 0;
  MPI_T_pvar_session_create(&session);
  checks.succeeds(MPI_T_pvar_handle_alloc(session, index, &world, &handle, &unused), "the last handle");
  checks.succeeds(MPI_T_finalize(), "MPI_T_finalize");
  checks.is(MPI_T_pvar_get_num(&unused), MPI_T_ERR_NOT_INITIALIZED, "the number after MPI_T_finalize");
  checks.is(info_of(index).result, MPI_T_ERR_NOT_INITIALIZED, "a variable after MPI_T_finalize");
  checks.is(MPI_T_pvar_read(session, handle, &value), MPI_T_ERR_NOT_INITIALIZED, "a handle after MPI_T_finalize");
  for (std::string const& failure : checks.failures) test.fail(failure);
  return test.finish();
}
