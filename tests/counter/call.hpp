// What a generated wrapper tells the counter of a call: its arguments, by what they are.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace counter {

// The kinds of calls and a table of operations. From COMPLETION on they are given requests.
#include "wrappers.inc"

// What is counted: in a region, on a communicator, for each operation and its polls that find nothing.
struct Row {
  long long calls = 0, sent = 0, received = 0, unknown = 0, pending = 0;  // unknown: receives without a status
};
struct Sum {
  long long messages = 0, bytes = 0;
};
enum { to, put_to, got_from };                           // the messages to or from others
using Region = std::pair<std::string const, long long>;  // its path, and how often it was entered

// Communicators stay known after their release: rows are kept by them.
struct Comm {
  MPI_Comm handle{};
  std::string parent, created_by, name, user_name, topology, members, reorder;
  int index = 0, rank = 0, size = 0, peers = 0, is_inter = 0;
  bool is_freed = false;
  std::vector<int> world_ranks;  // of the processes that ranks of destinations denote
  std::map<std::tuple<Region const*, int, bool>, Row> rows;
  std::map<int, Sum> sums[3];  // by world rank
};

struct Call {
  int operation = 0;
  bool is_large = false, is_copy = false;  // is_copy: the request was given by value
  MPI_Comm comm{}, *new_comm = nullptr;
  std::uintptr_t window = 0, file = 0;
  MPI_Win* windows = nullptr;
  MPI_File* files = nullptr;
  MPI_Message* message = nullptr;
  MPI_Request* requests = nullptr;
  MPI_Status** statuses = nullptr;
  MPI_Op op{};
  long long request_count = 0, count = 0, in_count = 0, partitions = 1;
  MPI_Datatype type{}, in_type{};
  void const *out = nullptr, *in = nullptr, *counts = nullptr, *in_counts = nullptr;
  MPI_Datatype const *types = nullptr, *in_types = nullptr;
  int dest = 0, source = 0, root = 0, tag = 0, in_tag = 0;
  char const* reorder = "";
  int *flag = nullptr, *index = nullptr, *outcount = nullptr, *indices = nullptr;
  // The counter fills these.
  Comm* on = nullptr;
  std::int64_t entry = 0, exit = 0;

  bool finds_nothing() const { return flag != nullptr && *flag == 0; }
};

}  // namespace counter
