// The Communicator on MPI: every await is ready at once, so that `co_await comm.send(…)` is MPI_Send and nothing else.
//
// Before a call that may block, the call, peer and tag are noted in one plain store: when the program's deadline
// passes, each rank can say what it was waiting for. MPI's error codes become exceptions; main() ends the job with
// status 1.
#pragma once

#include <mpi.h>

#include <atomic>
#include <climits>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/nearness.hpp"
#include "ranks/one_sided.hpp"
#include "ranks/own_collectives.hpp"
#include "timing/clock.hpp"

namespace assay::mpi {

// Calls are inlined by force: the compiler's own judgement leaves a call and a copy of the status in each, some 10 ns a
// round trip, where MPI itself takes 250.
#define ASSAY_INLINE [[gnu::always_inline]] inline

// What this rank is doing now, for the deadline's signal handler: one word, so that noting it is one plain store.
enum class Call : std::uint64_t { own_work, send, receive, wait, barrier, collective, start, probe };
inline std::atomic<std::uint64_t> doing = 0;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // a handler must wait for no lock

ASSAY_INLINE void note(Call call, int peer, int tag) {
  doing.store(static_cast<std::uint64_t>(call) << 56 | (static_cast<std::uint64_t>(tag) & 0xffffff) << 32 |
                  static_cast<std::uint32_t>(peer),
              std::memory_order_relaxed);
}

// What ends a rank's work, as exceptions: MPI's own words; a rank or tag out of range, which MPI's checks do not see
// (some numbers below zero mean something to one library and not to another); a message beyond what MPI counts to.
[[noreturn, gnu::cold]] void fail(int code, const char* call, int peer);
[[noreturn, gnu::cold]] void outside(const char* does, int peer, int tag, int size);
[[noreturn, gnu::cold]] void too_long(std::size_t bytes);

// One that is not awaited is refused at compile time, as the simulated machine's, which then does nothing.
template <class Value>
struct [[nodiscard]] Ready {
  Value value;
  ASSAY_INLINE constexpr bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  // By reference, so that a status nobody looks at is not copied (right after MPI wrote it in parts, that would stall).
  ASSAY_INLINE const Value& await_resume() const noexcept { return value; }
};
template <>
struct [[nodiscard]] Ready<void> {
  ASSAY_INLINE constexpr bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  ASSAY_INLINE void await_resume() const noexcept {}
};

class Communicator {
 public:
  class Received {
   public:
    int source() const { return status_.MPI_SOURCE; }
    int tag() const { return status_.MPI_TAG; }
    std::size_t bytes() const {
      int count = 0;
      MPI_Get_count(&status_, MPI_BYTE, &count);
      return static_cast<std::size_t>(count);
    }

   private:
    friend class Communicator;
    MPI_Status status_;
  };
  // Not trivially copied, so that MPI writes it where it will lie, and not to a place that it is copied from.
  struct Request {
    Request() = default;
    Request(const Request& other) : handle(other.handle) {}
    Request& operator=(const Request&) = default;
    MPI_Request handle = MPI_REQUEST_NULL;
  };
  struct SendRequest : Request {};
  struct ReceiveRequest : Request {};
  struct CollectiveRequest : Request {};
  // Memory that MPI allocates. Where all ranks share a host's, a put is a copy into it, as in Open MPI's own MPI_Put;
  // other libraries' needs the target's help even there (MPICH 4.0 over UCX), and would not be one-sided.
  class Window {
   public:
    std::byte* data() const { return data_; }
    bool copies() const { return !shared_.empty(); }  // a put or a get is a copy within a host's memory

   private:
    friend class Communicator;
    std::byte* data_ = nullptr;
    MPI_Win handle_ = MPI_WIN_NULL;
    std::vector<std::byte*> shared_;  // of every rank, where all are on one host
    bool added_ = false;              // by the library, and not completed
  };
  static constexpr double ticks_a_second = 1e9;

  // `host`: which rank is the launching process, or -1.
  explicit Communicator(MPI_Comm comm, int host = -1);
  MPI_Comm handle() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  ASSAY_INLINE std::int64_t now() const { return timing::now_ns(); }
  bool same_kernel(int from, int to) const { return mpi::same_kernel(seat(from), seat(to)); }
  bool same_clock(int other) const { return mpi::same_clock(seat(rank_), seat(other)); }
  std::optional<int> hops(int to) const { return known_hops(rank_, to); }
  std::optional<int> hops(int from, int to) const { return known_hops(from, to); }
  std::string_view placement(int from, int to) const { return nearness(seat(from), seat(to)); }
  bool same_node(int a, int b) const { return hops(a, b) ? *hops(a, b) == 0 : same_kernel(a, b); }
  std::optional<int> host() const { return host_ < 0 ? std::nullopt : std::optional(host_); }
  bool is_simulated() const { return false; }
  bool described() const { return is_simulated(); }
  std::optional<double> cost_of(std::string_view) const { return std::nullopt; }

