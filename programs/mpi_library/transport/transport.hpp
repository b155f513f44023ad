// The rank's side of the simulator: operations are written into a batch, and go over when an answer is needed.
//
// What does not have to know anything yet (a send, a posted receive, a whole collective's steps) is only added; flush()
// hands the batch over and sleeps until all of it has been carried out. Data are in blocks of the arena (arena.hpp)
// until then: give_later() frees a block behind the batch. Ranks are those of MPI_COMM_WORLD; contexts and tags as in
// shared/segment.hpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "mpi_library/transport/arena.hpp"

namespace assay::abi {

// --- batches
Op& add(Does does);
void flush();
// Windows of this rank. While there are any, a call that other ranks' calls are waited for in (a barrier) returns only
// when it has been carried out: the program may look at memory then that others have written to.
extern int windows;
void give_later(Place place);

// The simulated clock, s. Asked again and again it advances (process.header->poll), so that a loop that waits for a
// time comes to it.
double clock_now();

// What the rank has computed since the last call is charged, where that is asked for.
void charge_computing();

// Around each function that may take simulated time: computing is charged, and the call's time is noted. `function`:
// its place in abi/functions.inc.
extern bool initialized;  // between MPI_Init and MPI_Finalize
void begin_call(int function);
void end_call(int function, std::uint64_t bytes, int peer);
void mark_region(Does does, std::string_view name);  // begins or ends, of a name that is not empty

// --- what is under way
using Slot = std::uint32_t;
Slot take_slot();
void give_slot(Slot slot);

// A message that a request stands for.
struct Pending {
  Slot slot = 0;
  Place data = 0, result = 0;
  std::uint64_t bytes = 0;
};
Pending post_send(Place data, std::uint64_t bytes, int to, std::int32_t word, SendMode mode = SendMode::standard);
Pending post_recv(Place data, std::uint64_t room, int from, std::int32_t word);
Pending post_claimed(Slot claimed, Place data, std::uint64_t room);  // of a message that was taken out (Does::claim)
void add_wait(const Pending& pending, bool of_recv = false);         // its result is there after flush()
const Result& result_of(const Pending& pending);
void release(const Pending& pending);  // after its wait: the slot and both blocks are free again

// --- steps of collectives, which run one after another inside one batch
void add_send(Place data, std::uint64_t bytes, int to, std::int32_t word);
void add_recv(Place data, std::uint64_t room, int from, std::int32_t word);
void add_sendrecv(Place data, std::uint64_t bytes, int to, Place into, std::uint64_t room, int from, std::int32_t word);
void add_copy(Place from, Place to, std::uint64_t bytes);

}  // namespace assay::abi
