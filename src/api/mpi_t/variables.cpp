#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <new>

#include "api/mpi_t/mpi_t.hpp"
#include "api/readings/readings.hpp"
#include "base/clock.hpp"
#include "counters/counters.hpp"

namespace commprof::mpi_t {

namespace {

Variable const variables[] = {
    {"commprof_messages_count", Quantity::messages, MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG,
     "Messages sent point-to-point to each process of the communicator"},
    {"commprof_messages_size", Quantity::message_bytes, MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG,
     "Bytes sent point-to-point to each process of the communicator"},
    {"commprof_calls", Quantity::calls, MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG,
     "MPI calls of this process on the communicator"},
    {"commprof_time", Quantity::time, MPI_T_PVAR_CLASS_TIMER, MPI_DOUBLE,
     "Seconds of this process in MPI calls on the communicator"},
};

static_assert(std::size(variables) == variable_count);

// Reads the options early: a program may use MPI_T without MPI_Init.
Options const& options() {
  static Options const early = [] {
    settings.read();
    return settings.options();
  }();
  return early;
}

}  // namespace

Variable const& variable_at(int place) { return variables[place]; }

int place_of(Variable const& variable) { return static_cast<int>(&variable - variables); }

bool are_served() { return options().enable; }

Variable const* find(std::string_view name) {
  auto const* const found =
      std::find_if(std::begin(variables), std::end(variables), [&](Variable const& v) { return v.name == name; });
  return found == std::end(variables) ? nullptr : found;
}

bool is_offered(Variable const& variable) { return !is_of_peers(variable.quantity) || options().peers; }

namespace {

bool fill(PageVector<std::uint64_t>& values, int count) {
  bool fits = true;
  for (int i = 0; fits && i < count; ++i) fits = values.push_back(0);
  return fits;
}

}  // namespace

Handle* Handle::make(MPI_T_pvar_session session, Quantity quantity, MPI_Comm comm, CommIndex index) {
  void* const pages = map_pages(sizeof(Handle));
  if (pages == nullptr) return nullptr;
  auto* const handle = new (pages) Handle(session, quantity, index);
  bool const has_members = !is_of_peers(quantity) || handle->members_.fill(comm, index);
  int const count = is_of_peers(quantity) ? handle->members_.size() : 1;
  if (has_members && fill(handle->values_, count) && fill(handle->until_, count) && fill(handle->stock_, count))
    return handle;
  destroy(handle);
  return nullptr;
}

void Handle::destroy(Handle* handle) {
  handle->~Handle();
  unmap_pages(handle, sizeof(Handle));
}

void Handle::take_stock(PageVector<std::uint64_t>& values) const {
  std::fill(values.begin(), values.end(), 0);
  if (!is_of_peers(quantity_)) {
    readings::CallSums const sums = readings::calls_on(comm_, std::nullopt);
    *values.begin() = quantity_ == Quantity::calls ? sums.calls : sums.time.count;
    return;
  }
  readings::for_each_peer(comm_, nullptr, [&](Peer peer, readings::MessageSums const& sums) {
    int const rank = members_.rank_of(peer);
    if (rank >= 0) values.begin()[rank] += quantity_ == Quantity::messages ? sums.messages : sums.bytes;
  });
}

void Handle::advance() {
  take_stock(stock_);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_.begin()[i] += stock_.begin()[i] - until_.begin()[i];
    until_.begin()[i] = stock_.begin()[i];
  }
}

bool Handle::start() {
  if (is_started_) return false;
  take_stock(until_);
  return is_started_ = true;
}

bool Handle::stop() {
  if (!is_started_) return false;
  advance();
  is_started_ = false;
  return true;
}

void Handle::reset() {
  std::fill(values_.begin(), values_.end(), 0);
  if (is_started_) take_stock(until_);
}

void Handle::read(void* buffer) {
  if (is_started_) advance();
  if (quantity_ != Quantity::time) {
    static_assert(sizeof(unsigned long) == sizeof(std::uint64_t));
    std::memcpy(buffer, values_.begin(), values_.size() * sizeof(std::uint64_t));
    return;
  }
  double const seconds = static_cast<double>(clock::calibrate().to_ns({*values_.begin()})) * 1e-9;
  std::memcpy(buffer, &seconds, sizeof seconds);
}

void Handle::read_and_reset(void* buffer) {
  read(buffer);
  std::fill(values_.begin(), values_.end(), 0);
}

bool HandleTable::is_own(MPI_T_pvar_handle handle) const {
  auto const* const address = reinterpret_cast<char const*>(handle);
  return range_ != nullptr && !std::less<>{}(address, range_) && std::less<>{}(address, range_ + range_bytes);
}

MPI_T_pvar_handle HandleTable::add(Handle* handle) {
  if (range_ == nullptr) {
    void* const range = mmap(nullptr, range_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) return MPI_T_PVAR_HANDLE_NULL;
    range_ = static_cast<char*>(range);
  }
  auto const given_out = reinterpret_cast<MPI_T_pvar_handle>(range_ + next_);
  next_ = (next_ + 1) % range_bytes;
  return live_.push_back({given_out, handle}) ? given_out : MPI_T_PVAR_HANDLE_NULL;
}

Handle* HandleTable::find(MPI_T_pvar_session session, MPI_T_pvar_handle handle) const {
  auto const* const found =
      std::find_if(live_.begin(), live_.end(), [&](Entry entry) { return entry.given_out == handle; });
  return found == live_.end() || found->handle->session() != session ? nullptr : found->handle;
}

void HandleTable::remove(Handle* handle) {
  Entry* const found = std::find_if(live_.begin(), live_.end(), [&](Entry entry) { return entry.handle == handle; });
  *found = *(live_.end() - 1);
  live_.pop_back();
  Handle::destroy(handle);
}

void HandleTable::remove_all(MPI_T_pvar_session session) {
  for (std::size_t i = live_.size(); i-- > 0;) {
    Handle* const handle = live_.begin()[i].handle;
    if (handle->session() == session) remove(handle);
  }
}

}  // namespace commprof::mpi_t
