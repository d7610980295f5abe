/* Records every message of a program, and every call that awaits messages, for recorded_messages.py: a library to be
 * preloaded behind libcommprof.so. Shares nothing with the profiler, so that its estimates can be compared with this.
 *
 *   MESSAGE_RECORDS=DIRECTORY   where each process writes its records, to a file named by its rank
 *
 * Knows the calls of C below, and those of Fortran's mpif.h and mpi that simulations use for messages. Does not know
 * matched receives with requests, partitioned communication and sessions. Threads must not share a stream of messages.
 * Pauses by MPI_Pcontrol are known only if it is preloaded before libcommprof.so. Then calls from
 * libraries that the profiler has redirected to itself are not recorded.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum What { COMM, MEMBER, SEND, POST, PROBE, ARRIVAL, CANCEL, CALL, AWAITED };
enum { NOTHING = -1, UNKNOWN = -2 };                   /* for the number of a message */
enum { ANY = -100 };                                   /* source, tag */
enum { ENDS_WITH_ANY = 1, IS_PAUSED = 2, REMOTE = 4 }; /* flags */

/* All numbers of communicators and messages are those of the process. AWAITED follows the CALL. */
struct record {
  int64_t at, exit;
  int32_t what, message, comm, peer, tag, flags;
  char op[16];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE* file;
static int32_t messages;
static int is_paused;
static _Thread_local int inside; /* calls of the MPI or the profiler on itself are not the program's */

/* The real time is that of all hosts, also where these have monotonic clocks of their own. */
static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void keep(struct record record) {
  if (file == NULL) {
    char const* const directory = getenv("MESSAGE_RECORDS");
    char path[4096];
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/%d", directory == NULL ? "." : directory, rank);
    file = fopen(path, "wb");
    if (file == NULL) perror(path), abort();
    setvbuf(file, NULL, _IOFBF, 1 << 20);
  }
  fwrite(&record, sizeof record, 1, file);
}

/* Communicators. Both sides know one by its members and by how many of the same members were before. */
static struct comm {
  struct comm* next;
  MPI_Comm handle;
  int32_t index;
} * comms;

static void keep_members(int32_t index, MPI_Group group, int flags) {
  MPI_Group world;
  int size = 0;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(group, &size);
  for (int i = 0; i < size; ++i) {
    int rank = 0;
    PMPI_Group_translate_ranks(group, 1, &i, world, &rank);
    keep((struct record){.what = MEMBER, .comm = index, .peer = rank, .flags = flags});
  }
  PMPI_Group_free(&world);
  PMPI_Group_free(&group);
}

static int32_t made(MPI_Comm handle) {
  struct comm* const one = calloc(1, sizeof *one);
  MPI_Group group;
  int is_inter = 0;
  *one = (struct comm){comms, handle, comms == NULL ? 0 : comms->index + 1};
  comms = one;
  keep((struct record){.what = COMM, .comm = one->index});
  PMPI_Comm_group(handle, &group);
  keep_members(one->index, group, 0);
  PMPI_Comm_test_inter(handle, &is_inter);
  if (is_inter) PMPI_Comm_remote_group(handle, &group), keep_members(one->index, group, REMOTE);
  return one->index;
}
static int32_t index_of(MPI_Comm handle) {
  for (struct comm const* one = comms; one != NULL; one = one->next)
    if (one->handle == handle) return one->index;
  return made(handle);
}
static void created(int result, MPI_Comm handle) {
  pthread_mutex_lock(&mutex);
  if (result == MPI_SUCCESS && handle != MPI_COMM_NULL) made(handle);
  pthread_mutex_unlock(&mutex);
}

/* Messages. Return their number. */
static int32_t sent(int64_t at, MPI_Comm comm, int dest, int tag) {
  int32_t const index = index_of(comm);
  if (dest == MPI_PROC_NULL) return NOTHING;
  keep((struct record){.at = at, .what = SEND, .message = messages, .comm = index, .peer = dest, .tag = tag});
  return messages++;
}
static int32_t received(enum What what, int64_t at, MPI_Comm comm, int source, int tag) {
  int32_t const index = index_of(comm);
  if (source == MPI_PROC_NULL) return NOTHING;
  if (source == MPI_ANY_SOURCE) source = ANY;
  if (tag == MPI_ANY_TAG) tag = ANY;
  keep((struct record){.at = at, .what = what, .message = messages, .comm = index, .peer = source, .tag = tag});
  return messages++;
}

static void called(char const* op, int64_t entry, int64_t exit, int flags) {
  struct record record = {.at = entry, .exit = exit, .what = CALL, .flags = flags | (is_paused ? IS_PAUSED : 0)};
  memcpy(record.op, op, strnlen(op, sizeof record.op));
  keep(record);
}
static void awaited(int32_t message, int32_t comm, int is_send) {
  keep((struct record){.what = AWAITED, .message = message, .comm = comm, .flags = is_send});
}

/* Requests. Several may have one handle, for an MPI shares those that are complete. */
struct request {
  struct request* next;
  uintptr_t handle;
  void const* variable;
  int32_t message, comm, peer, tag;
  int is_send, is_persistent, is_cancelled;
};
enum { HEADS = 4096 };
static struct request* heads[HEADS];

static struct request** head_of(uintptr_t handle) { return &heads[(handle ^ handle >> 7 ^ handle >> 16) % HEADS]; }

static struct request* find(uintptr_t handle, void const* variable) {
  struct request* found = NULL;
  for (struct request* one = *head_of(handle); one != NULL; one = one->next) {
    if (one->handle != handle) continue;
    if (one->variable == variable) return one;
    if (found == NULL) found = one;
  }
  return found;
}
static void erase(struct request* request) {
  struct request** link = head_of(request->handle);
  while (*link != request) link = &(*link)->next;
  *link = request->next;
  free(request);
}
static void insert(struct request request) {
  struct request** const head = head_of(request.handle);
  request.next = *head;
  *head = malloc(sizeof request);
  **head = request;
}

static uintptr_t bits(MPI_Request request) { return (uintptr_t)request; }
static uintptr_t bits_of_fortran(MPI_Fint request) { return bits(PMPI_Request_f2c(request)); }

static int is_wild(struct request const* request) {
  return !request->is_send && (request->peer == ANY || request->tag == ANY);
}

/* The requests of a call that may complete them. */
static _Thread_local struct {
  int count, room, needs_status;
  struct request** requests;
  char* is_null;
  MPI_Status* statuses;
} covered;

static void cover(int count) {
  covered.count = 0;
  covered.needs_status = 0;
  if (count <= covered.room) return;
  covered.room = count;
  covered.requests = realloc(covered.requests, sizeof *covered.requests * (size_t)count);
  covered.is_null = realloc(covered.is_null, (size_t)count);
  covered.statuses = realloc(covered.statuses, sizeof *covered.statuses * (size_t)count);
}
static void cover_one(uintptr_t handle, void const* variable) {
  int const is_null = handle == bits(MPI_REQUEST_NULL);
  struct request* const request = is_null ? NULL : find(handle, variable);
  if (request != NULL && (is_wild(request) || request->is_cancelled)) covered.needs_status = 1;
  covered.is_null[covered.count] = (char)is_null;
  covered.requests[covered.count++] = request;
}
static void cover_all(int count, MPI_Request const requests[]) {
  pthread_mutex_lock(&mutex);
  cover(count);
  for (int i = 0; i < count; ++i) cover_one(bits(requests[i]), &requests[i]);
  pthread_mutex_unlock(&mutex);
}
static void cover_fortran(int count, MPI_Fint const requests[]) {
  pthread_mutex_lock(&mutex);
  cover(count);
  for (int i = 0; i < count; ++i) cover_one(bits_of_fortran(requests[i]), &requests[i]);
  pthread_mutex_unlock(&mutex);
}
/* What to give the MPI in place of the program's statuses. */
static MPI_Status* statuses_for(MPI_Status* given, MPI_Status* ignored) {
  return given == ignored && covered.needs_status ? covered.statuses : given;
}

static void arrived(int32_t message, MPI_Status const* status) {
  keep((struct record){.what = ARRIVAL, .message = message, .peer = status->MPI_SOURCE, .tag = status->MPI_TAG});
}
static void complete(struct request* request, MPI_Status const* status) {
  int is_cancelled = 0;
  if (request->is_cancelled) PMPI_Test_cancelled(status, &is_cancelled);
  if (request->message >= 0 && is_cancelled) keep((struct record){.what = CANCEL, .message = request->message});
  if (request->message >= 0 && !is_cancelled && is_wild(request)) arrived(request->message, status);
  request->message = NOTHING;
  request->is_cancelled = 0;
  if (!request->is_persistent) erase(request);
}

/* A call has completed `count` of the covered requests: those at the indices, or all. op: NULL if it does not wait.
 * statuses: read only if one is needed. */
static void completed(char const* op, int64_t entry, int64_t exit, int count, int const indices[], int first,
                      MPI_Status const* statuses) {
  int of_requests = 0;
  pthread_mutex_lock(&mutex);
  for (int k = 0; k < count; ++k) of_requests += !covered.is_null[indices == NULL ? k : indices[k] - first];
  if (op != NULL && of_requests > 0) called(op, entry, exit, indices == NULL ? 0 : ENDS_WITH_ANY);
  for (int k = 0; k < count && op != NULL; ++k) {
    int const i = indices == NULL ? k : indices[k] - first;
    struct request const* const request = covered.requests[i];
    if (covered.is_null[i]) continue;
    if (request == NULL) awaited(UNKNOWN, UNKNOWN, 0);
    else awaited(request->message, request->comm, request->is_send);
  }
  for (int k = 0; k < count; ++k) {
    struct request* const request = covered.requests[indices == NULL ? k : indices[k] - first];
    if (request != NULL) complete(request, covered.needs_status ? &statuses[k] : NULL);
  }
  pthread_mutex_unlock(&mutex);
}

/* A blocking call. */
static void passed(char const* op, int64_t entry, int64_t exit, MPI_Comm comm, int32_t sends, int32_t receives) {
  int32_t const index = index_of(comm);
  called(op, entry, exit, 0);
  if (sends >= 0) awaited(sends, index, 1);
  if (receives >= 0) awaited(receives, index, 0);
  if (sends < 0 && receives < 0) awaited(NOTHING, index, 0);
}
static int32_t took(enum What what, int64_t at, MPI_Comm comm, MPI_Status const* status) {
  return received(what, at, comm, status->MPI_SOURCE, status->MPI_TAG);
}

static void issued(uintptr_t handle, void const* variable, int32_t message, MPI_Comm comm, int peer, int tag,
                   int is_send, int is_persistent) {
  if (handle == bits(MPI_REQUEST_NULL)) return;
  insert((struct request){NULL, handle, variable, message, index_of(comm), peer == MPI_ANY_SOURCE ? ANY : peer,
                          tag == MPI_ANY_TAG ? ANY : tag, is_send, is_persistent, 0});
}
static void started(int64_t at, uintptr_t handle, void const* variable) {
  struct request* const request = find(handle, variable);
  struct comm const* comm = comms;
  if (request == NULL) return;
  while (comm->index != request->comm) comm = comm->next;
  if (request->peer == MPI_PROC_NULL) request->message = NOTHING;
  else if (request->is_send) request->message = sent(at, comm->handle, request->peer, request->tag);
  else
    request->message = received(POST, at, comm->handle, request->peer == ANY ? MPI_ANY_SOURCE : request->peer,
                                request->tag == ANY ? MPI_ANY_TAG : request->tag);
}

/* The next definition of the function: the profiler's. */
#define NEXT(function)                               \
  static __typeof__(&function) next;                 \
  if (next == NULL) {                                \
    void* const found = dlsym(RTLD_NEXT, #function); \
    next = *(__typeof__(next) const*)&found;         \
  }

/* Makes the call; entry and exit are its times. */
#define MAKE(...)                 \
  ++inside;                       \
  int64_t const entry = now();    \
  int const result = __VA_ARGS__; \
  int64_t const exit = now();     \
  --inside;                       \
  (void)entry, (void)exit;

#define LOCKED(...)           \
  pthread_mutex_lock(&mutex); \
  __VA_ARGS__;                \
  pthread_mutex_unlock(&mutex);

/* Bsend only sends. */
#define BLOCKING_SEND(name, ...)                                                                       \
  int MPI_##name(void const* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) { \
    NEXT(MPI_##name)                                                                                   \
    if (inside) return PMPI_##name(buffer, count, type, dest, tag, comm);                              \
    MAKE(next(buffer, count, type, dest, tag, comm))                                                   \
    LOCKED(int32_t const message = sent(entry, comm, dest, tag); (void)message; __VA_ARGS__)           \
    return result;                                                                                     \
  }
BLOCKING_SEND(Send, passed("Send", entry, exit, comm, message, NOTHING))
BLOCKING_SEND(Ssend, passed("Ssend", entry, exit, comm, message, NOTHING))
BLOCKING_SEND(Rsend, passed("Rsend", entry, exit, comm, message, NOTHING))
BLOCKING_SEND(Bsend, )

#define ISSUED(name, BUFFER, message, is_send, is_persistent)                                                      \
  int MPI_##name(BUFFER buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* to) { \
    NEXT(MPI_##name)                                                                                               \
    if (inside) return PMPI_##name(buffer, count, type, peer, tag, comm, to);                                      \
    MAKE(next(buffer, count, type, peer, tag, comm, to))                                                           \
    LOCKED(issued(bits(*to), to, message, comm, peer, tag, is_send, is_persistent))                                \
    return result;                                                                                                 \
  }
ISSUED(Isend, void const*, sent(entry, comm, peer, tag), 1, 0)
ISSUED(Issend, void const*, sent(entry, comm, peer, tag), 1, 0)
ISSUED(Irsend, void const*, sent(entry, comm, peer, tag), 1, 0)
ISSUED(Ibsend, void const*, sent(entry, comm, peer, tag), 1, 0)
ISSUED(Irecv, void*, received(POST, entry, comm, peer, tag), 0, 0)
ISSUED(Send_init, void const*, NOTHING, 1, 1)
ISSUED(Ssend_init, void const*, NOTHING, 1, 1)
ISSUED(Rsend_init, void const*, NOTHING, 1, 1)
ISSUED(Bsend_init, void const*, NOTHING, 1, 1)
ISSUED(Recv_init, void*, NOTHING, 0, 1)

int MPI_Start(MPI_Request* request) {
  NEXT(MPI_Start)
  if (inside) return PMPI_Start(request);
  MAKE(next(request))
  LOCKED(started(entry, bits(*request), request))
  return result;
}
int MPI_Startall(int count, MPI_Request requests[]) {
  NEXT(MPI_Startall)
  if (inside) return PMPI_Startall(count, requests);
  MAKE(next(count, requests))
  LOCKED(for (int i = 0; i < count; ++i) started(entry, bits(requests[i]), &requests[i]))
  return result;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  NEXT(MPI_Recv)
  if (inside) return PMPI_Recv(buffer, count, type, source, tag, comm, status);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  MAKE(next(buffer, count, type, source, tag, comm, status))
  LOCKED(passed("Recv", entry, exit, comm, NOTHING, took(POST, entry, comm, status)))
  return result;
}
int MPI_Sendrecv(void const* buffer, int count, MPI_Datatype type, int dest, int tag, void* into, int room,
                 MPI_Datatype as, int source, int source_tag, MPI_Comm comm, MPI_Status* status) {
  NEXT(MPI_Sendrecv)
  if (inside) return PMPI_Sendrecv(buffer, count, type, dest, tag, into, room, as, source, source_tag, comm, status);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  MAKE(next(buffer, count, type, dest, tag, into, room, as, source, source_tag, comm, status))
  LOCKED(int32_t const message = sent(entry, comm, dest, tag);
         passed("Sendrecv", entry, exit, comm, message, took(POST, entry, comm, status)))
  return result;
}
int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int dest, int tag, int source, int source_tag,
                         MPI_Comm comm, MPI_Status* status) {
  NEXT(MPI_Sendrecv_replace)
  if (inside) return PMPI_Sendrecv_replace(buffer, count, type, dest, tag, source, source_tag, comm, status);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  MAKE(next(buffer, count, type, dest, tag, source, source_tag, comm, status))
  LOCKED(int32_t const message = sent(entry, comm, dest, tag);
         passed("Sendrecv_replace", entry, exit, comm, message, took(POST, entry, comm, status)))
  return result;
}
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  NEXT(MPI_Probe)
  if (inside) return PMPI_Probe(source, tag, comm, status);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  MAKE(next(source, tag, comm, status))
  LOCKED(passed("Probe", entry, exit, comm, NOTHING, took(PROBE, entry, comm, status)))
  return result;
}
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  NEXT(MPI_Mprobe)
  if (inside) return PMPI_Mprobe(source, tag, comm, message, status);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  MAKE(next(source, tag, comm, message, status))
  LOCKED(passed("Mprobe", entry, exit, comm, NOTHING, took(POST, entry, comm, status)))
  return result;
}
int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  NEXT(MPI_Improbe)
  if (inside) return PMPI_Improbe(source, tag, comm, flag, message, status);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  MAKE(next(source, tag, comm, flag, message, status))
  LOCKED(if (*flag) took(POST, entry, comm, status))
  return result;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  NEXT(MPI_Wait)
  if (inside) return PMPI_Wait(request, status);
  cover_all(1, request);
  MPI_Status* const given = statuses_for(status, MPI_STATUS_IGNORE);
  MAKE(next(request, given))
  completed("Wait", entry, exit, 1, NULL, 0, given);
  return result;
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  NEXT(MPI_Waitall)
  if (inside) return PMPI_Waitall(count, requests, statuses);
  cover_all(count, requests);
  MPI_Status* const given = statuses_for(statuses, MPI_STATUSES_IGNORE);
  MAKE(next(count, requests, given))
  completed("Waitall", entry, exit, count, NULL, 0, given);
  return result;
}
int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  NEXT(MPI_Waitany)
  if (inside) return PMPI_Waitany(count, requests, index, status);
  cover_all(count, requests);
  MPI_Status* const given = statuses_for(status, MPI_STATUS_IGNORE);
  MAKE(next(count, requests, index, given))
  completed("Waitany", entry, exit, *index != MPI_UNDEFINED, index, 0, given);
  return result;
}
int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status* statuses) {
  NEXT(MPI_Waitsome)
  if (inside) return PMPI_Waitsome(count, requests, done, indices, statuses);
  cover_all(count, requests);
  MPI_Status* const given = statuses_for(statuses, MPI_STATUSES_IGNORE);
  MAKE(next(count, requests, done, indices, given))
  completed("Waitsome", entry, exit, *done == MPI_UNDEFINED ? 0 : *done, indices, 0, given);
  return result;
}
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  NEXT(MPI_Test)
  if (inside) return PMPI_Test(request, flag, status);
  cover_all(1, request);
  MPI_Status* const given = statuses_for(status, MPI_STATUS_IGNORE);
  MAKE(next(request, flag, given))
  completed(NULL, entry, exit, *flag != 0, NULL, 0, given);
  return result;
}
int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status* statuses) {
  NEXT(MPI_Testall)
  if (inside) return PMPI_Testall(count, requests, flag, statuses);
  cover_all(count, requests);
  MPI_Status* const given = statuses_for(statuses, MPI_STATUSES_IGNORE);
  MAKE(next(count, requests, flag, given))
  completed(NULL, entry, exit, *flag ? count : 0, NULL, 0, given);
  return result;
}
int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  NEXT(MPI_Testany)
  if (inside) return PMPI_Testany(count, requests, index, flag, status);
  cover_all(count, requests);
  MPI_Status* const given = statuses_for(status, MPI_STATUS_IGNORE);
  MAKE(next(count, requests, index, flag, given))
  completed(NULL, entry, exit, *flag && *index != MPI_UNDEFINED, index, 0, given);
  return result;
}
int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status* statuses) {
  NEXT(MPI_Testsome)
  if (inside) return PMPI_Testsome(count, requests, done, indices, statuses);
  cover_all(count, requests);
  MPI_Status* const given = statuses_for(statuses, MPI_STATUSES_IGNORE);
  MAKE(next(count, requests, done, indices, given))
  completed(NULL, entry, exit, *done == MPI_UNDEFINED ? 0 : *done, indices, 0, given);
  return result;
}

