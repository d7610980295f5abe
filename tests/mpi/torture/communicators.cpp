#include "communicators.hpp"

#include <algorithm>
#include <numeric>

#include "comm_naming/comm_name.hpp"
#include "run.hpp"

namespace torture {

namespace {

constexpr int most_live = 14;

// Neighbours on a grid, whose last dimension varies fastest.
std::vector<std::vector<int>> grid_neighbours(std::vector<int> const& dims, std::vector<int> const& periods) {
  int const size = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>());
  std::vector<std::vector<int>> all(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    std::vector<int>& found = all[static_cast<std::size_t>(rank)];
    found.resize(2 * dims.size());
    int stride = 1;
    for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) {
      int const place = rank / stride % dims[i], last = dims[i] - 1;
      bool const is_ring = periods[i] != 0;
      found[2 * i] = place > 0 ? rank - stride : is_ring ? rank + last * stride : MPI_PROC_NULL;
      found[2 * i + 1] = place < last ? rank + stride : is_ring ? rank - last * stride : MPI_PROC_NULL;
    }
  }
  return all;
}

// Ranks as in the name of a communicator that only its members have created: 5, 0-3, 0-6:2, or 0.3f2a9c1d.
std::string ranks_in_name(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  if (ranks.size() == 1) return std::to_string(ranks[0]);
  int const step = ranks[1] - ranks[0];
  commprof::RankSet set;
  for (int const rank : ranks) set.add(rank);
  char hash[16];
  std::snprintf(hash, sizeof hash, ".%x", static_cast<unsigned>(set.short_hash()));
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i] - ranks[i - 1] != step) return std::to_string(ranks[0]) + hash;
  return std::to_string(ranks.front()) + "-" + std::to_string(ranks.back()) +
         (step == 1 ? "" : ":" + std::to_string(step));
}

std::vector<int> world_ranks(Comm const& parent, std::vector<int> const& ranks, int side = 0) {
  std::vector<int> found;
  for (int const rank : ranks) found.push_back(parent.groups[side][static_cast<std::size_t>(rank)]);
  return found;
}

}  // namespace

int Comm::side_of(int world_rank) const {
  return std::find(groups[0].begin(), groups[0].end(), world_rank) != groups[0].end() ? 0 : 1;
}

int Comm::rank_of(int world_rank) const {
  std::vector<int> const& group = group_of(world_rank);
  auto const found = std::find(group.begin(), group.end(), world_rank);
  return found == group.end() ? -1 : static_cast<int>(found - group.begin());
}

std::vector<int> Comm::all() const {
  std::vector<int> both = groups[0];
  both.insert(both.end(), groups[1].begin(), groups[1].end());
  return both;
}

int Communicators::Part::smallest() const { return *std::min_element(ranks.begin(), ranks.end()); }

void Communicators::begin() {
  comms_.push_back(std::make_unique<Comm>());
  Comm& world = *comms_.back();
  world.name = "W";
  world.groups[0].resize(static_cast<std::size_t>(run_.ranks));
  std::iota(world.groups[0].begin(), world.groups[0].end(), 0);
  world.handle = MPI_COMM_WORLD;
  world.pins = 1;
  for (int rank = 0; rank < run_.ranks; ++rank) {
    comms_.push_back(std::make_unique<Comm>());
    Comm& self = *comms_.back();
    self.name = "SELF";
    self.groups[0] = {rank};
    self.handle = rank == run_.me ? MPI_COMM_SELF : MPI_COMM_NULL;
    self.pins = 1;
  }
}

std::vector<Comm*> Communicators::live() {
  std::vector<Comm*> found;
  for (auto const& comm : comms_)
    if (!comm->is_freed) found.push_back(comm.get());
  return found;
}

Comm& Communicators::any() {
  if (run_.plan.one_in(4)) return world();
  std::vector<Comm*> const all = live();
  if (run_.plan.one_in(3)) {
    std::vector<Comm*> special;
    for (Comm* const comm : all)
      if (comm->is_inter() || !comm->neighbours.empty()) special.push_back(comm);
    if (!special.empty()) return *run_.plan.pick(special);
  }
  // There are many communicators of one process; few operations use them.
  Comm* const first = run_.plan.pick(all);
  return first->all().size() > 1 || run_.plan.one_in(4) ? *first : *run_.plan.pick(all);
}

