// Stands in for fi_fabric, by which an MPI opens libfabric, and from there on for the functions in the tables of the
// objects that it opens. The front leads to fi_fabric only if transport.cpp has asked for it.
#include "transport/ofi.hpp"

#include <algorithm>
#include <utility>

#include "base/compiler.hpp"
#include "flavour/flavour.hpp"
#include "transport/transport.hpp"

namespace commprof::transport::ofi {

namespace {

// The code of libfabric itself, and of providers that are libraries of their own.
CodeRange code[8];

void find_code(void const* function) {
  for (CodeRange& range : code) {
    if (range.contains(function)) return;
    if (range.is_empty()) return range.find(function);
  }
}

// Set while libfabric runs in this thread: a provider may be layered over another one, which it opens and calls like an
// MPI.
thread_local bool is_within = false;

class Call {
 public:
  explicit Call(void const* caller) : is_of_mpi_(!std::exchange(is_within, true) && !is_of_libfabric(caller)) {}
  Call(Call const&) = delete;
  ~Call() { is_within = was_within_; }

  bool is_reported() const { return is_of_mpi_ && is_listening.load(std::memory_order_relaxed); }

 private:
  // Threads of a provider call functions, too.
  static bool is_of_libfabric(void const* caller) {
    return std::any_of(std::begin(code), std::end(code), [=](CodeRange const& one) { return one.contains(caller); });
  }

