#include "windows.hpp"

#include <array>
#include <vector>

namespace torture {

namespace {

constexpr int most = 8;        // elements that one operation moves at most
constexpr int operations = 8;  // in an epoch, each with a place of its own in the target's window

enum class Kind { put, get, accumulate, get_accumulate, no_op, fetch_and_op, to_nobody, compare_and_swap };
enum class Epoch { fence, lock, lock_all };

struct Operation {
  Kind kind;
  int origin, target;  // ranks in the communicator
  int count, place;
  bool has_request, is_exclusive, flushes;
};

class Window {
 public:
  Window(Run const& run, Comm const& comm, Epoch epoch, bool allocates) : epoch_(epoch), me_(comm.rank_of(run.me)) {
    MPI_Aint const size = static_cast<MPI_Aint>(memory_.size() * sizeof(int));
    if (allocates) {
      int* memory = nullptr;
      MPI_Win_allocate(size, sizeof(int), MPI_INFO_NULL, comm.handle, &memory, &win_);
    } else {
      MPI_Win_create(memory_.data(), size, sizeof(int), MPI_INFO_NULL, comm.handle, &win_);
    }
  }
  ~Window() { MPI_Win_free(&win_); }
  Window(Window const&) = delete;
  Window& operator=(Window const&) = delete;

  void begin() {
    if (epoch_ == Epoch::fence) MPI_Win_fence(0, win_);
    if (epoch_ == Epoch::lock_all) MPI_Win_lock_all(0, win_);
  }
  void end() {
    if (epoch_ == Epoch::fence) MPI_Win_fence(0, win_);
    if (epoch_ == Epoch::lock_all) MPI_Win_unlock_all(win_);
  }

  void make(Operation const& operation) {
    if (operation.origin != me_) return;
    bool const locks = epoch_ == Epoch::lock;
    int const target = operation.target;
    if (locks) MPI_Win_lock(operation.is_exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win_);
    move(operation);
    if (operation.flushes && epoch_ != Epoch::fence) MPI_Win_flush(target, win_);
    if (locks) MPI_Win_unlock(target, win_);
  }

 private:
  void move(Operation const& operation) {
    auto const [kind, origin, target, n, place, has_request, is_exclusive, flushes] = operation;
    int* const out = out_.data() + place;
    int* const in = in_.data() + place;
    MPI_Request request = MPI_REQUEST_NULL;
    bool const waits = has_request && epoch_ != Epoch::fence;
    switch (kind) {
      case Kind::put:
        if (waits) MPI_Rput(out, n, MPI_INT, target, place, n, MPI_INT, win_, &request);
        else MPI_Put(out, n, MPI_INT, target, place, n, MPI_INT, win_);
        break;
      case Kind::get:
        if (waits) MPI_Rget(in, n, MPI_INT, target, place, n, MPI_INT, win_, &request);
        else MPI_Get(in, n, MPI_INT, target, place, n, MPI_INT, win_);
        break;
      case Kind::accumulate:
        if (waits) MPI_Raccumulate(out, n, MPI_INT, target, place, n, MPI_INT, MPI_SUM, win_, &request);
        else MPI_Accumulate(out, n, MPI_INT, target, place, n, MPI_INT, MPI_SUM, win_);
        break;
      case Kind::get_accumulate:
        if (waits)
          MPI_Rget_accumulate(out, n, MPI_INT, in, n, MPI_INT, target, place, n, MPI_INT, MPI_SUM, win_, &request);
        else MPI_Get_accumulate(out, n, MPI_INT, in, n, MPI_INT, target, place, n, MPI_INT, MPI_SUM, win_);
        break;
      case Kind::no_op:
        MPI_Get_accumulate(nullptr, 0, MPI_INT, in, n, MPI_INT, target, place, n, MPI_INT, MPI_NO_OP, win_);
        break;
      case Kind::fetch_and_op:
        MPI_Fetch_and_op(out, in, MPI_INT, target, place, MPI_SUM, win_);
        break;
      case Kind::compare_and_swap:
        MPI_Compare_and_swap(out, out, in, MPI_INT, target, place, win_);
        break;
      case Kind::to_nobody:
        MPI_Put(out, n, MPI_INT, MPI_PROC_NULL, place, n, MPI_INT, win_);
        break;
    }
    if (!waits || kind > Kind::get_accumulate) return;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  Epoch epoch_;
  int me_;
  MPI_Win win_ = MPI_WIN_NULL;
  // MPICH 4.0.2 writes before a window's memory that does not begin at a multiple of 16 bytes.
  alignas(16) std::array<int, operations * most> memory_{};
  std::array<int, operations * most> out_{}, in_{};
};

Operation draw(Random& plan, int size, int number) {
#ifdef OPEN_MPI
  int const kinds = 7;  // 4.1.4 crashes in MPI_Compare_and_swap, with or without a profiler
#else
  int const kinds = 8;
#endif
  Operation operation{};
  operation.kind = static_cast<Kind>(plan.below(kinds));
  operation.origin = plan.below(size);
  operation.target = plan.below(size);
  operation.count = plan.below(most);
  operation.place = number * most;
  operation.has_request = plan.one_in(3);
  operation.is_exclusive = plan.one_in(2);
  operation.flushes = plan.one_in(3);
  return operation;
}

}  // namespace

void window(Run& run, Comm& comm) {
  // Open MPI 4.1.4 creates no window on the program's memory for a single process.
  if (comm.is_inter() || comm.size() < 2) return;
  auto const epoch = static_cast<Epoch>(run.plan.below(3));
  bool const allocates = run.plan.one_in(2);
  std::vector<Operation> all;
  for (int i = run.plan.between(1, operations); i > 0; --i) all.push_back(draw(run.plan, comm.size(), i - 1));
  if (!comm.has(run.me)) return;
  Window window(run, comm, epoch, allocates);
  window.begin();
  for (Operation const& operation : all) window.make(operation);
  window.end();
}

}  // namespace torture
