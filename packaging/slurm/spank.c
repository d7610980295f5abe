// A plugin of Slurm: srun --commprof[=OUTPUT] runs the tasks of a step with the profiler. In plugstack.conf:
//
//   required /usr/local/lib/slurm/commprof_spank.so [library=/path/to/libcommprof.so]
//
// The library is the one beside the folder of the plugin, unless an argument names another one. `required`: where a
// node lacks the library, the step ends. With `optional`, ranks without the profiler would meet ranks with it.
//
// The option is srun's alone. Given to sbatch or salloc, it would also reach the daemons that mpirun starts by srun,
// and so those ranks that are not on the node of mpirun, but no others.
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPANK_PLUGIN(commprof, 1)

static int is_wanted;
static char output[PATH_MAX];

static int take_option(int value, char const* argument, int is_remote) {
  (void)value, (void)is_remote;
  is_wanted = 1;
  if (argument == NULL || strlen(argument) < sizeof output) {
    strcpy(output, argument != NULL ? argument : "");
    return 0;
  }
  slurm_error("--commprof: the path is longer than %d bytes", PATH_MAX - 1);
  return -1;
}

static struct spank_option option = {
    "commprof",
    "[OUTPUT]",
    "Profile the MPI program with commprof; OUTPUT is the directory of the profile (COMMPROF_OUTPUT)",
    2,
    0,
    take_option};

// Empty: there is none.
static char library[PATH_MAX];

static void find_library(int count, char* arguments[]) {
  static char const name[] = "library=";
  for (int i = 0; i < count; ++i)
    if (strncmp(arguments[i], name, sizeof name - 1) == 0)
      snprintf(library, sizeof library, "%s", arguments[i] + sizeof name - 1);
  Dl_info plugin;
  if (library[0] != '\0' || dladdr(&option, &plugin) == 0) return;
  char* const own_path = realpath(plugin.dli_fname, NULL);  // lib/slurm/commprof_spank.so
  for (int level = 0; level < 2 && own_path != NULL; ++level) *strrchr(own_path, '/') = '\0';
  if (own_path != NULL) snprintf(library, sizeof library, "%s/libcommprof.so", own_path);
  free(own_path);
}

int slurm_spank_init(spank_t spank, int count, char* arguments[]) {
  (void)count, (void)arguments;
  spank_context_t const context = spank_context();
  if (context != S_CTX_LOCAL && context != S_CTX_REMOTE) return ESPANK_SUCCESS;
  return (int)spank_option_register(spank, &option);
}

// Once for each node of the step, as its user. A failure here would end the step, too, but srun would exit with 0.
int slurm_spank_user_init(spank_t spank, int count, char* arguments[]) {
  (void)spank;
  if (!is_wanted || !spank_remote(spank)) return ESPANK_SUCCESS;
  find_library(count, arguments);
  if (access(library, R_OK) == 0) return ESPANK_SUCCESS;
  slurm_error("--commprof: %s: %s", library, strerror(errno));
  library[0] = '\0';
  return ESPANK_SUCCESS;
}

// In each task, before its program. What the user preloads comes after: it may define functions of the MPI, too.
int slurm_spank_task_init(spank_t spank, int count, char* arguments[]) {
  (void)count, (void)arguments;
  if (!is_wanted) return ESPANK_SUCCESS;
  if (library[0] == '\0') return -1;
  static char others[1 << 16], all[sizeof others + sizeof library + 1];
  spank_err_t const found = spank_getenv(spank, "LD_PRELOAD", others, sizeof others);
  int const has_others = found == ESPANK_SUCCESS && others[0] != '\0';
  snprintf(all, sizeof all, "%s%s%s", library, has_others ? ":" : "", has_others ? others : "");
  if (spank_setenv(spank, "LD_PRELOAD", all, 1) != ESPANK_SUCCESS) return -1;
  if (output[0] != '\0' && spank_setenv(spank, "COMMPROF_OUTPUT", output, 1) != ESPANK_SUCCESS) return -1;
  return ESPANK_SUCCESS;
}
