// A collective call on one rank, as steps over blocks of the arena.
//
// The algorithms (the files beside this one) write it down once. Run at once, the steps are added to the rank's batch;
// run behind, as a non-blocking call's, they go to the simulator as a list, which it plays beside what the rank does
// next. Peers are ranks of the communicator. One tag serves a whole call, but for rings.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mpi_library/communicators/communicator.hpp"
#include "mpi_library/operations/operation.hpp"
#include "mpi_library/transport/transport.hpp"

namespace assay::abi {

class Steps {
 public:
  enum class Runs : std::uint8_t { now, behind };
  explicit Steps(Communicator& comm, Runs runs = Runs::now) : Steps(comm, runs, comm.next_word()) {}
  Steps(Communicator& comm, Runs runs, std::int32_t word);
  ~Steps();
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  Communicator& comm() const { return comm_; }
  int rank() const { return comm_.rank; }
  int size() const { return comm_.size(); }
  int peers() const { return comm_.peers().size(); }  // whom a call gives to and gets from
  std::int32_t word() const { return word_; }         // of its messages
  bool behind() const { return runs_ == Runs::behind; }

  Place room(std::int64_t bytes);  // until the call is over
  void hold(Object& object);       // a datatype or an operation, as long

  // Of an intercommunicator: whether the ranks that messages go to, and come from, are those of this rank's own group,
  // or of the other one, as at first.
  void within() { among_ = comm_.local; }
  void across() { among_ = &comm_.peers(); }

  void send(Place data, std::int64_t bytes, int to);
  void recv(Place data, std::int64_t bytes, int from);
  void sendrecv(Place data, std::int64_t bytes, int to, Place into, std::int64_t room, int from);
  void isend(Place data, std::int64_t bytes, int to);
  void irecv(Place data, std::int64_t bytes, int from);
  void wait_all();  // for those begun by isend and irecv, receives first
  void copy(Place from, Place to, std::int64_t bytes);
  // `count` elements at `inout` become those at `in` with them.
  void reduce(const Operation& operation, Datatype& type, Place in, Place inout, std::int64_t count);
  void machine_barrier();  // the machine's own, of all ranks of MPI_COMM_WORLD

  // When all steps have run: at once, or as the request is completed.
  void then(std::function<void()> done) { done_.push_back(std::move(done)); }
  void finish();                                // of steps that run now
  std::int64_t bytes() const { return sent_; }  // that this rank sends

  // Of steps that are never handed over: what they hold stays held.
  void give_room();
  // Hands over steps that run behind: what waits for them. complete() afterwards.
  Pending start();
  void complete();

 private:
  Op& next(Does does);

  Communicator& comm_;
  const Group* among_ = &comm_.peers();
  Runs runs_;
  const std::int32_t word_;
  std::int64_t sent_ = 0;
  std::vector<Op> ops_;
  std::vector<Slot> receives_, sends_, used_;
  std::vector<Place> blocks_;
  std::vector<Object*> held_;
  std::vector<std::function<void()>> done_;
};

// Where the parts of all ranks lie in a block, one after another in order of rank.
class Lengths {
 public:
  Lengths(std::int64_t each, int ranks) : each_(each), ranks_(ranks) {}
  explicit Lengths(const std::vector<std::int64_t>& bytes) : ranks_(static_cast<int>(bytes.size())) {
    places_.reserve(bytes.size() + 1);
    places_.push_back(0);
    for (const std::int64_t each : bytes) places_.push_back(places_.back() + each);
  }
  bool even() const { return places_.empty(); }
  std::int64_t place(int rank) const {
    return places_.empty() ? each_ * rank : places_[static_cast<std::size_t>(rank)];
  }
  std::int64_t bytes(int rank) const { return place(rank + 1) - place(rank); }
  std::int64_t all() const { return place(ranks_); }
  Place at(Place block, int rank) const { return block + static_cast<Place>(place(rank)); }

 private:
  std::int64_t each_ = 0;
  int ranks_;
  std::vector<std::int64_t> places_;
};

}  // namespace assay::abi
