#include "c_layer.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

using namespace commprof::generator;

namespace {

std::string wrapper(std::string_view prototype) {
  std::vector<Function> const functions = join_table(read_prototypes(prototype));
  REQUIRE(functions.size() == 1);
  return c_wrapper(functions[0]);
}

// The line of a wrapper that the test examines.
std::string line_with(std::string const& text, std::string_view part) {
  std::size_t const found = text.find(part);
  REQUIRE(found != std::string::npos);
  std::size_t const first = text.rfind('\n', found) + 1;
  std::string const line = text.substr(first, text.find('\n', found) - first);
  return line.substr(line.find_first_not_of(' '));
}

}  // namespace

TEST_CASE("the wrapper of a blocking operation") {
  CHECK(wrapper("int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);") ==
        R"(
COMMPROF_EXPORT int MPI_Send(const void * buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  Call call;
  if (!call.is_kept()) return next::MPI_Send(buf, count, datatype, dest, tag, comm);
  call.show(Op::Send).to(dest).on(handle_bits(comm));
  int const returned = next::MPI_Send(buf, count, datatype, dest, tag, comm);
  call.stop();
  int const result = call.error(returned);
  record(call, Op::Send, at_comm(comm, result).to(dest, tag), [&](CommView const& view) { return volume::send(view, count, datatype, dest); });
  return returned;
}
)");
}

TEST_CASE("the wrapper of an operation without a volume") {
  CHECK(wrapper("int MPI_Barrier(MPI_Comm comm);") == R"(
COMMPROF_EXPORT int MPI_Barrier(MPI_Comm comm) {
  Call call;
  if (!call.is_kept()) return next::MPI_Barrier(comm);
  call.show(Op::Barrier).on(handle_bits(comm));
  int const returned = next::MPI_Barrier(comm);
  call.stop();
  int const result = call.error(returned);
  record(call, Op::Barrier, at_comm(comm, result).sampled(), [&](CommView const& view) { return volume::none(view); });
  return returned;
}
)");
}

TEST_CASE("the wrapper of a call with large counts has its own types and symbol, and the row's operation") {
  CHECK(wrapper("int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);") ==
        R"(
COMMPROF_EXPORT int MPI_Bcast_c(void * buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  Call call;
  if (!call.is_kept()) return next::MPI_Bcast_c(buffer, count, datatype, root, comm);
  call.show(Op::Bcast).rooted(root).on(handle_bits(comm));
  int const returned = next::MPI_Bcast_c(buffer, count, datatype, root, comm);
  call.stop();
  int const result = call.error(returned);
  record(call, Op::Bcast, at_comm(comm, result).sampled(), [&](CommView const& view) { return volume::bcast(view, count, datatype, root); });
  return returned;
}
)");
}

TEST_CASE("the wrapper of a probe that matches a message") {
  CHECK(wrapper("int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status "
                "*status);") == R"(
COMMPROF_EXPORT int MPI_Improbe(int source, int tag, MPI_Comm comm, int * flag, MPI_Message * message, MPI_Status * status) {
  Call call;
  if (!call.is_kept()) return next::MPI_Improbe(source, tag, comm, flag, message, status);
  call.show(Op::Improbe).from(source).on(handle_bits(comm));
  StatusOut out(status);
  int const returned = next::MPI_Improbe(source, tag, comm, flag, message, out.get());
  call.stop();
  int const result = call.error(returned);
  if (result != MPI_SUCCESS || is_set(flag)) record(call, Op::Improbe, at_comm(comm, result).received(out.get()), [&](CommView const& view) { return volume::none(view); });
  else record(call, Op::Improbe_none, at_comm(comm, result), [&](CommView const& view) { return volume::none(view); });
  if (result == MPI_SUCCESS && is_set(flag)) match(comm, *message, message);
  return returned;
}
)");
  CHECK(line_with(
            wrapper("int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);"),
            "match(") == "if (result == MPI_SUCCESS) match(comm, *message, message);");
}