int MPI_Cancel(MPI_Request* request) {
  NEXT(MPI_Cancel)
  if (inside) return PMPI_Cancel(request);
  pthread_mutex_lock(&mutex);
  struct request* const one = find(bits(*request), request);
  if (one != NULL) one->is_cancelled = 1;
  pthread_mutex_unlock(&mutex);
  return next(request);
}
int MPI_Request_free(MPI_Request* request) {
  NEXT(MPI_Request_free)
  if (inside) return PMPI_Request_free(request);
  pthread_mutex_lock(&mutex);
  struct request* const one = find(bits(*request), request);
  if (one != NULL) erase(one);
  pthread_mutex_unlock(&mutex);
  return next(request);
}
int MPI_Pcontrol(int const level, ...) {
  NEXT(MPI_Pcontrol)
  if (!inside) is_paused = level == 0;
  return next(level);
}

#define CREATES(name, parameters, arguments, comm) \
  int MPI_##name parameters {                      \
    NEXT(MPI_##name)                               \
    if (inside) return PMPI_##name arguments;      \
    MAKE(next arguments)                           \
    created(result, *comm);                        \
    return result;                                 \
  }
CREATES(Comm_dup, (MPI_Comm from, MPI_Comm* to), (from, to), to)
CREATES(Comm_dup_with_info, (MPI_Comm from, MPI_Info info, MPI_Comm* to), (from, info, to), to)
CREATES(Comm_split, (MPI_Comm from, int color, int key, MPI_Comm* to), (from, color, key, to), to)
CREATES(Comm_split_type, (MPI_Comm from, int type, int key, MPI_Info info, MPI_Comm* to), (from, type, key, info, to),
        to)