  bool const was_within_ = is_within;
  bool const is_of_mpi_;
};

#define COMMPROF_CALL() Call const call(__builtin_return_address(0))

// Messages

enum class Way { tagged, to_other, from_other };
struct Gift {
  Way way;
  Address to;
  std::uint64_t bytes;
  std::uint64_t tag = 0;
};

// The key of a process that the endpoint sends to. An address is looked up when it is used first: there are several
// functions that insert some, also without telling which.
void const* receiver(Observed const& endpoint, Address to) {
  Observed const* const vector =
      endpoint.vector == nullptr && endpoint.parent != nullptr ? endpoint.parent->vector : endpoint.vector;
  void const* const key = vector == nullptr ? nullptr : key_of(*vector, to);
  if (key == nullptr) return &code;  // no endpoint
  if (endpoints.knows(key)) return key;
  unsigned char bytes[256];
  std::size_t length = sizeof bytes;
  auto const lookup = original_of<OfVector>(vector->object, of_kind).lookup;
  bool const is_found = lookup != nullptr && lookup(vector->object, to & vector->address_mask, bytes, &length) == 0;
  constexpr auto nobody = static_cast<WorkerId>(1);
  endpoints.made(key, is_found ? process_of(bytes, std::min(length, sizeof bytes), endpoint.address_format) : nobody);
  return key;
}

void report(Observed const& endpoint, Gift const& gift) {
  void const* const key = receiver(endpoint, gift.to);
  if (gift.way == Way::tagged) sent(key, gift.bytes, gift.tag);
  else moved(key, gift.bytes, gift.way == Way::from_other);
}

// What is given by each function, from its arguments.
Gift tags_send(void const*, std::size_t bytes, void*, Address to, std::uint64_t tag, void*) {
  return {Way::tagged, to, bytes, tag};
}
Gift tags_sendv(Piece const* pieces, void**, std::size_t count, Address to, std::uint64_t tag, void*) {
  return {Way::tagged, to, length_of(pieces, count), tag};
}
Gift tags_sendmsg(TaggedMessage const* message, std::uint64_t) {
  return {Way::tagged, message->to, length_of(message->pieces, message->count), message->tag};
}
Gift tags_inject(void const*, std::size_t bytes, Address to, std::uint64_t tag) {
  return {Way::tagged, to, bytes, tag};
}
Gift tags_senddata(void const*, std::size_t bytes, void*, Data, Address to, std::uint64_t tag, void*) {
  return {Way::tagged, to, bytes, tag};
}
Gift tags_injectdata(void const*, std::size_t bytes, Data, Address to, std::uint64_t tag) {
  return {Way::tagged, to, bytes, tag};
}
Gift send(void const*, std::size_t bytes, void*, Address to, void*) { return {Way::to_other, to, bytes}; }
Gift sendv(Piece const* pieces, void**, std::size_t count, Address to, void*) {
  return {Way::to_other, to, length_of(pieces, count)};
}
Gift message(Message const* message, std::uint64_t) {
  return {Way::to_other, message->to, length_of(message->pieces, message->count)};
}
Gift inject(void const*, std::size_t bytes, Address to) { return {Way::to_other, to, bytes}; }
Gift senddata(void const*, std::size_t bytes, void*, Data, Address to, void*) { return {Way::to_other, to, bytes}; }
Gift injectdata(void const*, std::size_t bytes, Data, Address to) { return {Way::to_other, to, bytes}; }
Gift read(void*, std::size_t bytes, void*, Address to, std::uint64_t, std::uint64_t, void*) {
  return {Way::from_other, to, bytes};
}
Gift readv(Piece const* pieces, void**, std::size_t count, Address to, std::uint64_t, std::uint64_t, void*) {
  return {Way::from_other, to, length_of(pieces, count)};
}
Gift readmsg(Message const* message, std::uint64_t) {
  return {Way::from_other, message->to, length_of(message->pieces, message->count)};
}
Gift write(void const*, std::size_t bytes, void*, Address to, std::uint64_t, std::uint64_t, void*) {
  return {Way::to_other, to, bytes};
}
Gift writev(Piece const* pieces, void**, std::size_t count, Address to, std::uint64_t, std::uint64_t, void*) {
  return {Way::to_other, to, length_of(pieces, count)};
}
Gift inject_write(void const*, std::size_t bytes, Address to, std::uint64_t, std::uint64_t) {
  return {Way::to_other, to, bytes};
}
Gift writedata(void const*, std::size_t bytes, void*, Data, Address to, std::uint64_t, std::uint64_t, void*) {
  return {Way::to_other, to, bytes};
}
Gift inject_writedata(void const*, std::size_t bytes, Data, Address to, std::uint64_t, std::uint64_t) {
  return {Way::to_other, to, bytes};
}
// Atomic operations: the operand goes to the other side.
Gift atomic(void const*, std::size_t count, void*, Address to, std::uint64_t, std::uint64_t, int type, int, void*) {
  return {Way::to_other, to, count * size_of(type)};
}
Gift atomicv(Piece const* pieces, void**, std::size_t count, Address to, std::uint64_t, std::uint64_t, int type, int,
             void*) {
  return {Way::to_other, to, length_of(pieces, count) * size_of(type)};
}
Gift of_atomic_message(AtomicMessage const* message) {
  return {Way::to_other, message->to, length_of(message->pieces, message->count) * size_of(message->datatype)};
}
Gift atomicmsg(AtomicMessage const* message, std::uint64_t) { return of_atomic_message(message); }
Gift inject_atomic(void const*, std::size_t count, Address to, std::uint64_t, std::uint64_t, int type, int) {
  return {Way::to_other, to, count * size_of(type)};
}
Gift fetch(void const*, std::size_t count, void*, void*, void*, Address to, std::uint64_t, std::uint64_t, int type, int,
           void*) {
  return {Way::to_other, to, count * size_of(type)};
}
Gift fetchv(Piece const* pieces, void**, std::size_t count, Piece*, void**, std::size_t, Address to, std::uint64_t,
            std::uint64_t, int type, int, void*) {
  return {Way::to_other, to, length_of(pieces, count) * size_of(type)};
}
Gift fetchmsg(AtomicMessage const* message, Piece*, void**, std::size_t, std::uint64_t) {
  return of_atomic_message(message);
}
Gift compare(void const*, std::size_t count, void*, void const*, void*, void*, void*, Address to, std::uint64_t,
             std::uint64_t, int type, int, void*) {
  return {Way::to_other, to, count * size_of(type)};
}
Gift comparev(Piece const* pieces, void**, std::size_t count, Piece const*, void**, std::size_t, Piece*, void**,
              std::size_t, Address to, std::uint64_t, std::uint64_t, int type, int, void*) {
  return {Way::to_other, to, length_of(pieces, count) * size_of(type)};
}
Gift comparemsg(AtomicMessage const* message, Piece const*, void**, std::size_t, Piece*, void**, std::size_t,
                std::uint64_t) {
  return of_atomic_message(message);
}

// The function that stands in for a member of a table: calls it, and reports what it was given if it took it.
template <Slot slot, auto member, auto gift>
struct Sender;
template <Slot slot, class Table, class... Arguments, Result (*Table::*member)(Object*, Arguments...),
          Gift (*gift)(Arguments...)>
struct Sender<slot, member, gift> {
  static Result give(Object* endpoint, Arguments... arguments) {
    COMMPROF_CALL();
    Copy const& copy = copy_of(endpoint, slot);
    Result const result = (static_cast<Table const*>(copy.original)->*member)(endpoint, arguments...);
    if (result == 0 && call.is_reported()) report(*copy.observed, gift(arguments...));
    return result;
  }
  static void stand_in(Observed& observed) { replace(observed, slot, member, &give); }
};

void stand_in_for_senders(Observed& endpoint) {
  Sender<of_tags, &OfTags::send, tags_send>::stand_in(endpoint);
  Sender<of_tags, &OfTags::sendv, tags_sendv>::stand_in(endpoint);
  Sender<of_tags, &OfTags::sendmsg, tags_sendmsg>::stand_in(endpoint);
  Sender<of_tags, &OfTags::inject, tags_inject>::stand_in(endpoint);
  Sender<of_tags, &OfTags::senddata, tags_senddata>::stand_in(endpoint);
  Sender<of_tags, &OfTags::injectdata, tags_injectdata>::stand_in(endpoint);
  Sender<of_messages, &OfMessages::send, send>::stand_in(endpoint);
  Sender<of_messages, &OfMessages::sendv, sendv>::stand_in(endpoint);
  Sender<of_messages, &OfMessages::sendmsg, message>::stand_in(endpoint);
  Sender<of_messages, &OfMessages::inject, inject>::stand_in(endpoint);
  Sender<of_messages, &OfMessages::senddata, senddata>::stand_in(endpoint);
  Sender<of_messages, &OfMessages::injectdata, injectdata>::stand_in(endpoint);
  Sender<of_memory, &OfMemory::read, read>::stand_in(endpoint);
  Sender<of_memory, &OfMemory::readv, readv>::stand_in(endpoint);
  Sender<of_memory, &OfMemory::readmsg, readmsg>::stand_in(endpoint);
  Sender<of_memory, &OfMemory::write, write>::stand_in(endpoint);
  Sender<of_memory, &OfMemory::writev, writev>::stand_in(endpoint);
  Sender<of_memory, &OfMemory::writemsg, message>::stand_in(endpoint);
  Sender<of_memory, &OfMemory::inject, inject_write>::stand_in(endpoint);
  Sender<of_memory, &OfMemory::writedata, writedata>::stand_in(endpoint);
  Sender<of_memory, &OfMemory::injectdata, inject_writedata>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::write, atomic>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::writev, atomicv>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::writemsg, atomicmsg>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::inject, inject_atomic>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::readwrite, fetch>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::readwritev, fetchv>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::readwritemsg, fetchmsg>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::compwrite, compare>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::compwritev, comparev>::stand_in(endpoint);
  Sender<of_atomics, &OfAtomics::compwritemsg, comparemsg>::stand_in(endpoint);
}

// Objects

void stand_in(Observed& observed);

// The MPI has opened an object.
Observed* opened(Object* object, std::size_t expected_kind, Observed* parent, Info const* info = nullptr) {
  if (object->kind != expected_kind) return nullptr;
  Observed* const observed = observe(object, parent);
  if (observed == nullptr) return nullptr;
  if (info != nullptr) observed->address_format = info->address_format;
  stand_in(*observed);
  return observed;
}

int close(Object* object) {
  COMMPROF_CALL();
  Copy const& copy = copy_of(object, of_object);
  auto const next = static_cast<OfObject const*>(copy.original)->close;
  Observed& observed = *copy.observed;
  if (observed.object != object) return next(object);  // an alias
  std::size_t const kind = object->kind;
  restore_tables(observed);
  int const result = next(object);
  if (result != 0) {
    copy_new_tables(observed);
    stand_in(observed);
    return result;
  }
  if (kind == kind::address_vector) endpoints.closed_all(observed.number);
  release(observed);
  return result;
}

// Replaces the tables again after a call that enables an endpoint: the provider may have set other tables then.
int with_new_tables(Observed& observed, Object const* object, int result) {
  if (observed.object != object) return result;
  copy_new_tables(observed);
  stand_in(observed);
  return result;
}

int bind(Object* object, Object* other, std::uint64_t flags) {
  COMMPROF_CALL();
  Copy const& copy = copy_of(object, of_object);
  Observed& observed = *copy.observed;
  int const result = static_cast<OfObject const*>(copy.original)->bind(object, other, flags);
  if (result == 0 && other->kind == kind::address_vector && call.is_reported()) observed.vector = find(other);
  return with_new_tables(observed, object, result);
}

int control(Object* object, int command, void* argument) {
  COMMPROF_CALL();
  Copy const& copy = copy_of(object, of_object);
  Observed& observed = *copy.observed;
  if (command == make_alias) observed.is_copied_by_aliases = true;
  int const result = static_cast<OfObject const*>(copy.original)->control(object, command, argument);
  return with_new_tables(observed, object, result);
}

int getname(Object* object, void* bytes, std::size_t* length) {
  COMMPROF_CALL();
  Copy const& copy = copy_of(object, of_connection);
  std::size_t const room = *length;
  int const result = static_cast<OfConnection const*>(copy.original)->getname(object, bytes, length);
  if (result == 0 && *length <= room && call.is_reported())
    has_worker(process_of(bytes, *length, copy.observed->address_format));
  return result;
}

int remove(Object* vector, Address* addresses, std::size_t count, std::uint64_t flags) {
  COMMPROF_CALL();
  Copy const& copy = copy_of(vector, of_kind);
  for (std::size_t i = 0; i < count; ++i)
    if (void const* const key = key_of(*copy.observed, addresses[i]); key != nullptr && endpoints.knows(key))
      endpoints.closed(key);
  return static_cast<OfVector const*>(copy.original)->remove(vector, addresses, count, flags);
}

int av_open(Object* domain, VectorAttributes* attributes, Object** made, void* context) {
  COMMPROF_CALL();
  Copy const& copy = copy_of(domain, of_kind);
  int const result = static_cast<OfDomain const*>(copy.original)->av_open(domain, attributes, made, context);
  if (result != 0 || !call.is_reported()) return result;
  Observed* const observed = opened(*made, kind::address_vector, copy.observed);
  int const bits = attributes == nullptr ? 0 : attributes->context_bits;
  if (observed != nullptr && bits > 0 && bits < 64) observed->address_mask = ~Address{0} >> bits;
  return result;
}

// The other functions that open an object for another one.
template <auto member, std::size_t kind>
struct Opener;
template <class Table, class... Arguments, int (*Table::*member)(Object*, Info*, Object**, Arguments...),
          std::size_t kind>
struct Opener<member, kind> {
  static int open(Object* parent, Info* info, Object** made, Arguments... arguments) {
    COMMPROF_CALL();
    Copy const& copy = copy_of(parent, of_kind);
    int const result = (static_cast<Table const*>(copy.original)->*member)(parent, info, made, arguments...);
    if (result == 0 && call.is_reported()) opened(*made, kind, copy.observed, info);
    return result;
  }
  static void stand_in(Observed& observed) { replace(observed, of_kind, member, &open); }
};

int tx_ctx(Object* endpoint, int index, void* attributes, Object** made, void* context) {
  COMMPROF_CALL();
  Copy const& copy = copy_of(endpoint, of_kind);
  int const result = static_cast<OfEndpoint const*>(copy.original)->tx_ctx(endpoint, index, attributes, made, context);
  if (result == 0 && call.is_reported()) opened(*made, kind::sending_context, copy.observed);
  return result;
}

void stand_in(Observed& observed) {
  replace(observed, of_object, &OfObject::close, close);
  replace(observed, of_object, &OfObject::bind, bind);
  replace(observed, of_object, &OfObject::control, control);
  switch (observed.object->kind) {
    case kind::fabric:
      Opener<&OfFabric::domain, kind::domain>::stand_in(observed);
      Opener<&OfFabric::domain2, kind::domain>::stand_in(observed);
      return;
    case kind::domain:
      replace(observed, of_kind, &OfDomain::av_open, av_open);
      Opener<&OfDomain::endpoint, kind::endpoint>::stand_in(observed);
      Opener<&OfDomain::endpoint2, kind::endpoint>::stand_in(observed);
      Opener<&OfDomain::scalable_ep, kind::scalable_endpoint>::stand_in(observed);
      return;
    case kind::address_vector:
      replace(observed, of_kind, &OfVector::remove, remove);
      return;
    default:
      replace(observed, of_kind, &OfEndpoint::tx_ctx, tx_ctx);
      replace(observed, of_connection, &OfConnection::getname, getname);
      stand_in_for_senders(observed);
  }
}

// The MPI has opened a fabric by a function of libfabric.
int opened_fabric(int result, Object* const* made, Call const& call) {
  if (result != 0 || !call.is_reported()) return result;
  Observed const* const observed = opened(*made, kind::fabric, nullptr);
  if (observed == nullptr || observed->copies[of_kind].original == nullptr) return result;
  find_code(reinterpret_cast<void const*>(original_of<OfFabric>(*made, of_kind).domain));
  return result;
}

}  // namespace

COMMPROF_NEXT_SECTION constinit Next<int(void*, Object**, void*)> next_fi_fabric{"fi_fabric", nullptr};
extern "C" COMMPROF_EXPORT int fi_fabric(void* attributes, Object** fabric, void* context) {
  find_code(reinterpret_cast<void const*>(next_fi_fabric.function));
  COMMPROF_CALL();
  return opened_fabric(next_fi_fabric(attributes, fabric, context), fabric, call);
}

// libfabric 2.
COMMPROF_NEXT_SECTION constinit Next<int(Info*, Object**, std::uint64_t, void*)> next_fi_fabric2{"fi_fabric2", nullptr};
extern "C" COMMPROF_EXPORT int fi_fabric2(Info* info, Object** fabric, std::uint64_t flags, void* context) {
  find_code(reinterpret_cast<void const*>(next_fi_fabric2.function));
  COMMPROF_CALL();
  return opened_fabric(next_fi_fabric2(info, fabric, flags, context), fabric, call);
}

}  // namespace commprof::transport::ofi
