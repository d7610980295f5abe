// What all parts of the torture share: two sources of chance, the tally of what must be counted, the communicators and
// the requests.
//
// Every process draws the same plan from the seed, also for what it takes no part in: so all know who calls what, and
// the name of every communicator, without a message. What concerns a process alone, such as the order in which it
// completes its requests, it draws from a source of its own.
//
// No step waits for anything but what all processes issue in that step or an earlier one before they wait themselves.
// So nothing can hang.
#pragma once

#include "communicators.hpp"
#include "random.hpp"
#include "requests.hpp"
#include "tally.hpp"

namespace torture {

struct Run {
  profile_test::ProfileTest& test;
  Random plan;  // the same on all processes
  Random own;
  Tally tally;
  Communicators comms;
  Requests requests;
  std::uint64_t receives_freed = 0;  // by all processes
  int me, ranks;

  // one_communicator: requests are pending on one communicator at a time, see requests.hpp.
  Run(profile_test::ProfileTest& profile_test, unsigned seed, bool one_communicator)
      : test(profile_test),
        plan(seed),
        own(seed * 1000 + static_cast<unsigned>(profile_test.rank)),
        tally(profile_test),
        comms(*this),
        requests(own, tally, one_communicator),
        me(profile_test.rank),
        ranks(profile_test.ranks) {}

  // Different for all messages of the run.
  int tag() { return ++last_tag_; }

 private:
  int last_tag_ = 0;
};

}  // namespace torture
