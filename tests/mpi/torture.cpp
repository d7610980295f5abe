// Random programs: torture SEED
//
// A seed stands for a program: communicators of all kinds, messages, collectives, regions, pauses, and in one of three
// seeds MPI_THREAD_MULTIPLE. What it calls is judged from outside; it knows itself the name of each communicator.
#include <cstdlib>

#include "torture/messages.hpp"
#include "torture/run.hpp"

using torture::Comm;
using torture::Run;

namespace {

constexpr int steps = 80;

class Torture {
 public:
  explicit Torture(Run& run) : run_(run), messages_(run) {
    run.comms.begin();
    if (run.requests.is_on_one_communicator()) only_ = run.plan.one_in(2) ? &run.comms.world() : &run.comms.dup_world();
    if (only_ != nullptr) ++only_->pins;
  }

  void run() {
    for (int i = 0; i < steps; ++i) {
      step();
      alone();
    }
    run_.requests.finish_all();
    while (messages_.has_persistent()) messages_.release_persistent();
    while (regions_ > 0) end_region(run_.own.one_in(2));
  }

 private:
  Comm& for_requests() { return only_ != nullptr ? *only_ : run_.comms.any(); }

  // One step of all processes.
  void step() {
    switch (run_.plan.below(20)) {
      case 0:
      case 1:
      case 2:
        return run_.comms.create();
      case 3:
        return run_.comms.release();
      case 4:
      case 5:
      case 6:
      case 7:
        return messages_.exchange(for_requests());
      case 8:
        return messages_.sendrecv(run_.comms.any());
      case 9:
      case 10:
        return messages_.persistent(for_requests());
      case 11:
        return messages_.free_a_receive(for_requests());
      case 12:
        return pause_or_resume(run_.plan.below(run_.ranks), run_.plan.one_in(2));
      default:
        return torture::collective(run_, for_requests());
    }
  }

  // Steps of each process by itself.
  void alone() {
    run_.requests.churn();
    bool const by_pcontrol = run_.own.one_in(2);
    switch (run_.own.below(20)) {
      case 0:
      case 1:
        if (regions_ <= 3) begin_region(run_.own.one_in(2) ? "solve" : "halo", by_pcontrol);
        return;
      case 2:
        if (regions_ > 0) end_region(by_pcontrol);
        return;
      case 3:
      case 4:
        return messages_.to_nobody();
      case 5:
        if (only_ == nullptr || only_->name == "W") messages_.cancel();
        return;
      default:
        return;
    }
  }

  void pause_or_resume(int rank, bool by_pcontrol) {
    if (rank != run_.me) return;
    if (by_pcontrol) MPI_Pcontrol(is_paused_ ? COMMPROF_RESUME : COMMPROF_PAUSE);
    else if (is_paused_) commprof_resume();
    else commprof_pause();
    is_paused_ = !is_paused_;
  }
  void begin_region(char const* name, bool by_pcontrol) {
    if (by_pcontrol) MPI_Pcontrol(COMMPROF_REGION_BEGIN, name);
    else commprof_region_begin(name);
    ++regions_;
  }
  void end_region(bool by_pcontrol) {
    if (by_pcontrol) MPI_Pcontrol(COMMPROF_REGION_END);
    else commprof_region_end(nullptr);
    --regions_;
  }

  Run& run_;
  int regions_ = 0;  // that are open
  bool is_paused_ = false;
  torture::Messages messages_;
  Comm* only_ = nullptr;  // for all requests, if there is only one
};

}  // namespace

int main(int argc, char** argv) {
  unsigned const seed = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
  bool const threaded = seed % 3 == 0, one_communicator = seed % 4 == 1;
  int provided, rank, size;
  if (threaded) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Run run(rank, size, seed, one_communicator);
  std::vector<char> buffer(1 << 24);  // more than all buffered sends of a run need
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  Torture torture(run);  // lives to the end: it holds buffers that freed requests may still write to
  torture.run();
  void* detached;
  MPI_Buffer_detach(static_cast<void*>(&detached), &size);
  MPI_Finalize();
  return run.failures == 0 ? 0 : 1;
}
