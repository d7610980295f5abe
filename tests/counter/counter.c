/* Counts what a program calls, to be compared with the profile of the same run: a library preloaded before
 * libcommprof.so.
 *
 *   COUNTER_OUTPUT=DIRECTORY   where each process writes what it has counted, to a file named by its rank
 *   COUNTER_STATUSES=ignored   leave MPI_STATUS_IGNORE as it is; the bytes of these receives are then unknown here
 *   COUNTER_COPY=DIRECTORY     a copy of the profile's directory as it is when all processes reach MPI_Finalize
 *   COUNTER_MESSAGES=DIRECTORY where each process records its messages, and when calls awaited them; see messages.c
 *
 * Knows mpi.h and the standard, and nothing of the profiler but the name that this gives a communicator. Bytes are
 * those of docs/profile.md, "What a call counts". A call within a call is not counted. Fortran is not seen. */
#include "counter.h"

#include <commprof/commprof.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "wrappers.inc"

_Thread_local int inside;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_paused, leaves_statuses, threads;
static _Thread_local int is_known;

void* next_definition(char const* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == NULL) fprintf(stderr, "counter: no %s\n", name), abort();
  return found;
}

/* What is counted: in a region, on a communicator, for each operation and its polls that find nothing. */
struct row {
  long long calls, sent, received, unknown, pending; /* unknown: receives without a status */
};
struct region {
  struct region* next;
  char* path;
  long long entered;
};
struct sheet {
  struct sheet* next;
  struct region const* region;
  struct row rows[OPERATIONS][2];
};
/* Communicators stay known after their release: rows are kept by them. */
struct comm {
  struct comm* next;
  struct sheet* sheets;
  MPI_Comm handle;
  char name[COMMPROF_MAX_NAME], user_name[MPI_MAX_OBJECT_NAME], topology[256], *members;
  char const *parent, *created_by;
  int index, rank, size, peers, is_inter, is_freed, reorder; /* reorder: of its creation, and 1; 0: not asked */
  int* world_ranks;                                          /* of the processes that ranks of destinations denote */
  struct sum {
    long long messages, bytes;
  } * sums[3]; /* TO, PUT, GOT, by world rank */
};
enum { TO, PUT_TO, GOT_FROM };
static char const* const sum_names[] = {"to", "put", "got"};
static struct comm* comms;
static struct region main_region = {NULL, (char*)"main", 1};
static struct region *regions = &main_region, *region = &main_region;
static int world_size;
static long long receives_freed, requests_unfinished;

static struct row* row_of(struct comm* comm, int operation, int finds_nothing) {
  struct sheet* sheet = comm->sheets;
  while (sheet != NULL && sheet->region != region) sheet = sheet->next;
  if (sheet == NULL) {
    sheet = calloc(1, sizeof *sheet);
    sheet->next = comm->sheets;
    sheet->region = region;
    comm->sheets = sheet;
  }
  return &sheet->rows[operation][finds_nothing];
}
static struct row* count(struct comm* comm, int operation, int finds_nothing) {
  if (is_paused) return NULL;
  struct row* const row = row_of(comm, operation, finds_nothing);
  ++row->calls;
  return row;
}

static int* world_ranks_of(MPI_Group group, int* size) {
  MPI_Group world;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(group, size);
  int* const ranks = calloc((size_t)*size + 1, sizeof *ranks);
  for (int i = 0; i < *size; ++i) PMPI_Group_translate_ranks(group, 1, &i, world, &ranks[i]);
  PMPI_Group_free(&world);
  return ranks;
}
static void append_members(struct comm* comm, int const* ranks, int size) {
  size_t length = comm->members == NULL ? 0 : strlen(comm->members);
  comm->members = realloc(comm->members, length + (size_t)size * 12 + 1);
  comm->members[length] = '\0';
  for (int i = 0; i < size; ++i) length += (size_t)sprintf(comm->members + length, "%d ", ranks[i]);
}
static void describe_topology(MPI_Comm handle, char* text) {
  int topology = MPI_UNDEFINED, dimensions = 0, nodes = 0, edges = 0;
  PMPI_Topo_test(handle, &topology);
  if (topology == MPI_DIST_GRAPH) strcpy(text, "dist_graph");
  if (topology == MPI_GRAPH) PMPI_Graphdims_get(handle, &nodes, &edges), sprintf(text, "graph %d", nodes);
  if (topology != MPI_CART) return;
  PMPI_Cartdim_get(handle, &dimensions);
  int sizes[16] = {0}, periods[16] = {0}, places[16];
  if (dimensions > 0) PMPI_Cart_get(handle, dimensions, sizes, periods, places);
  text += sprintf(text, "cart ");
  for (int i = 0; i < dimensions; ++i) text += sprintf(text, "%s%d", i == 0 ? "" : "x", sizes[i]);
  text += sprintf(text, " periods ");
  for (int i = 0; i < dimensions; ++i) text += sprintf(text, "%d", periods[i] != 0);
}
static struct comm* made(MPI_Comm handle, char const* parent, char const* created_by) {
  struct comm* const comm = calloc(1, sizeof *comm);
  MPI_Group group;
  comm->handle = handle;
  comm->parent = parent;
  comm->created_by = created_by;
  comm->index = comms == NULL ? 0 : comms->index + 1;
  PMPI_Comm_rank(handle, &comm->rank);
  PMPI_Comm_test_inter(handle, &comm->is_inter);
  PMPI_Comm_group(handle, &group);
  comm->world_ranks = world_ranks_of(group, &comm->size);
  comm->peers = comm->size;
  append_members(comm, comm->world_ranks, comm->size);
  PMPI_Group_free(&group);
  messages_comm(comm->index, comm->world_ranks, comm->size, 0);
  /* In Open MPI 4.1.4 a communicator made from a group of one with a topology has that, too. */
  if (!comm->is_inter && strncmp(created_by, "Comm_create", 11) != 0) describe_topology(handle, comm->topology);
  if (comm->is_inter) {
    PMPI_Comm_remote_group(handle, &group);
    free(comm->world_ranks);
    comm->world_ranks = world_ranks_of(group, &comm->peers);
    append_members(comm, comm->world_ranks, comm->peers);
    messages_comm(comm->index, comm->world_ranks, comm->peers, 1);
    PMPI_Group_free(&group);
  }
  if (commprof_comm_name(handle, comm->name, sizeof comm->name) != MPI_SUCCESS) strcpy(comm->name, "?");
  for (int i = 0; i < 3; ++i) comm->sums[i] = calloc((size_t)world_size, sizeof **comm->sums);
  comm->next = comms;
  return comms = comm;
}
/* Being made by a nonblocking call: there is a handle, whose members may not be asked for yet. */
static struct pending {
  struct pending* next;
  MPI_Comm handle;
  char const *parent, *created_by;
  int reorder;
} * pending_comms;