CREATES(Comm_create, (MPI_Comm from, MPI_Group group, MPI_Comm* to), (from, group, to), to)
CREATES(Comm_create_group, (MPI_Comm from, MPI_Group group, int tag, MPI_Comm* to), (from, group, tag, to), to)
CREATES(Cart_create, (MPI_Comm from, int count, int const sizes[], int const periods[], int reorder, MPI_Comm* to),
        (from, count, sizes, periods, reorder, to), to)
CREATES(Cart_sub, (MPI_Comm from, int const remain[], MPI_Comm* to), (from, remain, to), to)
CREATES(Graph_create, (MPI_Comm from, int count, int const index[], int const edges[], int reorder, MPI_Comm* to),
        (from, count, index, edges, reorder, to), to)
CREATES(Intercomm_create, (MPI_Comm local, int leader, MPI_Comm peers, int remote, int tag, MPI_Comm* to),
        (local, leader, peers, remote, tag, to), to)
CREATES(Intercomm_merge, (MPI_Comm from, int is_high, MPI_Comm* to), (from, is_high, to), to)

static void end(void) {
  pthread_mutex_lock(&mutex);
  index_of(MPI_COMM_WORLD); /* so that a process without messages has a file */
  if (fclose(file) != 0) perror("records of messages"), abort();
  pthread_mutex_unlock(&mutex);
}
int MPI_Finalize(void) {
  NEXT(MPI_Finalize)
  if (inside) return PMPI_Finalize();
  end();
  ++inside;
  return next();
}

