#include "messages.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace torture {

namespace {

int rank_among(std::vector<int> const& world_ranks, int world_rank) {
  return static_cast<int>(std::find(world_ranks.begin(), world_ranks.end(), world_rank) - world_ranks.begin());
}

// The destination, as a rank that the sender uses for the receiver.
int dest_of(Comm const& comm, Message const& message) { return rank_among(comm.peers_of(message.from), message.to); }
int source_of(Comm const& comm, Message const& message) {
  return message.from_anybody ? MPI_ANY_SOURCE : rank_among(comm.peers_of(message.to), message.from);
}

bool is_blocking(SendCall send) { return send <= SendCall::rsend; }
bool needs_receive(SendCall send) { return send == SendCall::rsend || send == SendCall::irsend; }

// MPICH 4.0.2 makes messages of pair types too long when it copies them to a buffer.
Datatype::Kind without_pairs(Datatype::Kind kind) {
  return kind == Datatype::Kind::real_and_integer ? Datatype::Kind::real : kind;
}

}  // namespace

// Draws messages. The receives of blocking sends, and of sends that need a posted receive, are posted first.
std::vector<Message> Messages::draw(Comm& comm, int number) {
  Random& plan = run_.plan;
  std::vector<Message> messages;
  int const shared_tag = run_.tag();
  auto const shared_receive = static_cast<ReceiveCall>(plan.below(7));
  for (int i = 0; i < number; ++i) {
    Message message{};
    message.from = plan.pick(comm.all());
    message.to = plan.pick(comm.peers_of(message.from));
    message.data = Data::draw(plan);
    message.tag = run_.tag();
    message.receive = plan.one_in(2) ? ReceiveCall::irecv : static_cast<ReceiveCall>(plan.below(7));
    message.from_anybody = plan.one_in(4);
    // Uses one tag and MPI_ANY_SOURCE: the sums do not change as long as one call receives all.
    if (plan.one_in(4)) {
      message.from_anybody = true;
      message.tag = shared_tag;
      message.receive = shared_receive;
      message.data.kind = Datatype::Kind::character;
    }
    message.spare = message.tag == shared_tag ? 20000 : plan.below(3) * 10;
    bool const is_posted = message.receive == ReceiveCall::irecv;
    SendCall const not_posted[] = {SendCall::isend, SendCall::ibsend, SendCall::issend, SendCall::bsend};
    message.send = is_posted ? static_cast<SendCall>(plan.below(8)) : not_posted[plan.index(4)];
    bool const is_buffered = message.send == SendCall::bsend || message.send == SendCall::ibsend;
    if (is_buffered) comm.has_buffered_sends = true;
    if (is_buffered) message.data.kind = without_pairs(message.data.kind);
    messages.push_back(message);
  }
  return messages;
}

void Messages::post(Comm& comm, Message const& message) {
  int const count = message.data.count + message.spare;
  Room const room = room_for(count);
  MPI_Request* const request = run_.requests.variable();
  MPI_Irecv(room->data(), count, Datatype(message.data.kind), source_of(comm, message), message.tag, comm.handle,
            request);
  run_.requests.put(request, {.comm = comm.name, .kept = room, .has_own_handle = true});
}

void Messages::send(Comm& comm, Message const& message) {
  auto const& [from, to, data, tag, call, receive, spare, from_anybody] = message;
  Room const room = room_for(data.count);
  Datatype const type(data.kind);
  int const dest = dest_of(comm, message);
  MPI_Request* const request = is_blocking(call) ? nullptr : run_.requests.variable();
  constexpr auto blocking = std::to_array({MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend});
  constexpr auto nonblocking = std::to_array({MPI_Isend, MPI_Ibsend, MPI_Issend, MPI_Irsend});
  auto const which = static_cast<std::size_t>(call) % 4;
  if (is_blocking(call)) blocking[which](room->data(), data.count, type, dest, tag, comm.handle);
  else nonblocking[which](room->data(), data.count, type, dest, tag, comm.handle, request);
  if (is_blocking(call)) return;
  bool const has_own_handle =
      to != run_.me && (call == SendCall::issend || (call == SendCall::isend && data.bytes() >= 65536));
  run_.requests.put(request, {.comm = comm.name, .kept = room, .has_own_handle = has_own_handle, .is_send = true});
}