/* The communicator is complete: a call uses it, or the program ends. */
static struct comm* made_from(struct pending** at) {
  struct pending* const one = *at;
  struct comm* const comm = made(one->handle, one->parent, one->created_by);
  comm->reorder = one->reorder;
  *at = one->next;
  free(one);
  return comm;
}

static struct comm* comm_of(MPI_Comm handle) {
  if (handle == MPI_COMM_NULL) return NULL;
  for (struct comm* comm = comms; comm != NULL; comm = comm->next)
    if (!comm->is_freed && comm->handle == handle) return comm;
  if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) return made(handle, "", "");
  struct pending** one = &pending_comms;
  while (*one != NULL && (*one)->handle != handle) one = &(*one)->next;
  return *one == NULL ? made(handle, "unknown", "unknown") : made_from(one);
}

/* Bytes. */
static long long size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL || (uintptr_t)type == 0) return 0; /* not significant in this call */
  PMPI_Type_size_x(type, &size);
  return (long long)size;
}
static long long at(struct call const* call, void const* counts, int i) {
  return call->is_large ? (long long)((MPI_Count const*)counts)[i] : ((int const*)counts)[i];
}
static long long sum(struct call const* call, void const* counts, MPI_Datatype const* types, MPI_Datatype type,
                     int number) {
  long long bytes = 0;
  for (int i = 0; i < number; ++i) {
    long long const n = at(call, counts, i);
    if (n > 0) bytes += n * size_of(types == NULL ? type : types[i]);
  }
  return bytes;
}

/* Which of the blocks for neighbours have one: those beyond the edge of a grid have none. */
static int neighbours(MPI_Comm comm, char** exist) {
  int topology = 0, number = 0, ins = 0, is_weighted = 0;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, &number);
    *exist = calloc((size_t)number + 1, 2);
    for (int i = 0; i < number; ++i) {
      int below = 0, above = 0;
      PMPI_Cart_shift(comm, i, 1, &below, &above);
      (*exist)[2 * i] = below != MPI_PROC_NULL;
      (*exist)[2 * i + 1] = above != MPI_PROC_NULL;
    }
    return 2 * number;
  }
  if (topology == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &ins, &number, &is_weighted);
  } else {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &number);
  }
  *exist = memset(malloc((size_t)number + 1), 1, (size_t)number + 1);
  return number;
}
static long long to_neighbours(struct call const* call, enum kind kind) {
  char* exist;
  long long bytes = 0;
  int const number = neighbours(call->comm, &exist);
  for (int i = 0; i < number; ++i) {
    if (!exist[i]) continue;
    long long const n = kind == NEIGHBOR_ALLGATHER ? call->count : at(call, call->counts, i);
    bytes += n * size_of(kind == NEIGHBOR_ALLTOALLW ? call->types[i] : call->type);
  }
  free(exist);
  return bytes;
}

struct volume {
  long long sent, received;
};

