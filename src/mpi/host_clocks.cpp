#include "mpi/host_clocks.hpp"

#include <algorithm>

#include "mpi/polite_wait.hpp"
#include "mpi/tree.hpp"

namespace commprof {

namespace host_clocks {

namespace {

constexpr int exchanges = 50;

MPI_Comm of_host = MPI_COMM_NULL;     // the processes of this host
MPI_Comm of_leaders = MPI_COMM_NULL;  // one process of each host
bool has_begun = false;
CommonClock::Point first_point;
Ticks first_error;

// Readings of two clocks at one moment. error: half of the shortest exchange, in ticks of this process. offset: of the
// monotonic clocks.
struct Comparison {
  CommonClock::Point point;
  Ticks error{UINT64_MAX};
  ClockOffset offset{};
  bool has_failed = false;
};

// What a leader tells of its clocks.
clock::Reading read_now() {
  Ticks const ticks = clock::now();
  return {ticks, clock::monotonic_ns()};
}

// A call that fails is made once more: the other process waits for it.
bool send_to(int leader, void const* data, int bytes) {
  auto const send = [=] { return PMPI_Send(data, bytes, MPI_BYTE, leader, 0, of_leaders); };
  return send() == MPI_SUCCESS || send() == MPI_SUCCESS;
}
bool receive_from(int leader, void* data, int bytes) {
  auto const receive = [=] { return PMPI_Recv(data, bytes, MPI_BYTE, leader, 0, of_leaders, MPI_STATUS_IGNORE); };
  return receive() == MPI_SUCCESS || receive() == MPI_SUCCESS;
}

Comparison compare_with(int parent) {
  Comparison result;
  for (int i = 0; i < exchanges; ++i) {
    clock::Reading const sent = read_now();
    clock::Reading there;
    if (!send_to(parent, nullptr, 0) || !receive_from(parent, &there, sizeof there)) {
      result.has_failed = true;
      continue;
    }
    clock::Reading const back = read_now();
    if (back.ticks < sent.ticks) continue;
    Ticks const half{(back.ticks - sent.ticks).count / 2};
    if (half >= result.error) continue;
    std::uint64_t const half_ns = (back.ns - sent.ns) / 2;
    result = {{sent.ticks + half, there.ticks},
              half,
              {static_cast<std::int64_t>(there.ns - (sent.ns + half_ns)), half_ns},
              result.has_failed};
  }
  return result;
}

bool answer(int child) {
  bool is_whole = true;
  for (int i = 0; i < exchanges; ++i) {
    is_whole = receive_from(child, nullptr, 0) && is_whole;
    clock::Reading const now = read_now();
    is_whole = send_to(child, &now, sizeof now) && is_whole;
  }
  return is_whole;
}

// The tree of the leaders.
Tree leaders() { return {of_leaders, told_by<PMPI_Comm_rank>(of_leaders), told_by<PMPI_Comm_size>(of_leaders)}; }

// A leader compares its clock with its parent's; then its children compare theirs with its clock.
Comparison compare_leaders() {
  Tree const tree = leaders();
  Comparison result;
  if (tree.is_root()) {
    Ticks const now = clock::now();
    result = {{now, now}, {0}, {}, false};
  } else {
    result = compare_with(tree.parent());
  }
  for (int const child : tree.children())
    if (!answer(child)) result.has_failed = true;
  return result;
}

// Receives the parent's value, adds it to the leader's own by join(parent's), and sends the sum to the children.
template <class Value, class Join>
void join_down(Value& own, Join&& join) {
  Tree tree = leaders();
  Value parent;
  if (!tree.is_root()) tree.receive(parent, tree.parent());
  if (tree.failure()) own.is_known = false;
  else if (!tree.is_root()) join(parent);
  for (int const child : tree.children()) tree.tell(own, child);
}

// The offset to the first leader's clock. A host's leader sends it to all processes of the host.
struct Offset {
  ClockOffset of_clock;
  bool is_known = false;
};

Offset join_offsets(Comparison const& first) {
  Offset own{first.offset, !first.has_failed};
  join_down(own, [&](Offset const& parent) {
    own.of_clock.ns += parent.of_clock.ns;
    own.of_clock.error_ns += parent.of_clock.error_ns;
    own.is_known = own.is_known && parent.is_known;
  });
  return own;
}

CommonClock join_lines(Comparison const& last, clock::Rate rate) {
  CommonClock own;
  own.is_known = !last.has_failed;
  own.first = first_point;
  own.last = last.point;
  own.rate = rate;
  own.error_ns = rate.to_ns(std::max(first_error, last.error));
  join_down(own, [&](CommonClock const& parent) {
    own.is_known = own.is_known && parent.is_known;
    own.first.there = parent.of(own.first.there);
    own.last.there = parent.of(own.last.there);
    own.rate = parent.rate;
    own.error_ns += parent.error_ns;
  });
  return own;
}

// Sends a result of the host's leader to the host's other processes, which wait without using the processor: a leader
// that has to wait for a processor cannot measure an exchange.
template <class Value>
bool tell_host(Value& value) {
  return do_together_politely([&](MPI_Request* request) {
           return PMPI_Ibcast(&value, sizeof value, MPI_BYTE, 0, of_host, request);
         }) == MPI_SUCCESS;
}

}  // namespace

std::optional<ClockOffset> begin(MPI_Comm world, std::uint64_t host) {
  int const rank = told_by<PMPI_Comm_rank>(world);
  int rank_on_host = 0;
  auto const color = static_cast<int>(host >> 33);
  if (PMPI_Comm_split(world, color, rank, &of_host) != MPI_SUCCESS) of_host = MPI_COMM_NULL;
  bool is_one_host = of_host != MPI_COMM_NULL;
  if (is_one_host) {
    // Hosts that share a color cannot be told apart; their clocks are then unknown.
    std::uint64_t const bounds[2] = {host, ~host};
    std::uint64_t least[2] = {};
    rank_on_host = told_by<PMPI_Comm_rank>(of_host);
    is_one_host =
        PMPI_Allreduce(bounds, least, 2, MPI_UINT64_T, MPI_MIN, of_host) == MPI_SUCCESS && least[0] == ~least[1];
  }
  bool const leads = is_one_host && rank_on_host == 0;
  if (PMPI_Comm_split(world, leads ? 0 : MPI_UNDEFINED, rank, &of_leaders) != MPI_SUCCESS) of_leaders = MPI_COMM_NULL;
  has_begun = is_one_host;
  Offset offset;
  if (of_leaders != MPI_COMM_NULL) {
    Comparison const first = compare_leaders();
    first_point = first.point;
    first_error = first.error;
    if (first.has_failed) has_begun = false;
    offset = join_offsets(first);
  }
  bool const is_told = is_one_host && tell_host(offset);
  return is_told && offset.is_known ? std::optional(offset.of_clock) : std::nullopt;
}

CommonClock compare(clock::Rate rate) {
  CommonClock common;
  if (of_leaders != MPI_COMM_NULL) {
    common = join_lines(compare_leaders(), rate);
    common.is_known = common.is_known && has_begun;
  }
  if (of_host == MPI_COMM_NULL) return {};
  bool const is_told = tell_host(common);
  common.is_known = common.is_known && is_told;
  return common;
}

void end() {
  for (MPI_Comm* const comm : {&of_leaders, &of_host})
    if (*comm != MPI_COMM_NULL) PMPI_Comm_free(comm);
  has_begun = false;
}

}  // namespace host_clocks
}  // namespace commprof
