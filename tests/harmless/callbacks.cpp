// Callbacks that MPI calls in the program, and their calls of MPI. These are part of the call that runs the callback if
// that call counts; otherwise they count by themselves. What a callback makes, frees or completes is known afterwards.
// If the program never returns from a callback, its later calls count nevertheless.
// ranks: 1 2
// time: 10
// expect: rank=0 comm=W_d1 op=Comm_dup calls=1
// expect: rank=0 comm=W_d1_d1 op=Barrier calls=1
// expect: rank=0 comm=W_d1_d1 op=Comm_free calls=1
// expect: rank=0 comm=W_d2 op=Send calls=2
// expect: rank=0 comm=W_d2 op=Barrier calls=1
// expect: rank=0 comm=W op=Allreduce calls=1 bytes=8
// expect: rank=0 comm=W op=Iallreduce calls=1
// expect: rank=0 comm=W op=Barrier calls=6
// expect: rank=0 comm=SELF op=Iprobe calls=1
// expect: rank=0 comm=SELF op=Cancel calls=1
// expect: rank=0 comm=SELF op=Wait calls=1
// expect: rank=0 comm=SELF op=Barrier calls=2
// expect: rank=0 comm=SELF_d2 op=File_write_at calls=10 bytes=1000
// expect: rank=0 comm=SELF_d2 op=File_close calls=1
// expect: rank=0 comm=SELF_d1 op=File_open calls=1
// expect: rank=0 comm=SELF_d4 op=Irecv calls=2 bytes=300
// expect: rank=0 comm=SELF_d4 op=Isend calls=1 bytes=100
// expect: rank=0 comm=SELF_d4 op=Wait calls=3
// expect: rank=0 comm=SELF_d3 op=Comm_free calls=1
// expect: rank=0 comm=SELF_d5 op=Comm_dup calls=6000
// expect: rank=0 comm=SELF_d6 op=Comm_dup calls=0
// expect: rank=0 comm=SELF_d6_d7 op=Barrier calls=1
// expect: rank=0 comm=SELF_d6_d7 op=Comm_free calls=0
// expect: communicators.csv comm=SELF_d6_d7 freed=1
// expect: communicators.csv comm=W_d3 freed=1
// expect: communicators.csv comm=W_d4 freed=1
// expect: communicators.csv comm=W_d5 freed=1
// expect: communicators.csv comm=W_d6 freed=1
// expect: rank=0 comm=W_d7 op=Sendrecv calls=1 bytes=8
// expect: run.json dropped.requests_unfinished=0 dropped.calls_on_unknown_communicators=0
#include <mpi.h>

#include <csetjmp>
#include <cstdio>
#include <string>
#include <vector>

static int rank;

static int attribute(MPI_Comm comm, MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
                     void* value, void* extra = nullptr) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy, remove, &key, extra);
  MPI_Comm_set_attr(comm, key, value);
  return key;
}
static MPI_Comm dup_of(MPI_Comm comm) {
  MPI_Comm made;
  MPI_Comm_dup(comm, &made);
  return made;
}

static int copy(MPI_Comm, int, void*, void* value, void* new_value, int* flag) {
  std::puts("copies");
  MPI_Barrier(MPI_COMM_SELF);
  *static_cast<void**>(new_value) = value;
  *flag = 1;
  return MPI_SUCCESS;
}
static int remove_it(MPI_Comm, int, void*, void*) {
  std::puts("deletes");
  return MPI_Barrier(MPI_COMM_SELF);
}

static void attributes() {
  MPI_Comm parent = dup_of(MPI_COMM_WORLD);
  attribute(parent, copy, remove_it, nullptr);
  MPI_Comm child = dup_of(parent);
  MPI_Barrier(child);
  MPI_Comm_free(&child);
  MPI_Comm_free(&parent);
}

// A library keeps a file with a communicator and closes it when that is freed. The MPI gives the handle of the file out
// again: calls on the next file counted on the communicator that was freed.
static void file_is_closed() {
  MPI_Comm first = dup_of(MPI_COMM_SELF), second = dup_of(MPI_COMM_SELF);
  std::string const path = "callbacks.data" + std::to_string(rank);
  int const mode = MPI_MODE_CREATE | MPI_MODE_RDWR, values[25] = {};
  MPI_File file, next;
  MPI_File_open(first, path.c_str(), mode, MPI_INFO_NULL, &file);
  auto* const close = +[](MPI_Comm, int, void* of, void*) { return MPI_File_close(static_cast<MPI_File*>(of)); };
  attribute(first, MPI_COMM_NULL_COPY_FN, close, &file);
  MPI_Comm_free(&first);
  MPI_File_open(second, path.c_str(), mode | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &next);
  for (int i = 0; i < 10; ++i) MPI_File_write_at(next, 0, values, 25, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&next);
  MPI_Comm_free(&second);
}

