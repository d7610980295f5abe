// State shared by all parts of the torture: two random sources, the tally of expected counts, the communicators and the
// requests.
//
// Every process draws one plan from the seed, including steps in which it takes no part: so all processes know who
// makes which calls, and the name of every communicator, without a message. For steps of a single process, such as the
// order in which it completes its requests, it has a random source of its own.
//
// A step waits only for what all processes issue, in this or an earlier step, before they wait themselves. So nothing
// can hang.
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

  // one_communicator: all pending requests are on one communicator at a time, see requests.hpp.
  Run(profile_test::ProfileTest& profile_test, unsigned seed, bool one_communicator)
      : test(profile_test),
        plan(seed),
        own(seed * 1000 + static_cast<unsigned>(profile_test.rank)),
        tally(profile_test),
        comms(*this),
        requests(own, tally, one_communicator),
        me(profile_test.rank),
        ranks(profile_test.ranks) {}

  // A tag unique among all messages of the run.
  int tag() { return ++last_tag_; }

 private:
  int last_tag_ = 0;
};

}  // namespace torture
