// A Communicator that notes, in a ledger that is on, how long each call takes and what it moves; else it only calls.
//
// A call lasts from when it is made to when the rank goes on, on a described machine in simulated time. What a message
// ended counts as waiting for its sender; of a group's messages the sender is not noted, as its ranks are the group's.
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "applications/account.hpp"
#include "ranks/communicator.hpp"
#include "ranks/files.hpp"
#include "ranks/own_collectives.hpp"

namespace assay::applications {

struct NoFile {};
template <class C>
struct FileOf {
  using type = NoFile;
};
template <ranks::Files C>
struct FileOf<C> {
  using type = typename C::File;
};

template <ranks::Communicator C>
class Accounted {
 public:
  using Received = typename C::Received;
  using SendRequest = typename C::SendRequest;
  using ReceiveRequest = typename C::ReceiveRequest;
  using File = typename FileOf<C>::type;
  static constexpr double ticks_a_second = C::ticks_a_second;

  // What is awaited: the machine's own, and at its end a note. The ledger outlives it.
  template <class Inner, class Ending>
  struct [[nodiscard]] Noted {
    Inner inner;
    Ledger* ledger;  // none: nothing is noted
    const C* comm;
    std::int64_t began;
    Ending ending;
    bool await_ready() { return inner.await_ready(); }
    auto await_suspend(std::coroutine_handle<> caller) { return inner.await_suspend(caller); }
    decltype(auto) await_resume() {
      if (!ledger) return inner.await_resume();
      const std::int64_t ended = comm->now();
      const double took = static_cast<double>(ended - began) / ticks_a_second;
      ledger->call_from = began;
      if constexpr (std::is_void_v<decltype(inner.await_resume())>) {
        ending(*ledger, took);
        return inner.await_resume();
      } else {
        decltype(auto) found = inner.await_resume();
        ending(*ledger, took, found);
        return static_cast<decltype(found)>(found);
      }
    }
  };
  struct Moved {
    Call call;
    std::size_t bytes;
    bool sends, whole;  // whole: its peers are of all ranks
    int to, tag;
    template <class... Found>
    void operator()(Ledger& ledger, double took, const Found&... found) const {
      Account::Spent& of = ledger.account.calls[static_cast<std::size_t>(call)];
      of.seconds += took;
      of.calls += 1;
      of.amount += static_cast<double>(bytes);
      if (sends) ledger.account.sent(bytes);
      (came(ledger, of, took, found), ...);
      if (ledger.most_spans > 0) [[unlikely]]
        on_timeline(ledger, took, found...);
    }
    // Asking in vain is left out: a rank may do nothing else for long.
    template <class... Found>
    [[gnu::noinline, gnu::cold]] void on_timeline(Ledger& ledger, double took, const Found&... found) const {
      Span span{.from = ledger.call_from,
                .to = ledger.call_from + std::llround(took * ticks_a_second),
                .sent = sends ? static_cast<std::int64_t>(bytes) : 0,
                .received = 0,
                .name = static_cast<std::int32_t>(call),
                .to_rank = sends && whole ? to : -1,
                .to_tag = tag,
                .from_rank = -1,
                .from_tag = tag};
      (arrived(span, found), ...);
      if ((true && ... && there(found))) ledger.note(span);
    }
    template <class Found>
    void arrived(Span& span, const Found& found) const {
      if constexpr (ranks::Received<Found>) {
        span.received = static_cast<std::int64_t>(found.bytes());
        span.from_rank = whole ? found.source() : -1;
        span.from_tag = found.tag();
      } else if constexpr (requires { found.received.source(); }) {
        arrived(span, found.received);
      } else if constexpr (requires { found->source(); }) {
        if (found) arrived(span, *found);
      }
    }
    template <class Found>
    bool there(const Found& found) const {
      if constexpr (std::is_same_v<Found, bool> || requires { found.has_value(); }) return static_cast<bool>(found);
      return true;
    }
    template <class Found>
    void came(Ledger& ledger, Account::Spent& of, double took, const Found& found) const {
      if constexpr (ranks::Received<Found>) {
        if (!sends) of.amount += static_cast<double>(found.bytes());
        const auto source = static_cast<std::size_t>(found.source());
        if (whole && source < ledger.waited.size()) ledger.waited[source] += took;
      } else if constexpr (requires { found.received.source(); }) {
        came(ledger, of, took, found.received);
      }
    }
  };
  struct Computed {
    std::string_view kernel;
    double amount;
    void operator()(Ledger& ledger, double took) const {
      const int place = ledger.account.computed(kernel, amount, took);
      if (ledger.most_spans == 0 || place < 0) [[likely]]
        return;
      const std::int64_t from = ledger.call_from;
      const auto name = static_cast<std::int32_t>(call_names.size()) + place;
      ledger.note({from, from + std::llround(took * ticks_a_second), 0, 0, name, -1, 0, -1, 0});
    }
  };

