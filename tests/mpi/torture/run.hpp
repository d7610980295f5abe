// State shared by all parts of the torture: two random sources, the communicators and the
// requests.
//
// Every process draws one plan from the seed, including steps in which it takes no part: so all processes know who
// makes which calls, and the name of every communicator, without a message. For steps of a single process, such as the
// order in which it completes its requests, it has a random source of its own.
//
// A step waits only for what all processes issue, in this or an earlier step, before they wait themselves. So nothing
// can hang.
#pragma once

#include <mpi.h>

// Reads what mpi.h has declared.
#include <commprof/commprof.h>

#include <cstdio>
#include <string>

#include "communicators.hpp"
#include "random.hpp"
#include "requests.hpp"

namespace torture {

struct Run {
  Random plan;  // the same on all processes
  Random own;
  Communicators comms;
  Requests requests;
  int me, ranks;
  int failures = 0;

  // one_communicator: all pending requests are on one communicator at a time, see requests.hpp.
  Run(int rank, int size, unsigned seed, bool one_communicator)
      : plan(seed),
        own(seed * 1000 + static_cast<unsigned>(rank)),
        comms(*this),
        requests(own, one_communicator),
        me(rank),
        ranks(size) {}

  void fail(std::string const& what) {
    ++failures;
    std::fprintf(stderr, "rank %d: %s\n", me, what.c_str());
  }
  // A tag unique among all messages of the run.
  int tag() { return ++last_tag_; }

 private:
  int last_tag_ = 0;
};

// One collective on a communicator: of all kinds, blocking and nonblocking, in place or not.
void collective(Run& run, Comm& comm);

}  // namespace torture
