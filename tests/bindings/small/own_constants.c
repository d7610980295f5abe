/* A library with copies of constants of Open MPI and MPICH, as one in Fortran has, and without an MPI that takes them.
 */
int mpi_fortran_in_place_;
int mpipriv1_[16];
