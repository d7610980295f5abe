// Records of messages, and of calls that await them, for waiting.py: which messages exist, when their calls were made,
// and which of them a call completed. Numbers of communicators and messages are those of the process. Threads must not
// share a stream of messages. Nothing is written before open().
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace counter::messages {

enum What { comm, member, sent, posted, probed, arrival, cancel, call, awaited };  // awaited follows its call
enum { nothing = -1, unknown = -2 };                                               // for the number of a message
enum { any = -100 };                                                               // source, tag
enum { ends_with_any = 1, is_paused = 2, remote = 4 };                             // flags

struct Record {
  std::int64_t at = 0, exit = 0;
  std::int32_t what = 0, message = 0, comm = 0, peer = 0, tag = 0, flags = 0;
  char op[16] = "";
};

inline std::FILE* file = nullptr;

inline void open(char const* path) {
  file = std::fopen(path, "wb");
  if (file == nullptr) std::perror(path), std::abort();
}
inline void close() {
  if (file != nullptr && std::fclose(file) != 0) std::perror("records of messages"), std::abort();
}
inline void keep(Record const& record) {
  if (file != nullptr) std::fwrite(&record, sizeof record, 1, file);
}

// The real time is that of all hosts, also where these have monotonic clocks of their own.
inline std::int64_t now() {
  timespec time{};
  if (file != nullptr) clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
inline void add_comm(int index, std::vector<int> const& ranks, bool is_remote) {
  if (!is_remote) keep({.what = comm, .comm = index});
  for (int const rank : ranks) keep({.what = member, .comm = index, .peer = rank, .flags = is_remote ? remote : 0});
}
// Returns the number of a message; nothing to or from MPI_PROC_NULL.
inline int add(What what, std::int64_t at, int comm, int peer, int tag) {
  static int messages = 0;
  if (file == nullptr || peer == MPI_PROC_NULL) return nothing;
  if (peer == MPI_ANY_SOURCE) peer = any;
  if (tag == MPI_ANY_TAG) tag = any;
  keep({.at = at, .what = what, .message = messages, .comm = comm, .peer = peer, .tag = tag});
  return messages++;
}
// A receive has completed or was cancelled.
inline void arrived(int message, MPI_Status const* status) {
  int is_cancelled = 0;
  if (message < 0 || status == nullptr) return;
  PMPI_Test_cancelled(status, &is_cancelled);
  if (is_cancelled != 0) keep({.what = cancel, .message = message});
  else keep({.what = arrival, .message = message, .peer = status->MPI_SOURCE, .tag = status->MPI_TAG});
}
inline void add_call(char const* op, std::int64_t entry, std::int64_t exit, int flags) {
  Record record{.at = entry, .exit = exit, .what = call, .flags = flags};
  std::memcpy(record.op, op, strnlen(op, sizeof record.op));
  keep(record);
}
inline void await(int message, int comm, bool is_send) {
  keep({.what = awaited, .message = message, .comm = comm, .flags = is_send ? 1 : 0});
}

}  // namespace counter::messages
