// Point-to-point: messages of all kinds, drawn by all processes alike, each with a tag of its own.
#pragma once

#include <list>

#include "data.hpp"
#include "run.hpp"

namespace torture {

enum class SendCall { send, bsend, ssend, rsend, isend, ibsend, issend, irsend };
enum class ReceiveCall { irecv, recv, probe, iprobe, mprobe, mprobe_later, improbe };

struct Message {
  int from, to;  // world ranks
  Data data;
  int tag;
  SendCall send;
  ReceiveCall receive;
  int spare = 0;  // elements that there is room for beyond those that arrive
  bool from_anybody = false;
};

class Messages {
 public:
  explicit Messages(Run& run) : run_(run) {}

  // Some messages among random members of a communicator, whatever their number.
  void exchange(Comm& comm);
  // Each member with the ones beside it.
  void sendrecv(Comm& comm);
  // Persistent requests: prepare some, start those of before, release them.
  void persistent(Comm& comm);
  void release_persistent();
  bool has_persistent() const { return !sets_.empty(); }

  // What concerns this process alone.
  void to_nobody();
  void cancel();
  // A receive that is freed while its message is on its way; what arrives is never known.
  void free_a_receive(Comm& comm);

 private:
  struct Prepared {
    Message message;
    int send_id = 0, receive_id = 0;
  };
  struct Set {
    Comm* comm;
    std::vector<Prepared> all;
    bool has_ready_sends = false;
  };

  std::vector<Message> draw(Comm& comm, int number);
  void post(Comm& comm, Message const& message);
  void send(Comm& comm, Message const& message);
  void receive(Comm& comm, Message const& message);
  void barrier(Comm& comm);
  Set prepare(Comm& comm);
  void start(Set& set);
  void start_requests(Set const& set, std::vector<std::pair<Prepared const*, bool>> const& some);

  Run& run_;
  std::list<Set> sets_;
  std::vector<Kept> kept_for_good_;
};

}  // namespace torture
