/* Messages whose sends and receives are noted with their times, and what follows from the notes: which share of the
 * time in calls was waiting for a message that was not sent, and which rank caused it. */
#ifndef COMMPROF_NOTED_MESSAGES_H
#define COMMPROF_NOTED_MESSAGES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;
static int token;

/* The real time is that of all hosts, also where these have monotonic clocks of their own. */
static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* The truth: when messages were sent, and when calls that await them began and ended. */
enum { NOTES = 4096 };
enum Op { RECV, PROBE, MPROBE, WAIT, WAITALL, WAITANY, WAITSOME, SENDRECV, REPLACE, OPS };
static char const* const op_names[OPS] = {"Recv",     "Probe",    "Mprobe",          "Wait", "Waitall", "Waitany",
                                          "Waitsome", "Sendrecv", "Sendrecv_replace"};
struct Note {
  int64_t entry, exit;
  int from, number; /* which message of that rank */
  enum Op op;
};
struct Sent {
  int64_t at;
  int to;
};
static struct Note notes[NOTES];
static struct Sent sent[NOTES];
static int sends, noted, numbers[64];
static bool is_paused; /* the profile has no calls now, but messages keep their numbers */

static void note_send(int to) {
  if (sends == NOTES) return;
  sent[sends].at = now();
  sent[sends++].to = to;
}
static void send(int to, int tag) {
  note_send(to);
  MPI_Send(&token, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}
/* A call of that operation is over, which began then, and has awaited the next message of that rank. takes: how many
 * messages are not the next ones any more. */
static void note(enum Op op, int from, int64_t entry, int takes) {
  if (noted == NOTES) return;
  if (!is_paused) {
    notes[noted].entry = entry;
    notes[noted].exit = now();
    notes[noted].from = from;
    notes[noted].number = from < 0 ? 0 : numbers[from];
    notes[noted++].op = op;
  }
  if (from >= 0) numbers[from] += takes;
}
static void receive(int from, int tag) {
  int64_t const entry = now();
  MPI_Recv(&token, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  note(RECV, from, entry, 1);
}

/* The notes of all ranks and when these sent their messages, on rank 0. */
static struct Note* all_notes;
static struct Sent* all_sent;

static void gather_notes(void) {
  if (rank == 0) all_notes = calloc((size_t)size * NOTES, sizeof *all_notes);
  if (rank == 0) all_sent = calloc((size_t)size * NOTES, sizeof *all_sent);
  MPI_Gather(notes, sizeof notes, MPI_BYTE, all_notes, sizeof notes, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Gather(sent, sizeof sent, MPI_BYTE, all_sent, sizeof sent, MPI_BYTE, 0, MPI_COMM_WORLD);
}
/* Until when the call waited for its message to be sent; if it did not, that is before its entry or the entry itself.
 */
static int64_t waits_until(struct Note const* one) {
  if (one->exit == 0 || one->from < 0) return one->entry;
  struct Sent const* message = all_sent + one->from * NOTES;
  int const own = (int)(one - all_notes) / NOTES;
  for (int left = one->number; message->to != own || left-- > 0;) ++message;
  return message->at < one->exit ? message->at : one->exit;
}

/* Prints which share of the time in these calls, of the ranks from first_rank to last_rank, was waiting for a message
 * that was not sent. of: a name for these ranks, behind that of the operation. */
static void print_truth_of(int first_rank, int last_rank, char const* of) {
  int64_t sums[OPS][2];
  memset(sums, 0, sizeof sums);
  for (int i = first_rank * NOTES; i < (last_rank + 1) * NOTES; ++i) {
    struct Note const* const one = &all_notes[i];
    int64_t const until = waits_until(one);
    sums[one->op][0] += one->exit - one->entry;
    if (until > one->entry) sums[one->op][1] += until - one->entry;
  }
  for (int op = 0; op < OPS; ++op)
    if (sums[op][0] > 0) printf("truth %s%s %f\n", op_names[op], of, (double)sums[op][1] / (double)sums[op][0]);
}
/* The truth of all ranks, "Recv", and of each, "Recv.3". */
static void print_truth(void) {
  print_truth_of(0, size - 1, "");
  for (int i = 0; i < size; ++i) {
    char of[16];
    snprintf(of, sizeof of, ".%d", i);
    print_truth_of(i, i, of);
  }
}

/* From begin to end, somebody waits for that rank: adds the time to those who cause it. A rank that waits itself passes
 * the blame on. */
static void blame(int whom, int64_t begin, int64_t end, int64_t caused[]) {
  for (int i = 0; i < NOTES && begin < end; ++i) {
    struct Note const* const own = &all_notes[whom * NOTES + i];
    if (own->exit == 0) break;
    int64_t const until = waits_until(own);
    int64_t const waits_from = own->entry > begin ? own->entry : begin, waits_to = until < end ? until : end;
    if (waits_from >= waits_to) continue;
    caused[whom] += waits_from - begin;
    blame(own->from, waits_from, waits_to, caused);
    begin = waits_to;
  }
  if (begin < end) caused[whom] += end - begin;
}

/* Prints which part of the waiting each rank caused. Only for modes that note all calls that wait. */
static void print_causes(void) {
  int64_t* const caused = calloc((size_t)size, sizeof *caused);
  int64_t total = 0;
  for (int i = 0; i < size * NOTES; ++i)
    if (all_notes[i].exit != 0) blame(all_notes[i].from, all_notes[i].entry, waits_until(&all_notes[i]), caused);
  for (int i = 0; i < size; ++i) total += caused[i];
  for (int i = 0; i < size; ++i) printf("cause %d %f\n", i, (double)caused[i] / (double)total);
  free(caused);
}

#endif
