// The program's attributes of MPI_COMM_SELF. MPI_Finalize deletes them first, the latest first, while MPI still works
// (MPI-4.0 §11.2.4). Their callbacks may call MPI: HDF5 and ADIOS write their files there. The profile has these calls
// only if the attributes are deleted before it is written.
#pragma once

namespace commprof::self_attributes {

// Called after the program has set or deleted an attribute of MPI_COMM_SELF. Other attributes, such as those set in
// Fortran, are left to MPI_Finalize.
void was_set(int keyval);
void was_deleted(int keyval);

// Deletes them as MPI_Finalize does. If a callback fails, leaves that attribute and the rest to MPI_Finalize, which
// calls it again.
void delete_all();

}  // namespace commprof::self_attributes
