/* commprof.h: what a program can tell the profiler.
 *
 * It is enough to include this header: a program that uses it runs unchanged without the profiler, needs no library of
 * ours to link, and takes no notice of the profiler unless it is preloaded or linked (-lcommprof). All functions can be
 * called at any time; before MPI_Init, after MPI_Finalize and with COMMPROF_ENABLE=0 they do nothing. docs/api.md has
 * the details, and commprof.f90 beside this file is the same for Fortran. */
#ifndef COMMPROF_COMMPROF_H
#define COMMPROF_COMMPROF_H

/* Functions that need not be there. In a program that is linked without the profiler and at a fixed address (-no-pie),
 * the linker settles that they are not, unless they are looked up when the program runs: noplt makes GCC do so. Others
 * need -fPIE or -fPIC. */
#ifdef __has_attribute
#if __has_attribute(noplt)
#define COMMPROF_OPTIONAL __attribute__((weak, noplt))
#endif
#endif
#ifndef COMMPROF_OPTIONAL
#define COMMPROF_OPTIONAL __attribute__((weak))
#endif

/* Not in C++: there an mpi.h may bring in what the program then has to be linked with. */
#if defined(__has_include) && !defined(__cplusplus)
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif
#endif
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Levels for MPI_Pcontrol. Those that pause, resume and name a region concern this process alone. While paused, calls
 * are not counted; communicators that are made and requests that are issued meanwhile are known all the same.
 *
 *   MPI_Pcontrol(COMMPROF_PAUSE);
 *   MPI_Pcontrol(COMMPROF_RESUME);
 *   MPI_Pcontrol(COMMPROF_FLUSH);                   like commprof_flush(NULL)
 *   MPI_Pcontrol(COMMPROF_REGION_BEGIN, "solve");   like commprof_region_begin("solve")
 *   MPI_Pcontrol(COMMPROF_REGION_END);              like commprof_region_end(NULL)
 *
 * REGION_BEGIN is the only level that takes a name, and no program has it for another purpose: no level reads an
 * argument that is not there. Not from signal handlers. */
#define COMMPROF_PAUSE 0
#define COMMPROF_RESUME 1
#define COMMPROF_FLUSH 2
#define COMMPROF_REGION_BEGIN 7301
#define COMMPROF_REGION_END 7302

/* What follows counts in the region of this name, within those that were begun before and not ended: "solve/halo". The
 * name is copied. */
void commprof_region_begin(char const* name) COMMPROF_OPTIONAL;

/* Ends the innermost region. Where it has another name, the call is ignored and counted as such; NULL ends whichever it
 * is. */
void commprof_region_end(char const* name) COMMPROF_OPTIONAL;

/* Writes a profile of everything until now, and goes on counting: to the directory of that name, or, where it is NULL
 * or "", to the one of the final profile with -snapshot-1, -snapshot-2 … added. Collective over MPI_COMM_WORLD; the
 * path of rank 0 counts. Returns MPI_SUCCESS, on all processes, or an MPI error code; the program can go on in any
 * case. */
int commprof_flush(char const* path) COMMPROF_OPTIONAL;

/* Like MPI_Pcontrol(COMMPROF_PAUSE) and MPI_Pcontrol(COMMPROF_RESUME). */
void commprof_pause(void) COMMPROF_OPTIONAL;
void commprof_resume(void) COMMPROF_OPTIONAL;

/* The version of the profiler that is present, as "1.2.3"; the symbol's address is null where there is none:
 *
 *   if (commprof_version) printf("profiled by commprof %s\n", commprof_version()); */
char const* commprof_version(void) COMMPROF_OPTIONAL;

/* Readings: what this process has counted until now, for the program itself to read. They need mpi.h; a program in C++
 * is to include that before this header.
 *
 * A reading sums up regions, sizes of messages and threads, of everything since MPI_Init. It counts nowhere, waits for
 * nobody, and can be taken while other threads count. A call is in it when it has returned, a nonblocking receive when
 * it has completed; what was called in a pause is not.
 *
 * All return MPI_SUCCESS or an error class of MPI, and then leave their results as they were; none calls an error
 * handler:
 *
 *   MPI_ERR_UNSUPPORTED_OPERATION   there is nothing to read: no profiler, or COMMPROF_ENABLE=0, before MPI_Init, after
 *                                   MPI_Finalize; messages with COMMPROF_PEERS=0
 *   MPI_ERR_COMM                    no communicator
 *   MPI_ERR_ARG                     another argument is wrong
 *   MPI_ERR_NO_MEM                  no memory left */
#ifdef MPI_VERSION

/* Members are only ever added, at the end. */
typedef struct commprof_numbers {
  unsigned long long calls;
  unsigned long long bytes_sent;
  unsigned long long bytes_received;
  double time_s; /* in these calls, in seconds */
} commprof_numbers;

/* The calls on a communicator: of the operation of that name, without MPI_ ("Send"), as it is in operations.csv, or of
 * all where it is NULL. size: sizeof *numbers; members that the profiler present does not know become 0. */
int commprof_read(MPI_Comm comm, char const* op, commprof_numbers* numbers, size_t size) COMMPROF_OPTIONAL;

/* The messages that this process has sent on a communicator point-to-point, and their bytes: one element for each
 * process, by its rank there, of the remote group where it is an intercommunicator. Either array may be NULL. length:
 * the elements that there is room for, at least as many as processes. */
int commprof_read_peers(MPI_Comm comm, unsigned long long* messages, unsigned long long* bytes,
                        int length) COMMPROF_OPTIONAL;

/* The name that a communicator has in the profile, such as "W_s2.0". size: the bytes that there is room for;
 * COMMPROF_MAX_NAME is enough for any. */
#define COMMPROF_MAX_NAME 2049
int commprof_comm_name(MPI_Comm comm, char* name, int size) COMMPROF_OPTIONAL;

#define commprof_read(comm, op, numbers, size) \
  (commprof_read ? commprof_read(comm, op, numbers, size) : MPI_ERR_UNSUPPORTED_OPERATION)
#define commprof_read_peers(comm, messages, bytes, length) \
  (commprof_read_peers ? commprof_read_peers(comm, messages, bytes, length) : MPI_ERR_UNSUPPORTED_OPERATION)
#define commprof_comm_name(comm, name, size) \
  (commprof_comm_name ? commprof_comm_name(comm, name, size) : MPI_ERR_UNSUPPORTED_OPERATION)
#endif

#ifdef __cplusplus
}
#endif

/* The functions themselves are absent where the profiler is, so calls of them look first. */
#define commprof_region_begin(name) (commprof_region_begin ? commprof_region_begin(name) : (void)0)
#define commprof_region_end(name) (commprof_region_end ? commprof_region_end(name) : (void)0)
#define commprof_flush(path) (commprof_flush ? commprof_flush(path) : 0)
#define commprof_pause() (commprof_pause ? commprof_pause() : (void)0)
#define commprof_resume() (commprof_resume ? commprof_resume() : (void)0)

#endif
