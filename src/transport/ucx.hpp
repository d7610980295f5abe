// What UCX's API (UCP) fixes of the types that its functions take, from UCX 1.13 on. The profiler needs no headers of
// UCX; tests/unit/transport/ucx_test.cpp compares these declarations with them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace commprof::transport::ucx {

struct Endpoint;
struct Worker;
struct RemoteKey;

using Status = std::int8_t;  // negative: an error
using Result = void*;        // nullptr, a request, or an error as an address from -100 to -1
using Tag = std::uint64_t;
using Datatype = std::uint64_t;
using Callback = void (*)(void* request, Status status);

constexpr bool has_failed(Status status) { return status < 0; }
inline bool has_failed(Result result) {
  return reinterpret_cast<std::uintptr_t>(result) >= static_cast<std::uintptr_t>(-100);
}

struct EndpointParams {
  static constexpr std::uint64_t has_address = 1;
  std::uint64_t field_mask;
  unsigned char const* address;
  // More fields follow.
};

struct WorkerAttributes {
  static constexpr std::uint64_t has_address = 2;
  std::uint64_t field_mask;
  int thread_mode;
  std::uint32_t address_flags;
  unsigned char const* address;
  std::size_t address_length;
  // More fields follow.
};

struct RequestParam {
  static constexpr std::uint32_t has_datatype = 8;
  std::uint32_t op_attr_mask;
  std::uint32_t flags;
  void* request;
  void* callback;
  Datatype datatype;
  // More fields follow.
};

// A datatype's class is in its lowest bits. The size of an element of a contiguous one is in the others.
inline constexpr Datatype class_mask = 7, contiguous = 0, pieces = 2, generic = 7;
inline constexpr unsigned size_shift = 3;

struct Piece {
  void* buffer;
  std::size_t length;
};

// The functions of a generic datatype.
struct GenericOperations {
  void* (*start_pack)(void* context, void const* buffer, std::size_t count);
  void* (*start_unpack)(void* context, void* buffer, std::size_t count);
  std::size_t (*packed_size)(void* state);
  std::size_t (*pack)(void* state, std::size_t offset, void* dest, std::size_t max_length);
  Status (*unpack)(void* state, std::size_t offset, void const* src, std::size_t length);
  void (*finish)(void* state);
};

// The bytes of elements that are not generic.
inline std::uint64_t size_of_plain(Datatype datatype, void const* buffer, std::size_t count) {
  switch (datatype & class_mask) {
    case contiguous:
      return (datatype >> size_shift) * count;
    case pieces: {
      std::uint64_t bytes = 0;
      for (std::size_t i = 0; i < count; ++i) bytes += static_cast<Piece const*>(buffer)[i].length;
      return bytes;
    }
    default:
      return 0;
  }
}
inline Datatype datatype_of(RequestParam const* param) {
  constexpr Datatype byte = 1 << size_shift | contiguous;
  return (param->op_attr_mask & RequestParam::has_datatype) != 0 ? param->datatype : byte;
}

}  // namespace commprof::transport::ucx
