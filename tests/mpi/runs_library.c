/* Uses MPI only in a library that is loaded with the program: plugin.c. */
int run(void);

int main(void) { return run(); }
