/* A library with a copy of a constant of Open MPI, as one in Fortran has, and without an MPI that takes it. */
int mpi_fortran_in_place_;
