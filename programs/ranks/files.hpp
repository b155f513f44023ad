// What a machine can have beyond messages: files that all ranks may open, on I/O nodes of the machine.
//
//   io_nodes()                            over how many I/O nodes a file can be spread; 0: not known
//   co_await open(file, name, io_nodes, reserve)  opens, and makes what is not there: over so many I/O nodes (0: all),
//                                         with so many bytes allocated before anything is written; fills `file`
//   co_await read(file, into, bytes, offset)   at that place, whole; `into` null: only time passes
//   co_await write(file, from, bytes, offset)  likewise
//   co_await close(file)
//   co_await forget()                     untimed: what is written is on the disks, and no cache holds any of it
//
// Names are the program's own: of one run, not of the machine. A read or write returns when its data may be used; what
// is written need not be on a disk then.
//
// A program that needs it asks with `if constexpr (Files<C>)`, and says on a machine without it that it cannot.
#pragma once

#include <cstdint>
#include <string>

#include "ranks/communicator.hpp"

namespace assay::ranks {

template <class C>
concept Files = Communicator<C> && requires(C comm, const C view, typename C::File& file, const std::string& name,
                                            const std::byte* out, std::byte* in, std::uint64_t n, int nodes) {
  { view.io_nodes() } -> std::convertible_to<int>;
  { comm.open(file, name, nodes, n) } -> Awaitable;
  { comm.read(file, in, n, n) } -> Awaitable;
  { comm.write(file, out, n, n) } -> Awaitable;
  { comm.close(file) } -> Awaitable;
  { comm.forget() } -> Awaitable;
};

}  // namespace assay::ranks
