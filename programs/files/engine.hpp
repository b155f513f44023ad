// One process's part of a pass: it opens its file, waits for the common start, writes or reads its blocks, and closes.
// pread(2) and pwrite(2) with `depth` threads, each with one operation in flight; io_uring with `depth` of one thread;
// a mapping of the file, copied from or to by `depth` threads.
#pragma once

#include "files/board.hpp"
#include "files/own_folder.hpp"

namespace assay::files {

inline constexpr std::int64_t page_bytes = 4096;  // that O_DIRECT wants buffers aligned to

// Works in a child process; what goes wrong it writes to its worker's `fault`. `version`: of the pattern.
void take_part(const Work& work, const OwnFolder& folder, Board& board, std::int64_t process, std::uint64_t seed,
               std::uint64_t version);

// Whether the file system of an open file takes O_DIRECT.
bool takes_direct(int file);

}  // namespace assay::files
