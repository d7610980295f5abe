/* A program that places itself by what it reads of its own messages. It knows the profiler only by its header: without
 * the profiler it goes on as it began.
 *
 * Each process has a part of the work, and exchanges with the parts before and behind its own. At first the part of a
 * process is its rank. After some steps rank 0 gathers who has sent how much to whom, and deals out the parts again, so
 * that those that exchange much are on one host. The parts then move, and a new communicator has them in their order.
 * Parts are neighbours at a distance, so that at first neighbours are on different hosts wherever hosts have blocks or
 * turns of ranks.
 *
 * Usage: mpirun -n N reorder [STEPS] */
#include <commprof/commprof.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { measured_steps = 5, length = 1000 }; /* of a part, in doubles */

typedef unsigned long long Bytes;

/* In the ring, part i is at place i * distance. */
static int distance_of(int parts) {
  for (int distance = parts / 2 + 1; distance > 1; --distance) {
    int a = parts, b = distance;
    for (int rest; b != 0; a = b, b = rest) rest = a % b;
    if (a == 1) return distance; /* so all parts are in one ring */
  }
  return 1;
}

static void step(MPI_Comm parts, double* part, double* other) {
  int own, count;
  MPI_Comm_rank(parts, &own);
  MPI_Comm_size(parts, &count);
  int const next = (own + distance_of(count)) % count, before = (own + count - distance_of(count)) % count;
  MPI_Sendrecv(part, length, MPI_DOUBLE, next, 0, other, length, MPI_DOUBLE, before, 0, parts, MPI_STATUS_IGNORE);
  for (int i = 0; i < length; ++i) part[i] = 0.5 * (part[i] + other[i]);
  MPI_Sendrecv(part, length, MPI_DOUBLE, before, 1, other, length, MPI_DOUBLE, next, 1, parts, MPI_STATUS_IGNORE);
  for (int i = 0; i < length; ++i) part[i] = 0.5 * (part[i] + other[i]);
}

/* The lowest rank on this host. */
static int host_of(MPI_Comm comm) {
  MPI_Comm host;
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  MPI_Bcast(&rank, 1, MPI_INT, 0, host);
  MPI_Comm_free(&host);
  return rank;
}

/* The free part that exchanges most with those that are on a host already; of a host without parts, the first. */
static int nearest(Bytes const* sent, int count, int const* host_of_part, int host) {
  int best = -1;
  Bytes most = 0;
  for (int part = 0; part < count; ++part) {
    if (host_of_part[part] >= 0) continue;
    Bytes sum = 0;
    for (int other = 0; other < count; ++other)
      if (host_of_part[other] == host) sum += sent[part * count + other] + sent[other * count + part];
    if (best < 0 || sum > most) {
      best = part;
      most = sum;
    }
  }
  return best;
}

/* parts: of each process. */
static void deal_out(Bytes const* sent, int count, int const* hosts, int* parts) {
  int* const host_of_part = malloc((size_t)count * sizeof *host_of_part);
  for (int i = 0; i < count; ++i) host_of_part[i] = -1;
  for (int first = 0; first < count; ++first) {
    for (int process = first; process < count && hosts[first] == first; ++process) {
      if (hosts[process] != first) continue;
      parts[process] = nearest(sent, count, host_of_part, first);
      host_of_part[parts[process]] = first;
    }
  }
  free(host_of_part);
}

/* What all processes have sent to other hosts, on rank 0. False without a profiler. */
static bool read_sent_off(MPI_Comm comm, int host, Bytes* row, Bytes* sum) {
  int count;
  Bytes own = 0;
  MPI_Comm_size(comm, &count);
  int* const hosts = malloc((size_t)count * sizeof *hosts);
  bool const is_read = commprof_read_peers(comm, NULL, row, count) == MPI_SUCCESS;
  MPI_Allgather(&host, 1, MPI_INT, hosts, 1, MPI_INT, comm);
  for (int i = 0; i < count && is_read; ++i)
    if (hosts[i] != host) own += row[i];
  MPI_Reduce(&own, sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, comm);
  free(hosts);
  return is_read;
}

/* The part that this process shall have, by what has been sent. */
static int choose_part(MPI_Comm comm, int host, Bytes const* row) {
  int rank, count, part;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &count);
  size_t const processes = rank == 0 ? (size_t)count : 0;
  Bytes* const sent = malloc((processes * processes + 1) * sizeof *sent);
  int *const hosts = malloc((processes + 1) * sizeof *hosts), *const parts = malloc((processes + 1) * sizeof *parts);
  MPI_Gather(row, count, MPI_UNSIGNED_LONG_LONG, sent, count, MPI_UNSIGNED_LONG_LONG, 0, comm);
  MPI_Gather(&host, 1, MPI_INT, hosts, 1, MPI_INT, 0, comm);
  if (rank == 0) deal_out(sent, count, hosts, parts);
  MPI_Scatter(parts, 1, MPI_INT, &part, 1, MPI_INT, 0, comm);
  free(sent);
  free(hosts);
  free(parts);
  return part;
}

/* Moves the parts to the processes that shall have them. */
static void move(MPI_Comm from, MPI_Comm to, int part, double* data) {
  int own;
  MPI_Group before, after;
  MPI_Comm_rank(from, &own);
  MPI_Comm_group(from, &before);
  MPI_Comm_group(to, &after);
  int process; /* that shall have what this one has */
  MPI_Group_translate_ranks(after, 1, &own, before, &process);
  MPI_Sendrecv_replace(data, length, MPI_DOUBLE, process, 2, part, 2, from, MPI_STATUS_IGNORE);
  MPI_Group_free(&before);
  MPI_Group_free(&after);
}

int main(int argc, char** argv) {
  int rank, count;
  MPI_Init(&argc, &argv);
  int const steps = argc > 1 ? atoi(argv[1]) : 100;
  MPI_Comm parts;
  MPI_Comm_dup(MPI_COMM_WORLD, &parts);
  MPI_Comm_rank(parts, &rank);
  MPI_Comm_size(parts, &count);
  double *const part = calloc(length, sizeof *part), *const other = calloc(length, sizeof *other);
  Bytes* const row = calloc((size_t)count, sizeof *row);
  int const host = host_of(parts);
  for (int i = 0; i < length; ++i) part[i] = rank + i;

  Bytes before = 0, after = 0;
  for (int i = 0; i < steps; ++i) {
    step(parts, part, other);
    if (i + 1 != measured_steps || !read_sent_off(parts, host, row, &before)) continue;
    MPI_Comm placed;
    int const chosen = choose_part(parts, host, row);
    MPI_Comm_split(parts, 0, chosen, &placed);
    move(parts, placed, chosen, part);
    MPI_Comm_free(&parts);
    parts = placed;
  }
  if (steps > measured_steps && read_sent_off(parts, host, row, &after) && rank == 0)
    printf("to other hosts: %llu bytes a step, then %llu\n", before / measured_steps, after / (steps - measured_steps));

  double sum = 0, all = 0;
  for (int i = 0; i < length; ++i) sum += part[i];
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d steps, sum %.6f\n", steps, all);
  free(part);
  free(other);
  free(row);
  MPI_Comm_free(&parts);
  MPI_Finalize();
  return 0;
}
