// Worlds that meet: worlds HOW
//
//   spawn           the processes spawn two more, which run this program, too
//   spawn_multiple  the same, by one and one
//   connect         the halves of the world connect by a port
//   join            two processes join by a socket
//
// What is spawned has the environment that the info says: that of this process's preloaded libraries.
#include <mpi.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

char const socket_path[] = "meeting-point";

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Work of both sides after a spawn: all reduce together; the children also reduce in a split among themselves.
void work_together(MPI_Comm between, bool is_child) {
  MPI_Comm all, part;
  MPI_Intercomm_merge(between, is_child ? 1 : 0, &all);
  int const one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  std::printf("%s %d of %d: %d together\n", is_child ? "child" : "parent", world_rank(), size_of(MPI_COMM_WORLD), sum);
  MPI_Comm_split(all, is_child ? 1 : 0, 0, &part);
  if (is_child) {
    int value = 7;
    MPI_Bcast(&value, 1, MPI_INT, 0, part);
  }
  MPI_Comm_free(&part);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
}

MPI_Info environment() {
  MPI_Info info = MPI_INFO_NULL;
  std::string settings;
  for (char const* const name : {"LD_PRELOAD", "COMMPROF_OUTPUT"})
    if (char const* const value = std::getenv(name))
      settings += (settings.empty() ? "" : "\n") + std::string(name) + "=" + value;
  MPI_Info_create(&info);
  if (!settings.empty()) MPI_Info_set(info, "env", settings.c_str());
  return info;
}

void spawn(char* program) {
  MPI_Comm children, first;
  char word[] = "spawn";
  char* arguments[] = {word, nullptr};
  MPI_Info info = environment();
  MPI_Comm_dup(MPI_COMM_WORLD, &first);  // so that the next ordinal is not the first
  MPI_Comm_free(&first);
  MPI_Comm_spawn(program, arguments, 2, info, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Info_free(&info);
  work_together(children, false);
}

void spawn_multiple(char* program) {
  MPI_Comm children;
  char word[] = "spawn";
  char* arguments[] = {word, nullptr};
  char** all_arguments[] = {arguments, arguments};
  char* programs[] = {program, program};
  int const counts[] = {1, 1};
  MPI_Info infos[] = {environment(), environment()};
  int const root = size_of(MPI_COMM_WORLD) - 1;
  MPI_Comm_spawn_multiple(2, programs, all_arguments, counts, infos, root, MPI_COMM_WORLD, &children,
                          MPI_ERRCODES_IGNORE);
  for (MPI_Info& info : infos) MPI_Info_free(&info);
  work_together(children, false);
}

void connect_halves() {
  int const rank = world_rank();
  bool const accepts = rank < size_of(MPI_COMM_WORLD) / 2;
  MPI_Comm half, between;
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm_split(MPI_COMM_WORLD, accepts ? 1 : 0, 0, &half);
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (accepts) MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between);
  else MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between);
  MPI_Barrier(between);
  std::printf("%d connected with %d\n", rank, size_of(between));
  MPI_Comm_disconnect(&between);
  if (rank == 0) MPI_Close_port(port);
  MPI_Comm_free(&half);
}

void join() {
  int const rank = world_rank();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, socket_path);
  auto const* const place = reinterpret_cast<sockaddr const*>(&address);
  int const listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (rank == 0 && (bind(listener, place, sizeof address) != 0 || listen(listener, 1) != 0)) std::abort();
  MPI_Barrier(MPI_COMM_WORLD);
  int const end = rank == 0 ? accept(listener, nullptr, nullptr) : listener;
  if (rank == 1 && connect(end, place, sizeof address) != 0) std::abort();
  MPI_Comm between;
  MPI_Comm_join(end, &between);
  MPI_Barrier(between);
  std::printf("%d joined with %d\n", rank, size_of(between));
  MPI_Comm_disconnect(&between);
  if (rank == 0) unlink(socket_path);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::string const how = argc > 1 ? argv[1] : "";
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) work_together(parent, true);
  else if (how == "spawn") spawn(argv[0]);
  else if (how == "spawn_multiple") spawn_multiple(argv[0]);
  else if (how == "connect") connect_halves();
  else if (how == "join") join();
  MPI_Finalize();
}