static struct volume volume_of_rooted(struct call const* call, enum kind kind) {
  int const is_inter = call->on->is_inter, rank = call->on->rank, is_root = !is_inter && rank == call->root;
  int const gives = !is_inter || (call->root != MPI_ROOT && call->root != MPI_PROC_NULL); /* or takes */
  int const is_in_place = (kind == GATHER || kind == GATHERV ? call->out : call->in) == MPI_IN_PLACE && is_root;
  if (!gives) return (struct volume){0, 0};
  switch (kind) {
    case BCAST:
      return (struct volume){0, is_root ? 0 : call->count * size_of(call->type)};
    case REDUCE:
      return (struct volume){call->count * size_of(call->type), 0};
    case GATHER:
    case GATHERV:
      if (!is_in_place) return (struct volume){call->count * size_of(call->type), 0};
      return (struct volume){
          (kind == GATHER ? call->in_count : at(call, call->in_counts, rank)) * size_of(call->in_type), 0};
    default: /* SCATTER, SCATTERV */
      if (!is_in_place) return (struct volume){0, call->in_count * size_of(call->in_type)};
      return (struct volume){0, (kind == SCATTER ? call->count : at(call, call->counts, rank)) * size_of(call->type)};
  }
}
static struct volume volume_of_all(struct call const* call, enum kind kind) {
  int const rank = call->on->rank, peers = call->on->peers, is_in_place = call->out == MPI_IN_PLACE;
  long long const block = call->count * size_of(call->type);
  switch (kind) {
    case ALLGATHER:
      return (struct volume){is_in_place ? call->in_count * size_of(call->in_type) : block, 0};
    case ALLGATHERV:
      return (struct volume){is_in_place ? at(call, call->in_counts, rank) * size_of(call->in_type) : block, 0};
    case ALLTOALL:
      return (struct volume){peers * (is_in_place ? call->in_count * size_of(call->in_type) : block), 0};
    case ALLTOALLV:
      if (is_in_place) return (struct volume){sum(call, call->in_counts, NULL, call->in_type, peers), 0};
      return (struct volume){sum(call, call->counts, NULL, call->type, peers), 0};
    case ALLTOALLW:
      if (is_in_place) return (struct volume){sum(call, call->in_counts, call->in_types, MPI_DATATYPE_NULL, peers), 0};
      return (struct volume){sum(call, call->counts, call->types, MPI_DATATYPE_NULL, peers), 0};
    case ALLREDUCE:
      return (struct volume){block, 0};
    case REDUCE_SCATTER:
      return (struct volume){0, at(call, call->in_counts, rank) * size_of(call->type)};
    case REDUCE_SCATTER_BLOCK:
      return (struct volume){0, call->in_count * size_of(call->type)};
    case SCAN:
      return (struct volume){rank == call->on->size - 1 ? 0 : block, 0};
    default:
      return (struct volume){to_neighbours(call, kind), 0};
  }
}
static struct volume volume_of_access(struct call const* call, enum kind kind) {
  if (call->dest == MPI_PROC_NULL) return (struct volume){0, 0};
  long long const out = call->count * size_of(call->type);
  switch (kind) {
    case PUT:
      return (struct volume){out, 0};
    case GET:
      return (struct volume){0, out};
    case GET_ACCUMULATE:
      return (struct volume){call->op == MPI_NO_OP ? 0 : out, call->in_count * size_of(call->in_type)};
    default: /* FETCH */
      return (struct volume){call->op == MPI_NO_OP ? 0 : size_of(call->type), size_of(call->type)};
  }
}
static struct volume volume_of(struct call const* call) {
  enum kind const kind = operations[call->operation].kind;
  if (kind == SEND || kind == SEND_RECEIVE) {
    long long const parts = call->partitions == 0 ? 1 : call->partitions;
    return (struct volume){call->dest == MPI_PROC_NULL ? 0 : parts * call->count * size_of(call->type), 0};
  }
  if (kind >= BCAST && kind <= REDUCE) return volume_of_rooted(call, kind);
  if (kind >= ALLGATHER && kind <= NEIGHBOR_ALLTOALLW) return volume_of_all(call, kind);
  if (kind >= PUT && kind <= FETCH) return volume_of_access(call, kind);
  return (struct volume){0, 0};
}
/* may_be_cancelled: else a status need not say whether it was. */
static long long arrived(MPI_Status const* status, int may_be_cancelled) {
  MPI_Count bytes = 0;
  int is_cancelled = 0;
  if (may_be_cancelled) PMPI_Test_cancelled(status, &is_cancelled);
  PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
  return is_cancelled || bytes < 0 ? 0 : (long long)bytes;
}

/* Messages. */
static void add_message(struct comm* comm, int which, int peer, long long bytes) {
  int const rank = peer == MPI_PROC_NULL || is_paused ? -1 : comm->world_ranks[peer];
  if (rank < 0) return;
  ++comm->sums[which][rank].messages;
  comm->sums[which][rank].bytes += bytes;
}

/* Requests. Several may have one handle, for an MPI shares those that are complete. Then the variable tells, if that
 * request was the last that was issued into it; else the oldest is meant. */
struct request {
  struct request* next;
  uintptr_t handle;
  void const* variable;
  struct comm* comm;
  struct row* row; /* of the call that issued or started it; null in a pause */
  struct operation operation;
  struct volume volume; /* of each start */
  int peer, tag, message, is_taken, is_active, receives, may_be_cancelled;
};
enum { HEADS = 4096 };
static struct request* heads[HEADS];

static struct request** head_of(uintptr_t handle) { return &heads[(handle ^ handle >> 7 ^ handle >> 16) % HEADS]; }