Comm& Communicators::add(Comm const& parent, std::string const& suffix, std::vector<int> first,
                         std::vector<int> second) {
  comms_.push_back(std::make_unique<Comm>());
  Comm& comm = *comms_.back();
  comm.name = parent.name + "_" + suffix;
  comm.groups[0] = std::move(first);
  comm.groups[1] = std::move(second);
  return comm;
}

void Communicators::made(Comm& comm, MPI_Comm handle) {
  comm.handle = handle;
  if (handle == MPI_COMM_NULL) return run_.fail("this MPI does not make " + comm.name);
  int rank = -1, size = -1;
  MPI_Comm_rank(handle, &rank);
  MPI_Comm_size(handle, &size);
  if (rank != comm.rank_of(run_.me) || size != static_cast<int>(comm.group_of(run_.me).size()))
    run_.fail("the program is wrong about the members of " + comm.name);
  char name[COMMPROF_MAX_NAME] = "";
  if (commprof_comm_name(handle, name, sizeof name) != MPI_SUCCESS || name != comm.name)
    run_.fail(comm.name + " has the name " + name);
}

void Communicators::take_in(std::vector<Comm*> const& comms, MPI_Comm handle) {
  for (Comm* const comm : comms)
    if (comm->has(run_.me)) return made(*comm, handle);
  if (handle != MPI_COMM_NULL) run_.fail("a creation call makes a communicator that the program does not expect");
}

void Communicators::dup(Comm& parent) {
#ifdef MPI_SESSION_NULL  // MPI 4.0, and Open MPI 5.0, which calls itself 3.1
  int const kinds = 4;
#else
  int const kinds = 3;
#endif
  int const kind = run_.plan.below(parent.is_inter() ? 2 : kinds);
  Comm& comm = add(parent, "d" + std::to_string(++parent.created), parent.groups[0], parent.groups[1]);
  comm.dims = parent.dims;
  comm.periods = parent.periods;
  comm.neighbours = parent.neighbours;
  if (!parent.has(run_.me)) return;
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Request own_variable = MPI_REQUEST_NULL;
  bool const is_pending = !run_.requests.is_on_one_communicator() && kind >= 2;
  if (is_pending) run_.requests.reserve(1);
  MPI_Request* const request = is_pending ? run_.requests.variable() : &own_variable;
  if (kind == 0) MPI_Comm_dup(parent.handle, &handle);
  if (kind == 1) MPI_Comm_dup_with_info(parent.handle, MPI_INFO_NULL, &handle);
  if (kind == 2) MPI_Comm_idup(parent.handle, &handle, request);
#ifdef MPI_SESSION_NULL  // MPI 4.0, and Open MPI 5.0, which calls itself 3.1
  if (kind == 3) MPI_Comm_idup_with_info(parent.handle, MPI_INFO_NULL, &handle, request);
#endif
  if (is_pending) {
    run_.requests.finish(run_.requests.put(request, {.comm = parent.name, .kept = nullptr}));
  } else if (kind >= 2) {
    MPI_Wait(&own_variable, MPI_STATUS_IGNORE);
  }
  made(comm, handle);
}

Comm& Communicators::dup_world() {
  dup(world());
  return *comms_.back();
}

// Up to three colors; processes without one are left out.
std::vector<int> Communicators::draw_colors(Comm const& parent) {
  int const number = run_.plan.between(1, 3);
  std::vector<int> colors;
  for (int rank = 0; rank < parent.size(); ++rank)
    colors.push_back(run_.plan.one_in(6) ? MPI_UNDEFINED : run_.plan.below(number));
  return colors;
}

Communicators::Parts Communicators::parts_by(std::vector<int> const& colors, std::vector<int> const& keys) {
  std::map<int, Part> parts;
  std::vector<int> ranks(colors.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](int a, int b) { return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)]; });
  for (int const rank : ranks)
    if (int const color = colors[static_cast<std::size_t>(rank)]; color != MPI_UNDEFINED)
      parts[color].ranks.push_back(rank);
  Parts found;
  for (auto& [color, part] : parts) found.push_back(std::move(part));
  return found;
}

std::vector<Comm*> Communicators::add_parts(Comm& parent, char letter, Parts const& parts) {
  std::vector<Comm*> comms;
  std::string const ordinal = letter + std::to_string(++parent.created);
  for (Part const& part : parts)
    comms.push_back(&add(parent, ordinal + "." + std::to_string(part.smallest()), world_ranks(parent, part.ranks)));
  return comms;
}