TEST_CASE("the wrapper of an operation that issues a request") {
  CHECK(wrapper("int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, "
                "MPI_Request *request);") == R"(
COMMPROF_EXPORT int MPI_Isend(const void * buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request * request) {
  Call call;
  if (!call.is_kept()) return next::MPI_Isend(buf, count, datatype, dest, tag, comm, request);
  call.show(Op::Isend).to(dest).on(handle_bits(comm));
  int const returned = next::MPI_Isend(buf, count, datatype, dest, tag, comm, request);
  call.stop();
  int const result = call.error(returned);
  issue(call, Op::Isend, at_comm(comm, result).to(dest, tag), request, [&](CommView const& view) { return volume::send(view, count, datatype, dest); });
  return returned;
}
)");
}

TEST_CASE("the wrapper of a receive reads the status that it hands to MPI, whatever the program gave") {
  CHECK(wrapper("int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, "
                "MPI_Status *status);") == R"(
COMMPROF_EXPORT int MPI_Recv(void * buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status * status) {
  Call call;
  if (!call.is_kept()) return next::MPI_Recv(buf, count, datatype, source, tag, comm, status);
  call.show(Op::Recv).from(source).on(handle_bits(comm));
  StatusOut out(status);
  int const returned = next::MPI_Recv(buf, count, datatype, source, tag, comm, out.get());
  call.stop();
  int const result = call.error(returned);
  record(call, Op::Recv, at_comm(comm, result).received(out.get()), [&, status = out.get()](CommView const& view) { return volume::receive(view, status); });
  return returned;
}
)");
}

TEST_CASE("the volume of a call that sends and receives takes its status last") {
  CHECK(line_with(wrapper("int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int "
                          "sendtag, int source, "
                          "int recvtag, MPI_Comm comm, MPI_Status *status);"),
                  "record(call") ==
        "record(call, Op::Sendrecv_replace, at_comm(comm, result).to(dest, sendtag).received(out.get()), [&, status = "
        "out.get()](CommView const& "
        "view) { return "
        "volume::sendrecv(view, count, datatype, dest, status); });");
}

TEST_CASE("the wrapper of a receive that is only issued") {
  CHECK(wrapper("int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, "
                "MPI_Request *request);") == R"(
COMMPROF_EXPORT int MPI_Irecv(void * buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request * request) {
  Call call;
  if (!call.is_kept()) return next::MPI_Irecv(buf, count, datatype, source, tag, comm, request);
  call.show(Op::Irecv).from(source).on(handle_bits(comm));
  int const returned = next::MPI_Irecv(buf, count, datatype, source, tag, comm, request);
  call.stop();
  int const result = call.error(returned);
  post(call, Op::Irecv, at_comm(comm, result).from(source, tag), request, [&](CommView const& view) { return volume::none(view); });
  return returned;
}
)");
}

TEST_CASE("the wrapper of a receive of a matched message") {
  CHECK(wrapper("int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status);") ==
        R"(
COMMPROF_EXPORT int MPI_Mrecv(void * buf, int count, MPI_Datatype datatype, MPI_Message * message, MPI_Status * status) {
  Call call;
  if (!call.is_kept()) return next::MPI_Mrecv(buf, count, datatype, message, status);
  call.show(Op::Mrecv);
  StatusOut out(status);
  MPI_Message const matched = message == nullptr ? MPI_MESSAGE_NULL : *message;
  int const returned = next::MPI_Mrecv(buf, count, datatype, message, out.get());
  call.stop();
  int const result = call.error(returned);
  record(call, Op::Mrecv, at_message(matched, message, result), [&, status = out.get()](CommView const& view) { return volume::receive(view, status); });
  return returned;
}
)");
  CHECK(
      wrapper("int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request);") ==
      R"(
COMMPROF_EXPORT int MPI_Imrecv(void * buf, int count, MPI_Datatype datatype, MPI_Message * message, MPI_Request * request) {
  Call call;
  if (!call.is_kept()) return next::MPI_Imrecv(buf, count, datatype, message, request);
  call.show(Op::Imrecv);
  MPI_Message const matched = message == nullptr ? MPI_MESSAGE_NULL : *message;
  int const returned = next::MPI_Imrecv(buf, count, datatype, message, request);
  call.stop();
  int const result = call.error(returned);
  post(call, Op::Imrecv, at_message(matched, message, result), request, [&](CommView const& view) { return volume::none(view); });
  return returned;
}
)");
}