static struct request* find(uintptr_t handle, void const* variable) {
  struct request* found = NULL;
  for (struct request* one = *head_of(handle); one != NULL; one = one->next) {
    if (one->handle != handle || one->is_taken) continue;
    if (one->variable == variable && variable != NULL) return one;
    if (found == NULL || found->variable != NULL || one->variable == NULL) found = one;
  }
  return found;
}
static void erase(struct request* request) {
  struct request** link = head_of(request->handle);
  while (*link != request) link = &(*link)->next;
  *link = request->next;
  free(request);
}
static struct request* insert(struct request request) {
  struct request** const head = head_of(request.handle);
  for (struct request* one = *head; one != NULL; one = one->next)
    if (one->variable == request.variable) one->variable = NULL;
  request.next = *head;
  *head = malloc(sizeof request);
  **head = request;
  return *head;
}

static int started(struct request const* request, int64_t at) {
  if (request->operation.kind != SEND && request->operation.kind != RECEIVE) return NOTHING;
  enum what const what = request->operation.kind == SEND ? SENT : POSTED;
  return messages_add(what, at, request->comm->index, request->peer, request->tag);
}
static void issued(struct call* call, struct row* row, struct volume volume) {
  struct operation const operation = operations[call->operation];
  if (*call->requests == MPI_REQUEST_NULL) return;
  int const receives = operation.kind == RECEIVE || operation.kind == READ;
  struct request* const request = insert((struct request){.handle = (uintptr_t)*call->requests,
                                                          .variable = call->requests,
                                                          .comm = call->on,
                                                          .row = row,
                                                          .operation = operation,
                                                          .volume = volume,
                                                          .peer = receives ? call->source : call->dest,
                                                          .tag = call->tag,
                                                          .receives = receives,
                                                          .is_active = !operation.is_persistent});
  request->message = operation.is_persistent || call->message != NULL ? NOTHING : started(request, call->entry);
}

/* The requests that a call covers, before it completes them. */
static _Thread_local struct {
  long long count, room;
  struct covered {
    struct request* request;
    int is_null;
  } * all;
  MPI_Status* statuses;
} covered;

static void make_room(long long count) {
  if (count < covered.room) return;
  covered.room = 2 * count + 16;
  covered.all = realloc(covered.all, sizeof *covered.all * (size_t)covered.room);
  covered.statuses = realloc(covered.statuses, sizeof *covered.statuses * (size_t)covered.room);
}
static void cover(struct call const* call) {
  make_room(call->request_count);
  covered.count = call->request_count;
  for (long long i = 0; i < covered.count; ++i) {
    MPI_Request const request = call->requests[i];
    int const is_null = request == MPI_REQUEST_NULL;
    struct request* const found = is_null ? NULL : find((uintptr_t)request, call->is_copy ? NULL : &call->requests[i]);
    if (found != NULL) found->is_taken = 1;
    covered.all[i] = (struct covered){found, is_null};
  }
}
static struct comm* comm_of_covered(long long i) {
  return covered.all[i].request == NULL ? comm_of(MPI_COMM_SELF) : covered.all[i].request->comm;
}

/* Counts a call on each communicator of its requests, the one at `only` if that is not negative. */
static void count_on_each(int operation, int finds_nothing, long long only) {
  int counted = 0;
  for (long long i = 0; i < covered.count; ++i) {
    if (covered.all[i].is_null || (only >= 0 && i != only)) continue;
    struct comm* const comm = comm_of_covered(i);
    int is_first = 1;
    for (long long k = 0; k < i && only < 0 && is_first; ++k)
      is_first = covered.all[k].is_null || comm_of_covered(k) != comm;
    if (is_first) count(comm, operation, finds_nothing);
    counted = 1;
  }
  if (!counted) count(comm_of(MPI_COMM_SELF), operation, finds_nothing);
}

static void complete(struct request* request, MPI_Status const* status) {
  if (request->is_active && request->receives && request->row != NULL) {
    if (status == NULL) ++request->row->unknown;
    else request->row->received += arrived(status, request->may_be_cancelled);
  }
  if (request->receives) messages_arrived(request->message, status);
  request->message = NOTHING;
  request->is_active = 0;
  if (!request->operation.is_persistent) erase(request);
}