void Communicators::split(Comm& parent) {
  std::vector<int> const colors = draw_colors(parent);
  std::vector<int> keys;
  for (int rank = 0; rank < parent.size(); ++rank) keys.push_back(run_.plan.below(3));
  std::vector<Comm*> const comms = add_parts(parent, 's', parts_by(colors, keys));
  if (!parent.has(run_.me)) return;
  auto const me = static_cast<std::size_t>(parent.rank_of(run_.me));
  MPI_Comm handle;
  MPI_Comm_split(parent.handle, colors[me], keys[me], &handle);
  take_in(comms, handle);
}

// All processes of the test are on one host.
void Communicators::split_type(Comm& parent) {
  std::vector<int> colors, keys;
  for (int rank = 0; rank < parent.size(); ++rank) {
    colors.push_back(run_.plan.one_in(4) ? MPI_UNDEFINED : 0);
    keys.push_back(run_.plan.below(3));
  }
  std::vector<Comm*> const comms = add_parts(parent, 't', parts_by(colors, keys));
  if (!parent.has(run_.me)) return;
  auto const me = static_cast<std::size_t>(parent.rank_of(run_.me));
  MPI_Comm handle;
  int const type = colors[me] == 0 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED;
  MPI_Comm_split_type(parent.handle, type, keys[me], MPI_INFO_NULL, &handle);
  take_in(comms, handle);
}

namespace {

MPI_Group group_of(Comm const& comm, std::vector<int> const& ranks) {
  MPI_Group all, group;
  MPI_Comm_group(comm.handle, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group);
  MPI_Group_free(&all);
  return group;
}

void free_group(MPI_Group& group) {
  if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
}

}  // namespace

// Creates communicators of several disjoint groups; a process in no group passes an empty one.
void Communicators::create_of(Comm& parent) {
  Parts parts = parts_by(draw_colors(parent), std::vector<int>(static_cast<std::size_t>(parent.size())));
  for (Part& part : parts) run_.plan.shuffle(part.ranks);
  std::vector<Comm*> const comms = add_parts(parent, 'c', parts);
  if (!parent.has(run_.me)) return;
  std::vector<int> mine;
  for (Part const& part : parts)
    if (std::count(part.ranks.begin(), part.ranks.end(), parent.rank_of(run_.me)) != 0) mine = part.ranks;
  MPI_Group group = group_of(parent, mine);
  MPI_Comm handle;
  MPI_Comm_create(parent.handle, group, &handle);
  free_group(group);
  take_in(comms, handle);
}

// Only members call.
void Communicators::create_group(Comm& parent) {
  Part part;
  part.ranks.resize(static_cast<std::size_t>(parent.size()));
  std::iota(part.ranks.begin(), part.ranks.end(), 0);
  run_.plan.shuffle(part.ranks);
  part.ranks.resize(static_cast<std::size_t>(run_.plan.between(1, parent.size())));
  int const tag = parent.created % 2 == 0 ? 0 : run_.tag();
  std::string const members = ranks_in_name(part.ranks) + (tag == 0 ? "" : ".t" + std::to_string(tag));
  std::string const suffix = "u" + std::to_string(++parent.made_by[members]) + "." + members;
  Comm& comm = add(parent, suffix, world_ranks(parent, part.ranks));
  if (!comm.has(run_.me)) return;
  MPI_Group group = group_of(parent, part.ranks);
  MPI_Comm handle;
  MPI_Comm_create_group(parent.handle, group, tag, &handle);
  free_group(group);
  made(comm, handle);
}

// Processes beyond the grid get no communicator.
void Communicators::cart(Comm& parent) {
  std::vector<int> dims{run_.plan.between(1, parent.size())}, periods{run_.plan.below(2)};
  if (run_.plan.one_in(2)) {
    dims.insert(dims.begin() + run_.plan.below(2), parent.size() / dims[0]);
    periods.push_back(run_.plan.below(2));
  }
  int const size = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>());
  std::vector<int> const& group = parent.groups[0];
  Comm& comm = add(parent, "a" + std::to_string(++parent.created), {group.begin(), group.begin() + size});
  comm.dims = dims;
  comm.periods = periods;
  comm.neighbours = grid_neighbours(dims, periods);
  if (!parent.has(run_.me)) return;
  MPI_Comm handle;
  MPI_Cart_create(parent.handle, static_cast<int>(dims.size()), dims.data(), periods.data(), 0, &handle);
  take_in({&comm}, handle);
}

