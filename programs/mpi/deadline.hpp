// --deadline SECONDS: a job that hangs says so and ends. A timer's signal interrupts whatever call a rank is in; the
// handler writes what the rank was waiting for, with nothing but write(2), and leaves with status 1, on which the
// launcher ends the others. The others are given a moment to speak first. It is set before MPI starts, too, by the rank
// that the starter's environment states: MPI_Init waits for every rank, and one may never start.
#pragma once

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "mpi/communicator.hpp"
#include "timing/options.hpp"

namespace assay::mpi {

inline constexpr const char* deadline_help =
    "  --deadline SECONDS             ends a job that is not done by then, naming what each rank waited for\n";

namespace last_words {
inline char head[256];  // composed beforehand: "echo: not done after 60 s: rank 1 was in "
inline void put(char*& to, const char* text) {
  while (*text) *to++ = *text++;
}
inline void put(char*& to, int value) {
  char digits[12];
  int n = 0;
  unsigned left = value < 0 ? 0U - static_cast<unsigned>(value) : static_cast<unsigned>(value);
  do digits[n++] = static_cast<char>('0' + left % 10);
  while (left /= 10);
  if (value < 0) *to++ = '-';
  while (n > 0) *to++ = digits[--n];
}
inline void speak(int) {
  char text[512];
  char* to = text;
  put(to, head);
  static constexpr const char* calls[] = {
      "its own work",       "send to",  "receive from", "wait, having posted for", "barrier, with",
      "a collective, with", "MPI_Init", "probe, for"};
  const std::uint64_t now = doing.load(std::memory_order_relaxed);
  put(to, calls[now >> 56 & 7]);
  if (now != 0 && static_cast<Call>(now >> 56) != Call::start) {
    const int peer = static_cast<int>(static_cast<std::uint32_t>(now));
    put(to, peer < 0 ? " any rank" : " rank ");
    if (peer >= 0) put(to, peer);
    const auto tag = static_cast<int>(now >> 32 & 0xffffff);
    put(to, tag == 0xffffff ? ", any tag" : ", tag ");
    if (tag != 0xffffff) put(to, tag);
  }
  *to++ = '\n';
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, static_cast<std::size_t>(to - text));
  const timespec moment{0, 500'000'000};
  nanosleep(&moment, nullptr);
  _exit(1);
}
}  // namespace last_words

// Takes --deadline out of the words; 0: none.
inline double take_deadline(std::vector<const char*>& words) {
  double seconds = 0;
  for (std::size_t i = 1; i < words.size();) {
    const std::string_view word = words[i];
    if (word != "--deadline" && !word.starts_with("--deadline=")) {
      ++i;
      continue;
    }
    const bool apart = word == "--deadline";
    if (apart && i + 1 == words.size()) throw timing::InputFault("option --deadline: its value is missing");
    const std::string_view value = apart ? words[i + 1] : word.substr(11);
    seconds = timing::option_number("--deadline", value, 0.1, 1e6, false);
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(at, at + (apart ? 2 : 1));
  }
  return seconds;
}

inline void arm_deadline(const std::string& name, int rank, double seconds) {
  std::snprintf(last_words::head, sizeof last_words::head, "%s: not done after %g s: rank %d was in ", name.c_str(),
                seconds, rank);
  std::signal(SIGALRM, last_words::speak);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// This process's rank as its starter states it, before MPI does; below zero where no starter's word is known.
inline int stated_rank() {
  for (const char* name : {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (const char* text = std::getenv(name)) return static_cast<int>(std::strtol(text, nullptr, 10));
  return -1;
}

// The deadline while MPI starts; ended by end_of_start.
inline void arm_start(const std::string& name, int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  double deadline = 0;
  try {
    deadline = take_deadline(words);
  } catch (const timing::InputFault&) {  // said once MPI has started
  }
  const int rank = stated_rank();
  if (deadline <= 0 || rank < 0) return;
  note(Call::start, 0, 0);
  arm_deadline(name, rank, deadline);
}

inline void end_of_start() {
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  doing.store(0, std::memory_order_relaxed);
}

}  // namespace assay::mpi
