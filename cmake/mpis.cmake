# Finds the MPIs of this machine and builds what is built for each.

if(COMMPROF_MPIS STREQUAL "none")
  set(compilers "")
elseif(COMMPROF_MPIS)
  set(compilers ${COMMPROF_MPIS})
else()
  # As Debian, vendors and modules call them. Where several stand for one ABI, the first is taken.
  set(compilers mpicxx.openmpi mpicxx.mpich mpicxx mpiicpx mpiicpc CC)
endif()
foreach(compiler IN LISTS compilers)
  unset(path CACHE)
  find_program(path NAMES ${compiler})
  mark_as_advanced(path)
  if(path)
    get_filename_component(name ${path} NAME)
    set(mpi_compiler ${path})
    add_subdirectory(cmake/each_mpi mpi/${name})
  elseif(COMMPROF_MPIS)
    message(FATAL_ERROR "COMMPROF_MPIS: there is no ${compiler}")
  endif()
endforeach()
unset(path CACHE)

add_subdirectory(cmake/standard_abi mpi/standard_abi)

get_property(abis GLOBAL PROPERTY commprof_abis)
if(NOT abis AND NOT COMMPROF_MPIS)
  message(WARNING "No MPI was found: the profiler is built for the standard ABI of MPI 5.0 alone, and the tests that need an MPI are absent. "
                  "Name the C++ compilers of MPIs to build for: -DCOMMPROF_MPIS=/path/to/mpicxx")
endif()
list(APPEND abis mpi-abi-1)
list(JOIN abis ", " text)
message(STATUS "Flavours: ${text}")