/* Fortran. */
#define MAKE_FORTRAN(...) MAKE((__VA_ARGS__, *error))

static MPI_Status status_of(MPI_Fint const* status) {
  MPI_Status result;
  PMPI_Status_f2c(status, &result);
  return result;
}
enum { STATUS_WORDS = sizeof(MPI_Status) / sizeof(MPI_Fint) };

#define FORTRAN_SEND(name, op)                                                                            \
  void name(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* dest, MPI_Fint* tag, MPI_Fint* comm, \
            MPI_Fint* error);                                                                             \
  void name(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* dest, MPI_Fint* tag, MPI_Fint* comm, \
            MPI_Fint* error) {                                                                            \
    NEXT(name)                                                                                            \
    if (inside) return next(buffer, count, type, dest, tag, comm, error);                                 \
    MAKE_FORTRAN(next(buffer, count, type, dest, tag, comm, error))                                       \
    MPI_Comm const on = PMPI_Comm_f2c(*comm);                                                             \
    (void)result;                                                                                         \
    LOCKED(passed(op, entry, exit, on, sent(entry, on, *dest, *tag), NOTHING))                            \
  }
FORTRAN_SEND(mpi_send_, "Send")
FORTRAN_SEND(mpi_ssend_, "Ssend")
FORTRAN_SEND(mpi_rsend_, "Rsend")

