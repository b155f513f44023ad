// What the simulator and the ranks' processes share: a segment of memory with a header, a control block for each rank,
// and an arena for each rank's data.
//
// A rank hands over a batch of operations and sleeps; the simulator carries them out in simulated time, one after the
// other, writes their results into the arena, and lets the rank go on. Places in an arena are offsets in bytes from its
// beginning; 0 is none. Only these two sides see the layout: the library is compiled for each version of the simulator.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace assay::abi {

inline constexpr std::uint32_t segment_version = 2;
inline constexpr const char* segment_variable = "ASSAY_MPI_SEGMENT";  // the number of the inherited file descriptor
inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::uint32_t most_ops = 1024;  // of a batch

// A message's tag and its context are one word, as the World matches them (core/ranks/groups.hpp): 15 bits of tag.
// Contexts 0, 1 and the last are the simulator's own.
inline constexpr int first_context = 2, last_context = 65534, greatest_tag = 32767;
inline constexpr std::int32_t word_of(int context, int tag) { return context << 15 | tag; }
inline constexpr std::int32_t any_tag_word(int context) { return ~context; }
inline constexpr std::int32_t any_source_rank = -1;

// Tags of 64 bits, those of MPICH over libfabric: 31 bits of a tag, 23 of what it counts for (its space), and bits that
// go along and are not compared. An operation with `wide_word` has such a tag at `at2`; `bytes2` are, of a message, the
// data that go along with it, and of a receive or a probe the bits that it leaves open.
inline constexpr std::int32_t wide_word = INT32_MIN;
inline constexpr int wide_tag_bits = 31, wide_space_bits = 23;
inline constexpr std::uint64_t wide_tag = (std::uint64_t{1} << wide_tag_bits) - 1;
inline constexpr std::uint64_t wide_compared = (std::uint64_t{1} << (wide_tag_bits + wide_space_bits)) - 1;

// `peer`, `peer2`: ranks of MPI_COMM_WORLD. `slot`: the number that the rank gives to what is under way.
enum class Does : std::uint8_t {
  starts,    // MPI_Init
  send,      // blocking: `at`, `bytes` to `peer` with `word`; `mode`
  isend,     // the same; goes on as `slot`
  irecv,     // into `at`, room for `bytes`, from `peer` with `word`; goes on as `slot`
  sendrecv,  // `at`, `bytes`, `peer`, `word`; `at2`, `bytes2`, `peer2`, `word2`; `result`
  wait,      // for `slot`; `result`; `mode` 1: a receive's own
  wait_any,  // for the first of `bytes` Listed at `at`, or with `mode` some for whatever is over then; the result's
             // flag is the place of the first
  test,      // of `bytes` Listed at `at` those that are over, by `mode`; the result's flag says how many
  probe,     // `peer`, `word`; `result`
  iprobe,    // the same; the result's flag says whether there was one
  claim,     // a message is taken out, as `slot`: as probe, with `mode` 1 as iprobe
  receive_claimed,  // that message into `at`, room for `bytes`; goes on as `slot`
  cancel,           // `slot`, a receive; the result's flag says whether it is gone
  behind,           // the `bytes` operations at `at` go on by themselves; they are over as `slot`
  compute,          // `bytes` picoseconds
  copy,             // `bytes` from `at` to `at2`
  reduce,           // `bytes` elements at `at2` become those at `at` with them: `type`, `operation`
  barrier,          // the machine's own, of all ranks
  access,    // one-sided, `mode` an Access, of rank `peer`'s memory, through the window `word`; goes on as `slot`
  attach,    // the `bytes` at the address `at` of this rank's memory to the window `word`
  detach,    // what was attached there
  look,      // at memory that others may have written to: the rank asked in vain
  begins,    // a call of the function number `slot` (abi/functions.inc); or the region named in `bytes` at `at`
  ends,      // that call; `bytes` and `peer` (-1: none) that it was about; or that region, as `at` is not 0
  finishes,  // MPI_Finalize
  aborts     // MPI_Abort with the code `peer`
};
// Of a one-sided operation. `at`: the `bytes` that it brings; `at2`: the `bytes2` Spans of the target's memory;
// `result`: where the bytes of these go that it fetches; `type`, `operation`, `word2` bytes of an element: of what it
// accumulates; `peer2` 1: the memory must be attached. The slot is over when the target's memory has changed and what
// was fetched is there.
enum class Access : std::uint8_t {
  put,
  get,
  accumulate,
  fetch,    // what was there before it accumulates
  compare,  // brings the new value and then what it must find, of the same length; fetches what was there
  lock,     // the window of `peer`, exclusively with `type` 1; the slot is over when it is granted
  unlock    // that lock goes back; without a slot
};
struct Span {
  std::uint64_t address, bytes;
};
enum class SendMode : std::uint8_t { standard, ready, synchronous };
enum class TestMode : std::uint8_t { any, all, some };