void Messages::receive(Comm& comm, Message const& message) {
  int const count = message.data.count + message.spare, source = source_of(comm, message), tag = message.tag;
  Room const room = room_for(count);
  Datatype const type(message.data.kind);
  MPI_Message matched = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Status* const where = run_.own.one_in(2) ? &status : MPI_STATUS_IGNORE;
  int flag = 0;
  auto const receive_matched = [&] {
    MPI_Message copy = matched;
    MPI_Mrecv(room->data(), count, type, &copy, where);
  };
  auto const receive_any = [&] { MPI_Recv(room->data(), count, type, source, tag, comm.handle, where); };
  switch (message.receive) {
    case ReceiveCall::irecv:
      return post(comm, message);
    case ReceiveCall::recv:
      return receive_any();
    case ReceiveCall::probe:
      MPI_Probe(source, tag, comm.handle, where);
      return receive_any();
    case ReceiveCall::iprobe:
      while (flag == 0) MPI_Iprobe(source, tag, comm.handle, &flag, where);
      return receive_any();
    case ReceiveCall::mprobe:
      MPI_Mprobe(source, tag, comm.handle, &matched, where);
      return receive_matched();
    case ReceiveCall::improbe:
      while (flag == 0) MPI_Improbe(source, tag, comm.handle, &flag, &matched, where);
      return receive_matched();
    case ReceiveCall::mprobe_later: {
      MPI_Mprobe(source, tag, comm.handle, &matched, where);
      MPI_Request* const request = run_.requests.variable();
      MPI_Imrecv(room->data(), count, type, &matched, request);
      run_.requests.put(request, {.comm = comm.name, .kept = room});
    }
  }
}

void Messages::exchange(Comm& comm) {
  std::vector<Message> messages = draw(comm, run_.plan.between(1, 8));
  if (!comm.has(run_.me)) return;
  bool const has_ready_sends =
      std::any_of(messages.begin(), messages.end(), [](auto const& message) { return needs_receive(message.send); });
  run_.requests.reserve(2 * messages.size());
  run_.own.shuffle(messages);
  auto const each = [&](auto const& is_wanted, auto const& action) {
    for (Message const& message : messages)
      if (is_wanted(message)) action(message);
  };
  each([&](Message const& message) { return message.to == run_.me && message.receive == ReceiveCall::irecv; },
       [&](Message const& message) { post(comm, message); });
  if (has_ready_sends) MPI_Barrier(comm.handle);
  each([&](Message const& message) { return message.from == run_.me && !is_blocking(message.send); },
       [&](Message const& message) { send(comm, message); });
  // A buffered send waits for nobody, so it may come before the receive.
  each([&](Message const& message) { return message.from == run_.me && message.send == SendCall::bsend; },
       [&](Message const& message) { send(comm, message); });
  each(
      [&](Message const& message) {
        return message.from == run_.me && is_blocking(message.send) && message.send != SendCall::bsend;
      },
      [&](Message const& message) { send(comm, message); });
  each([&](Message const& message) { return message.to == run_.me && message.receive != ReceiveCall::irecv; },
       [&](Message const& message) { receive(comm, message); });
}

void Messages::sendrecv(Comm& comm) {
  Data data = Data::draw(run_.plan);
  bool const replaces = run_.plan.one_in(2);
  if (replaces) data.kind = without_pairs(data.kind);
  int const tag = run_.tag(), step = run_.plan.below(4);
  if (!comm.has(run_.me)) return;
  // In an intercommunicator, exchanges with the process of the same rank, if there is one.
  int const rank = comm.rank_of(run_.me), size = static_cast<int>(comm.peers_of(run_.me).size());
  int dest = (rank + step) % size, source = (rank + size - step % size) % size;
  if (comm.is_inter()) dest = source = rank < size ? rank : MPI_PROC_NULL;
  Datatype const type(data.kind);
  Room const out = room_for(data.count), in = room_for(data.count);
  if (replaces)
    MPI_Sendrecv_replace(out->data(), data.count, type, dest, tag, source, tag, comm.handle, MPI_STATUS_IGNORE);
  else
    MPI_Sendrecv(out->data(), data.count, type, dest, tag, in->data(), data.count, type, source, tag, comm.handle,
                 MPI_STATUS_IGNORE);
}

Messages::Set Messages::prepare(Comm& comm) {
  Set set{&comm, {}, false};
  for (Message message : draw(comm, run_.plan.between(1, 4))) {
    message.receive = ReceiveCall::irecv;
    message.send = static_cast<SendCall>(static_cast<int>(message.send) % 4);  // its blocking form
    message.from_anybody = false;
    message.tag = run_.tag();
    if (message.send == SendCall::bsend) comm.has_buffered_sends = true;
    set.has_ready_sends |= message.send == SendCall::rsend;
    set.all.push_back({message});
  }
  ++comm.pins;
  if (!comm.has(run_.me)) return set;
  run_.requests.reserve(2 * set.all.size());
  for (Prepared& prepared : set.all) {
    Message const& message = prepared.message;
    Datatype const type(message.data.kind);
    if (message.from == run_.me) {
      Room const room = room_for(message.data.count);
      MPI_Request* const request = run_.requests.variable();
      constexpr auto inits = std::to_array({MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init, MPI_Rsend_init});
      auto const call = static_cast<std::size_t>(message.send);
      inits[call](room->data(), message.data.count, type, dest_of(comm, message), message.tag, comm.handle, request);
      prepared.send_id = run_.requests.put(request, {comm.name, room, true, true, true, false, false});
    }
    if (message.to == run_.me) {
      int const count = message.data.count + message.spare;
      Room const room = room_for(count);
      MPI_Request* const request = run_.requests.variable();
      MPI_Recv_init(room->data(), count, type, source_of(comm, message), message.tag, comm.handle, request);
      prepared.receive_id = run_.requests.put(request, {comm.name, room, true, false, true, false, false});
    }
  }
  return set;
}

