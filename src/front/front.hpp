// The front's own pieces: the entry points, the MPI of the process, the owners of names, the choice of a flavour and
// the imports of loaded objects. families.hpp is for others, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/object_range.hpp"
#include "flavour/services.hpp"
#include "front/families.hpp"
#include "front/objects.hpp"

namespace commprof::front {

// The entry points of the front: their names, and the slots that they jump through.
//
// The build writes entry_list.inc from the exports of the flavours: ENTRY(MPI_Send) for each, in byte order.

// The number of entry points.
std::size_t entry_count();

char const* entry_name(std::size_t number);

// gnu_hash() of the name.
std::uint32_t entry_hash(std::size_t number);

// The number of the entry point with this name; entry_count() if there is none.
std::size_t find_entry(char const* name);

// Whether a name belongs to UCX or libfabric, to which an MPI gives its messages (transport/transport.hpp).
inline bool is_of_transport(char const* name) {
  return (name[0] == 'u' && name[1] == 'c' && name[2] == 'p') || (name[0] == 'f' && name[1] == 'i' && name[2] == '_');
}

// Like find_entry(), but faster for names that can be neither functions of MPI nor of a transport.
inline std::size_t entry_of_mpi(char const* name) {
  return *name == 'M' || *name == 'm' || is_of_transport(name) ? find_entry(name) : entry_count();
}

// The address of an entry point, which programs call.
void* entry_address(std::size_t number);

// Makes the entry point jump to target.
void lead_entry(std::size_t number, void* target);

// What the entry point jumps to.
void* entry_target(std::size_t number);

// Finds the MPI that the program would call without the profiler, and its ABI, which determines the flavour.

// Whether the file's name begins with libmpi, like those of all MPIs and their Fortran libraries.
bool is_named_as_mpi(char const* path);
bool has_name_of_mpi(dl_phdr_info const& object);

// Whether an object is an MPI, or a library of an MPI's Fortran bindings. These have such a name, and define names of
// the profiling interface beside those of MPI. Stand-ins, tools and wrappers may be named so (libmpiseq, libmpiP,
// libmpiwrapper) but lack PMPI names.
bool is_part_of_mpi(DynamicSection const& dynamic, char const* path);

// Whether an object calls functions of the profiling interface, as tools do.
bool calls_pmpi(DynamicSection const& dynamic);

struct MpiOfProcess {
  LoadedObject library;      // the library that defines PMPI_Init; empty if there is none or several
  bool are_several = false;  // the program has loaded several MPIs, all of them outside the global scope
};

// The first MPI in the global scope, which all objects call; without one there, the only MPI that is loaded.
MpiOfProcess mpi_of_process();

// The definition to which the MPI's own libraries are bound. A library in Fortran can have its own copies
// of MPI's constants. If it loads the MPI outside the global scope, the MPI uses these copies.
void* find_as_mpi_does(char const* symbol);

// Whether the program or one of its libraries is linked with the front. Otherwise it is preloaded.
bool is_linked();

// If a program is linked with the front, all its MPI symbols are defined, and the linker may omit MPI's libraries.
// Opens one that a flavour was built with and that this machine has, preferably the launcher's.
LoadedObject open_omitted_mpi();

// "openmpi-40", "mpich-12", "mpi-abi-1"; "" for an MPI of an unknown family.
class Abi {
 public:
  explicit Abi(LoadedObject const& mpi);
  char const* name() const { return name_; }
  // The value of MPI_ERR_UNSUPPORTED_OPERATION in the family; Open MPI's if the family is unknown.
  int unsupported_operation() const { return unsupported_operation_; }

