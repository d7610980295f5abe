// User-level threads that take turns on one system thread: a call that one of them makes while another's call is
// unfinished counts, wherever their stacks are. So does a call made further down the stack than a call that was left
// for good.
#include <sys/mman.h>
#include <ucontext.h>

#include <csetjmp>
#include <cstddef>
#include <functional>

#include "profile_test.hpp"

using profile_test::ProfileTest;

namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 20;

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

// An additional action of the copy callback.
std::function<void()> within_copy;

int copy(MPI_Comm, int, void*, void* value, void* new_value, int* flag) {
  within_copy();
  *static_cast<void**>(new_value) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

std::jmp_buf way_out;
std::function<void()> on_error;
void handle(MPI_Comm*, int*, ...) { on_error(); }

void barrier() { MPI_Barrier(MPI_COMM_SELF); }

void set_handler(MPI_Comm comm) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
}

class Program {
 public:
  explicit Program(ProfileTest& profile_test) : test_(profile_test) {
    void* const pages =
        mmap(nullptr, 2 * stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    test_.require(pages != MAP_FAILED, "no room for stacks");
    lower_ = static_cast<std::byte*>(pages);
    upper_ = lower_ + stack_bytes;
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keyval_, nullptr);
    MPI_Comm_dup(MPI_COMM_SELF, &parent_);
    test_.expect("SELF", "Comm_dup", {1, 0, 0});
    MPI_Comm_set_attr(parent_, keyval_, nullptr);
    test_.require(reinterpret_cast<std::byte const*>(&pages) > upper_, "the program's own stack lies below");
  }
  ~Program() {
    MPI_Comm_free(&parent_);
    MPI_Comm_free_keyval(&keyval_);
    test_.expect(parent_name, "Comm_free", {1, 0, 0});
  }
  Program(Program const&) = delete;
  Program& operator=(Program const&) = delete;

  // During an unfinished call: another fiber's call, and calls of the callback itself, which are part of the unfinished
  // call.
  void turns() {
    duplicate_while(lower_);  // below the system's stack
    Fiber on_lower(lower_, [&](Fiber&) { duplicate_while(upper_); });
    on_lower.go_on();
    Fiber on_upper(upper_, [&](Fiber&) { duplicate_while(lower_); });
    on_upper.go_on();
  }

  // Two overlapping calls: the one that began first ends first.
  void overlapping() {
    auto const duplicate_and_call = [&](Fiber& self) {
      within_copy = [&self] { self.pause(); };
      duplicate();
      self.pause();
      barrier();
    };
    for (bool const lower_first : {true, false}) {
      Fiber first(lower_first ? lower_ : upper_, duplicate_and_call);
      Fiber second(lower_first ? upper_ : lower_, duplicate_and_call);
      first.go_on();   // to within its call
      second.go_on();  // to within its call
      barrier();
      first.go_on();  // to the end of its call
      second.go_on();
      first.go_on();
      second.go_on();
      barrier();
      test_.expect("SELF", "Barrier", {4, 0, 0});
    }
  }

  // Calls that never end: their fiber is not resumed.
  void left() {
    MPI_Comm failing;
    MPI_Comm_dup(MPI_COMM_SELF, &failing);
    test_.expect("SELF", "Comm_dup", {1, 0, 0});
    std::string const name = next_name();
    set_handler(failing);
    for (bool const lower_first : {true, false}) {
      Fiber leaving(lower_first ? lower_ : upper_, [&](Fiber& self) {
        on_error = [&self] { self.pause(); };
        MPI_Send(nullptr, 0, MPI_INT, 1000, 0, failing);
      });
      Fiber staying(lower_first ? upper_ : lower_, [&](Fiber&) {
        barrier();
        barrier();
      });
      leaving.go_on();
      staying.go_on();
      barrier();
      test_.expect("SELF", "Barrier", {3, 0, 0});
    }

    // Leaves calls on one stack, too.
    on_error = [] { std::longjmp(way_out, 1); };
    if (setjmp(way_out) == 0) MPI_Send(nullptr, 0, MPI_INT, 1000, 0, failing);
    else deeper(10);
    test_.expect("SELF", "Barrier", {1, 0, 0});
    MPI_Comm_free(&failing);
    test_.expect(name, "Comm_free", {1, 0, 0});
  }

 private:
  static constexpr char parent_name[] = "SELF_d1";

  // The next name, in the order in which communicators are created.
  std::string next_name() { return "SELF_d" + std::to_string(++of_self_); }

  void duplicate() {
    MPI_Comm dup;
    MPI_Comm_dup(parent_, &dup);
    std::string const name = parent_name + ("_d" + std::to_string(++of_parent_));
    MPI_Comm_free(&dup);
    test_.expect(parent_name, "Comm_dup", {1, 0, 0});
    test_.expect(name, "Comm_free", {1, 0, 0});
  }
  void duplicate_while(std::byte* stack) {
    Fiber other(stack, [](Fiber&) {
      barrier();
      barrier();
    });
    within_copy = [&] {
      barrier();  // part of MPI_Comm_dup
      other.go_on();
    };
    duplicate();
    within_copy = [] {};
    test_.expect("SELF", "Barrier", {2, 0, 0});
  }
  __attribute__((noinline)) static void deeper(int levels) {
    char volatile room[1000];
    room[0] = 1;
    if (levels == 0) barrier();
    else deeper(levels - 1);
    room[1] = room[0];
  }

  ProfileTest& test_;
  std::byte* lower_ = nullptr;
  std::byte* upper_ = nullptr;
  int keyval_ = MPI_KEYVAL_INVALID;
  MPI_Comm parent_ = MPI_COMM_NULL;
  int of_self_ = 1;
  int of_parent_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  {
    Program program(test);
    program.turns();
    program.overlapping();
    program.left();
  }
  return test.finish();
}