#define FORTRAN_ISSUED(name, message, is_send, is_persistent)                                             \
  void name(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* peer, MPI_Fint* tag, MPI_Fint* comm, \
            MPI_Fint* to, MPI_Fint* error);                                                               \
  void name(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* peer, MPI_Fint* tag, MPI_Fint* comm, \
            MPI_Fint* to, MPI_Fint* error) {                                                              \
    NEXT(name)                                                                                            \
    if (inside) return next(buffer, count, type, peer, tag, comm, to, error);                             \
    MAKE_FORTRAN(next(buffer, count, type, peer, tag, comm, to, error))                                   \
    MPI_Comm const on = PMPI_Comm_f2c(*comm);                                                             \
    (void)result;                                                                                         \
    LOCKED(issued(bits_of_fortran(*to), to, message, on, *peer, *tag, is_send, is_persistent))            \
  }
FORTRAN_ISSUED(mpi_isend_, sent(entry, on, *peer, *tag), 1, 0)
FORTRAN_ISSUED(mpi_issend_, sent(entry, on, *peer, *tag), 1, 0)
FORTRAN_ISSUED(mpi_irecv_, received(POST, entry, on, *peer, *tag), 0, 0)
FORTRAN_ISSUED(mpi_send_init_, NOTHING, 1, 1)
FORTRAN_ISSUED(mpi_recv_init_, NOTHING, 0, 1)