 private:
  char name_[32] = "";
  int unsupported_operation_ = 52;
};

// Whether this process prints messages for the whole job: it is rank 0 by the launcher's environment, or there is no
// launcher.
bool is_first_of_job();

// Opens a flavour of the profiler and binds it to the MPI of the process: commprof/ABI.so in the directory of the
// front. problem: on failure, the reason, in static memory. Several threads may call it at once.
link_map const* open_flavour(char const* abi, LoadedObject const& mpi, Services& services, char const*& problem);

// Finds the owner of a name: the object with the next definition of an entry point, behind the front.
//
// The dynamic linker has bound the callers of a function to the front. Without the front, they would call the next
// definition in the global scope. That need not be the MPI's: stand-ins for MPI in serial programs, tools over PMPI,
// and libraries unrelated to MPI define functions of these names.

enum class Owner : std::uint8_t {
  nobody,
  mpi,    // the MPI of the process, or one of its Fortran libraries
  tool,   // a library that calls functions of PMPI: a wrapper can forward the program's calls to it
  other,  // any other object
};

struct Definition {
  void* address = nullptr;
  Owner owner = Owner::nobody;
  // Loaded objects other than the front define the name, but outside the global scope: only some callers see them.
  bool is_elsewhere = false;
  // An object that precedes the front in the search order, other than the MPI, defines the name: the program or another
  // preloaded library. Callers are bound to that definition.
  bool is_before_front = false;

  bool is_for_all() const { return address != nullptr && !is_elsewhere; }
};

// The owners of the entry points from first to last, found in one pass. A name without a definition in the global scope
// belongs to the MPI if that defines it; the program may have loaded the MPI outside that scope.
class Owners {
 public:
  // mpi: the MPI of the process; nullptr if it has none, or several.
  Owners(std::size_t first, std::size_t last, link_map const* mpi);
  Owners(Owners const&) = delete;
  Owners& operator=(Owners const&) = delete;
  ~Owners();

  Definition operator[](std::size_t number);

 private:
  using Set = std::uint64_t;  // of definers
  static constexpr int most = 64, none = -1;
  // An object that defines entry points.
  struct Definer {
    DynamicSection dynamic{0, nullptr};
    std::uintptr_t begin = 0;
    Owner owner = Owner::other;
  };
  struct Known {
    Set set;
    int winner;
  };

  std::size_t bytes() const { return (last_ - first_) * sizeof(Set); }
  int add(dl_phdr_info const& info);
  int in_global_scope(std::size_t number, Set set);

  std::size_t first_, last_;
  link_map const* mpi_;
  Set own_set_ = 0;
  Set* sets_ = &own_set_;
  Definer definers_[most];
  int count_ = 0;
  Set before_front_ = 0, of_mpi_ = 0;
  Known known_[32];
  std::size_t known_count_ = 0;
};

Definition owner(std::size_t number, link_map const* mpi);

// The load address of the front.
void const* own_base();

// The chosen flavour and MPI; see front.cpp.

// Whether COMMPROF_ENABLE=0 is set, so that nothing is profiled.
bool is_switched_off();

// Whether an object or its dependencies, other than the front, define a function.
bool finds_behind_front(LoadedObject const& object, char const* name);

// Whether a function belongs to the profiled MPI. Makes the choice if necessary.
bool is_function_of_mpi(void const* function);

// What a caller gets in place of the profiled MPI's own definition of an entry point: the entry point; nullptr if that
// leads to another library of the same names, which may convert calls for this MPI.
void* instead_of_mpis_own(std::size_t number);

// A handle of the profiled MPI; nullptr before the choice, or if nothing is profiled.
void* profiled_mpi();

// Lets the flavour forget addresses of code if objects have been unloaded since the last call: other objects may have
// been loaded there.
void forget_unloaded(LoadCounts now);

// The imports of loaded objects (imports.cpp). When the front is initialised, it clears weak references to functions of
// MPI that no library defines: programs that work with and without MPI test the address of MPI_Init.

// Redirects calls of MPI that would bypass the front, in all objects that were loaded since the last call of this
// function, and clears their weak references to absent functions. Such calls come from objects that search their own
// dependencies first (RTLD_DEEPBIND, with which Julia opens its packages), and from objects loaded before the front, if
// it was loaded late. Without new objects it only compares counts.
//
// Symbol interposition does not reach these objects. But a program that opens an object usually calls dlsym() next. So
// the front's dlsym() calls this. dlopen() is not interposed, because its result depends on its caller.
void redirect_late_objects();

// Finds the functions of MPI that objects of this process import and the flavour does not see: see
// flavour/services.hpp.
void for_each_unknown_import(bool (*is_known)(char const* name), void (*visit)(void* context, char const* name),
                             void* context);

}  // namespace commprof::front
