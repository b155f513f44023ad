// A rank's communicator as the machine's own operations see it: what a library, or the operating system, sends of its
// own has tags beyond those of programs, as an MPI library's messages have a context.
#pragma once

#include "ranks/simulated.hpp"

namespace assay::described {

template <int first_tag>
class Inside : public Simulated {
 public:
  explicit Inside(const Simulated& rank) : Simulated(rank) {}
  Send send(const void* data, std::size_t bytes, int to, int tag) {
    return Simulated::send(data, bytes, to, first_tag + tag);
  }
  Isend isend(const void* data, std::size_t bytes, int to, int tag) {
    return Simulated::isend(data, bytes, to, first_tag + tag);
  }
  Wait recv(void* buffer, std::size_t room, int from, int tag) {
    return Simulated::recv(buffer, room, from, first_tag + tag);
  }
  Posted irecv(void* buffer, std::size_t room, int from, int tag) {
    return Simulated::irecv(buffer, room, from, first_tag + tag);
  }
  Sendrecv sendrecv(const void* data, std::size_t bytes, int to, void* buffer, std::size_t room, int from, int tag) {
    return Simulated::sendrecv(data, bytes, to, buffer, room, from, first_tag + tag);
  }
};

}  // namespace assay::described
