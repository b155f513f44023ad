// What a machine can have beyond messages: one rank writes into another's memory, or reads it, and nobody there takes
// part.
//
//   co_await expose(bytes)              every rank calls it, each with its own number of bytes (0 too); gives a Window
//   window.data()                       this rank's own bytes, which the others may write to
//   co_await put(window, data, bytes, to, offset)  writes to `offset` of rank `to`'s bytes; the buffer may not change
//   co_await get(window, into, bytes, from, offset)  reads from `offset` of rank `from`'s bytes
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

}  // namespace assay::ranks
