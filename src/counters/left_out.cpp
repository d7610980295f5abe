#include "counters/left_out.hpp"

namespace commprof {

void LeftOut::begin(std::string_view ops, std::string_view comms, OfComm of_comm) {
  ops_ = ~selection::wanted_operations(ops);
  of_comm_ = selection::is_everything<selection::Communicators>(comms) ? nullptr : of_comm;
  is_any_ = ops_.any() || of_comm_ != nullptr;
}

bool LeftOut::look_up(CommIndex comm, Op op) const {
  auto const place = static_cast<std::size_t>(op);
  return (place < ops_.size() && ops_[place]) || (of_comm_ != nullptr && of_comm_(comm));
}

}  // namespace commprof