/* A call has waited for some of the covered requests. */
static void record_wait(struct call const* call, long long completed, int const* indices) {
  int flags = (indices == NULL ? 0 : ENDS_WITH_ANY) | (is_paused ? IS_PAUSED : 0), recorded = 0;
  for (long long k = 0; k < completed; ++k) {
    struct covered const* const one = &covered.all[indices == NULL ? k : indices[k]];
    if (one->is_null) continue;
    if (recorded++ == 0) messages_call(operations[call->operation].name, call->entry, call->exit, flags);
    if (one->request == NULL) messages_awaited(UNKNOWN, UNKNOWN, 0);
    else messages_awaited(one->request->message, one->request->comm->index, one->request->operation.kind == SEND);
  }
}
static int is_in_error(MPI_Status const* status, int result) {
  int class = MPI_SUCCESS;
  if (result != MPI_SUCCESS) PMPI_Error_class(result, &class);
  return class != MPI_SUCCESS && (class != MPI_ERR_IN_STATUS || status->MPI_ERROR != MPI_SUCCESS);
}
static void leave_completion(struct call* call, int result) {
  struct operation const operation = operations[call->operation];
  MPI_Status* const statuses = *call->statuses;
  int const knows = statuses != MPI_STATUSES_IGNORE && statuses != MPI_STATUS_IGNORE;
  int const found = call->flag == NULL || *call->flag;
  long long completed = found ? covered.count : 0;
  int const* indices = NULL;
  if (call->outcount != NULL)
    completed = *call->outcount == MPI_UNDEFINED ? 0 : *call->outcount, indices = call->indices;
  if (call->index != NULL) completed = found && *call->index != MPI_UNDEFINED, indices = call->index;
  int const finds_nothing = !found || (call->outcount != NULL && *call->outcount == 0);
  long long only = operation.kind == ONE_OF ? 0 : -1;
  while (only >= 0 && only < covered.count - 1 && covered.all[only].is_null) ++only;
  if (operation.kind == ONE_OF && completed > 0) only = indices[0];
  count_on_each(call->operation, finds_nothing && result == MPI_SUCCESS, only);
  for (long long i = 0; i < covered.count; ++i)
    if (covered.all[i].request != NULL) covered.all[i].request->is_taken = 0;
  if (strncmp(operations[call->operation].name, "Wait", 4) == 0) record_wait(call, completed, indices);
  if (strncmp(operations[call->operation].name, "Request_get", 11) == 0) return;
  for (long long k = 0; k < completed; ++k) {
    struct request* const request = covered.all[indices == NULL ? k : indices[k]].request;
    if (request == NULL) continue;
    if (knows && is_in_error(&statuses[k], result)) request->receives = 0;
    complete(request, knows ? &statuses[k] : NULL);
  }
}

/* Starts count on each communicator of their requests. */
static void leave_start(struct call* call, int result) {
  count_on_each(call->operation, 0, -1);
  for (long long i = 0; i < covered.count; ++i) {
    struct request* const request = covered.all[i].request;
    if (request == NULL) continue;
    request->is_taken = 0;
    if (result != MPI_SUCCESS) continue;
    /* An MPI may change the handle, and the program may start copies. */
    struct request again = *request;
    again.handle = (uintptr_t)call->requests[i];
    again.is_active = 1;
    again.row = is_paused ? NULL : row_of(again.comm, call->operation, 0);
    if (again.operation.kind == SEND) add_message(again.comm, TO, again.peer, again.volume.sent);
    again.message = started(&again, call->entry);
    if (!is_paused) again.row->sent += again.volume.sent, again.row->received += again.volume.received;
    erase(request);
    insert(again);
  }
}
static void leave_other(struct call* call) {
  struct request* const request = covered.all[0].request;
  count_on_each(call->operation, call->flag != NULL && !*call->flag, -1);
  if (request == NULL) return;
  request->is_taken = 0;
  if (operations[call->operation].kind == CANCELLATION) request->may_be_cancelled = 1;
  if (operations[call->operation].kind != RELEASE) return;
  if (request->receives && request->is_active && request->row != NULL) ++receives_freed;
  erase(request);
}

/* Windows, files and matched messages: the communicators that they count on. */
static struct thing {
  struct thing* next;
  uintptr_t handle;
  char what;
  struct comm* comm;
} * things;

static struct thing** thing(char what, uintptr_t handle) {
  struct thing** link = &things;
  while (*link != NULL && ((*link)->what != what || (*link)->handle != handle)) link = &(*link)->next;
  return link;
}
static struct comm* comm_of_thing(char what, uintptr_t handle, int forgets) {
  struct thing** const link = thing(what, handle);
  if (*link == NULL) return comm_of(MPI_COMM_SELF);
  struct thing* const found = *link;
  struct comm* const comm = found->comm;
  if (forgets) *link = found->next, free(found);
  return comm;
}
static void made_thing(char what, uintptr_t handle, struct comm* comm) {
  comm_of_thing(what, handle, 1);
  struct thing* const made = malloc(sizeof *made);
  *made = (struct thing){things, handle, what, comm};
  things = made;
}

/* The communicator of a call, before it is made: it may release that. */
static struct comm* comm_of_call(struct call const* call) {
  char const* const name = operations[call->operation].name;
  if (call->comm != 0 && call->comm != MPI_COMM_NULL) return comm_of(call->comm);
  if (call->window != 0) return comm_of_thing('w', call->window, 0);
  if (call->windows != NULL) return comm_of_thing('w', (uintptr_t)*call->windows, 1);
  if (call->file != 0) return comm_of_thing('f', call->file, 0);
  if (call->files != NULL) return comm_of_thing('f', (uintptr_t)*call->files, 1);
  if (call->message != NULL) return comm_of_thing('m', (uintptr_t)*call->message, 1);
  if (strstr(name, "_from_group") != NULL) return comm_of(MPI_COMM_WORLD);
  return comm_of(MPI_COMM_SELF);
}

static void open_messages(void) {
  char path[4096];
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/%d", getenv("COUNTER_MESSAGES"), rank);
  messages_open(path);
}

