// Random programs against the profile: torture SEED [wrong]
//
// A seed stands for a program: communicators of all kinds, messages, collectives, windows, regions, pauses, and in one
// of three seeds threads. Each process keeps the tally of its own calls, and the profile must say the same. With
// "wrong" one call is expected that nobody makes, to see that the torture can fail.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "torture/collectives.hpp"
#include "torture/messages.hpp"
#include "torture/run.hpp"
#include "torture/threads.hpp"
#include "torture/windows.hpp"

using profile_test::ProfileTest;
using torture::Comm;
using torture::Run;

namespace {

constexpr int steps = 80;

class Torture {
 public:
  Torture(Run& run, bool threaded) : run_(run), messages_(run) {
    run.comms.begin();
    for (std::size_t i = 0; threaded && i < torture::threads; ++i) {
      comms_of_threads_.push_back(&run.comms.dup_world());
      ++comms_of_threads_.back()->pins;
    }
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
    while (run_.tally.open_regions() > 0) run_.tally.end_region(run_.own.one_in(2));
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
        return torture::window(run_, run_.comms.any_intra(2));
      case 13:
        return run_.tally.pause_or_resume(run_.plan.below(run_.ranks), run_.plan.one_in(2));
      case 14:
        if (!comms_of_threads_.empty()) return torture::in_threads(run_, comms_of_threads_);
        [[fallthrough]];
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
        if (run_.tally.open_regions() > 3) return;
        return run_.tally.begin_region(run_.own.one_in(2) ? "solve" : "halo", by_pcontrol);
      case 2:
        if (run_.tally.open_regions() > 0) run_.tally.end_region(by_pcontrol);
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

  Run& run_;
  torture::Messages messages_;
  std::vector<Comm*> comms_of_threads_;
  Comm* only_ = nullptr;  // for all requests, if there is only one
};

}  // namespace

int main(int argc, char** argv) {
  unsigned const seed = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
  bool const is_wrong = argc > 2 && std::strcmp(argv[2], "wrong") == 0;
  bool const threaded = seed % 3 == 0, one_communicator = seed % 4 == 1;
  ProfileTest test(&argc, &argv, threaded ? MPI_THREAD_MULTIPLE : -1);
  for (char const* const poll : {"Test-none", "Testall-none", "Testany-none", "Testsome-none",
                                 "Request_get_status-none", "Iprobe-none", "Improbe-none"})
    test.ignore(poll);

  Run run(test, seed, one_communicator);
  std::vector<char> buffer(1 << 24);  // more than all buffered sends of a run need
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  Torture torture(run, threaded);  // lives to the end: it holds buffers that freed requests may still write to
  torture.run();
  void* detached;
  int size;
  run.tally.count("SELF", "Buffer_detach");
  MPI_Buffer_detach(static_cast<void*>(&detached), &size);
  run.comms.expect();
  if (run.receives_freed > 0) test.expect_dropped("receives_freed", run.receives_freed);
  if (is_wrong) test.expect("W", "Barrier", {1, 0, 0});
  test.finish();
  run.comms.check_rows();
  if (test.exit_code() != 0)
    std::fprintf(stderr, "rank %d: torture of seed %u; on %d processes again: TORTURE_SEEDS=%u ctest -R mpi.torture\n",
                 test.rank, seed, test.ranks, seed);
  return test.exit_code();
}
