// Copies of libfabric's tables, and the declarations of src/transport/ofi.hpp against the headers of libfabric, where
// they are installed.

#include "transport/ofi.hpp"

#include <catch2/catch.hpp>
#include <cstring>

using namespace commprof;
using namespace commprof::transport;

namespace {

int closed = 0;
int close_object(ofi::Object*) { return ++closed, 0; }
int close_observed(ofi::Object* object) { return ofi::original_of<ofi::OfObject>(object).close(object) + 10; }
ofi::Result send_nothing(ofi::Object*, void const*, std::size_t, void*, ofi::Address, void*) { return 0; }
ofi::Result send_observed(ofi::Object* object, void const* data, std::size_t bytes, void* description, ofi::Address to,
                          void* context) {
  return ofi::original_of<ofi::OfMessages>(object).send(object, data, bytes, description, to, context) + 5;
}

// What many endpoints of a provider share.
ofi::OfObject of_object{sizeof(ofi::OfObject), close_object, nullptr, nullptr};
ofi::OfMessages of_messages{
    sizeof(ofi::OfMessages), nullptr, nullptr, nullptr, send_nothing, nullptr, nullptr, nullptr, nullptr, nullptr};

ofi::Object endpoint() {
  return {ofi::kind::endpoint, nullptr, {&of_object, nullptr, nullptr, &of_messages, nullptr, nullptr}};
}

template <std::size_t size>
WorkerId process(unsigned char const (&bytes)[size], std::uint32_t format) {
  return ofi::process_of(bytes, size, format);
}

}  // namespace

TEST_CASE("only the observed object has other functions") {
  ofi::Object one = endpoint(), other = endpoint();
  ofi::Observed& observed = *ofi::observe(&one, nullptr);
  ofi::replace(observed, &ofi::OfMessages::send, send_observed);
  ofi::replace(observed, &ofi::OfObject::close, close_observed);
  ofi::replace(observed, &ofi::OfTags::inject, {});  // the object has no such table
  auto const send = [](ofi::Object& object) {
    return static_cast<ofi::OfMessages*>(object.tables[ofi::of_messages])
        ->send(&object, nullptr, 0, nullptr, ofi::Address{0}, nullptr);
  };
  CHECK(send(one) == 5);
  CHECK(send(other) == 0);
  CHECK(other.tables[ofi::of_messages] == &of_messages);
  CHECK(static_cast<ofi::OfObject*>(one.tables[ofi::of_object])->close(&one) == 10);
  CHECK(closed == 1);
  CHECK(one.tables[ofi::of_kind] == nullptr);
  CHECK(ofi::find(&one) == &observed);
  CHECK(ofi::find(&other) == nullptr);
  ofi::release(observed);
  CHECK(std::memcmp(&one, &other, sizeof one) == 0);
  CHECK(ofi::find(&one) == nullptr);
}

TEST_CASE("a table that is set later is copied, too") {
  ofi::Object one = endpoint();
  one.tables[ofi::of_messages] = nullptr;
  ofi::Observed& observed = *ofi::observe(&one, nullptr);
  void const* const before = one.tables[ofi::of_object];
  one.tables[ofi::of_messages] = &of_messages;
  ofi::copy_new_tables(observed);
  CHECK(one.tables[ofi::of_messages] != &of_messages);
  CHECK(one.tables[ofi::of_object] == before);
  ofi::release(observed);
  CHECK(one.tables[ofi::of_messages] == &of_messages);
}

TEST_CASE("tables of other sizes") {
  // An older one that ends before send(), and one that is larger than any known.
  ofi::OfMessages shorter = of_messages;
  shorter.size = offsetof(ofi::OfMessages, send);
  unsigned char larger[ofi::Copy::most_bytes + 8]{};
  std::size_t const size = sizeof larger;
  std::memcpy(larger, &size, sizeof size);
  ofi::Object one = endpoint();
  one.tables[ofi::of_messages] = &shorter;
  one.tables[ofi::of_tags] = larger;
  ofi::Observed& observed = *ofi::observe(&one, nullptr);
  std::memset(observed.copies[ofi::of_messages].bytes + shorter.size, 0x55, 8);
  ofi::replace(observed, &ofi::OfMessages::send, send_observed);
  CHECK(observed.copies[ofi::of_messages].bytes[shorter.size] == 0x55);
  CHECK(one.tables[ofi::of_tags] == larger);
  ofi::release(observed);
}