void enter(struct call* call) {
  pthread_mutex_lock(&mutex);
  if (!is_known) is_known = 1, ++threads;
  if (world_size == 0) {
    leaves_statuses = getenv("COUNTER_STATUSES") != NULL;
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (getenv("COUNTER_MESSAGES") != NULL) open_messages();
  }
  call->on = comm_of_call(call);
  if (operations[call->operation].kind >= COMPLETION) cover(call);
  else make_room(1);
  if (call->statuses != NULL && !leaves_statuses &&
      (*call->statuses == MPI_STATUS_IGNORE || *call->statuses == MPI_STATUSES_IGNORE))
    *call->statuses = covered.statuses;
  pthread_mutex_unlock(&mutex);
  ++inside;
  call->entry = messages_now();
}

/* The messages of a blocking call, which it has awaited; a buffered send waits for nobody. */
static void record_messages(struct call const* call) {
  enum kind const kind = operations[call->operation].kind;
  char const* const name = operations[call->operation].name;
  MPI_Status const* const status = call->statuses == NULL ? MPI_STATUS_IGNORE : *call->statuses;
  int const comm = call->on->index, sends = kind == SEND || kind == SEND_RECEIVE, is_probe = kind == PROBE;
  int sent = NOTHING, arrived = NOTHING;
  if (sends) sent = messages_add(SENT, call->entry, comm, call->dest, call->tag);
  if (kind != SEND && call->message == NULL && status != MPI_STATUS_IGNORE)
    arrived = messages_add(is_probe ? PROBED : POSTED, call->entry, comm, status->MPI_SOURCE, status->MPI_TAG);
  if (is_probe && call->message != NULL && status != MPI_STATUS_IGNORE)
    arrived = messages_add(POSTED, call->entry, comm, status->MPI_SOURCE, status->MPI_TAG);
  if (call->flag != NULL || *name == 'B' || (call->message != NULL && !is_probe)) return;
  messages_call(name, call->entry, call->exit, is_paused ? IS_PAUSED : 0);
  if (sent >= 0) messages_awaited(sent, comm, 1);
  if (arrived >= 0) messages_awaited(arrived, comm, 0);
  if (sent < 0 && arrived < 0) messages_awaited(NOTHING, comm, 0);
}

static void leave_transfer(struct call* call, int result) {
  struct operation const operation = operations[call->operation];
  struct volume volume = result == MPI_SUCCESS ? volume_of(call) : (struct volume){0, 0};
  struct row* const row = count(call->on, call->operation, call->flag != NULL && !*call->flag);
  if (result != MPI_SUCCESS) return;
  if (operation.is_nonblocking && operation.kind == SEND_RECEIVE && call->source != MPI_PROC_NULL)
    volume.received = call->in_type == 0 ? call->count * size_of(call->type) : call->in_count * size_of(call->in_type);
  if (operation.is_nonblocking && operation.kind == WRITE) volume.sent = call->count * size_of(call->type);
  if (!operation.is_persistent && row != NULL) row->sent += volume.sent, row->received += volume.received;
  if (!operation.is_persistent && (operation.kind == SEND || operation.kind == SEND_RECEIVE))
    add_message(call->on, TO, call->dest, volume.sent);
  if (operation.kind >= PUT && operation.kind <= FETCH) {
    if (volume.sent > 0) add_message(call->on, PUT_TO, call->dest, volume.sent);
    if (volume.received > 0) add_message(call->on, GOT_FROM, call->dest, volume.received);
  }
  int const has_request = call->requests != NULL, is_found = call->flag == NULL || *call->flag;
  if (!has_request && is_found && (operation.kind <= PROBE && operation.kind != NO_BYTES)) record_messages(call);
  if (has_request) issued(call, row, volume);
  if (has_request || row == NULL || call->statuses == NULL) return;
  MPI_Status const* const status = *call->statuses;
  int const knows = status != MPI_STATUS_IGNORE;
  if (operation.kind == RECEIVE || operation.kind == SEND_RECEIVE || operation.kind == READ) {
    if (knows) row->received += arrived(status, 0);
    else ++row->unknown;
  }
  if (operation.kind == WRITE) row->sent += knows ? arrived(status, 0) : call->count * size_of(call->type);
}

void leave(struct call* call, int result) {
  enum kind const kind = operations[call->operation].kind;
  call->exit = messages_now();
  --inside;
  pthread_mutex_lock(&mutex);
  if (kind == COMPLETION || kind == ONE_OF) leave_completion(call, result);
  else if (kind == START) leave_start(call, result);
  else if (kind > START) leave_other(call);
  else leave_transfer(call, result);
  if (result == MPI_SUCCESS) {
    char const* const name = operations[call->operation].name;
    /* Two groups make an intercommunicator together; to each its own communicator is the parent. */
    char const* const parent = strncmp(name, "Intercomm_create", 16) == 0 ? "?" : call->on->name;
    int const reorder = strstr(name, "dup") != NULL ? call->on->reorder : call->reorder; /* a duplicate is like it */
    if (call->new_comm != NULL && call->requests != NULL) {
      struct pending* const one = malloc(sizeof *one);
      *one = (struct pending){pending_comms, *call->new_comm, parent, name, reorder};
      pending_comms = one;
    } else if (call->new_comm != NULL && *call->new_comm != MPI_COMM_NULL) {
      made(*call->new_comm, parent, name)->reorder = reorder;
    }
    if (strcmp(name, "Comm_free") == 0 || strcmp(name, "Comm_disconnect") == 0) call->on->is_freed = 1;
    if (call->windows != NULL && strcmp(name, "Win_free") != 0) made_thing('w', (uintptr_t)*call->windows, call->on);
    if (call->files != NULL && strcmp(name, "File_close") != 0) made_thing('f', (uintptr_t)*call->files, call->on);
    if (call->message != NULL && kind == PROBE && (call->flag == NULL || *call->flag))
      made_thing('m', (uintptr_t)*call->message, call->on);
  }
  pthread_mutex_unlock(&mutex);
}