void Communicators::cart_sub(Comm& parent) {
  if (parent.dims.empty()) return cart(parent);
  std::vector<int> remain(parent.dims.size()), kept_dims, kept_periods;
  // MPICH 4.0.2 creates a grid of no dimension only on one process.
  std::size_t const one_that_remains = run_.plan.index(remain.size());
  for (std::size_t i = 0; i < remain.size(); ++i) {
    remain[i] = i == one_that_remains ? 1 : run_.plan.below(2);
    if (remain[i] == 0) continue;
    kept_dims.push_back(parent.dims[i]);
    kept_periods.push_back(parent.periods[i]);
  }
  // The dropped coordinates distinguish the parts.
  std::vector<int> colors;
  for (int rank = 0; rank < parent.size(); ++rank) {
    int color = 0, stride = 1;
    for (std::size_t i = remain.size(); i-- > 0; stride *= parent.dims[i])
      if (remain[i] == 0) color += rank / stride % parent.dims[i] * stride;
    colors.push_back(color);
  }
  std::vector<Comm*> const comms =
      add_parts(parent, 'b', parts_by(colors, std::vector<int>(static_cast<std::size_t>(parent.size()))));
  for (Comm* const comm : comms) {
    comm->dims = kept_dims;
    comm->periods = kept_periods;
    comm->neighbours = grid_neighbours(kept_dims, kept_periods);
  }
  if (!parent.has(run_.me)) return;
  MPI_Comm handle;
  MPI_Cart_sub(parent.handle, remain.data(), &handle);
  take_in(comms, handle);
}

// A star of the first processes: all others are neighbours of the first one.
void Communicators::graph(Comm& parent) {
  int const size = run_.plan.between(1, parent.size());
  std::vector<int> const& group = parent.groups[0];
  Comm& comm = add(parent, "r" + std::to_string(++parent.created), {group.begin(), group.begin() + size});
  comm.neighbours.resize(static_cast<std::size_t>(size));
  for (int rank = 1; rank < size; ++rank) {
    comm.neighbours[0].push_back(rank);
    comm.neighbours[static_cast<std::size_t>(rank)] = {0};
  }
  if (size == 1) comm.neighbours[0] = {0};
  std::vector<int> index, edges;
  for (std::vector<int> const& some : comm.neighbours) {
    edges.insert(edges.end(), some.begin(), some.end());
    index.push_back(static_cast<int>(edges.size()));
  }
  if (!parent.has(run_.me)) return;
  MPI_Comm handle;
  MPI_Graph_create(parent.handle, size, index.data(), edges.data(), 0, &handle);
  take_in({&comm}, handle);
}

// Each process sends to the next and receives from the one before it.
void Communicators::dist_graph(Comm& parent) {
  bool const is_adjacent = run_.plan.one_in(2);
  int const size = parent.size();
  Comm& comm = add(parent, "g" + std::to_string(++parent.created), parent.groups[0]);
  for (int rank = 0; rank < size; ++rank) comm.neighbours.push_back({(rank + 1) % size});
  if (!parent.has(run_.me)) return;
  int const rank = parent.rank_of(run_.me), degree = 1, right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Comm handle;
  if (is_adjacent)
    MPI_Dist_graph_create_adjacent(parent.handle, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &handle);
  else MPI_Dist_graph_create(parent.handle, 1, &rank, &degree, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &handle);
  made(comm, handle);
}

