// Stands in for fi_fabric, by which an MPI opens libfabric, and from there on for the functions in the tables of the
// objects that it opens. The front leads to fi_fabric only if transport.cpp has asked for it.
#include "transport/ofi.hpp"

#include <algorithm>

#include "base/compiler.hpp"
#include "flavour/flavour.hpp"
#include "transport/transport.hpp"

namespace commprof::transport::ofi {

namespace {

// Messages

// The key of a process that the endpoint sends to. An address is looked up when it is used first: there are several
// functions that insert some, also without telling which.
void const* receiver(Observed const& endpoint, Address to) {
  Observed const* const vector = endpoint.vector;
  void const* const key = vector == nullptr || vector->object == nullptr ? nullptr : key_of(*vector, to);
  if (key == nullptr) return &endpoint;  // leads to nobody
  if (endpoints.knows(key)) return key;
  unsigned char bytes[256];
  std::size_t length = sizeof bytes;
  auto const lookup = original_of<OfVector>(vector->object).lookup;
  bool const is_found = lookup != nullptr && lookup(vector->object, to, bytes, &length) == 0;
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
    CallOfTransport const call;
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
  CallOfTransport const call;
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

// The MPI has opened an object; info if it told it.
void opened(Object* object, std::size_t expected_kind, Observed const* parent, Info const* info = nullptr) {
  Observed* const observed = object->kind == expected_kind ? observe(object, parent) : nullptr;
  if (observed == nullptr) return;
  if (info != nullptr) observed->address_format = info->address_format;
  stand_in(*observed);
}

int close(Object* object) {
  CallOfTransport const call;
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
  CallOfTransport const call;
  Observed& observed = observed_by<OfObject>(object);
  int const result = original_of<OfObject>(object).bind(object, other, flags);
  if (result == 0 && other->kind == kind::address_vector && call.is_reported()) observed.vector = find(other);
  return with_new_tables(observed, object, result);
}

int control(Object* object, int command, void* argument) {
  CallOfTransport const call;
  Observed& observed = observed_by<OfObject>(object);
  int const result = original_of<OfObject>(object).control(object, command, argument);
  return with_new_tables(observed, object, result);
}

int getname(Object* object, void* bytes, std::size_t* length) {
  CallOfTransport const call;
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
    CallOfTransport const call;
    Observed const& parent = observed_by<Table>(object);
    int const result = (original_of<Table>(object).*member)(object, arguments...);
    if (result == 0 && call.is_reported())
      opened(*first<Object**>(arguments...), kind, &parent, first<Info*>(arguments...));
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
      return;
    case kind::domain:
      Opener<&OfDomain::av_open, kind::address_vector>::stand_in(observed);
      Opener<&OfDomain::endpoint, kind::endpoint>::stand_in(observed);
      return;
    case kind::address_vector:
      return;
    default:
      replace(observed, &OfConnection::getname, getname);
      stand_in_for_senders(observed);
  }
}

}  // namespace

COMMPROF_NEXT_SECTION constinit Next<int(void*, Object**, void*)> next_fi_fabric{"fi_fabric", nullptr};
extern "C" COMMPROF_EXPORT int fi_fabric(void* attributes, Object** fabric, void* context) {
  CallOfTransport const call;
  int const result = next_fi_fabric(attributes, fabric, context);
  if (result == 0 && call.is_reported()) opened(*fabric, kind::fabric, nullptr);
  return result;
}

}  // namespace commprof::transport::ofi
