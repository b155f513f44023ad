#include "mpi_library/transport/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace assay::abi {
namespace {

// Blocks of four sizes to each power of two, each with 16 bytes before it for its size's number and its next when free.
struct Head {
  std::uint64_t size;
  Place next;
};
static_assert(sizeof(Head) == 16);
constexpr int smallest = 6, sizes = 4 * 40;
constexpr std::uint64_t large = 1 << 18;  // bytes from which free blocks may lose their pages
constexpr std::uint64_t most_kept = 1 << 24;

constinit Place free_blocks[sizes];
constinit Place fresh = page_bytes;
constinit std::uint64_t kept;  // bytes of large free blocks that have pages

int number_of(std::uint64_t bytes) {
  if (bytes <= std::uint64_t{1} << smallest) return 0;
  const int power = std::bit_width(bytes - 1) - 1;  // 2^power < bytes <= 2^(power + 1)
  const std::uint64_t quarter = std::uint64_t{1} << (power - 2);
  return (power - smallest) * 4 + static_cast<int>((bytes - (std::uint64_t{1} << power) + quarter - 1) / quarter);
}
std::uint64_t bytes_of(int number) {
  const int power = smallest + number / 4;
  return (std::uint64_t{1} << power) + (std::uint64_t{1} << (power - 2)) * static_cast<std::uint64_t>(number % 4);
}

}  // namespace

Place take(std::uint64_t bytes) {
  if (bytes == 0) return 0;
  const int number = number_of(bytes + sizeof(Head));
  Place block = number < sizes ? free_blocks[number] : 0;
  if (block != 0) {
    free_blocks[number] = in_arena<Head>(block).next;
    if (bytes_of(number) >= large) kept -= std::min(kept, bytes_of(number));
  } else {
    block = fresh;
    if (number >= sizes || bytes_of(number) > process.header->arena_bytes - fresh)
      end_with("the arena of %llu MiB for messages under way is full",
               static_cast<unsigned long long>(process.header->arena_bytes >> 20));
    fresh += bytes_of(number);
    in_arena<Head>(block).size = static_cast<std::uint64_t>(number);
  }
  return block + sizeof(Head);
}

void give(Place block) {
  if (block == 0) return;
  block -= sizeof(Head);
  Head& head = in_arena<Head>(block);
  const int number = static_cast<int>(head.size);
  head.next = std::exchange(free_blocks[number], block);
  const std::uint64_t bytes = bytes_of(number);
  if (bytes < large) return;
  if (kept + bytes <= most_kept) {
    kept += bytes;
    return;
  }
  const std::uint64_t from = (block + sizeof(Head) + page_bytes - 1) / page_bytes * page_bytes;
  const std::uint64_t to = (block + bytes) / page_bytes * page_bytes;
  madvise(process.arena + from, to - from, MADV_REMOVE);
}

}  // namespace assay::abi