  ASSAY_INLINE Ready<void> send(const void* data, std::size_t bytes, int to, int tag) {
    outward(to, tag);
    note(Call::send, to, tag);
    check(MPI_Send(data, count(bytes), MPI_BYTE, to, tag, comm_), "MPI_Send", to);
    return {};
  }
  ASSAY_INLINE Ready<void> rsend(const void* data, std::size_t bytes, int to, int tag) {
    outward(to, tag);
    note(Call::send, to, tag);
    check(MPI_Rsend(data, count(bytes), MPI_BYTE, to, tag, comm_), "MPI_Rsend", to);
    return {};
  }
  ASSAY_INLINE Ready<Received> recv(void* buffer, std::size_t room, int from, int tag) {
    inward(from, tag);
    note(Call::receive, from, tag);
    Ready<Received> result;
    check(MPI_Recv(buffer, count(room), MPI_BYTE, source(from), any(tag), comm_, &result.value.status_), "MPI_Recv",
          from);
    return result;
  }
  ASSAY_INLINE Ready<Received> sendrecv(const void* data, std::size_t bytes, int to, void* buffer, std::size_t room,
                                        int from, int tag) {
    outward(to, tag);
    inward(from, tag);
    note(Call::wait, from, tag);
    Ready<Received> result;
    check(MPI_Sendrecv(data, count(bytes), MPI_BYTE, to, tag, buffer, count(room), MPI_BYTE, source(from), any(tag),
                       comm_, &result.value.status_),
          "MPI_Sendrecv", from);
    return result;
  }
  ASSAY_INLINE Ready<SendRequest> isend(const void* data, std::size_t bytes, int to, int tag) {
    outward(to, tag);
    Ready<SendRequest> result;
    check(MPI_Isend(data, count(bytes), MPI_BYTE, to, tag, comm_, &result.value.handle), "MPI_Isend", to);
    return result;
  }
  ASSAY_INLINE Ready<ReceiveRequest> irecv(void* buffer, std::size_t room, int from, int tag) {
    inward(from, tag);
    Ready<ReceiveRequest> result;
    check(MPI_Irecv(buffer, count(room), MPI_BYTE, source(from), any(tag), comm_, &result.value.handle), "MPI_Irecv",
          from);
    note(Call::wait, from, tag);
    return result;
  }
  ASSAY_INLINE Ready<void> wait(SendRequest& request) {
    check(MPI_Wait(&request.handle, MPI_STATUS_IGNORE), "MPI_Wait", -1);
    return {};
  }
  ASSAY_INLINE Ready<Received> wait(ReceiveRequest& request) {
    Ready<Received> result;
    check(MPI_Wait(&request.handle, &result.value.status_), "MPI_Wait", -1);
    return result;
  }
  ASSAY_INLINE Ready<bool> test(SendRequest& request) {
    int over = 0;
    check(MPI_Test(&request.handle, &over, MPI_STATUS_IGNORE), "MPI_Test", -1);
    return {over != 0};
  }
  ASSAY_INLINE Ready<std::optional<Received>> test(ReceiveRequest& request) {
    int over = 0;
    Received arrived;
    check(MPI_Test(&request.handle, &over, &arrived.status_), "MPI_Test", -1);
    return {over != 0 ? std::optional(arrived) : std::nullopt};
  }
  Ready<ranks::First<Received>> wait_any(ReceiveRequest* requests, std::size_t count);
  ASSAY_INLINE Ready<Received> probe(int from, int tag) {
    inward(from, tag);
    note(Call::probe, from, tag);
    Ready<Received> result;
    check(MPI_Probe(source(from), any(tag), comm_, &result.value.status_), "MPI_Probe", from);
    return result;
  }
  ASSAY_INLINE Ready<std::optional<Received>> iprobe(int from, int tag) {
    inward(from, tag);
    int there = 0;
    Received waiting;
    check(MPI_Iprobe(source(from), any(tag), comm_, &there, &waiting.status_), "MPI_Iprobe", from);
    return {there != 0 ? std::optional(waiting) : std::nullopt};
  }
  ASSAY_INLINE Ready<void> barrier(int among) {
    note(Call::barrier, ranks::any_source, 0);
    check(MPI_Barrier(among == size_ ? comm_ : part(among)), "MPI_Barrier", -1);
    return {};
  }