// Starts requests one by one, or by one call.
void Messages::start_requests(std::vector<std::pair<Prepared const*, bool>> const& some) {
  std::vector<MPI_Request> copies;
  std::vector<MPI_Request*> variables;
  bool const at_once = run_.own.one_in(2);
  for (auto const& [prepared, is_send] : some) {
    int const id = is_send ? prepared->send_id : prepared->receive_id;
    if (at_once) {
      variables.push_back(run_.requests.find(id));
      copies.push_back(*variables.back());
    } else {
      MPI_Start(run_.requests.find(id));
    }
    run_.requests.start(id);
  }
  if (copies.empty()) return;
  MPI_Startall(static_cast<int>(copies.size()), copies.data());
  // Open MPI changes a request's handle if its previous message has not been sent yet.
  for (std::size_t i = 0; i < copies.size(); ++i) *variables[i] = copies[i];
}

void Messages::start(Set& set) {
  std::vector<std::pair<Prepared const*, bool>> sends, receives;
  for (Prepared const& prepared : set.all) {
    for (int const id : {prepared.send_id, prepared.receive_id})
      if (id != 0) run_.requests.finish(id);
    if (prepared.send_id != 0) sends.emplace_back(&prepared, true);
    if (prepared.receive_id != 0) receives.emplace_back(&prepared, false);
  }
  if (!set.comm->has(run_.me)) return;
  if (!set.has_ready_sends) {
    receives.insert(receives.end(), sends.begin(), sends.end());
    run_.own.shuffle(receives);
    return start_requests(receives);
  }
  start_requests(receives);
  MPI_Barrier(set.comm->handle);
  start_requests(sends);
}

void Messages::persistent(Comm& comm) {
  if (sets_.empty() || (sets_.size() < 3 && run_.plan.one_in(3))) sets_.push_back(prepare(comm));
  auto const set = std::next(sets_.begin(), run_.plan.below(static_cast<int>(sets_.size())));
  start(*set);
  if (!run_.plan.one_in(4)) return;
  std::swap(*set, sets_.front());
  release_persistent();
}

void Messages::release_persistent() {
  if (sets_.empty()) return;
  Set const& set = sets_.front();
  for (Prepared const& prepared : set.all) {
    for (int const id : {prepared.send_id, prepared.receive_id}) {
      if (id == 0) continue;
      run_.requests.finish(id);
      run_.requests.release(id);
    }
  }
  --set.comm->pins;
  sets_.pop_front();
}

// Requests that complete at once stay in their variables: their handle may be shared.
void Messages::to_nobody() {
  int const what = run_.own.below(8);
  char data[8] = {};
  MPI_Comm const comm = MPI_COMM_WORLD;
  MPI_Request request;
  MPI_Message message;
  if (what == 0) MPI_Send(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, comm);
  if (what == 1) MPI_Recv(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
  if (what == 2)
    MPI_Sendrecv(data, 4, MPI_CHAR, MPI_PROC_NULL, 1, data + 4, 4, MPI_CHAR, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
  if (what == 3) MPI_Isend(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, comm, &request);
  if (what == 4) MPI_Irecv(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, comm, &request);
  if (what == 5) MPI_Probe(MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
  if (what == 6) MPI_Mprobe(MPI_PROC_NULL, 1, comm, &message, MPI_STATUS_IGNORE);
  if (what == 6) MPI_Mrecv(data, 8, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  if (what == 7) MPI_Bsend(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, comm);
  if (what != 3 && what != 4) return;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void Messages::cancel() {
  run_.requests.reserve(1);
  constexpr int tag_of_nothing = 30'000;
  Room const room = room_for(1);
  MPI_Request* const request = run_.requests.variable();
  MPI_Irecv(room->data(), 8, MPI_CHAR, MPI_ANY_SOURCE, tag_of_nothing, MPI_COMM_WORLD, request);
  MPI_Cancel(request);
  run_.requests.put(request, {.comm = "W", .kept = room, .has_own_handle = true});
}

void Messages::free_a_receive(Comm& comm) {
  int const from = run_.plan.pick(comm.all()), to = run_.plan.pick(comm.peers_of(from)), tag = run_.tag();
  Message const message{from, to, Data::draw(run_.plan), tag, SendCall::isend, ReceiveCall::irecv};
  run_.requests.reserve(1);
  if (to == run_.me) {
    Room const room = room_for(message.data.count);
    MPI_Request request;
    MPI_Irecv(room->data(), message.data.count, Datatype(message.data.kind), source_of(comm, message), tag, comm.handle,
              &request);
    MPI_Request_free(&request);
    kept_for_good_.push_back(room);
  }
  if (from == run_.me) send(comm, message);
}

}  // namespace torture
