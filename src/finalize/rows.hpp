// The rows that one process contributes to each file of the profile.
#pragma once

#include <cstdint>

#include "comm_naming/registry.hpp"
#include "finalize/run_facts.hpp"
#include "finalize/text_writer.hpp"
#include "profile/clock.hpp"
#include "profile/counters.hpp"

namespace commprof {

// The counters of all threads of this process, merged and in the order of their keys.
class MergedRecords {
 public:
  // Collects them. What memory does not suffice for is counted as dropped.
  MergedRecords();

  Record const* begin() const { return records_.begin(); }
  Record const* end() const { return records_.end(); }
  Ticks total_time() const;

 private:
  PageVector<Record> records_;
};

struct RowContext {
  RunFacts const& facts;
  Registry const& registry;
  MergedRecords const& records;
  clock::Rate rate;
  Ticks wall;
};

// Each writes its rows and returns their number.
std::uint64_t write_operation_rows(RowContext const& context, TextWriter& out);
std::uint64_t write_rank_row(RowContext const& context, TextWriter& out);

// Each communicator's row comes from its first process in this world, which knows the members.
std::uint64_t write_communicator_rows(RowContext const& context, TextWriter& out);

// Folded records have no such process, and the communicators under MPI_COMM_SELF have one on each: whoever holds one offers
// its row, and the first one that is offered is taken.
bool is_offered(Registry const& registry, CommIndex index);
void write_communicator_row(RowContext const& context, CommIndex index, TextWriter& out);

}  // namespace commprof
