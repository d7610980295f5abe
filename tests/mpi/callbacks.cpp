// Callbacks that MPI calls in the program, and their calls of MPI. These are part of the call that runs the callback if
// that call counts; otherwise they count by themselves. If the program never returns from a callback, its later calls
// count nevertheless.
#include <csetjmp>
#include <ctime>
#include <vector>

#include "profile_test.hpp"

using profile_test::ProfileTest;

namespace {

int copies = 0, deletions = 0, errors = 0;
std::jmp_buf way_out;

int copy(MPI_Comm, int, void*, void* value, void* new_value, int* flag) {
  ++copies;
  MPI_Barrier(MPI_COMM_SELF);
  *static_cast<void**>(new_value) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

int remove(MPI_Comm, int, void*, void*) {
  ++deletions;
  MPI_Barrier(MPI_COMM_SELF);
  return MPI_SUCCESS;
}

void handle(MPI_Comm*, int*, ...) {
  ++errors;
  MPI_Barrier(MPI_COMM_SELF);
}

void jump(MPI_Comm*, int*, ...) { std::longjmp(way_out, 1); }

// Programs use this callback to end parts of their own: it runs at the start of MPI_Finalize, while MPI still works.
std::vector<int> ended;
int at_the_end(MPI_Comm, int, void* value, void* test) {
  ended.push_back(*static_cast<int*>(value));
  MPI_Barrier(MPI_COMM_WORLD);
  static_cast<ProfileTest*>(test)->expect("W", "Barrier", {1, 0, 0});
  return MPI_SUCCESS;
}

// MPI-1's names, which are deprecated. The standard ABI lacks them, though MPICH's header for it has them.
#if defined MPI_NULL_COPY_FN && MPI_ABI_VERSION < 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void set_old_attribute_of_self(ProfileTest& test, int& value, bool is_deleted) {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Keyval_create(MPI_NULL_COPY_FN, at_the_end, &keyval, &test);
  MPI_Attr_put(MPI_COMM_SELF, keyval, &value);
  if (is_deleted) MPI_Attr_delete(MPI_COMM_SELF, keyval);
  MPI_Keyval_free(&keyval);
}
#pragma GCC diagnostic pop
#else
void set_old_attribute_of_self(ProfileTest& test, int& value, bool is_deleted) {
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &keyval, &test);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &value);
  if (is_deleted) MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
  MPI_Comm_free_keyval(&keyval);
}
#endif

int note(MPI_Comm, int, void* value, void* noted) {
  static_cast<std::vector<int>*>(noted)->push_back(*static_cast<int*>(value));
  return MPI_SUCCESS;
}

// Sets three attributes, deletes the second and sets the first one again. The keyvals are freed while they are in use,
// as HDF5 does.
void set_attributes(MPI_Comm comm, MPI_Comm_delete_attr_function* function, void* extra) {
  static int values[] = {1, 2, 3, 4};
  int keyvals[3];
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &keyvals[i], extra);
    MPI_Comm_set_attr(comm, keyvals[i], &values[i]);
  }
  MPI_Comm_delete_attr(comm, keyvals[1]);
  MPI_Comm_set_attr(comm, keyvals[0], &values[3]);
  for (int& keyval : keyvals) MPI_Comm_free_keyval(&keyval);
}

// The order in which the MPI itself deletes such attributes. MPIs differ in the place of one that is set again.
std::vector<int> order_of_mpi(ProfileTest& test) {
  std::vector<int> noted;
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_SELF, &dup);
  set_attributes(dup, note, &noted);
  MPI_Comm_free(&dup);
  test.expect("SELF", "Comm_dup", {1, 0, 0});
  test.expect("SELF_d1", "Comm_free", {1, 0, 0});
  return noted;
}

void set_handler(MPI_Comm comm, MPI_Comm_errhandler_function* function) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(function, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
}

