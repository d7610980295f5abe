/* An MPI with an ABI for which there is no flavour. */
static int is_initialized = 0;
int PMPI_Initialized(int* flag) { return *flag = is_initialized, 0; }
int PMPI_Init(int* argc, char*** argv) { return (void)argc, (void)argv, is_initialized = 1, 0; }
int PMPI_Barrier(void* comm) { return (void)comm, 0; }
int PMPI_Finalize(void) { return 0; }
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
int MPI_Barrier(void* comm) { return PMPI_Barrier(comm); }
int MPI_Finalize(void) { return PMPI_Finalize(); }