TEST_CASE("the wrapper of a call that completes requests") {
  CHECK(wrapper("int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses);") == R"(
COMMPROF_EXPORT int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status * array_of_statuses) {
  Call call;
  if (!call.is_kept()) return next::MPI_Waitall(count, array_of_requests, array_of_statuses);
  call.show(Op::Waitall);
  Completion completion(count, array_of_requests, array_of_statuses, StatusOf::each_request);
  int const returned = next::MPI_Waitall(count, array_of_requests, completion.statuses());
  call.stop();
  int const result = call.error(returned);
  completion.all(call, Op::Waitall, result);
  return returned;
}
)");
}

TEST_CASE("each completion call says which requests it covers and which of them are complete") {
  struct Case {
    char const* prototype;
    char const* covers;
    char const* completes;
  };
  Case const cases[] = {
      {"int MPI_Wait(MPI_Request *request, MPI_Status *status);",
       "CompletionOfOne completion(request, status, &own_status);", "completion.all(call, Op::Wait, result);"},
      {"int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);",
       "CompletionOfOne completion(request, status, &own_status);",
       "completion.all(call, result != MPI_SUCCESS || is_set(flag) ? Op::Test : Op::Test_none, result, is_set(flag));"},
      {"int MPI_Testall(int count, MPI_Request reqs[], int *flag, MPI_Status statuses[]);",
       "Completion completion(count, array_of_requests, array_of_statuses, StatusOf::each_request);",
       "completion.all(call, result != MPI_SUCCESS || is_set(flag) ? Op::Testall : Op::Testall_none, result, "
       "is_set(flag));"},
      {"int MPI_Waitany(int count, MPI_Request reqs[], int *index, MPI_Status *status);",
       "Completion completion(count, array_of_requests, status, StatusOf::completed_ones);",
       "completion.any(call, Op::Waitany, result, value_of(index));"},
      {"int MPI_Testany(int count, MPI_Request reqs[], int *index, int *flag, MPI_Status *status);",
       "Completion completion(count, array_of_requests, status, StatusOf::completed_ones);",
       "completion.any(call, result != MPI_SUCCESS || is_set(flag) ? Op::Testany : Op::Testany_none, result, "
       "value_of(index), "
       "is_set(flag));"},
      {"int MPI_Waitsome(int n, MPI_Request reqs[], int *outcount, int indices[], MPI_Status statuses[]);",
       "Completion completion(incount, array_of_requests, array_of_statuses, StatusOf::completed_ones);",
       "completion.some(call, Op::Waitsome, result, value_of(outcount), array_of_indices);"},
      {"int MPI_Testsome(int n, MPI_Request reqs[], int *outcount, int indices[], MPI_Status statuses[]);",
       "Completion completion(incount, array_of_requests, array_of_statuses, StatusOf::completed_ones);",
       "completion.some(call, result != MPI_SUCCESS || value_of(outcount) != 0 ? Op::Testsome : Op::Testsome_none, "
       "result, "
       "value_of(outcount), array_of_indices);"},
      {"int MPI_Request_free(MPI_Request *request);", "CompletionOfOne completion(request);",
       "completion.released(call, Op::Request_free, result);"},
      {"int MPI_Cancel(MPI_Request *request);", "CompletionOfOne completion(request);",
       "completion.cancelled(call, Op::Cancel, result);"},
  };
  for (Case const& each : cases) {
    std::string const text = wrapper(each.prototype);
    CHECK(line_with(text, " completion(") == each.covers);
    std::string const completes = each.completes;
    CHECK(line_with(text, completes.substr(0, completes.find('('))) == completes);
  }
}