#define FORTRAN(name, parameters) \
  void name parameters;           \
  void name parameters

FORTRAN(mpi_recv_, (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* source, MPI_Fint* tag, MPI_Fint* comm,
                    MPI_Fint* status, MPI_Fint* error)) {
  NEXT(mpi_recv_)
  if (inside) return next(buffer, count, type, source, tag, comm, status, error);
  MPI_Fint own[STATUS_WORDS];
  if (status == MPI_F_STATUS_IGNORE) status = own;
  MAKE_FORTRAN(next(buffer, count, type, source, tag, comm, status, error))
  MPI_Comm const on = PMPI_Comm_f2c(*comm);
  MPI_Status const of = status_of(status);
  (void)result;
  LOCKED(passed("Recv", entry, exit, on, NOTHING, took(POST, entry, on, &of)))
}
FORTRAN(mpi_sendrecv_,
        (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* dest, MPI_Fint* tag, void* into, MPI_Fint* room,
         MPI_Fint* as, MPI_Fint* source, MPI_Fint* source_tag, MPI_Fint* comm, MPI_Fint* status, MPI_Fint* error)) {
  NEXT(mpi_sendrecv_)
  if (inside) return next(buffer, count, type, dest, tag, into, room, as, source, source_tag, comm, status, error);
  MPI_Fint own[STATUS_WORDS];
  if (status == MPI_F_STATUS_IGNORE) status = own;
  MAKE_FORTRAN(next(buffer, count, type, dest, tag, into, room, as, source, source_tag, comm, status, error))
  MPI_Comm const on = PMPI_Comm_f2c(*comm);
  MPI_Status const of = status_of(status);
  (void)result;
  LOCKED(int32_t const message = sent(entry, on, *dest, *tag);
         passed("Sendrecv", entry, exit, on, message, took(POST, entry, on, &of)))
}

