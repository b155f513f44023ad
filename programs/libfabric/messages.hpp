// Messages of a libfabric endpoint as operations of the simulator (programs/mpi/transport).
//
// Tags of 64 bits go over as they are, so that the simulator matches messages with receives. What libfabric calls
// messages without a tag, into buffers for several, has a tag of its own: a few receives of it are always posted.
// Everything that is under way is waited for at once, when the library above has looked for completions in vain for
// some time: nothing else can happen then.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "libfabric/libfabric.hpp"

namespace assay::fabric {

struct Sent {
  const iovec* parts = nullptr;
  std::size_t count = 0;
  fi_addr_t to = 0;
  std::uint64_t tag = 0, data = 0;
  void* context = nullptr;
  bool tagged = true, reports = true;
};
ssize_t send(const Sent& sent);
ssize_t receive(void* buffer, std::size_t room, fi_addr_t from, std::uint64_t tag, std::uint64_t open, void* context);
// Looks for a message that no receive has taken; -FI_ENOMSG where there is none. `claims`: it is taken out for the
// receive_claimed() of the same context.
ssize_t look(fi_addr_t from, std::uint64_t tag, std::uint64_t open, void* context, bool claims);
ssize_t receive_claimed(void* buffer, std::size_t room, void* context);
ssize_t receive_several(void* buffer, std::size_t room, void* context);  // messages without a tag
void least_room(std::size_t bytes);                                      // of such a buffer, else it is given back
bool cancel(void* context);
ssize_t completions(fi_cq_tagged_entry* entries, std::size_t count);  // as fi_cq_read
ssize_t failure(fi_cq_err_entry* entry);                              // as fi_cq_readerr

void start_active_messages();
void finish();
double clock();

}  // namespace assay::fabric