TEST_CASE("a request that is handed over by value is looked at where it is") {
  CHECK(wrapper("int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);") == R"(
COMMPROF_EXPORT int MPI_Request_get_status(MPI_Request request, int * flag, MPI_Status * status) {
  Call call;
  if (!call.is_kept()) return next::MPI_Request_get_status(request, flag, status);
  call.show(Op::Request_get_status);
  MPI_Status own_status;
  CompletionOfOne completion(&request, status, &own_status);
  int const returned = next::MPI_Request_get_status(request, flag, completion.statuses());
  call.stop();
  int const result = call.error(returned);
  completion.seen_all(call, result != MPI_SUCCESS || is_set(flag) ? Op::Request_get_status : Op::Request_get_status_none, result, is_set(flag));
  return returned;
}
)");
}

TEST_CASE("requests that are started are looked at before the call") {
  CHECK(wrapper("int MPI_Startall(int count, MPI_Request array_of_requests[]);") == R"(
COMMPROF_EXPORT int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  Call call;
  if (!call.is_kept()) return next::MPI_Startall(count, array_of_requests);
  call.show(Op::Startall);
  Starting const starting(count, array_of_requests);
  int const returned = next::MPI_Startall(count, array_of_requests);
  call.stop();
  int const result = call.error(returned);
  starting.started(call, Op::Startall, result);
  return returned;
}
)");
}

TEST_CASE("the wrapper of a call that makes a communicator") {
  CHECK(wrapper("int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);") == R"(
COMMPROF_EXPORT int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm * newcomm) {
  Call call;
  if (!call.is_kept()) return next::MPI_Comm_split(comm, color, key, newcomm);
  call.show(Op::Comm_split).on(handle_bits(comm));
  int const returned = next::MPI_Comm_split(comm, color, key, newcomm);
  call.stop();
  int const result = call.error(returned);
  create(call, {Op::Comm_split, Letter{'s'}, true, -1}, at_comm(comm, result), newcomm);
  return returned;
}
)");
}

TEST_CASE("a creation call hands on the flag of a topology and the request of a nonblocking one") {
  CHECK(line_with(
            wrapper(
                "int MPI_Cart_create(MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder, "
                "MPI_Comm *comm_cart);"),
            "create(call") ==
        "create(call, {Op::Cart_create, Letter{'a'}, false, reorder}, at_comm(comm, result), newcomm);");
  CHECK(
      line_with(wrapper("int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);"), "create(call") ==
      "create(call, {Op::Comm_idup, Letter{'d'}, false, -1}, at_comm(comm, result), newcomm, request);");
}

TEST_CASE("a creation call that only the members make hands on its tag") {
  CHECK(line_with(wrapper("int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm);"),
                  "create(call") ==
        "create(call, {Op::Comm_create_group, Letter{'u'}, true, -1, tag}, at_comm(comm, result), newcomm);");
}

TEST_CASE("the wrapper of a call that gives up a communicator") {
  CHECK(wrapper("int MPI_Comm_free(MPI_Comm *comm);") == R"(
COMMPROF_EXPORT int MPI_Comm_free(MPI_Comm * comm) {
  Call call;
  if (!call.is_kept()) return next::MPI_Comm_free(comm);
  call.show(Op::Comm_free);
  communicators::Release const released(comm);
  int const returned = next::MPI_Comm_free(comm);
  call.stop();
  int const result = call.error(returned);
  release(call, Op::Comm_free, released.index(result));
  return returned;
}
)");
}

TEST_CASE("a call that is written by hand has no generated wrapper") {
  std::vector<Function> const functions = join_table(read_prototypes("int MPI_Finalize(void);"));
  REQUIRE(functions.size() == 1);
  CHECK_THROWS_AS(c_wrapper(functions[0]), std::logic_error);
}
