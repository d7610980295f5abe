/* Bits of the result: MPI_Init is there now; it was before the program began, if the library was loaded then. */
extern int MPI_Init(int*, char***) __attribute__((weak));

static int at_start;
#ifdef IS_LINKED
__attribute__((constructor)) static void begin(void) { at_start = MPI_Init != 0; }
#endif

int ASKS(void) { return at_start * 2 + (MPI_Init != 0); }
