// What libfabric's ABI fixes of its objects, and of the tables of functions that these have, from version 1.0 on. The
// profiler needs no headers of libfabric; tests/unit/transport/ofi_test.cpp compares these declarations with them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "transport/endpoints.hpp"

namespace commprof::transport::ofi {

// What an object is.
namespace kind {
inline constexpr std::size_t fabric = 1, domain = 2, endpoint = 3, address_vector = 11;
}

// The tables of an object. All objects have the first two; those that send have all.
enum Slot : unsigned { of_object, of_kind, of_connection, of_messages, of_memory, of_tags, slot_count };

// Any object of libfabric.
struct Object {
  std::size_t kind;
  void* context;
  void* tables[slot_count];  // each begins with its size
};

enum class Address : std::uint64_t {};  // of a process in an address vector
enum class Tag : std::uint64_t {};
using Word = std::uint64_t;  // an address in memory, a key of memory, flags, or data for the receiver
using Result = ssize_t;      // 0, or a negative error

struct Info {
  void* next;
  std::uint64_t capabilities, mode;
  std::uint32_t address_format;
  // More fields follow.
};
// Values of address_format.
inline constexpr std::uint32_t socket_address = 1, socket_address_4 = 2, socket_address_6 = 3, text_address = 9;

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
  Tag tag;
  Word ignored;  // bits of the tag, in receiving
  // More fields follow.
};

using Unused = void (*)();
// A function that sends. Address, Tag and the first std::size_t, which is a length, tell what.
template <class... Arguments>
using Sending = Result (*)(Object* endpoint, Arguments...);

struct OfObject {
  static constexpr Slot slot = of_object;
  std::size_t size;
  int (*close)(Object*);
  int (*bind)(Object*, Object* other, std::uint64_t flags);
  int (*control)(Object*, int command, void* argument);
};

struct OfFabric {
  static constexpr Slot slot = of_kind;
  std::size_t size;
  int (*domain)(Object*, Info*, Object** made, void* context);
};
struct OfDomain {
  static constexpr Slot slot = of_kind;
  std::size_t size;
  int (*av_open)(Object*, void* attributes, Object** made, void* context);
  Unused cq_open;
  int (*endpoint)(Object*, Info*, Object** made, void* context);
};
struct OfVector {
  static constexpr Slot slot = of_kind;
  std::size_t size;
  Unused insert, insertsvc, insertsym, remove;
  int (*lookup)(Object*, Address, void* bytes, std::size_t* length);
};
struct OfConnection {
  static constexpr Slot slot = of_connection;
  std::size_t size;
  Unused setname;
  int (*getname)(Object*, void* bytes, std::size_t* length);
};

struct OfMessages {
  static constexpr Slot slot = of_messages;
  std::size_t size;
  Unused recv, recvv, recvmsg;
  Sending<void const*, std::size_t, void*, Address, void*> send;
  Sending<Piece const*, void**, std::size_t, Address, void*> sendv;
  Sending<Message const*, Word> sendmsg;
  Sending<void const*, std::size_t, Address> inject;
  Sending<void const*, std::size_t, void*, Word, Address, void*> senddata;
  Sending<void const*, std::size_t, Word, Address> injectdata;
};
struct OfTags {
  static constexpr Slot slot = of_tags;
  std::size_t size;
  Unused recv, recvv;
  Sending<TaggedMessage const*, Word> recvmsg;
  static constexpr Word peek = 1 << 19;  // only looks whether the message is there
  Sending<void const*, std::size_t, void*, Address, Tag, void*> send;
  Sending<Piece const*, void**, std::size_t, Address, Tag, void*> sendv;
  Sending<TaggedMessage const*, Word> sendmsg;
  Sending<void const*, std::size_t, Address, Tag> inject;
  Sending<void const*, std::size_t, void*, Word, Address, Tag, void*> senddata;
  Sending<void const*, std::size_t, Word, Address, Tag> injectdata;
};
struct OfMemory {
  static constexpr Slot slot = of_memory;
  std::size_t size;
  Sending<void*, std::size_t, void*, Address, Word, Word, void*> read;
  Sending<Piece const*, void**, std::size_t, Address, Word, Word, void*> readv;
  Sending<Message const*, Word> readmsg;
  Sending<void const*, std::size_t, void*, Address, Word, Word, void*> write;
  Sending<Piece const*, void**, std::size_t, Address, Word, Word, void*> writev;
  Sending<Message const*, Word> writemsg;
  Sending<void const*, std::size_t, Address, Word, Word> inject;
  Sending<void const*, std::size_t, void*, Word, Address, Word, Word, void*> writedata;
  Sending<void const*, std::size_t, Word, Address, Word, Word> injectdata;
};
inline std::uint64_t length_of(Piece const* pieces, std::size_t count) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < count; ++i) length += pieces[i].length;
  return length;
}

// What a function of libfabric sends, and where to.
struct Sent {
  Address to{};
  std::uint64_t bytes = 0;
  Tag tag{};
};

// The first argument of a type; a default one if there is none.
template <class Wanted, class... Arguments>
Wanted first(Arguments... arguments) {
  std::optional<Wanted> found;
  auto const look = [&](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), Wanted>)
      if (!found) found = argument;
  };
  (look(arguments), ...);
  return found.value_or(Wanted{});
}

// The arguments of a function, or the message that it gets, tell what it sends.
template <class... Rest>
Sent sent_by(Message const* message, Rest...) {
  return {message->to, length_of(message->pieces, message->count)};
}
template <class... Rest>
Sent sent_by(TaggedMessage const* message, Rest...) {
  return {message->to, length_of(message->pieces, message->count), message->tag};
}
template <class Data, class... Rest>
Sent sent_by(Data const* data, Rest... rest) {
  std::uint64_t bytes = first<std::size_t>(rest...);
  if constexpr (std::is_same_v<Data, Piece>) bytes = length_of(data, bytes);
  return {first<Address>(rest...), bytes, first<Tag>(rest...)};
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
  Object* object;    // nullptr: closed
  Observed* vector;  // of addresses; bound to an endpoint
  std::uint32_t address_format;
  std::uint32_t number;  // from 1 on
  Observed* following;
  Copy copies[slot_count];
};

// Gives the object copies of its tables, which stay: an alias may use them after the object is closed. Returns nullptr
// without memory.
Observed* observe(Object* object, Observed const* parent);
// Copies tables that the object did not have before. A provider may set others, as when an endpoint is enabled.
void copy_new_tables(Observed& observed);
// Gives the object its own tables back, before it closes.
void release(Observed& observed);

// The record of an object; nullptr if it is not observed.
Observed* find(Object const* object);

// The copy of a table by which a function was called, its record, and the functions of the original.
template <class Table>
Copy const& copy_of(Object const* object) {
  return *static_cast<Copy const*>(object->tables[Table::slot]);
}
template <class Table>
Observed& observed_by(Object const* object) {
  return *copy_of<Table>(object).observed;
}
template <class Table>
Table const& original_of(Object const* object) {
  return *static_cast<Table const*>(copy_of<Table>(object).original);
}

// Replaces a function in the copy of a table that has it.
template <class Table, class Function>
void replace(Observed& observed, Function* Table::*member, Function* function) {
  Copy& copy = observed.copies[Table::slot];
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

}  // namespace commprof::transport::ofi