TEST_CASE("addresses tell processes apart") {
  // Padding of addresses of sockets does not count.
  unsigned char one[16]{2, 0, 0x1f, 0x90, 10, 0, 0, 1, 9, 9}, same[16]{2, 0, 0x1f, 0x90, 10, 0, 0, 1};
  unsigned char const port[16]{2, 0, 0x1f, 0x91, 10, 0, 0, 1};
  CHECK(process(one, ofi::socket_address_4) == process(same, ofi::socket_address_4));
  CHECK(process(same, ofi::socket_address_4) != process(port, ofi::socket_address_4));
  CHECK(process(one, 11) != process(same, 11));  // other bytes count, whatever they are
  unsigned char const text[]{'f', 'i', 0, 'x'}, same_text[]{'f', 'i', 0};
  CHECK(process(text, ofi::text_address) == process(same_text, ofi::text_address));
  unsigned char six[28]{10, 0, 0x1f, 0x90, 1, 2, 3, 4, 0xfe, 0x80},
      same_six[28]{10, 0, 0x1f, 0x90, 0, 0, 0, 0, 0xfe, 0x80};
  CHECK(process(six, ofi::socket_address_6) == process(same_six, ofi::socket_address_6));
  same_six[23] = 1;
  CHECK(process(six, ofi::socket_address_6) != process(same_six, ofi::socket_address_6));
}

TEST_CASE("addresses in vectors") {
  ofi::Object object{ofi::kind::address_vector, nullptr, {&of_object, nullptr}};
  ofi::Observed& vector = *ofi::observe(&object, nullptr);
  auto const key_of = [&](std::uint64_t address) { return ofi::key_of(vector, static_cast<ofi::Address>(address)); };
  void const* const key = key_of(7);
  CHECK(key != key_of(8));
  CHECK(key_of(std::uint64_t{1} << 50) == nullptr);
  Endpoints endpoints;
  WorkerOfRank const workers[]{{static_cast<WorkerId>(5), WorldRank{1}}};
  endpoints.know(workers, 1);
  CHECK(!endpoints.knows(key));
  endpoints.made(key, static_cast<WorkerId>(5));
  CHECK(endpoints.knows(key));
  CHECK(endpoints.rank_of(key) == WorldRank{1});
  ofi::release(vector);
}

TEST_CASE("the arguments of a function tell what it sends") {
  using ofi::Address, ofi::Tag, ofi::Word;
  auto const is = [](ofi::Sent const& sent, std::uint64_t bytes, std::uint64_t tag = 0) {
    return sent.to == Address{7} && sent.bytes == bytes && sent.tag == Tag{tag};
  };
  void const* const data = nullptr;
  void* const none = nullptr;
  void** const descriptions = nullptr;
  ofi::Piece const pieces[]{{nullptr, 30}, {nullptr, 4}};
  CHECK(is(ofi::sent_by(data, std::size_t{5}, none, Word{99}, Address{7}, Tag{3}, none), 5, 3));  // senddata
  CHECK(is(ofi::sent_by(data, std::size_t{5}, Word{99}, Address{7}), 5));                         // injectdata
  CHECK(is(ofi::sent_by(none, std::size_t{5}, none, Address{7}, Word{98}, Word{99}, none), 5));   // read
  CHECK(is(ofi::sent_by(&pieces[0], descriptions, std::size_t{2}, Address{7}, Tag{3}, none), 34, 3));
  ofi::TaggedMessage const tagged{{pieces, descriptions, 2, Address{7}}, Tag{3}, 0};
  CHECK(is(ofi::sent_by(&tagged, Word{99}), 34, 3));
  CHECK(is(ofi::sent_by(static_cast<ofi::Message const*>(&tagged), Word{99}), 34));
}

#if __has_include(<rdma/fabric.h>)
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <cstddef>

// COMMPROF_SAME(Ours, theirs, member …): each is at the same place in both.
#define COMMPROF_SAME_MEMBER(Ours, member, theirs, their_member) \
  static_assert(offsetof(ofi::Ours, member) == offsetof(theirs, their_member))
