/* Sessions for an MPI that has none: see libmpi_sessions.c. The types are those of Open MPI since 5.0. */
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ompi_instance_t* MPI_Session;

#define DECLARE_BOTH(name, ...) \
  int MPI_##name(__VA_ARGS__);  \
  int PMPI_##name(__VA_ARGS__);

DECLARE_BOTH(Session_init, MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session)
DECLARE_BOTH(Session_finalize, MPI_Session* session)
DECLARE_BOTH(Group_from_session_pset, MPI_Session session, char const* name, MPI_Group* group)
DECLARE_BOTH(Comm_create_from_group, MPI_Group group, char const* tag, MPI_Info info, MPI_Errhandler errhandler,
             MPI_Comm* comm)
DECLARE_BOTH(Intercomm_create_from_groups, MPI_Group local_group, int local_leader, MPI_Group remote_group,
             int remote_leader, char const* tag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* comm)

#ifdef __cplusplus
}
#endif