// A receive is posted before, and completed in a callback; another is posted in a callback, and completed after it.
// What a callback completes was lost, and left an entry for ever.
static MPI_Comm other;
static MPI_Request of_callback;
static int numbers[50], received[50];

static int finish(MPI_Comm, int, void* request, void*) {
  MPI_Irecv(received, 25, MPI_INT, 0, 1, other, &of_callback);
  return MPI_Wait(static_cast<MPI_Request*>(request), MPI_STATUS_IGNORE);
}
static void request_is_completed() {
  int early[25];
  MPI_Comm comm = dup_of(MPI_COMM_SELF);
  other = dup_of(MPI_COMM_SELF);
  MPI_Request request, send;
  MPI_Irecv(early, 25, MPI_INT, 0, 0, other, &request);
  attribute(comm, MPI_COMM_NULL_COPY_FN, finish, &request);
  MPI_Isend(numbers, 25, MPI_INT, 0, 0, other, &send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  // The variable is the one that the callback's receive is completed by: its entry must not take this one's place.
  MPI_Send(numbers, 25, MPI_INT, 0, 1, other);
  MPI_Wait(&of_callback, MPI_STATUS_IGNORE);
  MPI_Irecv(received, 50, MPI_INT, 0, 2, other, &of_callback);
  MPI_Send(numbers, 50, MPI_INT, 0, 2, other);
  MPI_Wait(&of_callback, MPI_STATUS_IGNORE);
  MPI_Comm_free(&other);
}

// A library keeps a private communicator with each communicator, duplicates it in the copy callback and frees it in the
// delete callback. Each had a record of its own for ever, and was compared with all others: 758 us in place of 42 us.
static int copy_inner(MPI_Comm, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = new MPI_Comm(dup_of(*static_cast<MPI_Comm*>(in)));
  *flag = 1;
  return MPI_SUCCESS;
}
static int free_inner(MPI_Comm, int, void* inner, void*) {
  MPI_Comm_free(static_cast<MPI_Comm*>(inner));
  delete static_cast<MPI_Comm*>(inner);
  return MPI_SUCCESS;
}
static void private_communicators() {
  MPI_Comm base = dup_of(MPI_COMM_SELF);
  int const key = attribute(base, copy_inner, free_inner, new MPI_Comm(dup_of(MPI_COMM_SELF)));
  for (int i = 0; i < 6000; ++i) {
    void* inner;
    int flag;
    MPI_Comm made = dup_of(base);
    MPI_Comm_get_attr(made, key, &inner, &flag);
    MPI_Barrier(*static_cast<MPI_Comm*>(inner));
    MPI_Comm_free(&made);
  }
}

static int free_other(MPI_Comm, int, void*, void*) { return MPI_Comm_free(&other); }
static void other_is_freed() {
  MPI_Comm comm = dup_of(MPI_COMM_WORLD);
  other = dup_of(MPI_COMM_WORLD);
  attribute(comm, MPI_COMM_NULL_COPY_FN, free_other, nullptr);
  MPI_Comm_free(&comm);
  std::printf("freed %d\n", other == MPI_COMM_NULL);
}

static std::jmp_buf way_out;
static void hide(MPI_Comm*, int* code, ...) { *code = MPI_SUCCESS, std::puts("handles"); }
static void handle(MPI_Comm*, int*, ...) { std::puts("handles"), MPI_Barrier(MPI_COMM_SELF); }
static void jump(MPI_Comm*, int*, ...) { std::longjmp(way_out, 1); }
static void set_handler(MPI_Comm comm, MPI_Comm_errhandler_function* function) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(function, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
}

// A callback makes calls that fail, and an error handler sets their code to MPI_SUCCESS. The call that runs the
// callback has not failed, nor has the one after it.
static void error_in_callback() {
  set_handler(MPI_COMM_WORLD, hide);
  for (int with_wrapper = 0; with_wrapper < 2; ++with_wrapper) {
    auto* const fail = +[](MPI_Comm, int, void* counts, void*) {
      void* value = nullptr;
      int found = 0;
      if (counts != nullptr) MPI_Send(&found, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
      else MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value, &found);
      return MPI_SUCCESS;
    };
    MPI_Comm comm = dup_of(MPI_COMM_WORLD);
    attribute(comm, MPI_COMM_NULL_COPY_FN, fail, with_wrapper != 0 ? &rank : nullptr);
    MPI_Comm_free(&comm);
    std::printf("freed %d\n", comm == MPI_COMM_NULL);
  }
  int out = 17, in = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, rank, 1, &in, 1, MPI_INT, rank, 1, dup_of(MPI_COMM_WORLD), MPI_STATUS_IGNORE);
  std::printf("received %d\n", in);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Fails from further down the stack.
__attribute__((noinline)) static void fail_far_down(MPI_Comm comm, int levels) {
  char volatile room[1000];
  room[0] = 1;
  if (levels == 0) MPI_Send(nullptr, 0, MPI_INT, 1000, 0, comm);
  else fail_far_down(comm, levels - 1);
  room[1] = room[0];
}

static void error_handlers() {
  MPI_Comm const comm = dup_of(MPI_COMM_WORLD);
  set_handler(comm, handle);
  fail_far_down(comm, 0);
  // The failed call is not seen to end, so it does not count.
  set_handler(comm, jump);
  if (setjmp(way_out) == 0) fail_far_down(comm, 10);
  MPI_Barrier(comm);
  set_handler(comm, handle);
  fail_far_down(comm, 20);
}

// A callback that MPI may run at any time, in any call: its MPI call needs no other process and would count on SELF.
static int call_back() {
  int found = 0;
  return MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}
static void add(void* in, void* inout, int* count, MPI_Datatype*) {
  call_back();
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

// MPI_Reduce_local needs no other process and does not count; calls in its callback do.
static void reductions() {
  MPI_Op op;
  MPI_Request request;
  int one[2] = {1, 1}, sum[2] = {};
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(one, sum, 2, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Iallreduce(one, sum, 2, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Reduce_local(one, sum, 2, MPI_INT, op);
  std::printf("sum %d\n", sum[1]);
  MPI_Op_free(&op);
  auto* const query = +[](void*, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return call_back();
  };
  auto* const release = +[](void*) { return call_back(); };
  auto* const cancel = +[](void*, int) { return call_back(); };
  MPI_Grequest_start(query, release, cancel, nullptr, &request);
  MPI_Cancel(&request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Programs use this callback to end parts of their own: it runs at the start of MPI_Finalize, while MPI still works.
static std::vector<int> ended;
static int at_the_end(MPI_Comm, int, void* value, void*) {
  ended.push_back(*static_cast<int*>(value));
  return MPI_Barrier(MPI_COMM_WORLD);
}

// MPI-1's names, which are deprecated. The standard ABI lacks them, though MPICH's header for it has them.
static void set_old_attribute_of_self(int& value, bool is_deleted) {
  int keyval = MPI_KEYVAL_INVALID;
#if defined MPI_NULL_COPY_FN && MPI_ABI_VERSION < 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  MPI_Keyval_create(MPI_NULL_COPY_FN, at_the_end, &keyval, nullptr);
  MPI_Attr_put(MPI_COMM_SELF, keyval, &value);
  if (is_deleted) MPI_Attr_delete(MPI_COMM_SELF, keyval);
  MPI_Keyval_free(&keyval);
#pragma GCC diagnostic pop
#else
  keyval = attribute(MPI_COMM_SELF, MPI_COMM_NULL_COPY_FN, at_the_end, &value);
  if (is_deleted) MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
  MPI_Comm_free_keyval(&keyval);
#endif
}

// Sets three attributes, deletes the second and sets the first one again. The keyvals are freed while they are in use,
// as HDF5 does.
static void set_attributes_of_self() {
  static int values[] = {1, 2, 3, 4, 5, 6};
  int keyvals[3];
  for (int i = 0; i < 3; ++i) keyvals[i] = attribute(MPI_COMM_SELF, MPI_COMM_NULL_COPY_FN, at_the_end, &values[i]);
  MPI_Comm_delete_attr(MPI_COMM_SELF, keyvals[1]);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyvals[0], &values[3]);
  for (int& keyval : keyvals) MPI_Comm_free_keyval(&keyval);
  set_old_attribute_of_self(values[4], false);
  set_old_attribute_of_self(values[5], true);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  attributes();
  error_handlers();
  file_is_closed();
  request_is_completed();
  private_communicators();
  other_is_freed();
  error_in_callback();
  reductions();
  // Calls that do not count delete attributes, too.
  int const key = attribute(MPI_COMM_WORLD, copy, remove_it, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, nullptr);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  set_attributes_of_self();
  MPI_Finalize();
  for (int const value : ended) std::printf("ended %d\n", value);
}