  // A communicator with files is held by reference, as it cannot be copied; others are handles.
  using Held = std::conditional_t<std::is_copy_constructible_v<C>, C, C&>;
  Accounted(Held comm, Ledger* ledger, bool whole = true)
      : comm_(std::forward<Held>(comm)), ledger_(ledger), whole_(whole) {}

  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }
  std::int64_t now() const { return comm_.now(); }
  bool same_clock(int other) const { return comm_.same_clock(other); }
  std::optional<int> hops(int to) const { return comm_.hops(to); }
  std::optional<int> hops(int from, int to) const { return comm_.hops(from, to); }
  bool same_node(int a, int b) const { return comm_.same_node(a, b); }
  std::string_view placement(int from, int to) const { return comm_.placement(from, to); }
  bool is_simulated() const { return comm_.is_simulated(); }
  std::optional<double> cost_of(std::string_view kernel) const { return comm_.cost_of(kernel); }

  auto send(const void* data, std::size_t bytes, int to, int tag) {
    return moved(Call::send, bytes, true, to, tag, [&] { return comm_.send(data, bytes, to, tag); });
  }
  auto isend(const void* data, std::size_t bytes, int to, int tag) {
    return moved(Call::isend, bytes, true, to, tag, [&] { return comm_.isend(data, bytes, to, tag); });
  }
  auto recv(void* buffer, std::size_t room, int from, int tag) {
    return moved(Call::recv, 0, false, [&] { return comm_.recv(buffer, room, from, tag); });
  }
  auto irecv(void* buffer, std::size_t room, int from, int tag) {
    return moved(Call::irecv, 0, false, [&] { return comm_.irecv(buffer, room, from, tag); });
  }
  auto sendrecv(const void* data, std::size_t bytes, int to, void* buffer, std::size_t room, int from, int tag) {
    return moved(Call::sendrecv, bytes, true, to, tag,
                 [&] { return comm_.sendrecv(data, bytes, to, buffer, room, from, tag); });
  }
  template <class Request>
  auto wait(Request& request) {
    return moved(Call::wait, 0, false, [&] { return comm_.wait(request); });
  }
  template <class Request>
  auto test(Request& request) {
    return moved(Call::test, 0, false, [&] { return comm_.test(request); });
  }
  auto wait_any(ReceiveRequest* requests, std::size_t count)
    requires ranks::Testing<C>
  {
    return moved(Call::wait, 0, false, [&] { return comm_.wait_any(requests, count); });
  }
  auto probe(int from, int tag)
    requires ranks::Probing<C>
  {
    return moved(Call::probe, 0, false, [&] { return comm_.probe(from, tag); });
  }
  auto iprobe(int from, int tag)
    requires ranks::Probing<C>
  {
    return moved(Call::probe, 0, false, [&] { return comm_.iprobe(from, tag); });
  }
  auto barrier(int among)
    requires ranks::OwnBarrier<C>
  {
    return moved(Call::collective, 0, false, [&] { return comm_.barrier(among); });
  }
  bool describes_collectives() const
    requires ranks::OwnCollectives<C>
  {
    return comm_.describes_collectives();
  }
  auto collective(ranks::Operation operation, const void* in, void* out, std::size_t block, int root)
    requires ranks::OwnCollectives<C>
  {
    return moved(Call::collective, block, false, [&] { return comm_.collective(operation, in, out, block, root); });
  }
  auto meet(int ranks, std::int64_t value, std::int64_t quiet)
    requires requires(C comm) { comm.meet(ranks, value, quiet); }
  {
    return comm_.meet(ranks, value, quiet);
  }
  int io_nodes() const
    requires ranks::Files<C>
  {
    return comm_.io_nodes();
  }
  int spread() const
    requires ranks::Files<C>
  {
    return comm_.spread();
  }
  auto open(File& file, const std::string& name, int io_nodes, std::uint64_t reserve)
    requires ranks::Files<C>
  {
    return moved(Call::file, 0, false, [&] { return comm_.open(file, name, io_nodes, reserve); });
  }
  auto read(File& file, std::byte* into, std::uint64_t bytes, std::uint64_t offset)
    requires ranks::Files<C>
  {
    return moved(Call::file, bytes, false, [&] { return comm_.read(file, into, bytes, offset); });
  }
  auto write(File& file, const std::byte* from, std::uint64_t bytes, std::uint64_t offset)
    requires ranks::Files<C>
  {
    return moved(Call::file, bytes, false, [&] { return comm_.write(file, from, bytes, offset); });
  }
  auto close(File& file)
    requires ranks::Files<C>
  {
    return moved(Call::file, 0, false, [&] { return comm_.close(file); });
  }
  auto forget()
    requires ranks::Files<C>
  {
    return comm_.forget();
  }
  // A group's communicator notes in the same ledger.
  template <class Inner>
  struct [[nodiscard]] Split {
    Inner inner;
    Ledger* ledger;
    bool await_ready() { return inner.await_ready(); }
    auto await_suspend(std::coroutine_handle<> caller) { return inner.await_suspend(caller); }
    Accounted await_resume() { return Accounted(inner.await_resume(), ledger, false); }
  };
  auto split(int colour, int key)
    requires ranks::Grouped<C>
  {
    return Split<decltype(comm_.split(colour, key))>{comm_.split(colour, key), ledger_};
  }
  auto release(Accounted& group)
    requires ranks::Grouped<C>
  {
    return comm_.release(group.comm_);
  }
  template <class Body>
  auto compute(double seconds, Body&& body) {
    return comm_.compute(seconds, std::forward<Body>(body));
  }
  template <class Body>
  auto compute(const ranks::Work& work, Body&& body) {
    return noted(Computed{work.kernel, work.amount}, [&] { return comm_.compute(work, std::forward<Body>(body)); });
  }

 private:
  template <class Ending, class Make>
  [[gnu::always_inline]] auto noted(Ending ending, Make make) {
    Ledger* const ledger = ledger_->on ? ledger_ : nullptr;
    const std::int64_t began = ledger ? comm_.now() : 0;
    return Noted<decltype(make()), Ending>{make(), ledger, &comm_, began, ending};
  }
  template <class Make>
  [[gnu::always_inline]] auto moved(Call call, std::size_t bytes, bool sends, int to, int tag, Make make) {
    return noted(Moved{call, bytes, sends, whole_, to, tag}, make);
  }
  template <class Make>
  [[gnu::always_inline]] auto moved(Call call, std::size_t bytes, bool sends, Make make) {
    return moved(call, bytes, sends, -1, -1, make);
  }

  Held comm_;
  Ledger* ledger_;
  bool whole_;
};

}  // namespace assay::applications
