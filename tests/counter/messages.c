/* Records of messages, and of calls that await them, for waiting.py: which messages exist, when their calls were made,
 * and which of them a call completed. Numbers of communicators and messages are those of the process. Threads must not
 * share a stream of messages. */
#include "messages.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* AWAITED follows its CALL. */
struct record {
  int64_t at, exit;
  int32_t what, message, comm, peer, tag, flags;
  char op[16];
};

static FILE* file;
static int32_t messages;

void messages_open(char const* path) {
  file = fopen(path, "wb");
  if (file == NULL) perror(path), abort();
  setvbuf(file, NULL, _IOFBF, 1 << 20);
}
void messages_close(void) {
  if (file != NULL && fclose(file) != 0) perror("records of messages"), abort();
}

/* The real time is that of all hosts, also where these have monotonic clocks of their own. */
int64_t messages_now(void) {
  struct timespec time;
  if (file == NULL) return 0;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void keep(struct record record) {
  if (file != NULL) fwrite(&record, sizeof record, 1, file);
}
void messages_comm(int comm, int const* ranks, int size, int is_remote) {
  if (!is_remote) keep((struct record){.what = COMM, .comm = comm});
  for (int i = 0; i < size; ++i)
    keep((struct record){.what = MEMBER, .comm = comm, .peer = ranks[i], .flags = is_remote ? REMOTE : 0});
}
int messages_add(enum what what, int64_t at, int comm, int peer, int tag) {
  if (file == NULL || peer == MPI_PROC_NULL) return NOTHING;
  if (peer == MPI_ANY_SOURCE) peer = ANY;
  if (tag == MPI_ANY_TAG) tag = ANY;
  keep((struct record){.at = at, .what = what, .message = messages, .comm = comm, .peer = peer, .tag = tag});
  return messages++;
}
void messages_arrived(int message, MPI_Status const* status) {
  int is_cancelled = 0;
  if (message < 0 || status == NULL) return;
  PMPI_Test_cancelled(status, &is_cancelled);
  if (is_cancelled) keep((struct record){.what = CANCEL, .message = message});
  else keep((struct record){.what = ARRIVAL, .message = message, .peer = status->MPI_SOURCE, .tag = status->MPI_TAG});
}
void messages_call(char const* op, int64_t entry, int64_t exit, int flags) {
  struct record record = {.at = entry, .exit = exit, .what = CALL, .flags = flags};
  memcpy(record.op, op, strnlen(op, sizeof record.op));
  keep(record);
}
void messages_awaited(int message, int comm, int is_send) {
  keep((struct record){.what = AWAITED, .message = message, .comm = comm, .flags = is_send});
}
