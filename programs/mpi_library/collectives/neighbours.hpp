// Neighbourhood collectives: all messages at once, in the order of the neighbours.
#pragma once

#include "mpi_library/collectives/bodies.hpp"

namespace assay::abi {

// What goes to one neighbour, or comes from one.
struct Part {
  char* data;
  std::int64_t count;
  Datatype& type;
  std::int64_t bytes() const { return count * type.size; }
};

inline Topology::Neighbours neighbours(const Steps& s) {
  if (!s.comm().topology) fail(MPI_ERR_TOPOLOGY, "the communicator has no topology");
  return s.comm().topology->neighbours(s.rank());
}
inline void exchange(Steps& s, const Topology::Neighbours& with, const std::vector<Part>& sent,
                     const std::vector<Part>& received) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < received.size(); ++i) {
    check_count(received[i].count);
    s.hold(received[i].type);
    places.push_back(s.room(received[i].bytes()));
    if (with.sources[i] != MPI_PROC_NULL) s.irecv(places[i], received[i].bytes(), with.sources[i]);
  }
  // Of a grid's two neighbours in a dimension the one ahead comes first: where both are one rank, what is sent ahead
  // arrives as from behind.
  const std::size_t turned = s.comm().topology->kind == MPI_CART;
  for (std::size_t k = 0; k < sent.size(); ++k) {
    const std::size_t i = k ^ turned;
    check_count(sent[i].count);
    const Place place = s.room(sent[i].bytes());
    pack(sent[i].type, sent[i].data, sent[i].count, at(place));
    if (with.targets[i] != MPI_PROC_NULL) s.isend(place, sent[i].bytes(), with.targets[i]);
  }
  s.wait_all();
  s.then([with, received, places] {
    for (std::size_t i = 0; i < received.size(); ++i)
      if (with.sources[i] != MPI_PROC_NULL)
        unpack(received[i].type, at(places[i]), received[i].bytes(), received[i].data);
  });
}

// The parts of one side: `of(i)` is the i-th.
template <class Of>
std::vector<Part> parts(std::size_t count, Of&& of) {
  std::vector<Part> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(of(i));
  return all;
}
// Of one type and length, one after another; places and counts of their own; types of their own and places in bytes.
template <class Count>
auto even(const void* data, Count count, MPI_Datatype handle) {
  return [=, &type = committed(handle)](std::size_t i) {
    return Part{static_cast<char*>(const_cast<void*>(data)) + static_cast<std::int64_t>(i) * count * type.extent, count,
                type};
  };
}
template <class Count, class Displacement>
auto uneven(const void* data, const Count* counts, const Displacement* places, MPI_Datatype handle) {
  return [=, &type = committed(handle)](std::size_t i) {
    return Part{static_cast<char*>(const_cast<void*>(data)) + places[i] * type.extent, counts[i], type};
  };
}
template <class Count, class Displacement>
auto typed(const void* data, const Count* counts, const Displacement* places, const MPI_Datatype* types) {
  return [=](std::size_t i) {
    return Part{static_cast<char*>(const_cast<void*>(data)) + places[i], counts[i], committed(types[i])};
  };
}

template <class Out, class In>
void neighbour_call(Steps& s, Out&& sent, In&& received) {
  const auto with = neighbours(s);
  exchange(s, with, parts(with.targets.size(), sent), parts(with.sources.size(), received));
}

}  // namespace assay::abi
