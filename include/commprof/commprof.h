/* commprof.h: what a program can tell the profiler.
 *
 * It is enough to include this header: a program that uses it runs unchanged without the profiler, needs no library of ours
 * to link, and takes no notice of the profiler unless it is preloaded or linked (-lcommprof). */
#ifndef COMMPROF_COMMPROF_H
#define COMMPROF_COMMPROF_H

#ifdef __cplusplus
extern "C" {
#endif

/* Levels for MPI_Pcontrol, on this process alone. While paused, calls are not counted; communicators that are made and
 * requests that are issued meanwhile are known all the same. */
#define COMMPROF_PAUSE 0
#define COMMPROF_RESUME 1

/* The version of the profiler that is present, as "1.2.3"; the symbol's address is null where there is none:
 *
 *   if (commprof_version) printf("profiled by commprof %s\n", commprof_version()); */
char const* commprof_version(void) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
