// The program is started once. The library's constructor, before main, makes the ranks of it by fork, so that they
// share all memory that they do not write; the first process stays behind and notes how each of them ends.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi_library/transport/process.hpp"
#include "mpi_library/transport/tagged_output.hpp"

namespace assay::abi {
namespace {

[[noreturn]] void refuse(const char* what) {
  std::fprintf(stderr, "assay mpirun: %s: %s\n", what, std::strerror(errno));
  _exit(127);
}

void* mapped(int file, std::uint64_t from, std::uint64_t bytes) {
  void* const part = map_part(file, from, bytes);
  if (!part) refuse("the segment cannot be mapped");
  return part;
}

void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
}

void go_on_as(int rank, int file, Header* header, pid_t parent) {
  die_with(parent);
  if (!become(file, header, rank)) refuse("the segment cannot be mapped");
  close(file);
  if (rank == 0) return;
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, 0), close(nothing);
}

// Notes the end of each rank, until none is left.
[[noreturn]] void watch(int file, Header* header, const pid_t* pids, int started, const TaggedOutput& output) {
  auto* const controls = static_cast<std::byte*>(
      mapped(file, header->controls_at, control_bytes * static_cast<std::uint64_t>(header->ranks)));
  for (int fd = 0; fd < 3; ++fd) close(fd);
  for (int left = started; left > 0;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == ECHILD) break;
    for (int rank = 0; rank < started; ++rank) {
      if (pids[rank] != pid) continue;
      auto& control = *reinterpret_cast<Control*>(controls + control_bytes * static_cast<std::uint64_t>(rank));
      control.ended.store(1U + static_cast<std::uint32_t>(status));
      header->deaths.fetch_add(1);
      control.posted.fetch_add(1);
      wake(control.posted);
      --left;
    }
  }
  output.finish();
  _exit(0);
}

[[gnu::constructor]] void start() {
  const char* const named = std::getenv(segment_variable);
  if (!named) return;  // MPI_Init reports it
  const int file = std::atoi(named);
  unsetenv(segment_variable);  // a program that a rank starts is none of the ranks
  auto* const header = static_cast<Header*>(mapped(file, 0, page_bytes));
  if (header->layout != segment_layout) {
    errno = EPROTO;
    refuse("the library is of another version of Assay");
  }
  TaggedOutput output(std::getenv(tag_output_variable) != nullptr);
  unsetenv(tag_output_variable);
  std::fflush(nullptr);
  const pid_t parent = getpid();
  auto* const pids = static_cast<pid_t*>(std::calloc(static_cast<std::size_t>(header->ranks), sizeof(pid_t)));
  int started = 0;
  for (; started < header->ranks; ++started) {
    const pid_t pid = output.before() ? fork() : -1;
    if (pid == 0) {
      output.in_rank();
      return go_on_as(started, file, header, parent);
    }
    if (pid < 0) {
      header->refused.store(errno);
      break;
    }
    output.in_parent();
    pids[started] = pid;
    header->started.store(started + 1);
  }
  output.start();
  watch(file, header, pids, started, output);
}

}  // namespace
}  // namespace assay::abi
