#include "requests.hpp"

#include <algorithm>

namespace torture {

void Requests::reserve(std::size_t number) {
  auto const free = [&] {
    return static_cast<std::size_t>(
        std::count_if(pending_.begin(), pending_.end(), [](auto const& request) { return !request; }));
  };
  for (std::size_t i = 0; i < room && free() < number; ++i)
    if (pending_[i] && pending_[i]->is_active && !pending_[i]->is_persistent) finish(pending_[i]->id);
}

MPI_Request* Requests::variable() {
  for (std::size_t i = own_.index(room);; i = (i + 1) % room)
    if (!pending_[i]) return &handles_[i];
}

int Requests::put(MPI_Request const* variable, Pending request) {
  auto const place = static_cast<std::size_t>(variable - handles_.data());
  // An MPI may have completed it already.
  if (*variable == MPI_REQUEST_NULL) return 0;
  request.id = ++last_id_;
  pending_[place] = std::move(request);
  return last_id_;
}

std::size_t Requests::place_of(int id) const {
  for (std::size_t i = 0; i < room; ++i)
    if (pending_[i] && pending_[i]->id == id) return i;
  return room;
}

Pending& Requests::at(int id) { return *pending_.at(place_of(id)); }
MPI_Request* Requests::find(int id) { return &handles_.at(place_of(id)); }

bool Requests::is_active(int id) const {
  std::size_t const place = place_of(id);
  return place < room && pending_[place]->is_active;
}

bool Requests::can_move(std::size_t place) const {
  return pending_[place] && (pending_[place]->has_own_handle || one_communicator_);
}

// The new variable may be one that another request was issued into and moved from.
void Requests::move_one() {
  std::size_t const from = own_.index(room), to = own_.index(room);
  if (!can_move(from) || (pending_[to] && !can_move(to))) return;
  std::swap(handles_[from], handles_[to]);
  std::swap(pending_[from], pending_[to]);
}

void Requests::free_a_send() {
  std::size_t const place = own_.index(room);
  std::optional<Pending>& request = pending_[place];
  if (!request || !request->is_send || request->is_persistent) return;
  MPI_Request_free(&handles_[place]);
  kept_for_good_.push_back(std::move(request->kept));
  request.reset();
}

void Requests::release(int id) {
  std::size_t const place = place_of(id);
  MPI_Request_free(&handles_.at(place));
  pending_[place].reset();
}

std::vector<int> Requests::make(Call call, int count, MPI_Request* handles) {
  std::vector<MPI_Status> statuses(static_cast<std::size_t>(count + 1));  // one more, for calls without requests
  std::vector<int> indices(static_cast<std::size_t>(count + 1));
  bool const ignores = own_.one_in(2);
  MPI_Status* const one = ignores ? MPI_STATUS_IGNORE : statuses.data();
  MPI_Status* const all = ignores ? MPI_STATUSES_IGNORE : statuses.data();
  int flag = 1, index = MPI_UNDEFINED, outcount = MPI_UNDEFINED;
  std::vector<int> completed;
  auto const everything = [&] {
    for (int i = 0; i < count && flag != 0; ++i) completed.push_back(i);
  };
  auto const one_of_them = [&] {
    if (flag != 0 && index != MPI_UNDEFINED) completed.push_back(index);
  };
  auto const some_of_them = [&] {
    if (outcount != MPI_UNDEFINED) completed.assign(indices.begin(), indices.begin() + outcount);
  };
  if (call == Call::wait) MPI_Wait(handles, one), everything();
  if (call == Call::waitall) MPI_Waitall(count, handles, all), everything();
  if (call == Call::waitany) MPI_Waitany(count, handles, &index, one), one_of_them();
  if (call == Call::waitsome) MPI_Waitsome(count, handles, &outcount, indices.data(), all), some_of_them();
  if (call == Call::test) MPI_Test(handles, &flag, one), everything();
  if (call == Call::testall) MPI_Testall(count, handles, &flag, all), everything();
  if (call == Call::testany) MPI_Testany(count, handles, &index, &flag, one), one_of_them();
  if (call == Call::testsome) MPI_Testsome(count, handles, &outcount, indices.data(), all), some_of_them();
  if (call == Call::get_status) MPI_Request_get_status(*handles, &flag, one);
  return completed;
}

void Requests::complete(std::vector<std::size_t> const& places, MPI_Request* handles, Call call) {
  // The call gets the request by value, so its variable is unknown.
  if (call == Call::get_status && pending_[places[0]] && !can_move(places[0])) call = Call::test;
  std::vector<int> const completed = make(call, static_cast<int>(places.size()), handles);
  for (std::size_t i = 0; i < places.size(); ++i) handles_[places[i]] = handles[i];
  for (int const index : completed) {
    std::size_t const place = places[static_cast<std::size_t>(index)];
    if (!pending_[place]) continue;
    if (pending_[place]->is_persistent) pending_[place]->is_active = false;
    else pending_[place].reset();
  }
}

void Requests::complete_in_place(std::size_t first, std::size_t count, Call call) {
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = first + i;
  complete(places, &handles_[first], call);
}

// Copies requests from several places to an array that none was issued into, and completes them there.
void Requests::complete_copies() {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < room; ++i)
    if (can_move(i) && own_.one_in(3)) places.push_back(i);
  own_.shuffle(places);
  if (places.size() > 12) places.resize(12);
  auto const call = static_cast<Call>(own_.below(9));
  bool const takes_one = call == Call::wait || call == Call::test || call == Call::get_status;
  if (places.empty()) return;
  if (takes_one) places.resize(1);
  std::vector<MPI_Request> copies;
  for (std::size_t const place : places) copies.push_back(handles_[place]);
  complete(places, copies.data(), call);
}

