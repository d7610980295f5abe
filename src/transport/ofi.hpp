// What libfabric's ABI fixes of its objects, and of the tables of functions that these have, from version 1.0 on. The
// profiler needs no headers of libfabric; tests/unit/transport/ofi_test.cpp compares these declarations with them.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "transport/endpoints.hpp"

namespace commprof::transport::ofi {

// What an object is.
namespace kind {
inline constexpr std::size_t fabric = 1, domain = 2, endpoint = 3, scalable_endpoint = 4, sending_context = 7,
                             address_vector = 11;
}

// The tables of an object. All objects have the first two; those that send have all.
enum Slot : unsigned { of_object, of_kind, of_connection, of_messages, of_memory, of_tags, of_atomics, slot_count };

// Any object of libfabric.
struct Object {
  std::size_t kind;
  void* context;
  void* tables[slot_count];  // each begins with its size
};

using Address = std::uint64_t;  // of a process in an address vector
using Result = ssize_t;         // 0, or a negative error

struct Info {
  void* next;
  std::uint64_t capabilities, mode;
  std::uint32_t address_format;
  // More fields follow.
};
// Values of address_format.
inline constexpr std::uint32_t socket_address = 1, socket_address_4 = 2, socket_address_6 = 3, text_address = 9;

struct VectorAttributes {
  int type;
  int context_bits;  // the highest bits of an address, which name a receive context
  // More fields follow.
};

struct Piece {
  void* buffer;
  std::size_t length;
};
struct Message {
  Piece const* pieces;
  void** descriptions;
  std::size_t count;
  Address to;
  // More fields follow.
};
struct TaggedMessage : Message {
  std::uint64_t tag;
  // More fields follow.
};
struct AtomicMessage : Message {  // the lengths of its pieces are numbers of elements
  void const* targets;
  std::size_t target_count;
  int datatype;
  // More fields follow.
};

using Unused = void (*)();
using Data = std::uint64_t;

struct OfObject {
  std::size_t size;
  int (*close)(Object*);
  int (*bind)(Object*, Object* other, std::uint64_t flags);
  int (*control)(Object*, int command, void* argument);
};
inline constexpr int make_alias = 4;  // a command of control()

struct OfFabric {
  std::size_t size;
  int (*domain)(Object*, Info*, Object** made, void* context);
  Unused passive_ep, eq_open, wait_open, trywait;
  int (*domain2)(Object*, Info*, Object** made, std::uint64_t flags, void* context);
};
struct OfDomain {
  std::size_t size;
  int (*av_open)(Object*, VectorAttributes*, Object** made, void* context);
  Unused cq_open;
  int (*endpoint)(Object*, Info*, Object** made, void* context);
  int (*scalable_ep)(Object*, Info*, Object** made, void* context);
  Unused cntr_open, poll_open, stx_ctx, srx_ctx, query_atomic, query_collective;
  int (*endpoint2)(Object*, Info*, Object** made, std::uint64_t flags, void* context);
};
struct OfVector {
  std::size_t size;
  Unused insert, insertsvc, insertsym;
  int (*remove)(Object*, Address*, std::size_t count, std::uint64_t flags);
  int (*lookup)(Object*, Address, void* bytes, std::size_t* length);
};
struct OfEndpoint {
  std::size_t size;
  Unused cancel, getopt, setopt;
  int (*tx_ctx)(Object*, int index, void* attributes, Object** made, void* context);
};
struct OfConnection {
  std::size_t size;
  Unused setname;
  int (*getname)(Object*, void* bytes, std::size_t* length);
};

struct OfMessages {
  std::size_t size;
  Unused recv, recvv, recvmsg;
  Result (*send)(Object*, void const*, std::size_t, void*, Address, void*);
  Result (*sendv)(Object*, Piece const*, void**, std::size_t, Address, void*);
  Result (*sendmsg)(Object*, Message const*, std::uint64_t);
  Result (*inject)(Object*, void const*, std::size_t, Address);
  Result (*senddata)(Object*, void const*, std::size_t, void*, Data, Address, void*);
  Result (*injectdata)(Object*, void const*, std::size_t, Data, Address);
};
struct OfTags {
  std::size_t size;
  Unused recv, recvv, recvmsg;
  Result (*send)(Object*, void const*, std::size_t, void*, Address, std::uint64_t, void*);
  Result (*sendv)(Object*, Piece const*, void**, std::size_t, Address, std::uint64_t, void*);
  Result (*sendmsg)(Object*, TaggedMessage const*, std::uint64_t);
  Result (*inject)(Object*, void const*, std::size_t, Address, std::uint64_t);
  Result (*senddata)(Object*, void const*, std::size_t, void*, Data, Address, std::uint64_t, void*);
  Result (*injectdata)(Object*, void const*, std::size_t, Data, Address, std::uint64_t);
};
struct OfMemory {
  std::size_t size;
  Result (*read)(Object*, void*, std::size_t, void*, Address, std::uint64_t, std::uint64_t, void*);
  Result (*readv)(Object*, Piece const*, void**, std::size_t, Address, std::uint64_t, std::uint64_t, void*);
  Result (*readmsg)(Object*, Message const*, std::uint64_t);
  Result (*write)(Object*, void const*, std::size_t, void*, Address, std::uint64_t, std::uint64_t, void*);
  Result (*writev)(Object*, Piece const*, void**, std::size_t, Address, std::uint64_t, std::uint64_t, void*);
  Result (*writemsg)(Object*, Message const*, std::uint64_t);
  Result (*inject)(Object*, void const*, std::size_t, Address, std::uint64_t, std::uint64_t);
  Result (*writedata)(Object*, void const*, std::size_t, void*, Data, Address, std::uint64_t, std::uint64_t, void*);
  Result (*injectdata)(Object*, void const*, std::size_t, Data, Address, std::uint64_t, std::uint64_t);
};
struct OfAtomics {
  std::size_t size;
  Result (*write)(Object*, void const*, std::size_t, void*, Address, std::uint64_t, std::uint64_t, int, int, void*);
  Result (*writev)(Object*, Piece const*, void**, std::size_t, Address, std::uint64_t, std::uint64_t, int, int, void*);
  Result (*writemsg)(Object*, AtomicMessage const*, std::uint64_t);
  Result (*inject)(Object*, void const*, std::size_t, Address, std::uint64_t, std::uint64_t, int, int);
  Result (*readwrite)(Object*, void const*, std::size_t, void*, void*, void*, Address, std::uint64_t, std::uint64_t,
                      int, int, void*);
  Result (*readwritev)(Object*, Piece const*, void**, std::size_t, Piece*, void**, std::size_t, Address, std::uint64_t,
                       std::uint64_t, int, int, void*);
  Result (*readwritemsg)(Object*, AtomicMessage const*, Piece*, void**, std::size_t, std::uint64_t);
  Result (*compwrite)(Object*, void const*, std::size_t, void*, void const*, void*, void*, void*, Address,
                      std::uint64_t, std::uint64_t, int, int, void*);
  Result (*compwritev)(Object*, Piece const*, void**, std::size_t, Piece const*, void**, std::size_t, Piece*, void**,
                       std::size_t, Address, std::uint64_t, std::uint64_t, int, int, void*);
  Result (*compwritemsg)(Object*, AtomicMessage const*, Piece const*, void**, std::size_t, Piece*, void**, std::size_t,
                         std::uint64_t);
};

inline std::uint64_t length_of(Piece const* pieces, std::size_t count) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < count; ++i) length += pieces[i].length;
  return length;
}

