#include "mpi_library/transport/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace assay::abi {

constinit Process process;

void end_with(const char* format, ...) {
  std::fflush(nullptr);
  va_list arguments;
  va_start(arguments, format);
  char text[2048];
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "rank %d: %s\n", process.rank, text);
  _exit(1);
}

namespace {

[[noreturn]] void refuse(const char* what) {
  std::fprintf(stderr, "assay mpirun: %s: %s\n", what, std::strerror(errno));
  _exit(127);
}

void* map(int file, std::uint64_t at, std::uint64_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, static_cast<off_t>(at));
  if (mapped == MAP_FAILED) refuse("the segment cannot be mapped");
  return mapped;
}

void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
}

void become(int rank, int file, Header* header, pid_t parent) {
  die_with(parent);
  process = {header, nullptr, nullptr, rank, header->ranks};
  process.control = static_cast<Control*>(
      map(file, header->controls_at + control_bytes * static_cast<std::uint64_t>(rank), control_bytes));
  process.arena = static_cast<std::byte*>(
      map(file, header->arenas_at + header->arena_bytes * static_cast<std::uint64_t>(rank), header->arena_bytes));
  process.control->pid = getpid();
  close(file);
  if (rank == 0) return;
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, 0), close(nothing);
}

// Notes the end of each rank, until none is left.
[[noreturn]] void watch(int file, Header* header, const pid_t* pids, int started) {
  auto* const controls = static_cast<std::byte*>(
      map(file, header->controls_at, control_bytes * static_cast<std::uint64_t>(header->ranks)));
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
  _exit(0);
}

[[gnu::constructor]] void start() {
  const char* const named = std::getenv(segment_variable);
  if (!named) return;  // MPI_Init reports it
  const int file = std::atoi(named);
  unsetenv(segment_variable);  // a program that a rank starts is none of the ranks
  auto* const header = static_cast<Header*>(map(file, 0, page_bytes));
  if (header->layout != segment_layout) {
    errno = EPROTO;
    refuse("the library is of another version of Assay");
  }
  std::fflush(nullptr);
  const pid_t parent = getpid();
  auto* const pids = static_cast<pid_t*>(std::calloc(static_cast<std::size_t>(header->ranks), sizeof(pid_t)));
  int started = 0;
  for (; started < header->ranks; ++started) {
    const pid_t pid = fork();
    if (pid == 0) return become(started, file, header, parent);
    if (pid < 0) {
      header->refused.store(errno);
      break;
    }
    pids[started] = pid;
    header->started.store(started + 1);
  }
  watch(file, header, pids, started);
}

}  // namespace
}  // namespace assay::abi
