#include "mpi_library/transport/process.hpp"

#include <sys/mman.h>

#include <cstdarg>
#include <cstdio>

namespace assay::abi {

constinit Process process;

void* map_part(int file, std::uint64_t from, std::uint64_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, static_cast<off_t>(from));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

bool become(int file, Header* header, int rank) {
  const auto place = static_cast<std::uint64_t>(rank);
  process = {header, nullptr, nullptr, rank, header->ranks};
  process.control = static_cast<Control*>(map_part(file, header->controls_at + control_bytes * place, control_bytes));
  process.arena =
      static_cast<std::byte*>(map_part(file, header->arenas_at + header->arena_bytes * place, header->arena_bytes));
  if (!process.control || !process.arena) return false;
  process.control->pid = getpid();
  return true;
}

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

}  // namespace assay::abi
