// A job that waits, computes and communicates for stated times, and knows whether its answer is right.
//
//     synthetic_job [--processes P] [--wait S] [--compute S] [--communicate S]
//
// Waiting: one process sleeps. Computing: each of P processes steps a linear congruential generator for S seconds of
// processor time and compares where it got to with the generator's closed form, by doubling. Communicating: a message
// of 1 KiB goes round the ring of processes for S seconds; each checks what it receives before it hands it on.
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t multiplier = 6364136223846793005u, increment = 1442695040888963407u;  // Knuth, MMIX
constexpr std::uint64_t last = ~std::uint64_t{0};
using Message = std::array<std::uint64_t, 128>;

double clock_of(clockid_t which) {
  timespec time{};
  clock_gettime(which, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void wait_for(double seconds) {
  timespec left{static_cast<time_t>(seconds),
                static_cast<long>(1e9 * (seconds - static_cast<double>(static_cast<time_t>(seconds))))};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

// Where the generator is after `steps`, from `state`: the composition of its step with itself, by doubling.
std::uint64_t jumped(std::uint64_t state, std::uint64_t steps) {
  for (std::uint64_t a = multiplier, c = increment; steps > 0; steps /= 2, c *= a + 1, a *= a)
    if (steps % 2 == 1) state = a * state + c;
  return state;
}

bool computes(double seconds, std::uint64_t state) {
  const std::uint64_t from = state;
  std::uint64_t steps = 0;
  for (const double end = clock_of(CLOCK_PROCESS_CPUTIME_ID) + seconds; clock_of(CLOCK_PROCESS_CPUTIME_ID) < end;)
    for (int each = 0; each < 100000; ++each, ++steps) {
      state = multiplier * state + increment;
#ifdef ASSAY_BREAK
      if (steps == 12345) ++state;
#endif
    }
  return state == jumped(from, steps);
}

bool whole(int socket, Message& message, bool sends) {
  char* at = reinterpret_cast<char*>(message.data());
  for (std::size_t left = sizeof message; left > 0;) {
    const ssize_t moved = sends ? write(socket, at, left) : read(socket, at, left);
    if (moved <= 0) return false;
    at += moved;
    left -= static_cast<std::size_t>(moved);
  }
  return true;
}

Message message_of(std::uint64_t number) {
  Message message;
  for (std::size_t at = 0; at < message.size(); ++at) message[at] = number * (at + 1);
  message[0] = number;
  return message;
}

// Rank 0 sends round after round and the rest hand on; a message whose number is `last` ends it.
bool communicates(int rank, int from, int to, double seconds) {
  const double end = clock_of(CLOCK_MONOTONIC) + seconds;
  bool right = true;  // whoever finds a fault goes on: the others wait for its messages
  Message message;
  for (std::uint64_t number = 1;; ++number) {
    if (rank == 0) {
      const bool more = clock_of(CLOCK_MONOTONIC) < end;
      message = message_of(more ? number : last);
      if (!whole(to, message, true) || !whole(from, message, false)) return false;
    } else if (!whole(from, message, false)) {
      return false;
    }
    const bool ends = message[0] == last;
    right = right && message == message_of(ends ? last : number);
    if (rank != 0 && !whole(to, message, true)) return false;
    if (ends) return right;
  }
}

double seconds_of(const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end || !(value >= 0) || value > 1e15) {
    std::fprintf(stderr, "synthetic_job: is no number of seconds: %s\n", text);
    std::exit(64);
  }
  return value;
}

}  // namespace

int main(int count, char** words) {
  int processes = 1;
  double waits = 0, compute = 0, communicate = 0;
  for (int at = 1; at < count; at += 2) {
    const std::string key = words[at];
    const char* value = at + 1 < count ? words[at + 1] : "";
    if (key == "--processes") {
      processes = static_cast<int>(seconds_of(value));
    } else if (key == "--wait") {
      waits = seconds_of(value);
    } else if (key == "--compute") {
      compute = seconds_of(value);
    } else if (key == "--communicate") {
      communicate = seconds_of(value);
    } else {
      std::fprintf(stderr, "synthetic_job: unknown option %s\n", words[at]);
      return 64;
    }
  }
  if (waits > 0) wait_for(waits);
  if (compute == 0 && communicate == 0) {
    std::puts("answer right: waited");
    return 0;
  }
  if (processes < 1 || processes > 4096) {
    std::fprintf(stderr, "synthetic_job: 1 to 4096 processes\n");
    return 64;
  }
  std::vector<std::array<int, 2>> links(static_cast<std::size_t>(processes));  // link i: from rank i - 1 to rank i
  for (auto& link : links)
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, link.data()) != 0) return std::perror("synthetic_job"), 1;
  const auto work = [&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    const bool right = compute == 0 || computes(compute, static_cast<std::uint64_t>(rank) + 1);
    return (communicate == 0 || communicates(rank, links[at][1], links[(at + 1) % links.size()][0], communicate)) &&
           right;
  };
  for (int rank = 1; rank < processes; ++rank) {
    const pid_t child = fork();
    if (child < 0) return std::perror("synthetic_job"), 1;
    if (child == 0) _exit(work(rank) ? 0 : 1);
  }
  bool right = work(0);
  for (int status = 0, rank = 1; rank < processes; ++rank) right = wait(&status) > 0 && status == 0 && right;
  std::printf("answer %s: %d processes\n", right ? "right" : "wrong", processes);
  return 0;
}