#define WRAPPERS
#include "wrappers.inc"

/* Pauses and regions. */
static void begin_region(char const* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s%s%s", region == &main_region ? "" : region->path, region == &main_region ? "" : "/",
           name);
  struct region* found = regions;
  while (found != NULL && strcmp(found->path, path) != 0) found = found->next;
  if (found == NULL) {
    found = calloc(1, sizeof *found);
    *found = (struct region){regions, strdup(path), 0};
    regions = found;
  }
  ++found->entered;
  region = found;
}
static void end_region(void) {
  char path[4096];
  char* const slash = strrchr(strcpy(path, region->path), '/');
  if (slash != NULL) *slash = '\0';
  struct region* found = regions;
  while (found != NULL && (slash == NULL || strcmp(found->path, path) != 0)) found = found->next;
  region = found == NULL ? &main_region : found;
}
#undef commprof_region_begin
#undef commprof_region_end
#undef commprof_pause
#undef commprof_resume
#define NEXT(function)               \
  static __typeof__(&function) next; \
  if (next == NULL) *(void**)&next = next_definition(#function);
void commprof_region_begin(char const* name) {
  NEXT(commprof_region_begin)
  begin_region(name);
  next(name);
}
void commprof_region_end(char const* name) {
  NEXT(commprof_region_end)
  end_region();
  next(name);
}
void commprof_pause(void) {
  NEXT(commprof_pause)
  PMPI_Initialized(&is_paused);
  next();
}
void commprof_resume(void) {
  NEXT(commprof_resume)
  is_paused = 0;
  next();
}
int MPI_Pcontrol(int const level, ...) {
  NEXT(MPI_Pcontrol)
  va_list list;
  va_start(list, level);
  char const* const name = level == COMMPROF_REGION_BEGIN ? va_arg(list, char const*) : NULL;
  va_end(list);
  if (level == COMMPROF_PAUSE) is_paused = 1;
  if (level == COMMPROF_RESUME) is_paused = 0;
  if (level == COMMPROF_REGION_BEGIN) begin_region(name);
  if (level == COMMPROF_REGION_END) end_region();
  return next(level, name);
}

int MPI_Comm_set_name(MPI_Comm handle, char const* name) {
  NEXT(MPI_Comm_set_name)
  int const result = next(handle, name);
  pthread_mutex_lock(&mutex);
  if (result == MPI_SUCCESS && world_size > 0) snprintf(comm_of(handle)->user_name, MPI_MAX_OBJECT_NAME, "%s", name);
  pthread_mutex_unlock(&mutex);
  return result;
}

/* Readings: the program may ask the profiler for what is in its profile, of all communicators that share a name. A
 * receive is not in a reading until it is complete. */
static int is_reset;
#undef commprof_reset
int commprof_reset(void) {
  NEXT(commprof_reset)
  is_reset = 1;
  return next();
}
static struct row row_of_name(char const* name, int operation) {
  struct row sum = {0, 0, 0, 0, 0};
  for (struct comm const* comm = comms; comm != NULL; comm = comm->next) {
    if (strcmp(comm->name, name) != 0) continue;
    for (struct sheet const* sheet = comm->sheets; sheet != NULL; sheet = sheet->next) {
      struct row const* const row = &sheet->rows[operation][0];
      sum.calls += row->calls - row->pending, sum.sent += row->sent, sum.received += row->received,
          sum.unknown += row->unknown;
    }
  }
  return sum;
}
static struct sum messages_of_name(char const* name, int world_rank) {
  struct sum all = {0, 0};
  for (struct comm const* comm = comms; comm != NULL; comm = comm->next)
    if (strcmp(comm->name, name) == 0)
      all.messages += comm->sums[TO][world_rank].messages, all.bytes += comm->sums[TO][world_rank].bytes;
  return all;
}
static void check_readings(FILE* file, struct comm const* comm) {
  unsigned long long* const numbers = calloc((size_t)comm->peers * 2, sizeof *numbers);
  for (int i = 0; i < OPERATIONS; ++i) {
    struct sheet const* sheet = comm->sheets;
    while (sheet != NULL && sheet->rows[i][0].calls == 0) sheet = sheet->next;
    if (sheet == NULL) continue;
    struct row const row = row_of_name(comm->name, i);
    commprof_numbers read = {0, 0, 0, 0};
    int const result = commprof_read(comm->handle, operations[i].name, &read, sizeof read);
    if (result != MPI_SUCCESS || read.calls != (unsigned long long)row.calls || (row.calls > 99 && read.time_s <= 0) ||
        read.bytes_sent != (unsigned long long)row.sent ||
        (row.unknown == 0 && read.bytes_received != (unsigned long long)row.received))
      fprintf(file, "fault\treads %llu %s on %s: %llu and %llu bytes\n", read.calls, operations[i].name, comm->name,
              read.bytes_sent, read.bytes_received);
  }
  if (commprof_read_peers(comm->handle, numbers, numbers + comm->peers, comm->peers) != MPI_SUCCESS)
    fprintf(file, "fault\treads no peers on %s\n", comm->name);
  for (int i = 0; i < comm->peers; ++i) {
    struct sum const sum = messages_of_name(comm->name, comm->world_ranks[i]);
    if (numbers[i] != (unsigned long long)sum.messages || numbers[comm->peers + i] != (unsigned long long)sum.bytes)
      fprintf(file, "fault\treads %llu messages to %d on %s\n", numbers[i], i, comm->name);
  }
  free(numbers);
}

/* The end. */
static void write_comm(FILE* file, struct comm const* comm) {
  fprintf(file, "comm\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\n", comm->name, comm->parent, comm->created_by,
          comm->size + (comm->is_inter ? comm->peers : 0), comm->is_freed, comm->members, comm->topology,
          comm->reorder == 0   ? ""
          : comm->reorder == 1 ? "0"
                               : "1",
          comm->user_name);
  for (struct sheet const* sheet = comm->sheets; sheet != NULL; sheet = sheet->next) {
    for (int i = 0; i < 2 * OPERATIONS; ++i) {
      struct row const* const row = &sheet->rows[i / 2][i % 2];
      if (row->calls == 0) continue;
      fprintf(file, "calls\t%s\t%s\t%s%s\t%lld\t%lld\t%lld\t%lld\n", sheet->region->path, comm->name,
              operations[i / 2].name, i % 2 == 1 ? "-none" : "", row->calls, row->sent, row->received, row->unknown);
    }
  }
  for (int i = 0; i < 3 * world_size; ++i) {
    struct sum const* const sum = &comm->sums[i / world_size][i % world_size];
    if (sum->messages > 0)
      fprintf(file, "%s\t%s\t%d\t%lld\t%lld\n", sum_names[i / world_size], comm->name, i % world_size, sum->messages,
              sum->bytes);
  }
}
static void copy_profile(char const* to, int rank) {
  PMPI_Barrier(MPI_COMM_WORLD);
  char command[8192];
  snprintf(command, sizeof command, "cp -a '%s' '%s'", getenv("COMMPROF_OUTPUT"), to);
  unsetenv("LD_PRELOAD");
  if (rank == 0 && system(command) != 0) fprintf(stderr, "counter: no copy\n"), abort();
  PMPI_Barrier(MPI_COMM_WORLD);
}
/* What has been called of MPI itself since MPI_Init, if pmpi_census is preloaded behind the profiler. */
char const* pmpi_census_name(int index) __attribute__((weak));
unsigned long pmpi_census_count(int index) __attribute__((weak));
static unsigned long at_start[OPERATIONS];

static unsigned long called(int operation) {
  for (int i = 0; pmpi_census_name(i) != NULL; ++i)
    if (strcmp(pmpi_census_name(i), operations[operation].name) == 0) return pmpi_census_count(i);
  return 0;
}
static int started_mpi(int result) {
  for (int i = 0; i < OPERATIONS && pmpi_census_name != NULL; ++i) at_start[i] = called(i);
  return result;
}
static void write_census(FILE* to) {
  for (int i = 0; i < OPERATIONS && pmpi_census_name != NULL; ++i)
    fprintf(to, "census\t%s\t%lu\n", operations[i].name, called(i) - at_start[i]);
}
int MPI_Init(int* argc, char*** argv) {
  NEXT(MPI_Init)
  return started_mpi(next(argc, argv));
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  NEXT(MPI_Init_thread)
  return started_mpi(next(argc, argv, required, provided));
}

int MPI_Finalize(void) {
  NEXT(MPI_Finalize)
  int rank = 0;
  char path[4096];
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < HEADS; ++i)
    for (struct request const* one = heads[i]; one != NULL; one = one->next) {
      if (!one->is_active || one->row == NULL) continue;
      ++requests_unfinished;
      one->row->pending += one->receives;
    }
  snprintf(path, sizeof path, "%s/%d", getenv("COUNTER_OUTPUT"), rank);
  FILE* const file = fopen(path, "w");
  if (file == NULL) perror(path), abort();
  while (pending_comms != NULL) made_from(&pending_comms);
  for (struct comm const* comm = comms; comm != NULL; comm = comm->next) {
    write_comm(file, comm);
    if (!comm->is_freed && !is_reset) check_readings(file, comm);
  }
  for (struct region const* one = regions; one != NULL; one = one->next)
    fprintf(file, "region\t%s\t%lld\n", one->path, one->entered);
  fprintf(file, "dropped\treceives_freed\t%lld\ndropped\trequests_unfinished\t%lld\n", receives_freed,
          requests_unfinished);
  write_census(file);
  fprintf(file, "threads\t%d\n", threads + !is_known);
  if (fclose(file) != 0) perror(path), abort();
  messages_close();
  pthread_mutex_unlock(&mutex);
  if (getenv("COUNTER_COPY") != NULL) copy_profile(getenv("COUNTER_COPY"), rank);
  ++inside;
  return next();
}
