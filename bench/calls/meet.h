/* A process that takes no part in a measurement: a job of one process has no messages to wait for, so it would not show
 * what counting them costs. */
#ifndef COMMPROF_BENCH_MEET_H
#define COMMPROF_BENCH_MEET_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sleeps until all processes are here. No library sees its calls. */
void bench_meet(void);

#ifdef __cplusplus
}
#endif

#endif
