// Point-to-point messages of all kinds, drawn equally by all processes, each with a tag of its own.
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
  int spare = 0;  // number of elements by which the buffer exceeds the message
  bool from_anybody = false;
};

class Messages {
 public:
  explicit Messages(Run& run) : run_(run) {}

  // Some messages among random members of a communicator, whatever their number.
  void exchange(Comm& comm);
  // Each member exchanges with its neighbours.
  void sendrecv(Comm& comm);
  // Persistent requests: prepares some, starts older ones, releases them.
  void persistent(Comm& comm);
  void release_persistent();
  bool has_persistent() const { return !sets_.empty(); }

  // Calls that concern only this process.
  void to_nobody();
  void cancel();
  // Frees a receive while its message is on its way; its size is never known.
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
  Set prepare(Comm& comm);
  void start(Set& set);
  void start_requests(std::vector<std::pair<Prepared const*, bool>> const& some);

  Run& run_;
  std::list<Set> sets_;
  std::vector<Kept> kept_for_good_;
};

}  // namespace torture
