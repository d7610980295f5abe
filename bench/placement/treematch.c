/* treematch MATRIX LEVELS ARITY COST ...: the core of each rank, a line each, as TreeMatch maps it. For
 * bench/placement/run, which builds it with the sources of TreeMatch in Open MPI (3rd-party/treematch). */
#include "treematch.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int arity[32] = {0}, levels = atoi(argv[2]), numbering[1] = {0};
  double cost[32] = {0};
  for (int i = 0; i < levels && 4 + 2 * i < argc; ++i) {
    arity[i] = atoi(argv[3 + 2 * i]);
    cost[i] = atof(argv[4 + 2 * i]);
  }
  tm_set_verbose_level(0);
  tm_set_numbering(TM_NUMBERING_LOGICAL);
  tm_topology_t* topology = tm_build_synthetic_topology(arity, cost, levels + 1, numbering, 1);
  tm_affinity_mat_t* matrix = tm_load_aff_mat(argv[1]);
  tm_optimize_topology(&topology);
  tm_tree_t* tree = tm_build_tree_from_topology(topology, matrix, NULL, NULL);
  tm_solution_t* solution = tm_compute_mapping(topology, tree);
  for (size_t i = 0; i < solution->sigma_length; ++i) printf("%d\n", solution->sigma[i]);
  return 0;
}