/* Statuses of a call for `count` requests, for the few programs that ignore them and receive from any source. */
static _Thread_local MPI_Fint* own_statuses;
static MPI_Fint* fortran_statuses(int count, MPI_Fint* given, MPI_Fint const* ignored) {
  if (given != ignored || !covered.needs_status) return given;
  own_statuses = realloc(own_statuses, sizeof *own_statuses * STATUS_WORDS * (size_t)count);
  return own_statuses;
}
static MPI_Status const* from_fortran(int count, MPI_Fint const* statuses) {
  for (int i = 0; i < count && covered.needs_status; ++i)
    covered.statuses[i] = status_of(statuses + (size_t)i * STATUS_WORDS);
  return covered.statuses;
}

FORTRAN(mpi_wait_, (MPI_Fint * request, MPI_Fint* status, MPI_Fint* error)) {
  NEXT(mpi_wait_)
  if (inside) return next(request, status, error);
  cover_fortran(1, request);
  MPI_Fint* const given = fortran_statuses(1, status, MPI_F_STATUS_IGNORE);
  MAKE_FORTRAN(next(request, given, error))
  (void)result;
  completed("Wait", entry, exit, 1, NULL, 0, from_fortran(1, given));
}
FORTRAN(mpi_waitall_, (MPI_Fint * count, MPI_Fint* requests, MPI_Fint* statuses, MPI_Fint* error)) {
  NEXT(mpi_waitall_)
  if (inside) return next(count, requests, statuses, error);
  cover_fortran(*count, requests);
  MPI_Fint* const given = fortran_statuses(*count, statuses, MPI_F_STATUSES_IGNORE);
  MAKE_FORTRAN(next(count, requests, given, error))
  (void)result;
  completed("Waitall", entry, exit, *count, NULL, 0, from_fortran(*count, given));
}
FORTRAN(mpi_waitany_, (MPI_Fint * count, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* status, MPI_Fint* error)) {
  NEXT(mpi_waitany_)
  if (inside) return next(count, requests, index, status, error);
  cover_fortran(*count, requests);
  MPI_Fint* const given = fortran_statuses(1, status, MPI_F_STATUS_IGNORE);
  MAKE_FORTRAN(next(count, requests, index, given, error))
  (void)result;
  completed("Waitany", entry, exit, *index != MPI_UNDEFINED, index, 1, from_fortran(1, given));
}