struct Op {
  Does does = Does::starts;
  std::uint8_t mode = 0, type = 0, operation = 0;
  std::int32_t peer = -1, word = 0, peer2 = -1, word2 = 0;
  std::uint32_t slot = 0;
  std::uint64_t at = 0, bytes = 0, at2 = 0, bytes2 = 0, result = 0;
};
static_assert(sizeof(Op) == 64);

// Of a receive, a wait or a probe; where tags are wide, the message's and the data that came along.
struct Result {
  std::int32_t source = -1, tag = -1;
  std::uint64_t bytes = 0;
  std::int32_t flag = 0;
  std::int32_t truncated = 0;
  std::uint64_t wide = 0, data = 0;
};

// One of several that are waited for or tested: whether it was over, and where its result goes.
struct Listed {
  std::uint32_t slot = 0, over = 0;
  std::uint64_t result = 0;
};

struct alignas(64) Control {
  std::atomic<std::uint32_t> go;                  // how often the simulator let the rank go on
  std::atomic<std::uint32_t> asleep;              // the rank waits for it
  alignas(64) std::atomic<std::uint32_t> posted;  // how often the rank handed over a batch
  std::atomic<std::uint32_t> awaited;             // the simulator waits for it
  std::atomic<std::uint32_t> ended;               // 1 + the status of waitpid(2), once the process has ended
  std::uint32_t count;                            // of operations
  std::int64_t now;                               // ps
  std::int64_t compute;                           // ps, before the first operation
  std::uint32_t node;
  std::int32_t pid;
  alignas(64) Op ops[most_ops];
};

struct Header {
  std::uint32_t layout;
  std::int32_t ranks;
  std::uint64_t controls_at, arenas_at, arena_bytes;  // in the segment
  std::int64_t poll;                                  // ps of asking in vain
  double factor;                                      // simulated seconds of a second of CPU time; 0: not charged
  std::uint32_t marks;                                // whether begins and ends are wanted
  std::atomic<std::uint32_t> deaths;                  // ranks that have ended
  std::atomic<std::int32_t> started;                  // ranks that were started
  char personality[32];                               // of the MPI library: whose algorithms collective calls use
  std::atomic<std::int32_t> refused;                  // errno of what kept the next one from being started
  std::uint32_t in_regions;                           // whether only the computing of regions is charged
};

// What the two sides compare: a library of another layout is refused.
inline constexpr std::uint32_t segment_layout = segment_version << 24 ^ sizeof(Control);
inline constexpr std::uint64_t control_bytes = (sizeof(Control) + page_bytes - 1) / page_bytes * page_bytes;
inline constexpr std::uint64_t controls_at = page_bytes;
inline Control* control_of(Header* header, int rank) {
  return reinterpret_cast<Control*>(reinterpret_cast<std::byte*>(header) + header->controls_at +
                                    control_bytes * static_cast<std::uint64_t>(rank));
}

inline long futex(std::atomic<std::uint32_t>& word, int does, std::uint32_t value, const timespec* limit = nullptr) {
  return syscall(SYS_futex, &word, does, value, limit, nullptr, 0);
}
inline void wake(std::atomic<std::uint32_t>& word) { futex(word, FUTEX_WAKE, 1); }

}  // namespace assay::abi