  bool describes_collectives() const { return true; }
  Ready<void> collective(ranks::Operation operation, const void* in, void* out, std::size_t block, int root) {
    const int bytes = count(block), words = bytes / 8;
    note(Call::collective, ranks::any_source, 0);
    switch (operation) {
      case ranks::Operation::barrier:
        return barrier(size_);
      case ranks::Operation::broadcast:
        check(MPI_Bcast(out, bytes, MPI_BYTE, root, comm_), "MPI_Bcast", -1);
        return {};
      case ranks::Operation::reduce:
        check(MPI_Reduce(in, out, words, MPI_UINT64_T, MPI_SUM, root, comm_), "MPI_Reduce", -1);
        return {};
      case ranks::Operation::allreduce:
        check(MPI_Allreduce(in, out, words, MPI_UINT64_T, MPI_SUM, comm_), "MPI_Allreduce", -1);
        return {};
      case ranks::Operation::gather:
        check(MPI_Gather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, root, comm_), "MPI_Gather", -1);
        return {};
      case ranks::Operation::scatter:
        check(MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, root, comm_), "MPI_Scatter", -1);
        return {};
      case ranks::Operation::allgather:
        check(MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm_), "MPI_Allgather", -1);
        return {};
      case ranks::Operation::reduce_scatter:
        check(MPI_Reduce_scatter_block(in, out, words, MPI_UINT64_T, MPI_SUM, comm_), "MPI_Reduce_scatter_block", -1);
        return {};
      case ranks::Operation::alltoall:
        check(MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm_), "MPI_Alltoall", -1);
        return {};
      case ranks::Operation::alltoallv:
        if (lengths_.block != block) lengths_.fill(block, rank_, size_);
        check(MPI_Alltoallv(in, lengths_.sent.data(), lengths_.places.data(), MPI_BYTE, out, lengths_.received.data(),
                            lengths_.places.data(), MPI_BYTE, comm_),
              "MPI_Alltoallv", -1);
        return {};
      case ranks::Operation::scan:
        check(MPI_Scan(in, out, words, MPI_UINT64_T, MPI_SUM, comm_), "MPI_Scan", -1);
        return {};
    }
    return {};
  }

  // The same begun, and not waited for (MPI 3).
  ASSAY_INLINE Ready<CollectiveRequest> start(ranks::Operation operation, const void* in, void* out, std::size_t block,
                                              int root) {
    const int bytes = count(block), words = bytes / 8;
    Ready<CollectiveRequest> begun;
    MPI_Request* const request = &begun.value.handle;
    using enum ranks::Operation;
    switch (operation) {
      case barrier:
        check(MPI_Ibarrier(comm_, request), "MPI_Ibarrier", -1);
        break;
      case broadcast:
        check(MPI_Ibcast(out, bytes, MPI_BYTE, root, comm_, request), "MPI_Ibcast", -1);
        break;
      case reduce:
        check(MPI_Ireduce(in, out, words, MPI_UINT64_T, MPI_SUM, root, comm_, request), "MPI_Ireduce", -1);
        break;
      case allreduce:
        check(MPI_Iallreduce(in, out, words, MPI_UINT64_T, MPI_SUM, comm_, request), "MPI_Iallreduce", -1);
        break;
      case gather:
        check(MPI_Igather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, root, comm_, request), "MPI_Igather", -1);
        break;
      case scatter:
        check(MPI_Iscatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, root, comm_, request), "MPI_Iscatter", -1);
        break;
      case allgather:
        check(MPI_Iallgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm_, request), "MPI_Iallgather", -1);
        break;
      case reduce_scatter:
        check(MPI_Ireduce_scatter_block(in, out, words, MPI_UINT64_T, MPI_SUM, comm_, request),
              "MPI_Ireduce_scatter_block", -1);
        break;
      case alltoall:
        check(MPI_Ialltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm_, request), "MPI_Ialltoall", -1);
        break;
      case alltoallv:  // its lengths are those of the last block that was asked for, which stays while it is under way
        if (lengths_.block != block) lengths_.fill(block, rank_, size_);
        check(MPI_Ialltoallv(in, lengths_.sent.data(), lengths_.places.data(), MPI_BYTE, out, lengths_.received.data(),
                             lengths_.places.data(), MPI_BYTE, comm_, request),
              "MPI_Ialltoallv", -1);
        break;
      case scan:
        check(MPI_Iscan(in, out, words, MPI_UINT64_T, MPI_SUM, comm_, request), "MPI_Iscan", -1);
        break;
    }
    return begun;
  }
  ASSAY_INLINE Ready<bool> test(CollectiveRequest& request) {
    int over = 0;
    check(MPI_Test(&request.handle, &over, MPI_STATUS_IGNORE), "MPI_Test", -1);
    return {over != 0};
  }
  ASSAY_INLINE Ready<void> wait(CollectiveRequest& request) {
    note(Call::collective, ranks::any_source, 0);
    check(MPI_Wait(&request.handle, MPI_STATUS_IGNORE), "MPI_Wait", -1);
    return {};
  }

  Ready<Communicator> split(int colour, int key);
  Ready<void> release(Communicator& group);

  Ready<Window> expose(std::size_t bytes);
  ASSAY_INLINE Ready<void> put(Window& window, const void* data, std::size_t bytes, int to, std::size_t offset) {
    if (!window.shared_.empty()) {
      std::memcpy(window.shared_[static_cast<std::size_t>(to)] + offset, data, bytes);
      return {};
    }
    const int n = count(bytes);
    check(MPI_Put(data, n, MPI_BYTE, to, static_cast<MPI_Aint>(offset), n, MPI_BYTE, window.handle_), "MPI_Put", to);
    return {};
  }
  ASSAY_INLINE Ready<void> get(Window& window, void* into, std::size_t bytes, int from, std::size_t offset) {
    if (!window.shared_.empty()) {
      std::memcpy(into, window.shared_[static_cast<std::size_t>(from)] + offset, bytes);
      return {};
    }
    const int n = count(bytes);
    check(MPI_Get(into, n, MPI_BYTE, from, static_cast<MPI_Aint>(offset), n, MPI_BYTE, window.handle_), "MPI_Get",
          from);
    return {};
  }
  // By the library also where ranks share a host's memory: words that others add to meanwhile stay whole.
  ASSAY_INLINE Ready<void> accumulate(Window& window, const void* words, std::size_t n, int to, std::size_t offset) {
    check(MPI_Accumulate(words, count(n), MPI_UINT64_T, to, static_cast<MPI_Aint>(offset), count(n), MPI_UINT64_T,
                         MPI_SUM, window.handle_),
          "MPI_Accumulate", to);
    window.added_ = true;
    return {};
  }
  ASSAY_INLINE Ready<void> complete(Window& window, int to) {
    if (!window.shared_.empty() && !std::exchange(window.added_, false)) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
      return {};
    }
    // What was added to others before may be under way as well.
    check(window.shared_.empty() ? MPI_Win_flush(to, window.handle_) : MPI_Win_flush_all(window.handle_),
          "MPI_Win_flush", to);
    return {};
  }
  Ready<void> withdraw(Window& window);
  template <class Body>
  Ready<void> compute(double, Body&& body) {
    std::forward<Body>(body)();
    return {};
  }
  template <class Body>
  Ready<void> compute(const ranks::Work&, Body&& body) {
    std::forward<Body>(body)();
    return {};
  }

 private:
  ASSAY_INLINE static void check(int code, const char* call, int peer) {
    if (code != MPI_SUCCESS) [[unlikely]]
      fail(code, call, peer);
  }
  static bool is_tag(int tag) { return static_cast<unsigned>(tag) <= static_cast<unsigned>(ranks::greatest_tag); }
  ASSAY_INLINE void outward(int to, int tag) const {
    if (static_cast<unsigned>(to) >= static_cast<unsigned>(size_) || !is_tag(tag)) [[unlikely]]
      outside("sends to", to, tag, size_);
  }
  ASSAY_INLINE void inward(int from, int tag) const {
    if ((from != ranks::any_source && static_cast<unsigned>(from) >= static_cast<unsigned>(size_)) ||
        (!is_tag(tag) && tag != ranks::any_tag)) [[unlikely]]
      outside("receives from", from, tag, size_);
  }
  ASSAY_INLINE static int count(std::size_t bytes) {
    if (bytes > INT_MAX) [[unlikely]]
      too_long(bytes);
    return static_cast<int>(bytes);
  }
  ASSAY_INLINE static int source(int from) { return from == ranks::any_source ? MPI_ANY_SOURCE : from; }
  ASSAY_INLINE static int any(int tag) { return tag == ranks::any_tag ? MPI_ANY_TAG : tag; }

  // An alltoallv's, of the last block that was asked for.
  struct Lengths {
    std::size_t block = 0;
    std::vector<int> sent, received, places;
    void fill(std::size_t mean, int rank, int all);
  };

  const Seat& seat(int rank) const { return seats_[static_cast<std::size_t>(rank)]; }
  // Ranks 0 … among - 1 by themselves: made at their first barrier, by them alone.
  MPI_Comm part(int among);

  MPI_Comm comm_;
  int rank_ = 0, size_ = 0, host_ = -1;
  std::vector<Seat> seats_;
  Lengths lengths_;
  std::vector<std::pair<int, MPI_Comm>> parts_;
};

static_assert(ranks::Testing<Communicator> && ranks::Probing<Communicator> && ranks::OneSided<Communicator> &&
              ranks::ReadySend<Communicator> && ranks::OwnNonBlocking<Communicator> && ranks::Hosted<Communicator> &&
              ranks::Grouped<Communicator>);

}  // namespace assay::mpi

#undef ASSAY_INLINE
