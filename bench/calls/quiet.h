/* Whether the processor is this program's alone. What shares its core, a neighbour of a virtual machine say, slows a pair of
 * reads of the time stamp counter down as well. */
#ifndef COMMPROF_BENCH_QUIET_H
#define COMMPROF_BENCH_QUIET_H

#ifdef __cplusplus
extern "C" {
#endif

/* How long such a pair takes now, in ns. */
double bench_pair_of_stamps(void);

/* Whether that is next to what BENCH_PAIR_NS of the environment says; 1 where it says nothing. */
int bench_is_quiet(void);

/* Waits until it is, but no longer than 0.3 s in a process. The same as bench_is_quiet() then. */
int bench_wait_for_quiet(void);

#ifdef __cplusplus
}
#endif

#endif
