/* Detects whether this program has the processor to itself. */
#ifndef COMMPROF_BENCH_QUIET_H
#define COMMPROF_BENCH_QUIET_H

#ifdef __cplusplus
extern "C" {
#endif

/* The time of two reads of the time stamp counter now, in ns. */
double bench_pair_of_stamps(void);

/* The time of a sequence of additions now, in ns. A processor executes several of them at once, so anything that
 * shares its core, such as another virtual machine, makes them slower. */
double bench_work(void);

/* Whether bench_work() is close to BENCH_WORK_NS of the environment; 1 if that is not set. */
int bench_is_quiet(void);

/* Waits until bench_is_quiet(), but at most 0.3 s in a process. Returns its last result. */
int bench_wait_for_quiet(void);

#ifdef __cplusplus
}
#endif

#endif