#define COMMPROF_SAME_NEXT() COMMPROF_SAME_EACH
#define COMMPROF_NONE ()
#define COMMPROF_SAME_EACH(Ours, theirs, member, ...) \
  COMMPROF_SAME_MEMBER(Ours, member, theirs, member); \
  __VA_OPT__(COMMPROF_SAME_NEXT COMMPROF_NONE(Ours, theirs, __VA_ARGS__))
#define COMMPROF_SCAN_3(...) __VA_ARGS__
#define COMMPROF_SCAN_2(...) COMMPROF_SCAN_3(COMMPROF_SCAN_3(COMMPROF_SCAN_3(__VA_ARGS__)))
#define COMMPROF_SCAN(...) COMMPROF_SCAN_2(COMMPROF_SCAN_2(COMMPROF_SCAN_2(COMMPROF_SCAN_2(__VA_ARGS__))))
#define COMMPROF_SAME(Ours, theirs, ...) COMMPROF_SCAN(COMMPROF_SAME_EACH(Ours, theirs, __VA_ARGS__))

static_assert(ofi::kind::fabric == FI_CLASS_FABRIC && ofi::kind::domain == FI_CLASS_DOMAIN);
static_assert(ofi::kind::endpoint == FI_CLASS_EP && ofi::kind::address_vector == FI_CLASS_AV);
static_assert(ofi::socket_address == std::uint32_t{FI_SOCKADDR} && ofi::text_address == std::uint32_t{FI_ADDR_STR});
static_assert(ofi::socket_address_4 == std::uint32_t{FI_SOCKADDR_IN});
static_assert(ofi::socket_address_6 == std::uint32_t{FI_SOCKADDR_IN6});
COMMPROF_SAME_MEMBER(Object, kind, fid_ep, fid.fclass);
COMMPROF_SAME_MEMBER(Object, tables[ofi::of_object], fid_ep, fid.ops);
COMMPROF_SAME_MEMBER(Object, tables[ofi::of_kind], fid_ep, ops);
COMMPROF_SAME_MEMBER(Object, tables[ofi::of_kind], fid_fabric, ops);
COMMPROF_SAME_MEMBER(Object, tables[ofi::of_kind], fid_domain, ops);
COMMPROF_SAME_MEMBER(Object, tables[ofi::of_kind], fid_av, ops);
COMMPROF_SAME_MEMBER(Object, tables[ofi::of_connection], fid_ep, cm);
COMMPROF_SAME_MEMBER(Object, tables[ofi::of_messages], fid_ep, msg);
COMMPROF_SAME_MEMBER(Object, tables[ofi::of_memory], fid_ep, rma);
COMMPROF_SAME_MEMBER(Object, tables[ofi::of_tags], fid_ep, tagged);
COMMPROF_SAME_MEMBER(Info, address_format, fi_info, addr_format);
COMMPROF_SAME_MEMBER(Piece, length, iovec, iov_len);
COMMPROF_SAME_MEMBER(Message, count, fi_msg, iov_count);
COMMPROF_SAME_MEMBER(Message, to, fi_msg, addr);
COMMPROF_SAME_MEMBER(Message, to, fi_msg_rma, addr);

COMMPROF_SAME(OfObject, fi_ops, close, bind, control)
COMMPROF_SAME(OfFabric, fi_ops_fabric, domain)
COMMPROF_SAME(OfDomain, fi_ops_domain, av_open, endpoint)
COMMPROF_SAME(OfVector, fi_ops_av, lookup)
COMMPROF_SAME(OfConnection, fi_ops_cm, getname)
COMMPROF_SAME(OfMessages, fi_ops_msg, send, sendv, sendmsg, inject, senddata, injectdata)
COMMPROF_SAME(OfTags, fi_ops_tagged, recvmsg, send, sendv, sendmsg, inject, senddata, injectdata)
COMMPROF_SAME(OfMemory, fi_ops_rma, read, readv, readmsg, write, writev, writemsg, inject, writedata, injectdata)

TEST_CASE("members that follow those of a message") {
  fi_msg_tagged tagged{};
  tagged.tag = 77;
  tagged.ignore = 78;
  ofi::TaggedMessage as_tagged;
  std::memcpy(static_cast<void*>(&as_tagged), &tagged, sizeof as_tagged);
  CHECK(as_tagged.tag == ofi::Tag{77});
  CHECK(as_tagged.ignored == 78);
  CHECK(ofi::OfTags::peek == FI_PEEK);
}
#endif