#define FORTRAN_CREATES(name, parameters, arguments, comm) \
  FORTRAN(name, parameters) {                              \
    NEXT(name)                                             \
    if (inside) return next arguments;                     \
    MAKE_FORTRAN(next arguments)                           \
    created(result, PMPI_Comm_f2c(*comm));                 \
  }
FORTRAN_CREATES(mpi_comm_dup_, (MPI_Fint * from, MPI_Fint* to, MPI_Fint* error), (from, to, error), to)
FORTRAN_CREATES(mpi_comm_split_, (MPI_Fint * from, MPI_Fint* color, MPI_Fint* key, MPI_Fint* to, MPI_Fint* error),
                (from, color, key, to, error), to)
FORTRAN_CREATES(mpi_cart_create_,
                (MPI_Fint * from, MPI_Fint* count, MPI_Fint* sizes, MPI_Fint* periods, MPI_Fint* reorder, MPI_Fint* to,
                 MPI_Fint* error),
                (from, count, sizes, periods, reorder, to, error), to)
FORTRAN_CREATES(mpi_cart_sub_, (MPI_Fint * from, MPI_Fint* remain, MPI_Fint* to, MPI_Fint* error),
                (from, remain, to, error), to)

FORTRAN(mpi_finalize_, (MPI_Fint * error)) {
  NEXT(mpi_finalize_)
  end();
  ++inside;
  next(error);
}