// The bytes of an element in an atomic operation; 0 if unknown.
constexpr std::uint64_t size_of(int datatype) {
  constexpr std::array<std::uint8_t, 16> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16, 16, 32, 16, 16};
  auto const number = static_cast<std::size_t>(datatype);
  return number < sizes.size() ? sizes[number] : 0;
}

// The objects of libfabric that the MPI has opened. Their functions are called through tables that many objects share,
// also those that a provider opens for itself. So each observed object gets copies of its tables, in which functions
// are replaced.
//
// Callers serialise the opening and closing of an object. Different objects need no order.
struct Observed;

// Stands in an object's place for a table.
struct Copy {
  static constexpr std::size_t most_bytes = 256;  // larger tables are not understood
  alignas(16) unsigned char bytes[most_bytes];    // must be first: the object points here
  void* original;
  Observed* observed;
};

struct Observed {
  Object* object;
  Observed* parent;  // that this one was opened from
  Observed* vector;  // of addresses; bound to an endpoint
  std::uint32_t address_format;
  std::uint32_t number;       // from 1 on; of this record, which is used again
  Address address_mask;       // of a vector
  bool is_copied_by_aliases;  // an alias may use the copies after the object is closed
  bool is_used;
  Observed* following;
  Copy copies[slot_count];
};

// Gives the object copies of its tables. Returns nullptr without memory.
Observed* observe(Object* object, Observed* parent);
// Copies tables that the object did not have before. A provider may set others, as when an endpoint is enabled.
void copy_new_tables(Observed& observed);
// Gives the object its own tables back, before it closes.
void restore_tables(Observed& observed);
// The object is closed.
void release(Observed& observed);

// The record of an object; nullptr if it is not observed.
Observed* find(Object const* object);

// The record by which a function in one of the copies was called.
inline Copy const& copy_of(Object const* object, Slot slot) { return *static_cast<Copy const*>(object->tables[slot]); }
template <class Table>
Table const& original_of(Object const* object, Slot slot) {
  return *static_cast<Table const*>(copy_of(object, slot).original);
}

// Replaces a function in the copy of a table that has it.
template <class Table, class Function>
void replace(Observed& observed, Slot slot, Function* Table::*member, Function* function) {
  Copy& copy = observed.copies[slot];
  if (copy.original == nullptr) return;
  auto& table = *reinterpret_cast<Table*>(copy.bytes);
  auto const end = reinterpret_cast<unsigned char*>(&(table.*member) + 1);
  if (end > copy.bytes + table.size || table.*member == nullptr) return;
  table.*member = function;
}

// What an address names: the process that has it. bytes: as libfabric tells it.
WorkerId process_of(void const* bytes, std::size_t length, std::uint32_t address_format);

// The key of an address in a vector, for Endpoints; nullptr if there is none.
void const* key_of(Observed const& vector, Address address);
// The vector whose addresses a key is of.
inline std::uint64_t vector_of(void const* key) { return reinterpret_cast<std::uintptr_t>(key) >> 48; }

}  // namespace commprof::transport::ofi
