/* What messages.c writes; see there. Nothing is written before messages_open(). */
#ifndef COMMPROF_COUNTER_MESSAGES_H
#define COMMPROF_COUNTER_MESSAGES_H

#include <mpi.h>
#include <stdint.h>

enum what { COMM, MEMBER, SENT, POSTED, PROBED, ARRIVAL, CANCEL, CALL, AWAITED };
enum { NOTHING = -1, UNKNOWN = -2 };                   /* for the number of a message */
enum { ANY = -100 };                                   /* source, tag */
enum { ENDS_WITH_ANY = 1, IS_PAUSED = 2, REMOTE = 4 }; /* flags */

void messages_open(char const* path);
void messages_close(void);
int64_t messages_now(void);
void messages_comm(int comm, int const* ranks, int size, int is_remote);
/* Returns the number of a message; NOTHING to or from MPI_PROC_NULL. */
int messages_add(enum what what, int64_t at, int comm, int peer, int tag);
/* A receive has completed or was cancelled. */
void messages_arrived(int message, MPI_Status const* status);
void messages_call(char const* op, int64_t entry, int64_t exit, int flags);
void messages_awaited(int message, int comm, int is_send);

#endif