// A communicator that two groups create together is named under the world. Both groups count the call on their own
// communicators.
void Communicators::intercomm(Comm& one) {
  std::vector<Comm*> others;
  for (Comm* const comm : live()) {
    bool const is_disjoint = std::none_of(comm->groups[0].begin(), comm->groups[0].end(),
                                          [&](int world_rank) { return one.has(world_rank); });
    if (is_disjoint && !comm->is_inter() && !comm->is_of_self()) others.push_back(comm);
  }
  if (others.empty() || one.is_of_self()) return split(one);
  Comm& other = *run_.plan.pick(others);
  auto const smallest = [](Comm const& comm) {
    return *std::min_element(comm.groups[0].begin(), comm.groups[0].end());
  };
  Comm& first = smallest(one) < smallest(other) ? one : other;
  Comm& second = &first == &one ? other : one;
  int const leaders[] = {run_.plan.below(first.size()), run_.plan.below(second.size())};
  int const tag = run_.tag();
  ++first.created;
  ++second.created;
  std::string const members =
      ranks_in_name(first.groups[0]) + "." + ranks_in_name(second.groups[0]) + ".t" + std::to_string(tag);
  std::string const suffix = "i" + std::to_string(++world().made_between[members]) + "." + members;
  Comm& comm = add(world(), suffix, first.groups[0], second.groups[0]);
  if (!comm.has(run_.me)) return;
  int const side = comm.side_of(run_.me);
  Comm const& local = side == 0 ? first : second;
  int const remote_leader = comm.groups[1 - side][static_cast<std::size_t>(leaders[1 - side])];
  MPI_Comm handle;
  MPI_Intercomm_create(local.handle, leaders[side], MPI_COMM_WORLD, remote_leader, tag, &handle);
  made(comm, handle);
}

void Communicators::merge(Comm& parent) {
  int const high = run_.plan.below(2);  // the side whose ranks come last
  std::vector<int> members = parent.groups[1 - high];
  members.insert(members.end(), parent.groups[high].begin(), parent.groups[high].end());
  Comm& comm = add(parent, "m" + std::to_string(++parent.created), members);
  if (!parent.has(run_.me)) return;
  MPI_Comm handle;
  MPI_Intercomm_merge(parent.handle, parent.side_of(run_.me) == high ? 1 : 0, &handle);
  made(comm, handle);
}

// A communicator needs a color that both groups have.
void Communicators::split_inter(Comm& parent) {
  int const number =
      std::min({2, static_cast<int>(parent.groups[0].size()), static_cast<int>(parent.groups[1].size())});
  std::vector<Comm*> comms;
  std::string const ordinal = "s" + std::to_string(++parent.created);
  for (int color = 0; color < number; ++color) {
    std::vector<int> ranks[2];
    for (int side = 0; side < 2; ++side)
      for (int rank = color; rank < static_cast<int>(parent.groups[side].size()); rank += number)
        ranks[side].push_back(rank);
    comms.push_back(&add(parent, ordinal + "." + std::to_string(color), world_ranks(parent, ranks[0], 0),
                         world_ranks(parent, ranks[1], 1)));
  }
  if (!parent.has(run_.me)) return;
  MPI_Comm handle;
  MPI_Comm_split(parent.handle, parent.rank_of(run_.me) % number, 0, &handle);
  take_in(comms, handle);
}

void Communicators::create() {
  if (live().size() > static_cast<std::size_t>(most_live + run_.ranks)) return release();
  Comm& parent = any();
  int const how = run_.plan.below(12);
  if (parent.is_inter()) return how < 3 ? dup(parent) : how < 8 ? merge(parent) : split_inter(parent);
  using Creation = void (Communicators::*)(Comm&);
  constexpr Creation creations[] = {&Communicators::dup,        &Communicators::split,     &Communicators::split,
                                    &Communicators::split_type, &Communicators::create_of, &Communicators::create_group,
                                    &Communicators::cart,       &Communicators::cart_sub,  &Communicators::graph,
                                    &Communicators::dist_graph, &Communicators::intercomm, &Communicators::intercomm};
  (this->*creations[how])(parent);
}

void Communicators::release() {
  std::vector<Comm*> can_go;
  for (Comm* const comm : live())
    if (comm->pins == 0) can_go.push_back(comm);
  if (can_go.empty()) return;
  Comm& comm = *run_.plan.pick(can_go);
  // MPICH 4.0.2 holds a communicator for a buffered send until the buffer is detached; to disconnect it waits for that.
  bool const disconnects = run_.plan.one_in(3) && !comm.has_buffered_sends;
  comm.is_freed = true;
  if (!comm.has(run_.me)) return;
  // Otherwise pending requests on it complete later.
  if (disconnects) run_.requests.finish_on(comm.name);
#ifdef OPEN_MPI  // Open MPI 4.1.4 crashes in nonblocking collectives on communicators freed meanwhile
  run_.requests.finish_collectives_on(comm.name);
#endif
  if (disconnects) MPI_Comm_disconnect(&comm.handle);
  else MPI_Comm_free(&comm.handle);
}

}  // namespace torture
