// What a machine can have beyond messages: one rank writes into another's memory, or reads it, and nobody there takes
// part.
//
//   co_await expose(bytes)              every rank calls it, each with its own number of bytes (0 too); gives a Window
//   window.data()                       this rank's own bytes, which the others may write to
//   co_await put(window, data, bytes, to, offset)  writes to `offset` of rank `to`'s bytes; the buffer may not change
//   co_await get(window, into, bytes, from, offset)  reads from `offset` of rank `from`'s bytes
//   co_await accumulate(window, words, count, to, offset)  adds 64-bit words to those at `offset` of rank `to`'s bytes,
//                                       each as a whole; of machines that have it (Accumulates)
//   co_await complete(window, to)       until all that this rank put to `to` is there, all that it got from there has
//                                       come, and its buffers are free again
//   co_await withdraw(window)           every rank calls it, with nothing under way; the bytes are gone
//
// Puts and gets that are under way together keep no order; what goes beyond the target's bytes is an error.
//
// A program that needs it asks with `if constexpr (OneSided<C>)`, and says on a machine without it that it cannot.
#pragma once

#include "ranks/communicator.hpp"

namespace assay::ranks {

template <class C>
concept OneSided = Communicator<C> && requires(C comm, typename C::Window& window, const typename C::Window& view,
                                               const void* out, void* in, std::size_t n, int to) {
  { view.data() } -> std::convertible_to<std::byte*>;
  { comm.expose(n) } -> AwaitableOf<typename C::Window>;
  { comm.put(window, out, n, to, n) } -> Awaitable;
  { comm.get(window, in, n, to, n) } -> Awaitable;
  { comm.complete(window, to) } -> Awaitable;
  { comm.withdraw(window) } -> Awaitable;
};

template <class C>
concept Accumulates =
    OneSided<C> && requires(C comm, typename C::Window& window, const void* words, std::size_t n, int to) {
      { comm.accumulate(window, words, n, to, n) } -> Awaitable;
    };

// A described machine may not say what puts and gets take.
template <OneSided C>
bool has_one_sided(const C& comm) {
  if constexpr (requires { comm.describes_puts(); }) return comm.describes_puts();
  return true;
}

// What a program says of the cases that it leaves out for the lack of them.
inline constexpr const char* no_one_sided = "not described: [one_sided], what puts and gets take";
inline constexpr const char* no_accumulates = "what adding to another's memory takes is not described";

// Passes over the cases that this machine has no means for: `keep(why, possible)` leaves out, and says so, where
// possible(case) is false; uses(case), adds(case): whether one is one-sided, and accumulates.
template <OneSided C, class Keep, class Uses, class Adds>
void keep_one_sided(const C& comm, Keep keep, Uses uses, Adds adds) {
  keep(no_accumulates, [&](const auto& each) { return Accumulates<C> || !adds(each); });
  keep(no_one_sided, [&](const auto& each) { return !uses(each) || has_one_sided(comm); });
}

}  // namespace assay::ranks
