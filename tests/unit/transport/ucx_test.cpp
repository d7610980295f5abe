// The declarations of src/transport/ucx.hpp against the headers of UCX, where they are installed.
#include "transport/ucx.hpp"

#include <catch2/catch.hpp>

using namespace commprof::transport;

TEST_CASE("sizes of messages") {
  ucx::Piece pieces[]{{nullptr, 100}, {nullptr, 20}, {nullptr, 3}};
  CHECK(ucx::size_of_plain(4 << ucx::size_shift, nullptr, 10) == 40);
  CHECK(ucx::size_of_plain(ucx::pieces, pieces, 3) == 123);
  ucx::RequestParam param{};
  CHECK(ucx::size_of_plain(ucx::datatype_of(&param), nullptr, 10) == 10);
  param.datatype = 4 << ucx::size_shift;
  param.op_attr_mask = ucx::RequestParam::has_datatype;
  CHECK(ucx::size_of_plain(ucx::datatype_of(&param), nullptr, 10) == 40);
}

TEST_CASE("results of functions") {
  CHECK(ucx::has_failed(ucx::Status{-1}));
  CHECK(!ucx::has_failed(ucx::Status{1}));  // in progress
  CHECK(ucx::has_failed(reinterpret_cast<ucx::Result>(-100)));
  CHECK(!ucx::has_failed(reinterpret_cast<ucx::Result>(-101)));
  CHECK(!ucx::has_failed(ucx::Result{nullptr}));
}

#if __has_include(<ucp/api/ucp.h>)
#include <ucp/api/ucp.h>

#include <cstddef>

#define COMMPROF_SAME_PLACE(ours, member, theirs, their_member) \
  static_assert(offsetof(ucx::ours, member) == offsetof(theirs, their_member))

COMMPROF_SAME_PLACE(EndpointParams, field_mask, ucp_ep_params_t, field_mask);
COMMPROF_SAME_PLACE(EndpointParams, address, ucp_ep_params_t, address);
COMMPROF_SAME_PLACE(WorkerAttributes, field_mask, ucp_worker_attr_t, field_mask);
COMMPROF_SAME_PLACE(WorkerAttributes, address, ucp_worker_attr_t, address);
COMMPROF_SAME_PLACE(RequestParam, op_attr_mask, ucp_request_param_t, op_attr_mask);
COMMPROF_SAME_PLACE(RequestParam, datatype, ucp_request_param_t, datatype);
COMMPROF_SAME_PLACE(Piece, length, ucp_dt_iov_t, length);
COMMPROF_SAME_PLACE(GenericOperations, start_pack, ucp_generic_dt_ops_t, start_pack);
COMMPROF_SAME_PLACE(GenericOperations, start_unpack, ucp_generic_dt_ops_t, start_unpack);
COMMPROF_SAME_PLACE(GenericOperations, packed_size, ucp_generic_dt_ops_t, packed_size);
static_assert(sizeof(ucx::GenericOperations) == sizeof(ucp_generic_dt_ops_t));
static_assert(sizeof(ucx::Piece) == sizeof(ucp_dt_iov_t));
static_assert(sizeof(ucx::Status) == sizeof(ucs_status_t));
static_assert(sizeof(ucx::Tag) == sizeof(ucp_tag_t) && sizeof(ucx::Datatype) == sizeof(ucp_datatype_t));
static_assert(std::uint64_t{ucx::EndpointParams::has_address} == UCP_EP_PARAM_FIELD_REMOTE_ADDRESS);
static_assert(std::uint64_t{ucx::WorkerAttributes::has_address} == UCP_WORKER_ATTR_FIELD_ADDRESS);
static_assert(std::uint32_t{ucx::RequestParam::has_datatype} == UCP_OP_ATTR_FIELD_DATATYPE);
static_assert(ucx::class_mask == UCP_DATATYPE_CLASS_MASK && ucx::size_shift == UCP_DATATYPE_SHIFT);
static_assert(ucx::pieces == UCP_DATATYPE_IOV && ucx::generic == UCP_DATATYPE_GENERIC);
#endif
