// Where an application's time goes on each rank: calls by kind, messages by length, whom it waited for, kernels.
//
// Kept by Accounted<C> (accounted.hpp) during one run and written as an event of the launch:
//
//   {"event":"account","case":{…},"ranks":P,"time":T,          T: common start to the last rank's end, s
//    "computing":[…],"communicating":[…],"ended":[…],           by rank, s: outside calls, in calls, its end
//    "user":[…],"system":[…],"memory":[…],                      by rank: processor time, s; most memory so far, bytes
//    "calls":{"send":[seconds,calls,bytes],…},                  of all ranks; bytes are those sent, or received
//    "lengths":[[L,messages,bytes],…],                          sent messages of 0 B, or of L to 2 L - 1 bytes
//    "waits":[[rank,for,seconds],…],                            in calls that another's message ended; longest first
//    "kernels":{"cg":[seconds,calls,amount],…},                 of all ranks; amount as the description charges it
//    "messages":[[bytes,seconds],…]}                            one way, ranks 0 and P - 1: half of a round trip
//
// Of a rank time = computing + communicating + (time - ended). A collective is made of these calls. A described machine
// has no processor time or memory of its own, and its messages are known: those lists are empty.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "applications/span.hpp"
#include "timing/output.hpp"

namespace assay::applications {

enum class Call : std::uint8_t { send, isend, recv, irecv, sendrecv, wait, test, probe, collective, file };
inline constexpr std::array<std::string_view, 10> call_names = {"send", "isend", "recv",  "irecv",      "sendrecv",
                                                                "wait", "test",  "probe", "collective", "file"};

// One rank's, with a fixed size: it travels to rank 0 as it is.
struct Account {
  struct Spent {
    double seconds, calls, amount;  // amount: bytes, or units of a kernel
  };
  struct Kernel : Spent {
    std::array<char, 24> name;  // ended by a zero
  };
  struct Waited {
    int rank;
    double seconds;
  };
  static constexpr std::size_t most_kernels = 12, most_waits = 4, most_lengths = 40;

  double seconds = 0, ended = 0;  // in calls; the rank's end
  double user = 0, system = 0, memory = 0;
  std::array<Spent, call_names.size()> calls{};
  std::array<Spent, most_lengths> lengths{};  // [0]: nothing; [k]: from 2^(k - 1) B on
  std::array<Kernel, most_kernels> kernels{};
  std::array<Waited, most_waits> waits{};  // the longest

  void sent(std::size_t bytes);
  int computed(std::string_view kernel, double amount, double took);  // gives its place, or -1
};

// What is kept while a run goes on: an account, all that were waited for, and the first calls where a timeline is asked
// for.
struct Ledger {
  Account account{};
  std::vector<double> waited{};  // by rank, s
  std::vector<Span> spans{};     // at most `most_spans`
  std::size_t most_spans = 0;
  std::int64_t passed = 0;     // calls behind these
  std::int64_t call_from = 0;  // ticks: when the call that just ended was made
  bool on = false;

  void begin(int ranks, std::size_t spans = 0);
  void note(const Span& span);
  void end(double ended, bool real);  // `real`: with this process's processor time and memory since begin()

 private:
  double user_ = 0, system_ = 0;
};

struct MessageTime {
  std::size_t bytes;
  double seconds;
};

// The event. `ranks`: each one's account; `real`: of a real machine.
timing::Json account_event(const timing::Json& label, const std::vector<const Account*>& ranks,
                           const std::vector<MessageTime>& messages, bool real);

}  // namespace assay::applications
