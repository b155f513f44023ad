// What a message-passing program may know of the machine it runs on: the concept Communicator.
//
// A program is a coroutine template over it, in one file of this folder, that includes neither mpi.h nor the simulator.
// Compiled against MPI (programs/mpi) every await completes at once; on the simulated machine (core/ranks) it suspends
// the rank until the machine says so. All times are seconds, all lengths bytes.
//
//   rank(), size()                      who am I, of how many (a host processor, where there is one, is counted)
//   now()                               this rank's clock in whole ticks, ticks_a_second of them, from some moment on
//   same_clock(rank)                    whether that rank reads the same clock, so that stamps compare as they are
//   co_await send(data, bytes, to, tag) blocking: the buffer may be used again afterwards
//   co_await recv(data, room, from, tag)  blocking; `from` may be any_source, `tag` any_tag; gives what arrived:
//                                       source(), tag() and bytes()
//   co_await sendrecv(data, bytes, to, buffer, room, from, tag)  both at once: the receive is posted, then sent; gives
//                                       what arrived, when the one is there and the other's buffer is free
//   co_await isend / irecv              immediate; give a SendRequest, a ReceiveRequest
//   co_await wait(request)              once for each; gives what arrived, as recv does, where it is a receive's
//   co_await compute(seconds, body)     does body(); a simulated machine charges `seconds` of this rank's node for it
//   co_await compute(Work, body)        the same, charged by the machine's own [compute]: so many units of a kernel
//   cost_of(kernel)                     what a unit of that kernel takes, in seconds; none on a real machine, and where
//                                       the description does not say it
//   hops(to), hops(from, to)            channels between the routers of two ranks' nodes, 0 also between nodes of one
//                                       router; or none where that is unknown
//   same_node(a, b)                     whether two ranks are on one node; not where that is unknown
//   placement(from, to)                 how near two ranks of a real machine are, or empty where that is unknown
//   is_simulated()                      a simulated machine answers: deterministic, nothing to warm up, its time is not
//                                       ours (described() is the same by its former name)
//
// A message longer than the receiver's room is an error on both; messages between two ranks on one tag keep their
// order. A rank may send to itself only with isend or after its receive is posted. Tags are 0 to last_tag; those above
// belong to the sampling loop. What a machine can have beyond this are concepts of their own that refine this one, so
// that a program says in its signature what it needs:
//
//   ReadySend   co_await rsend(…)       as send; the receive is known to be posted ("forced type" on Intel's machines)
//   OwnBarrier  co_await barrier(n)     the library's own barrier, among ranks 0 … n - 1
//   Hosted      host()                  the rank that is the host processor or the launching process, or none
//   Testing     co_await test(request)  whether it is over, and then as wait(): of a send's a truth value, of a
//                                       receive's what arrived or nothing. One that is not over is asked again later;
//                                       on a simulated machine having asked in vain takes poll_seconds
//               co_await wait_any(receives, count)  the first of several receives to have its data: its place among
//                                       them and what arrived; its request is over, the others go on
//   Probing     co_await probe(from, tag)  waits for a message that no receive has taken, and leaves it where it is;
//                                       gives what would arrive
//               co_await iprobe(from, tag)  the same if there is one now, or nothing; in vain it takes as long as
//                                       test()
//   Grouped     co_await split(colour, key)  every rank calls it: those of one colour (0 or more) become a communicator
//                                       of their own, in order of key, then of rank; its ranks count from 0, its
//                                       messages match no others, and it can be split again
//               co_await release(group) every rank of a group calls it, with nothing under way: the group is gone
// A simulated machine also has meet(), by which measurements begin and end together without messages (meeting.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "ranks/task.hpp"

