// Buffered sends: the message is copied at once, and the call is over whatever the receiver does.
#pragma once

#include "mpi_library/messages/message.hpp"

namespace assay::abi {

// An Error where the program attached no buffer, or one that is too small for what is under way.
void send_buffered(const Communicator& comm, const Buffer& data, int to, int tag);
void attach_buffer(void* memory, std::int64_t bytes);
// Waits until all has been sent; what was attached.
struct Attached {
  void* memory;
  std::int64_t bytes;
};
Attached detach_buffer();
// Waits until all that was buffered has been sent; with `freed` also for requests that were freed while active.
void flush_buffered(bool freed = false);

// A request that was freed while active: the simulator finishes what it is about, and nobody looks.
void let_go(Request& request);

}  // namespace assay::abi
