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

// The key of a process that the endpoint sends to. An address is looked up when it is used first: there are several
// functions that insert some, also without telling which.
void const* receiver(Observed const& endpoint, Address to) {
  Observed const* const vector =
      endpoint.vector == nullptr && endpoint.parent != nullptr ? endpoint.parent->vector : endpoint.vector;
  void const* const key = vector == nullptr || vector->object == nullptr ? nullptr : key_of(*vector, to);
  if (key == nullptr) return &code;  // no endpoint
  if (endpoints.knows(key)) return key;
  unsigned char bytes[256];
  std::size_t length = sizeof bytes;
  auto const lookup = original_of<OfVector>(vector->object).lookup;
  auto const plain = static_cast<Address>(static_cast<std::uint64_t>(to) & vector->address_mask);
  bool const is_found = lookup != nullptr && lookup(vector->object, plain, bytes, &length) == 0;
  constexpr auto nobody = static_cast<WorkerId>(1);
  endpoints.made(key, is_found ? process_of(bytes, std::min(length, sizeof bytes), endpoint.address_format) : nobody);
  return key;
}

enum class Way { to_other, from_other };

// The function that stands in for a member of a table: calls it, and reports what it was given if it took that.
template <Way way, auto member>
struct Sender;
template <Way way, class Table, class... Arguments, Result (*Table::*member)(Object*, Arguments...)>
struct Sender<way, member> {
  static Result send(Object* endpoint, Arguments... arguments) {
    COMMPROF_CALL();
    Copy const& copy = copy_of<Table>(endpoint);
    Result const result = (original_of<Table>(endpoint).*member)(endpoint, arguments...);
    if (result != 0 || !call.is_reported()) return result;
    Sent const what = sent_by(arguments...);
    void const* const key = receiver(*copy.observed, what.to);
    if (Table::slot == of_tags) sent(key, what.bytes, static_cast<std::uint64_t>(what.tag));
    else moved(key, what.bytes, way == Way::from_other);
    return result;
  }
};

Result recvmsg(Object* endpoint, TaggedMessage const* message, Word flags) {
  COMMPROF_CALL();
  if ((flags & OfTags::peek) != 0 && call.is_reported())
    probed(static_cast<std::uint64_t>(message->tag) & ~message->ignored);
  return original_of<OfTags>(endpoint).recvmsg(endpoint, message, flags);
}

template <Way way, auto... members>
void stand_in_for(Observed& endpoint) {
  (replace(endpoint, members, &Sender<way, members>::send), ...);
}

void stand_in_for_senders(Observed& endpoint) {
  stand_in_for<Way::to_other, &OfTags::send, &OfTags::sendv, &OfTags::sendmsg, &OfTags::inject, &OfTags::senddata,
               &OfTags::injectdata>(endpoint);
  replace(endpoint, &OfTags::recvmsg, recvmsg);
  stand_in_for<Way::to_other, &OfMessages::send, &OfMessages::sendv, &OfMessages::sendmsg, &OfMessages::inject,
               &OfMessages::senddata, &OfMessages::injectdata>(endpoint);
  stand_in_for<Way::from_other, &OfMemory::read, &OfMemory::readv, &OfMemory::readmsg>(endpoint);
  stand_in_for<Way::to_other, &OfMemory::write, &OfMemory::writev, &OfMemory::writemsg, &OfMemory::inject,
               &OfMemory::writedata, &OfMemory::injectdata>(endpoint);
}

// Objects

void stand_in(Observed& observed);

// The MPI has opened an object; info and attributes if it told them.
Observed* opened(Object* object, std::size_t expected_kind, Observed* parent, Info const* info = nullptr,
                 VectorAttributes const* attributes = nullptr) {
  if (object->kind != expected_kind) return nullptr;
  Observed* const observed = observe(object, parent);
  if (observed == nullptr) return nullptr;
  if (info != nullptr) observed->address_format = info->address_format;
  int const bits = attributes == nullptr ? 0 : attributes->context_bits;
  if (bits > 0 && bits < 64) observed->address_mask = ~std::uint64_t{0} >> bits;
  stand_in(*observed);
  return observed;
}

int close(Object* object) {
  COMMPROF_CALL();
  auto const next = original_of<OfObject>(object).close;
  Observed& observed = observed_by<OfObject>(object);
  if (observed.object != object) return next(object);  // an alias
  release(observed);
  return next(object);
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
  Observed& observed = observed_by<OfObject>(object);
  int const result = original_of<OfObject>(object).bind(object, other, flags);
  if (result == 0 && other->kind == kind::address_vector && call.is_reported()) observed.vector = find(other);
  return with_new_tables(observed, object, result);
}

int control(Object* object, int command, void* argument) {
  COMMPROF_CALL();
  Observed& observed = observed_by<OfObject>(object);
  int const result = original_of<OfObject>(object).control(object, command, argument);
  return with_new_tables(observed, object, result);
}

int getname(Object* object, void* bytes, std::size_t* length) {
  COMMPROF_CALL();
  Observed const& observed = observed_by<OfConnection>(object);
  std::size_t const room = *length;
  int const result = original_of<OfConnection>(object).getname(object, bytes, length);
  if (result == 0 && *length <= room && call.is_reported())
    has_worker(process_of(bytes, *length, observed.address_format));
  return result;
}

// The function that stands in for a member that opens an object for another one.
template <auto member, std::size_t kind>
struct Opener;
template <class Table, class... Arguments, int (*Table::*member)(Object*, Arguments...), std::size_t kind>
struct Opener<member, kind> {
  static int open(Object* object, Arguments... arguments) {
    COMMPROF_CALL();
    Observed& parent = observed_by<Table>(object);
    int const result = (original_of<Table>(object).*member)(object, arguments...);
    if (result == 0 && call.is_reported())
      opened(*first<Object**>(arguments...), kind, &parent, first<Info*>(arguments...),
             first<VectorAttributes*>(arguments...));
    return result;
  }
  static void stand_in(Observed& observed) { replace(observed, member, &open); }
};

void stand_in(Observed& observed) {
  replace(observed, &OfObject::close, close);
  replace(observed, &OfObject::bind, bind);
  replace(observed, &OfObject::control, control);
  switch (observed.object->kind) {
    case kind::fabric:
      Opener<&OfFabric::domain, kind::domain>::stand_in(observed);
      Opener<&OfFabric::domain2, kind::domain>::stand_in(observed);
      return;
    case kind::domain:
      Opener<&OfDomain::av_open, kind::address_vector>::stand_in(observed);
      Opener<&OfDomain::endpoint, kind::endpoint>::stand_in(observed);
      Opener<&OfDomain::endpoint2, kind::endpoint>::stand_in(observed);
      Opener<&OfDomain::scalable_ep, kind::scalable_endpoint>::stand_in(observed);
      return;
    case kind::address_vector:
      return;
    default:
      Opener<&OfEndpoint::tx_ctx, kind::sending_context>::stand_in(observed);
      replace(observed, &OfConnection::getname, getname);
      stand_in_for_senders(observed);
  }
}

// The MPI has opened a fabric by a function of libfabric.
int opened_fabric(int result, Object* const* made, Call const& call) {
  if (result != 0 || !call.is_reported()) return result;
  Observed const* const observed = opened(*made, kind::fabric, nullptr);
  if (observed == nullptr || observed->copies[of_kind].original == nullptr) return result;
  find_code(reinterpret_cast<void const*>(original_of<OfFabric>(*made).domain));
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
