#include "mpi/communicator.hpp"

#include <stdexcept>
#include <string>

namespace assay::mpi {

// MPI's own words in one line: of several (MPICH gives the calls that led to it) the first and the last.
void fail(int code, const char* call, int peer) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::string words(text, static_cast<std::size_t>(length));
  while (!words.empty() && words.back() == '\n') words.pop_back();
  const std::size_t first = words.find('\n'), last = words.rfind('\n');
  if (first != std::string::npos) words = words.substr(0, first) + " " + words.substr(last + 1);
  const std::string with = peer < 0 ? "" : " with rank " + std::to_string(peer);
  throw std::runtime_error(call + with + ": " + words);
}

// MPI's own checks are not enough: some numbers below zero mean something to one library and not to another.
void outside(const char* does, int peer, int tag, int size) {
  if (peer < 0 || peer >= size)
    throw std::out_of_range(does + (" rank " + std::to_string(peer)) + "; expected 0 to " + std::to_string(size - 1));
  throw std::out_of_range(does + (" rank " + std::to_string(peer)) + " with tag " + std::to_string(tag) +
                          "; expected 0 to " + std::to_string(ranks::last_tag));
}

void too_long(std::size_t bytes) {
  throw std::length_error("a message of " + std::to_string(bytes) + " bytes: MPI counts to 2147483647");
}

Communicator::Communicator(MPI_Comm comm, int host) : comm_(comm), host_(host) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  seats_ = gather_seats(comm_);
}

Ready<Communicator> Communicator::split(int colour, int key) {
  if (colour < 0) throw std::out_of_range("splits with colour " + std::to_string(colour) + "; expected 0 or more");
  MPI_Comm made = MPI_COMM_NULL;
  note(Call::collective, ranks::any_source, 0);
  check(MPI_Comm_split(comm_, colour, key, &made), "MPI_Comm_split", -1);
  return {Communicator(made)};
}

Ready<void> Communicator::release(Communicator& group) {
  for (auto& [_, comm] : group.parts_) check(MPI_Comm_free(&comm), "MPI_Comm_free", -1);
  group.parts_.clear();
  check(MPI_Comm_free(&group.comm_), "MPI_Comm_free", -1);
  return {};
}

Ready<ranks::First<Communicator::Received>> Communicator::wait_any(ReceiveRequest* requests, std::size_t count) {
  std::vector<MPI_Request> handles(count);
  for (std::size_t i = 0; i < count; ++i) handles[i] = requests[i].handle;
  Ready<ranks::First<Received>> result;
  int place = MPI_UNDEFINED;
  check(MPI_Waitany(static_cast<int>(count), handles.data(), &place, &result.value.received.status_), "MPI_Waitany",
        -1);
  if (place == MPI_UNDEFINED) throw std::logic_error("wait_any: none of the receives is under way");
  result.value.place = static_cast<std::size_t>(place);
  requests[place].handle = handles[result.value.place];
  return result;
}

Ready<Communicator::Window> Communicator::expose(std::size_t bytes) {
  Ready<Window> made;
  const auto room = static_cast<MPI_Aint>(bytes);
  MPI_Comm host = MPI_COMM_NULL;  // those that share memory with this rank
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "MPI_Comm_split_type", -1);
  int near = 0, all = 0;
  MPI_Comm_size(host, &near);
  MPI_Comm_free(&host);
  MPI_Allreduce(&near, &all, 1, MPI_INT, MPI_MIN, comm_);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");  // pages of its own for each rank
  const auto allocate = all == size_ ? MPI_Win_allocate_shared : MPI_Win_allocate;
  check(allocate(room, 1, info, comm_, &made.value.data_, &made.value.handle_), "MPI_Win_allocate", -1);
  MPI_Info_free(&info);
  for (int rank = 0; all == size_ && rank < size_; ++rank) {
    MPI_Aint bytes_there = 0;
    int unit = 0;
    std::byte* there = nullptr;
    check(MPI_Win_shared_query(made.value.handle_, rank, &bytes_there, &unit, &there), "MPI_Win_shared_query", rank);
    made.value.shared_.push_back(there);
  }
  MPI_Win_set_errhandler(made.value.handle_, MPI_ERRORS_RETURN);
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, made.value.handle_), "MPI_Win_lock_all", -1);
  return made;
}

Ready<void> Communicator::withdraw(Window& window) {
  check(MPI_Win_unlock_all(window.handle_), "MPI_Win_unlock_all", -1);
  check(MPI_Win_free(&window.handle_), "MPI_Win_free", -1);
  window.data_ = nullptr;
  return {};
}

void Communicator::Lengths::fill(std::size_t mean, int rank, int all) {
  sent.clear(), received.clear(), places.clear();
  for (int other = 0; other < all; ++other) {
    sent.push_back(count(ranks::uneven(mean, rank, other, all)));
    received.push_back(count(ranks::uneven(mean, other, rank, all)));
    places.push_back(count(static_cast<std::size_t>(other) * 2 * mean));
  }
  block = mean;
}

MPI_Comm Communicator::part(int among) {
  for (const auto& [ranks, comm] : parts_) {
    if (ranks == among) return comm;
  }
  MPI_Group all, some;
  MPI_Comm made;
  int range[1][3] = {{0, among - 1, 1}};
  check(MPI_Comm_group(comm_, &all), "MPI_Comm_group", -1);
  check(MPI_Group_range_incl(all, 1, range, &some), "MPI_Group_range_incl", -1);
  check(MPI_Comm_create_group(comm_, some, 0, &made), "MPI_Comm_create_group", -1);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  parts_.emplace_back(among, made);
  return made;
}

}  // namespace assay::mpi
