/* The result's bits: MPI_Init exists now; it existed before the program began, if the library was loaded then. */
extern int MPI_Init(int*, char***) __attribute__((weak));

static int at_start;
#ifdef IS_LINKED
__attribute__((constructor)) static void begin(void) { at_start = MPI_Init != 0; }
#endif

int ASKS(void) { return at_start * 2 + (MPI_Init != 0); }
