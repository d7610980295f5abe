/* Whether the processor is this program's alone. */
#ifndef COMMPROF_BENCH_QUIET_H
#define COMMPROF_BENCH_QUIET_H

#ifdef __cplusplus
extern "C" {
#endif

/* How long a pair of reads of the time stamp counter takes now, in ns. */
double bench_pair_of_stamps(void);

/* How long a stretch of additions takes now, in ns, which a processor does several at a time: whatever shares its core,
 * a neighbour of a virtual machine say, takes its part of them. */
double bench_work(void);

/* Whether that is next to what BENCH_WORK_NS of the environment says; 1 where it says nothing. */
int bench_is_quiet(void);

/* Waits until it is, but no longer than 0.3 s in a process. The same as bench_is_quiet() then. */
int bench_wait_for_quiet(void);

#ifdef __cplusplus
}
#endif

#endif
