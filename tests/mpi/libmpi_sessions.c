/* A part of a newer MPI than the profiler was built with: sessions, on top of an MPI without. */
#include "sessions.h"

struct ompi_instance_t {
  int is_open;
};

enum { most_sessions = 8 };
static struct ompi_instance_t sessions[most_sessions];
static int open_sessions;

/* The profiler knows the libraries of an MPI by a name of the profiling interface. */
void pmpi_init_(void) {}

int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  (void)info, (void)errhandler;
  int provided = 0;
  if (open_sessions++ == 0) PMPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided);
  for (int i = 0; i < most_sessions; ++i)
    if (!sessions[i].is_open) {
      sessions[i].is_open = 1;
      *session = &sessions[i];
      return MPI_SUCCESS;
    }
  return MPI_ERR_OTHER;
}

int PMPI_Session_finalize(MPI_Session* session) {
  (*session)->is_open = 0;
  *session = NULL;
  return --open_sessions == 0 ? PMPI_Finalize() : MPI_SUCCESS;
}

int PMPI_Group_from_session_pset(MPI_Session session, char const* name, MPI_Group* group) {
  (void)session, (void)name;
  return PMPI_Comm_group(MPI_COMM_WORLD, group);
}

int PMPI_Comm_create_from_group(MPI_Group group, char const* tag, MPI_Info info, MPI_Errhandler errhandler,
                                MPI_Comm* comm) {
  (void)tag, (void)info, (void)errhandler;
  return PMPI_Comm_create_group(MPI_COMM_WORLD, group, 1, comm);
}

int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group,
                                      int remote_leader, char const* tag, MPI_Info info, MPI_Errhandler errhandler,
                                      MPI_Comm* comm) {
  (void)tag, (void)info, (void)errhandler;
  MPI_Comm local;
  MPI_Group world;
  int remote_in_world = 0;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(remote_group, 1, &remote_leader, world, &remote_in_world);
  PMPI_Group_free(&world);
  PMPI_Comm_create_group(MPI_COMM_WORLD, local_group, 2, &local);
  int const result = PMPI_Intercomm_create(local, local_leader, MPI_COMM_WORLD, remote_in_world, 3, comm);
  PMPI_Comm_free(&local);
  return result;
}

#define ALSO_AS_MPI(name) __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)));
ALSO_AS_MPI(Session_init)
ALSO_AS_MPI(Session_finalize)
ALSO_AS_MPI(Group_from_session_pset)
ALSO_AS_MPI(Comm_create_from_group)
ALSO_AS_MPI(Intercomm_create_from_groups)