void Requests::churn() {
  for (int i = own_.below(5); i > 0; --i) {
    switch (own_.below(8)) {
      case 0:
        free_a_send();
        break;
      case 1:
        complete_copies();
        break;
      case 2:
      case 3:
        for (int k = 0; k < 20; ++k) move_one();
        break;
      default: {
        auto const call = static_cast<Call>(own_.below(9));
        bool const takes_one = call == Call::wait || call == Call::test || call == Call::get_status;
        std::size_t const first = own_.index(room), most = std::min<std::size_t>(room - first, 10);
        complete_in_place(first, takes_one ? 1 : own_.index(most + 1), call);
      }
    }
  }
}

void Requests::finish(int id) {
  for (int tries = 0; is_active(id); ++tries) {
    std::size_t const place = place_of(id);
    auto const call = tries > 5 ? Call::wait : static_cast<Call>(own_.below(9));
    bool const takes_one = call == Call::wait || call == Call::test || call == Call::get_status;
    std::size_t const before = takes_one ? 0 : own_.index(std::min<std::size_t>(place, 4) + 1);
    std::size_t const after = takes_one ? 0 : own_.index(std::min<std::size_t>(room - place - 1, 4) + 1);
    complete_in_place(place - before, before + 1 + after, call);
  }
}

void Requests::finish_on(std::string const& comm) {
  for (std::size_t i = 0; i < room; ++i)
    if (pending_[i] && pending_[i]->comm == comm) finish(pending_[i]->id);
}

void Requests::finish_collectives_on(std::string const& comm) {
  for (std::size_t i = 0; i < room; ++i)
    if (pending_[i] && pending_[i]->is_collective && pending_[i]->comm == comm) finish(pending_[i]->id);
}

void Requests::finish_all() {
  if (own_.one_in(2)) complete_in_place(0, room, Call::waitall);
  for (std::size_t i = 0; i < room; ++i)
    if (pending_[i]) finish(pending_[i]->id);
}

}  // namespace torture
