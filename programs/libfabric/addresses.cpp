#include "libfabric/addresses.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "mpi_library/transport/transport.hpp"

namespace assay::fabric {
namespace {

constexpr std::uint64_t mark = 0x5100000000;

std::vector<std::uint64_t>& addresses() {
  static auto* const all = new std::vector<std::uint64_t>;
  return *all;
}

}  // namespace

bool attach() {
  if (abi::process.header) return true;
  const char *const path = std::getenv(path_variable), *const rank = std::getenv("PMI_RANK");
  if (!path || !rank) return false;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  auto* const header = static_cast<abi::Header*>(abi::map_part(file, 0, abi::page_bytes));
  const int mine = std::atoi(rank);
  if (!header || header->layout != abi::segment_layout || mine < 0 || mine >= header->ranks) return false;
  if (!abi::become(file, header, mine)) abi::end_with("the segment cannot be mapped");
  close(file);
  header->started.fetch_add(1);
  abi::add(abi::Does::starts);
  return true;
}

void unlink_shared_memory() {
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (!maps) return;
  char line[4096];
  while (std::fgets(line, sizeof line, maps)) {
    char* const path = std::strstr(line, "/dev/shm/mpich_shm_");
    if (!path || std::strstr(path, " (deleted)")) continue;
    path[std::strcspn(path, "\n")] = 0;
    unlink(path);
  }
  std::fclose(maps);
}

std::uint64_t own_address() { return mark | static_cast<std::uint32_t>(abi::process.rank); }
fi_addr_t add_address(std::uint64_t address) {
  addresses().push_back(address);
  return addresses().size() - 1;
}
std::uint64_t address_at(fi_addr_t number) { return addresses().at(number); }
int rank_at(fi_addr_t number) { return static_cast<int>(address_at(number) & 0xffffffff); }

}  // namespace assay::fabric
