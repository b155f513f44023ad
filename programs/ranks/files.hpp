// What a machine can have beyond messages: files that all ranks may open, on I/O nodes of the machine.
//
//   io_nodes(), spread()                  over how many I/O nodes a file can be spread, and is by itself; 0: not known
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
//
// On a real machine the files lie in a folder of its file systems, and what the kernel knows of them is asked, too:
//
//   co_await settle(folder, subfolder)    every rank: rank 0 makes the launch's own folder in there,
//                                         which the others join; gives why not, "" where all have it;
//                                         it goes with the communicator
//   room()                                bytes that may be written there: a share of what is free
//   system()                              what it lies on, for a person
//   file.calls, file.shared               set before open: whose calls it is opened, read and written by (Calls), and
//                                         whether all ranks open it; collective calls are made by all ranks alike
//   file.append                           set before open: writes go to where the file ends, whatever their offset
//   no_space_ahead(), no_direct()         why no space can be allocated before it is written, or no file be opened with
//                                         O_DIRECT, "" where it can
//   co_await sync(file)                   what was written is at the storage
//   co_await drop(file)                   and out of this host's page cache, as far as a user may
//   held(file, offset, bytes)             bytes of it in this host's page cache; the first call must be while it is
//                                         open, later ones need not
//   erase(name)                           the file is gone
//   begin()                               from here the kernel's counters are taken
//   co_await origin(wrote, bytes, held)   every rank, each with its own bytes since begin() and how many of them
//                                         this host held before: where all came from or went, the same at every rank
#pragma once

#include <cstdint>
#include <string>

#include "ranks/communicator.hpp"

namespace assay::ranks {

template <class C>
concept Files = Communicator<C> && requires(C comm, const C view, typename C::File& file, const std::string& name,
                                            const std::byte* out, std::byte* in, std::uint64_t n, int nodes) {
  { view.io_nodes() } -> std::convertible_to<int>;
  { view.spread() } -> std::convertible_to<int>;
  { comm.open(file, name, nodes, n) } -> Awaitable;
  { comm.read(file, in, n, n) } -> Awaitable;
  { comm.write(file, out, n, n) } -> Awaitable;
  { comm.close(file) } -> Awaitable;
  { comm.forget() } -> Awaitable;
};

// Whose calls a file is used by: the system's own (POSIX), the same past the page cache (O_DIRECT), MPI-IO's by each
// rank, MPI-IO's by all ranks together.
enum class Calls : std::uint8_t { posix, direct, independent, collective };
inline constexpr const char* calls_names[] = {"posix", "direct", "independent", "collective"};
constexpr bool by_system(Calls calls) { return calls == Calls::posix || calls == Calls::direct; }

struct BytesOrigin {
  const char* source = "unknown";  // device, cache, remote, unknown
  std::string why;                 // where it is unknown
};

template <class C>
concept HostFiles = Files<C> && requires(C comm, const C view, typename C::File& file, const std::string& text,
                                         std::int64_t n, bool wrote) {
  { comm.settle(text, text) } -> AwaitableOf<std::string>;
  { view.room() } -> std::convertible_to<std::int64_t>;
  { view.system() } -> std::convertible_to<std::string>;
  { comm.sync(file) } -> Awaitable;
  { comm.drop(file) } -> Awaitable;
  { comm.held(file, n, n) } -> std::convertible_to<std::int64_t>;
  comm.erase(text);
  comm.begin();
  { comm.origin(wrote, n, n) } -> AwaitableOf<BytesOrigin>;
  file.calls = Calls::posix;
  file.shared = file.append = true;
  { view.no_space_ahead() } -> std::convertible_to<std::string>;
  { view.no_direct() } -> std::convertible_to<std::string>;
};

}  // namespace assay::ranks
