#include "mpi/host_clocks.hpp"

#include <algorithm>

#include "mpi/polite_wait.hpp"
#include "mpi/tree.hpp"

namespace commprof::host_clocks {

namespace {

constexpr int exchanges = 50;

MPI_Comm of_host = MPI_COMM_NULL;     // the processes of this host
MPI_Comm of_leaders = MPI_COMM_NULL;  // one process of each host
bool has_begun = false;
bool has_failed = false;  // a message, or the making of a communicator
CommonClock::Point first_point;
Ticks first_error;

void check(int error) { has_failed = has_failed || error != MPI_SUCCESS; }

// Readings of two clocks at one moment. error: half of the shortest exchange, in ticks of this process. offset: of the
// monotonic clocks.
struct Comparison {
  CommonClock::Point point;
  Ticks error{UINT64_MAX};
  ClockOffset offset{};
};

// What a leader tells of its clocks.
clock::Reading read_now() {
  Ticks const ticks = clock::now();
  return {ticks, clock::monotonic_ns()};
}

void send_to(int leader, void const* data, int bytes) {
  check(PMPI_Send(data, bytes, MPI_BYTE, leader, 0, of_leaders));
}
void receive_from(int leader, void* data, int bytes) {
  check(PMPI_Recv(data, bytes, MPI_BYTE, leader, 0, of_leaders, MPI_STATUS_IGNORE));
}

Comparison compare_with(int parent) {
  Comparison result;
  for (int i = 0; i < exchanges; ++i) {
    clock::Reading const sent = read_now();
    clock::Reading there;
    send_to(parent, nullptr, 0);
    receive_from(parent, &there, sizeof there);
    clock::Reading const back = read_now();
    if (back.ticks < sent.ticks) continue;
    Ticks const half{(back.ticks - sent.ticks).count / 2};
    if (half >= result.error) continue;
    std::uint64_t const half_ns = (back.ns - sent.ns) / 2;
    result = {
        {sent.ticks + half, there.ticks}, half, {static_cast<std::int64_t>(there.ns - (sent.ns + half_ns)), half_ns}};
  }
  return result;
}

void answer(int child) {
  for (int i = 0; i < exchanges; ++i) {
    receive_from(child, nullptr, 0);
    clock::Reading const now = read_now();
    send_to(child, &now, sizeof now);
  }
}

// The tree of the leaders.
Tree leaders() { return {of_leaders, told_by<PMPI_Comm_rank>(of_leaders), told_by<PMPI_Comm_size>(of_leaders)}; }

// A leader compares its clock with its parent's; then its children compare theirs with its clock.
Comparison compare_leaders() {
  Tree const tree = leaders();
  Ticks const now = clock::now();
  Comparison const result = tree.is_root() ? Comparison{{now, now}, {0}} : compare_with(tree.parent());
  for (int const child : tree.children()) answer(child);
  return result;
}

// Receives the parent's value, adds it to the leader's own by join(parent's), and sends the sum to the children.
template <class Value, class Join>
void join_down(Value& own, Join&& join) {
  Tree tree = leaders();
  Value parent;
  if (!tree.is_root()) tree.receive(parent, tree.parent());
  if (!tree.is_root() && !tree.failure()) join(parent);
  own.is_known = !has_failed && !tree.failure() && (tree.is_root() || parent.is_known);
  for (int const child : tree.children()) tree.tell(own, child);
}

// The offset to the first leader's clock. A host's leader sends it to all processes of the host.
struct Offset {
  ClockOffset of_clock;
  bool is_known = false;
};

// Sends a result of the host's leader to the host's other processes, which wait without using the processor: a leader
// that has to wait for a processor cannot measure an exchange.
template <class Value>
void tell_host(Value& value) {
  if (of_host != MPI_COMM_NULL)
    check(do_together_politely(
        [&](MPI_Request* request) { return PMPI_Ibcast(&value, sizeof value, MPI_BYTE, 0, of_host, request); }));
  value.is_known = value.is_known && !has_failed;
}

}  // namespace

std::optional<ClockOffset> begin(MPI_Comm world) {
  int const rank = told_by<PMPI_Comm_rank>(world);
  check(PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &of_host));
  bool const leads = of_host != MPI_COMM_NULL && told_by<PMPI_Comm_rank>(of_host) == 0;
  check(PMPI_Comm_split(world, leads ? 0 : MPI_UNDEFINED, rank, &of_leaders));
  Offset offset;
  if (of_leaders != MPI_COMM_NULL) {
    Comparison const first = compare_leaders();
    first_point = first.point;
    first_error = first.error;
    offset.of_clock = first.offset;
    join_down(offset, [&](Offset const& parent) {
      offset.of_clock.ns += parent.of_clock.ns;
      offset.of_clock.error_ns += parent.of_clock.error_ns;
    });
  }
  has_begun = true;
  tell_host(offset);
  return offset.is_known ? std::optional(offset.of_clock) : std::nullopt;
}

CommonClock compare(clock::Rate rate) {
  CommonClock own;
  if (!has_begun) return own;
  if (of_leaders != MPI_COMM_NULL) {
    Comparison const last = compare_leaders();
    own.first = first_point;
    own.last = last.point;
    own.rate = rate;
    own.error_ns = rate.to_ns(std::max(first_error, last.error));
    join_down(own, [&](CommonClock const& parent) {
      own.first.there = parent.of(own.first.there);
      own.last.there = parent.of(own.last.there);
      own.rate = parent.rate;
      own.error_ns += parent.error_ns;
    });
  }
  tell_host(own);
  return own;
}

void end() {
  for (MPI_Comm* const comm : {&of_leaders, &of_host})
    if (*comm != MPI_COMM_NULL) PMPI_Comm_free(comm);
  has_begun = false;
}

}  // namespace commprof::host_clocks