namespace assay::ranks {

inline constexpr int any_source = -1;
inline constexpr int any_tag = -1;  // of a receive or a probe: any of the program's and the sampling loop's own
inline constexpr int last_tag = 29999;
inline constexpr int greatest_tag = 32767;  // the sampling loop's own among them; MPI promises no more

// What asking in vain takes on a simulated machine, whose descriptions do not say it: without a cost of its own a rank
// that asks until its message is there would ask for ever at one moment.
inline constexpr double poll_seconds = 1e-7;

// Work whose cost a description states by kernel: `amount` flops, bytes or operations, whatever its [compute] counts.
// The kernels that node programs have as well are in src/assay/described/kernels.py; a program may name others.
struct Work {
  static constexpr double any = std::numeric_limits<double>::infinity();
  std::string_view kernel;
  double amount = 1;
  double memory = any;  // bytes that the rank works on again and again: in a cache that holds them it is faster
  double length = any;  // elements of the vectors: short ones are slower
};

template <class A, class Result>
concept AwaitableOf = requires(A awaitable) {
  { awaitable.await_ready() } -> std::convertible_to<bool>;
  { awaitable.await_resume() } -> std::convertible_to<Result>;
};
template <class A>
concept Awaitable = requires(A awaitable) {
  { awaitable.await_ready() } -> std::convertible_to<bool>;
  awaitable.await_resume();
};

template <class R>
concept Received = requires(const R received) {
  { received.source() } -> std::convertible_to<int>;
  { received.tag() } -> std::convertible_to<int>;
  { received.bytes() } -> std::convertible_to<std::size_t>;
};

// Sends and receives that go on while the rank does something else.
template <class C>
concept Immediate = requires(C comm, const void* out, void* in, std::size_t n, int r, typename C::SendRequest& sent,
                             typename C::ReceiveRequest& due) {
  { comm.isend(out, n, r, r) } -> AwaitableOf<typename C::SendRequest>;
  { comm.irecv(in, n, r, r) } -> AwaitableOf<typename C::ReceiveRequest>;
  { comm.wait(sent) } -> Awaitable;
  { comm.wait(due) } -> AwaitableOf<typename C::Received>;
  requires Received<typename C::Received>;
};

template <class C>
concept Communicator =
    Immediate<C> && requires(C comm, const C view, const void* out, void* in, std::size_t n, int r, void (*work)()) {
      { view.rank() } -> std::convertible_to<int>;
      { view.size() } -> std::convertible_to<int>;
      { view.now() } -> std::same_as<std::int64_t>;
      { C::ticks_a_second } -> std::convertible_to<double>;
      { view.same_clock(r) } -> std::convertible_to<bool>;
      { view.hops(r) } -> std::convertible_to<std::optional<int>>;
      { view.hops(r, r) } -> std::convertible_to<std::optional<int>>;
      { view.same_node(r, r) } -> std::convertible_to<bool>;
      { view.placement(r, r) } -> std::convertible_to<std::string_view>;
      { view.is_simulated() } -> std::convertible_to<bool>;
      { view.cost_of("stream") } -> std::convertible_to<std::optional<double>>;
      { comm.send(out, n, r, r) } -> Awaitable;
      { comm.recv(in, n, r, r) } -> AwaitableOf<typename C::Received>;
      { comm.sendrecv(out, n, r, in, n, r, r) } -> AwaitableOf<typename C::Received>;
      { comm.compute(1e-6, work) } -> Awaitable;
      { comm.compute(Work{"stream", 1}, work) } -> Awaitable;
    };

// One of several receives, which came first.
template <class Received>
struct First {
  std::size_t place = 0;
  Received received{};
};

template <class C>
concept Testing =
    Communicator<C> && requires(C comm, typename C::SendRequest& sent, typename C::ReceiveRequest& due, std::size_t n) {
      { comm.test(sent) } -> AwaitableOf<bool>;
      { comm.test(due) } -> AwaitableOf<std::optional<typename C::Received>>;
      { comm.wait_any(&due, n) } -> AwaitableOf<First<typename C::Received>>;
    };
template <class C>
concept Probing = Communicator<C> && requires(C comm, int r) {
  { comm.probe(r, r) } -> AwaitableOf<typename C::Received>;
  { comm.iprobe(r, r) } -> AwaitableOf<std::optional<typename C::Received>>;
};
template <class C>
concept ReadySend = Communicator<C> && requires(C comm, const void* out, std::size_t n, int r) {
  { comm.rsend(out, n, r, r) } -> Awaitable;
};
template <class C>
concept OwnBarrier = Communicator<C> && requires(C comm, int r) {
  { comm.barrier(r) } -> Awaitable;
};
template <class C>
concept Grouped = Communicator<C> && requires(C comm, C group, int colour, int key) {
  { comm.split(colour, key) } -> AwaitableOf<C>;
  { comm.release(group) } -> Awaitable;
};
template <class C>
concept Hosted = Communicator<C> && requires(const C view) {
  { view.host() } -> std::convertible_to<std::optional<int>>;
};

}  // namespace assay::ranks