void attributes(ProfileTest& test) {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm parent, dup;
  MPI_Comm_create_keyval(copy, remove, &keyval, nullptr);
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_attr(parent, keyval, nullptr);
  MPI_Comm_dup(parent, &dup);
  MPI_Barrier(dup);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&parent);
  MPI_Comm_free_keyval(&keyval);
  test.require(copies == 1 && deletions == 2, "the callbacks were not called");
  test.expect("W", "Comm_dup", {1, 0, 0});
  test.expect("W_d1", "Comm_dup", {1, 0, 0});
  test.expect("W_d1_d1", "Barrier", {1, 0, 0});
  test.expect("W_d1_d1", "Comm_free", {1, 0, 0});
  test.expect("W_d1", "Comm_free", {1, 0, 0});
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// What the profiler does for an attribute of MPI_COMM_SELF does not depend on their number: with a search among 10,000,
// calls took 20 times as long as those of the profiling interface in Open MPI.
void many_attributes_of_self(ProfileTest& test) {
  std::vector<int> keyvals(10'000);
  for (int& keyval : keyvals) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  auto const seconds_of = [&](auto* set, auto* remove) {
    double const begin = processor_seconds();
    for (int const keyval : keyvals) set(MPI_COMM_SELF, keyval, nullptr);
    for (auto keyval = keyvals.rbegin(); keyval != keyvals.rend(); ++keyval) remove(MPI_COMM_SELF, *keyval);
    return processor_seconds() - begin;
  };
  double const plain = seconds_of(PMPI_Comm_set_attr, PMPI_Comm_delete_attr);
  double const profiled = seconds_of(MPI_Comm_set_attr, MPI_Comm_delete_attr);
  test.require(profiled < 8 * plain, "an attribute of MPI_COMM_SELF takes longer if there are many");
  for (int& keyval : keyvals) MPI_Comm_free_keyval(&keyval);
}

void fail(MPI_Comm comm) { MPI_Send(nullptr, 0, MPI_INT, 1000, 0, comm); }

// Fails like fail(), from further down the stack.
__attribute__((noinline)) void fail_far_down(MPI_Comm comm, int levels) {
  char volatile room[1000];
  room[0] = 1;
  if (levels == 0) fail(comm);
  else fail_far_down(comm, levels - 1);
  room[1] = room[0];
}

void error_handlers(ProfileTest& test) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  test.expect("W", "Comm_dup", {1, 0, 0});
  set_handler(comm, handle);
  fail(comm);
  test.require(errors == 1, "the handler was not called");
  test.expect("W_d2", "Send", {1, 0, 0});

  // The failed call is not seen to end, so it does not count.
  set_handler(comm, jump);
  if (setjmp(way_out) == 0) fail_far_down(comm, 10);
  MPI_Barrier(comm);
  test.expect("W_d2", "Barrier", {1, 0, 0});
  set_handler(comm, handle);
  fail_far_down(comm, 20);
  test.expect("W_d2", "Send", {1, 0, 0});
}

// A callback that MPI may run at any time, in any call: its MPI call needs no other process and would count on SELF.
int called_back = 0;
void call_back() {
  ++called_back;
  int found = 0;
  MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}
void add(void* in, void* inout, int* count, MPI_Datatype*) {
  call_back();
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

void reductions(ProfileTest& test) {
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  int one[2] = {1, 1}, sum[2] = {};
  MPI_Allreduce(one, sum, 2, MPI_INT, op, MPI_COMM_WORLD);
  test.require(sum[1] == test.ranks, "the sum is wrong");
  int called_anywhere = 0;  // on three processes, not on each
  PMPI_Allreduce(&called_back, &called_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  test.require(called_anywhere > 0 || test.ranks == 1, "the operation was not called");
  test.expect("W", "Allreduce", {1, sizeof one, 0});
  MPI_Request request;
  MPI_Iallreduce(one, sum, 2, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  test.expect("W", "Iallreduce", {1, sizeof one, 0});
  test.expect("W", "Wait", {1, 0, 0});

  // MPI_Reduce_local needs no other process and does not count; calls in its callback do.
  called_back = 0;
  MPI_Reduce_local(one, sum, 2, MPI_INT, op);
  test.require(called_back == 1, "the operation was not called once");
  test.expect("SELF", "Iprobe", {1, 0, 0});
  MPI_Op_free(&op);
}

int query(void*, MPI_Status* status) {
  call_back();
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
int release(void*) {
  call_back();
  return MPI_SUCCESS;
}
int cancel(void*, int) {
  call_back();
  return MPI_SUCCESS;
}

void generalized_requests(ProfileTest& test) {
  called_back = 0;
  MPI_Request request;
  MPI_Grequest_start(query, release, cancel, nullptr, &request);
  MPI_Cancel(&request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  test.require(called_back == 3, "the callbacks of a generalized request were not called");
  test.expect("SELF", "Cancel", {1, 0, 0});
  test.expect("SELF", "Wait", {1, 0, 0});
}

// Calls that do not count also copy and delete attributes, and call handlers.
void callbacks_of_what_does_not_count(ProfileTest& test) {
  int keyval = MPI_KEYVAL_INVALID;
  int const before = deletions;
  MPI_Comm_create_keyval(copy, remove, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, nullptr);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  MPI_Comm_free_keyval(&keyval);
  test.require(deletions == before + 2, "the attribute was not deleted twice");
  test.expect("SELF", "Barrier", {2, 0, 0});
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  attributes(test);
  many_attributes_of_self(test);
  error_handlers(test);
  reductions(test);
  generalized_requests(test);
  callbacks_of_what_does_not_count(test);

  std::vector<int> order = order_of_mpi(test);
  test.require(order == std::vector<int>{2, 1, 4, 3} || order == std::vector<int>{2, 1, 3, 4}, "an order of its own");
  set_attributes(MPI_COMM_SELF, at_the_end, &test);
  int old_values[] = {5, 6};
  for (int& value : old_values) set_old_attribute_of_self(test, value, value == 6);
  test.finish();
  order.insert(order.begin() + 2, {6, 5});
  test.require(ended == order, "MPI_Finalize did not delete the attributes in the order of the MPI, each once");
  return test.exit_code();
}
