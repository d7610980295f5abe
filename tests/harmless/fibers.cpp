// User-level threads that take turns on one system thread: a call that one of them makes while another's call is
// unfinished counts, wherever their stacks are. So does a call made further down the stack than a call that was left
// for good. A fiber switches within MPI_Waitall to another one that calls it: they shared memory of the thread.
//
// expect: comm=SELF op=Barrier calls=21
// expect: comm=SELF op=Comm_dup calls=3
// expect: comm=SELF_d1 op=Comm_dup calls=7
// expect: comm=SELF_d1 op=Comm_free calls=1
// expect: comm=SELF_d1_d7 op=Comm_free calls=1
// expect: comm=SELF_d2 op=Comm_free calls=1
// expect: comm=SELF_d3 op=Irecv calls=15 bytes=60
// expect: comm=SELF op=Irecv calls=4000 bytes=0
#include <mpi.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

static constexpr std::size_t stack_bytes = std::size_t{1} << 20;

// A user-level thread: runs on its own stack when it is told to, and switches back to the caller when it wants to.
class Fiber {
 public:
  Fiber(std::byte* stack, std::function<void(Fiber&)> body) : body_(std::move(body)) {
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack;
    own_.uc_stack.ss_size = stack_bytes;
    own_.uc_link = &back_;
    auto const bits = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&own_, reinterpret_cast<void (*)()>(&start), 2, static_cast<unsigned>(bits >> 32),
                static_cast<unsigned>(bits));
  }
  Fiber(Fiber const&) = delete;
  Fiber& operator=(Fiber const&) = delete;

  void go_on() { swapcontext(&back_, &own_); }
  void pause() { swapcontext(&own_, &back_); }

 private:
  static void start(unsigned high, unsigned low) {
    auto* const fiber = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low);
    fiber->body_(*fiber);
  }

  std::function<void(Fiber&)> body_;
  ucontext_t own_{}, back_{};
};

// Below the system's stack.
static std::byte *lower, *upper;
static MPI_Comm parent;
static std::function<void()> within_copy, on_error;

static int copy(MPI_Comm, int, void*, void* value, void* new_value, int* flag) {
  within_copy();
  *static_cast<void**>(new_value) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

static void handle(MPI_Comm*, int*, ...) { on_error(); }
static void barrier() { MPI_Barrier(MPI_COMM_SELF); }
static void duplicate() {
  MPI_Comm dup;
  MPI_Comm_dup(parent, &dup);
  MPI_Comm_free(&dup);
}
static void duplicate_while(std::byte* stack) {
  Fiber other(stack, [](Fiber&) { barrier(), barrier(); });
  within_copy = [&] {
    barrier();  // part of MPI_Comm_dup
    other.go_on();
  };
  duplicate();
}

// Another fiber's call during an unfinished call, in which the callback calls, too.
static void turns() {
  duplicate_while(lower);
  Fiber on_lower(lower, [&](Fiber&) { duplicate_while(upper); });
  on_lower.go_on();
  Fiber on_upper(upper, [&](Fiber&) { duplicate_while(lower); });
  on_upper.go_on();
}

// Two overlapping calls: the one that began first ends first.
static void overlapping() {
  auto const duplicate_and_call = [&](Fiber& self) {
    within_copy = [&self] { self.pause(); };
    duplicate();
    self.pause();
    barrier();
  };
  for (bool const lower_first : {true, false}) {
    Fiber first(lower_first ? lower : upper, duplicate_and_call);
    Fiber second(lower_first ? upper : lower, duplicate_and_call);
    first.go_on();   // to within its call
    second.go_on();  // to within its call
    barrier();
    first.go_on();  // to the end of its call
    second.go_on();
    first.go_on();
    second.go_on();
    barrier();
  }
}

__attribute__((noinline)) static void deeper(int levels) {
  char volatile room[1000];
  room[0] = 1;
  if (levels == 0) barrier();
  else deeper(levels - 1);
  room[1] = room[0];
}

// Calls that never end: their fiber is not resumed, or they are left by a jump.
static void left() {
  static std::jmp_buf way_out;
  MPI_Comm failing;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_SELF, &failing);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(failing, handler);
  for (bool const lower_first : {true, false}) {
    Fiber leaving(lower_first ? lower : upper, [&](Fiber& self) {
      on_error = [&self] { self.pause(); };
      MPI_Send(nullptr, 0, MPI_INT, 1000, 0, failing);
    });
    Fiber staying(lower_first ? upper : lower, [&](Fiber&) { barrier(), barrier(); });
    leaving.go_on();
    staying.go_on();
    barrier();
  }
  on_error = [] { std::longjmp(way_out, 1); };
  if (setjmp(way_out) == 0) MPI_Send(nullptr, 0, MPI_INT, 1000, 0, failing);
  else deeper(10);
  MPI_Comm_free(&failing);
}

static void in_waitall() {
  constexpr int few = 16, many = 4000;
  static int room[many], values[few];
  std::vector<MPI_Request> requests(few), others(many);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  Fiber other(lower, [&](Fiber&) { MPI_Waitall(many, others.data(), MPI_STATUSES_IGNORE); });
  static std::function<void()> once;
  once = [&] {
    once = [] {};
    other.go_on();
  };
  auto* const query = +[](void*, MPI_Status* status) {  // within MPI_Waitall
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    auto const action = once;
    action();
    return MPI_SUCCESS;
  };
  for (int i = 0; i < many; ++i)
    MPI_Irecv(room + i, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &others[static_cast<std::size_t>(i)]);
  MPI_Grequest_start(
      query, [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; }, nullptr, requests.data());
  MPI_Grequest_complete(requests[0]);
  for (int i = 1; i < few; ++i) MPI_Irecv(values + i, 1, MPI_INT, 0, i, comm, &requests[static_cast<std::size_t>(i)]);
  for (int i = 1; i < few; ++i) {
    MPI_Request send;
    MPI_Isend(room, 1, MPI_INT, 0, i, comm, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  MPI_Waitall(few, requests.data(), MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* const pages =
      mmap(nullptr, 2 * stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  lower = static_cast<std::byte*>(pages);
  upper = lower + stack_bytes;
  if (reinterpret_cast<std::byte const*>(&pages) < upper) std::puts("the program's own stack lies below");
  int key;
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_dup(MPI_COMM_SELF, &parent);
  MPI_Comm_set_attr(parent, key, nullptr);
  turns();
  overlapping();
  left();
  in_waitall();
  MPI_Comm_free(&parent);
  MPI_Finalize();
}
