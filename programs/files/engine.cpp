#include "files/engine.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <thread>

#include "files/ring.hpp"
#include "timing/clock.hpp"

namespace assay::files {
namespace {

using timing::MeasurementFault;
using timing::now_ns;

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<char, Free>;

// Long blocks lie in huge pages where the kernel gives them: of scattered pages a device may take fewer segments than a
// block has (/sys/block/DEVICE/queue/max_segments), and by the chance of a launch each operation would become two.
Buffer buffer_of(std::int64_t bytes) {
  constexpr std::int64_t huge = 2 << 20;
  const std::int64_t step = bytes >= huge / 2 ? huge : page_bytes, whole = (bytes + step - 1) / step * step;
  Buffer buffer(
      static_cast<char*>(std::aligned_alloc(static_cast<std::size_t>(step), static_cast<std::size_t>(whole))));
  if (!buffer) throw MeasurementFault("no memory for a block of " + std::to_string(bytes) + " bytes");
  if (step == huge) madvise(buffer.get(), static_cast<std::size_t>(whole), MADV_HUGEPAGE);
  std::memset(buffer.get(), 0, static_cast<std::size_t>(whole));
  return buffer;
}

double seconds(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

class Part {
 public:
  Part(const Work& work, const OwnFolder& folder, Board& board, std::int64_t process, std::uint64_t seed,
       std::uint64_t version)
      : work_(work),
        folder_(folder),
        board_(board),
        worker_(board.worker(process)),
        process_(process),
        seed_(seed),
        pattern_(work.bytes),
        name_(work.name(work.file_of(process))),
        of_{static_cast<std::uint64_t>(work.file_of(process)) + 1, static_cast<std::uint64_t>(process) + 1, version,
            folder.launch()} {}

  void run() {
    const std::int64_t from = now_ns();
    open();
    worker_.open = seconds(now_ns() - from);
    worker_.ready = true;
    while (board_.start() == 0) sched_yield();
    const std::int64_t begun = now_ns();
    end_ = work_.at_most > 0 ? begun + static_cast<std::int64_t>(1e9 * work_.at_most) : INT64_MAX;
    work_.engine == Engine::uring ? in_flight() : by_threads();
    const std::int64_t ended = now_ns();
    worker_.busy = work_.engine == Engine::uring ? seconds(ended - begun - alone_) : busy_;
    finish();
  }

 private:
  void open() {
    const bool mapped = work_.engine == Engine::mmap;
    file_ = folder_.open(name_, (work_.changes() || mapped ? O_RDWR : O_RDONLY) | (work_.past_cache ? O_DIRECT : 0) |
                                    (work_.append ? O_APPEND : 0));
    if (work_.write && work_.preallocate) {  // what is appended begins at the file's end, which stays where it is
      const int mode = work_.append ? FALLOC_FL_KEEP_SIZE : 0;
      if (fallocate(file_, mode, 0, work_.file_bytes()) != 0) fault("preallocated", -errno);
    } else if (work_.write && mapped && ftruncate(file_, work_.file_bytes()) != 0) {
      fault("lengthened", -errno);
    }
    // Also to ask which pages are in memory; O_DIRECT passes these by.
    if (work_.past_cache || (work_.write && !mapped)) return;
    const int access = mapped && work_.changes() ? PROT_READ | PROT_WRITE : PROT_READ;
    void* found = mmap(nullptr, static_cast<std::size_t>(work_.file_bytes()), access, MAP_SHARED, file_, 0);
    if (found != MAP_FAILED) {
      map_ = static_cast<char*>(found);
      madvise(found, static_cast<std::size_t>(work_.file_bytes()), work_.random ? MADV_RANDOM : MADV_SEQUENTIAL);
    } else if (mapped) {
      fault("mapped", -errno);
    }
    if (!mapped) posix_fadvise(file_, 0, 0, work_.random ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL);
  }

  void by_threads() {
    std::atomic<std::int64_t> busy{0};
    const auto work = [&] {
      std::int64_t own = 0;
      try {
        const Buffer buffer = buffer_of(work_.bytes);
        for (std::int64_t turn; now_ns() < end_ && (turn = worker_.next++) < work_.blocks;)
          own += one(turn, buffer.get());
      } catch (const std::exception& error) {
        say(error.what());
      }
      busy += own;
    };
    std::vector<std::thread> others;
    for (std::int64_t at = 1; at < work_.depth; ++at) others.emplace_back(work);
    work();
    for (std::thread& each : others) each.join();
    busy_ = seconds(busy) / static_cast<double>(work_.depth);
  }

  std::int64_t one(std::int64_t turn, char* buffer) {
    const std::int64_t offset = work_.offset(process_, turn, seed_);
    Operation& operation = board_.operation(process_, turn);
    const bool write = make_ready(operation, buffer, offset);
    const std::int64_t from = now_ns();
    if (work_.engine == Engine::mmap)
      std::memcpy(write ? map_ + offset : buffer, write ? buffer : map_ + offset,
                  static_cast<std::size_t>(work_.bytes));
    else
      whole(write, buffer, offset);
    const std::int64_t took = now_ns() - from;
    ended(operation, from, took, buffer, offset);
    return took;
  }

  bool make_ready(Operation& operation, char* buffer, std::int64_t offset) {  // whether it will be written
    operation.write = work_.writes(offset);
    if (operation.write)
      pattern_.stamp(buffer, offset, written_by());
    else
      operation.found = found_at(offset, operation.found);
    return operation.write;
  }

  // A call may do a part only: the rest of a block of which `did` bytes are done.
  void whole(bool write, char* buffer, std::int64_t offset, std::int64_t did = 0) {
    while (did < work_.bytes) {
      const auto left = static_cast<std::size_t>(work_.bytes - did);
      const std::int64_t now =
          write ? pwrite(file_, buffer + did, left, offset + did) : pread(file_, buffer + did, left, offset + did);
      if (now <= 0 && !(now < 0 && errno == EINTR))
        fault(write ? "written" : "read", now < 0 ? -errno : 0, offset + did);
      did += std::max<std::int64_t>(0, now);
    }
  }

  void in_flight() {
    Ring ring(static_cast<unsigned>(work_.depth));
    if (!ring.refused().empty()) throw MeasurementFault("io_uring: " + ring.refused());
    std::vector<Buffer> buffers;
    std::vector<std::int64_t> turns(static_cast<std::size_t>(work_.depth)), began(turns.size());
    std::int64_t flying = 0;
    const auto send = [&](std::size_t slot) {
      if (now_ns() >= end_ || (turns[slot] = worker_.next++) >= work_.blocks) return;
      const std::int64_t offset = work_.offset(process_, turns[slot], seed_);
      Operation& operation = board_.operation(process_, turns[slot]);
      const std::int64_t from = now_ns();
      const bool write = make_ready(operation, buffers[slot].get(), offset);
      began[slot] = now_ns();
      if (flying == 0) alone_ += began[slot] - from;
      ring.ask(write, file_, buffers[slot].get(), work_.bytes, offset, slot);
      ++flying;
    };
    for (std::int64_t at = 0; at < work_.depth; ++at) buffers.push_back(buffer_of(work_.bytes));
    for (std::size_t slot = 0; slot < turns.size(); ++slot) send(slot);
    while (flying > 0) {
      const auto [slot, result] = ring.answer();
      const std::int64_t now = now_ns();
      if (slot >= turns.size())
        throw MeasurementFault("io_uring: " + std::string(std::strerror(static_cast<int>(-result))));
      const std::int64_t offset = work_.offset(process_, turns[slot], seed_);
      if (result < 0) fault(work_.writes(offset) ? "written" : "read", static_cast<int>(result), offset);
      if (result < work_.bytes)  // the rest by a call that says why, from where a call past the page cache may begin
        whole(work_.writes(offset), buffers[slot].get(), offset, work_.past_cache ? result / 4096 * 4096 : result);
      --flying;
      ended(board_.operation(process_, turns[slot]), began[slot], now - began[slot], buffers[slot].get(), offset);
      send(slot);
    }
  }

  // `before`: whether the block was in memory before the pass.
  Found found_at(std::int64_t offset, Found before) const {
    if (!map_ || before != Found::nothing) return before;
    const std::int64_t now = resident(map_ + offset, work_.bytes);
    return now <= 0 ? Found::nothing : now >= work_.bytes ? Found::came : Found::nothing;
  }

  void ended(Operation& operation, std::int64_t from, std::int64_t took, const char* buffer, std::int64_t offset) {
    operation.began = from - board_.start();
    operation.took = took;
    ++worker_.done;
    if (!operation.write && !pattern_.begins_right(buffer, offset, of_)) worker_.wrong = true;
  }

  void finish() {
    std::int64_t from = now_ns();
    if (map_ && work_.changes() && msync(map_, static_cast<std::size_t>(work_.file_bytes()), MS_SYNC) != 0)
      fault("synchronised", -errno);
    if (work_.changes() && fsync(file_) != 0) fault("synchronised", -errno);
    if (work_.changes()) worker_.sync = seconds(now_ns() - from);
    if (map_) munmap(map_, static_cast<std::size_t>(work_.file_bytes()));
    from = now_ns();
    if (close(file_) != 0) fault("closed", -errno);
    worker_.close = seconds(now_ns() - from);
  }

  [[noreturn]] void fault(const char* done, int error, std::int64_t offset = -1) const {
    const std::string at = offset < 0 ? "" : " at byte " + std::to_string(offset);
    const std::string why = error < 0                           ? std::strerror(-error)
                            : std::strcmp(done, "written") == 0 ? "nothing more was taken"
                                                                : "it ends there: another has truncated it";
    throw MeasurementFault(folder_.path() + "/" + name_ + ": cannot be " + done + at + ": " + why);
  }
  Origin written_by() const {  // blocks of a mixed pass are told from those that it found
    Origin of = of_;
    of.version += work_.mixed ? mixed_version : 0;
    return of;
  }
  void say(const char* text) { std::snprintf(worker_.fault, sizeof worker_.fault, "%s", text); }

  const Work& work_;
  const OwnFolder& folder_;
  Board& board_;
  Worker& worker_;
  std::int64_t process_;
  std::uint64_t seed_;
  Pattern pattern_;
  std::string name_;
  Origin of_;
  int file_ = -1;
  char* map_ = nullptr;
  std::int64_t end_ = 0;
  double busy_ = 0;
  std::int64_t alone_ = 0;  // ns in which blocks were made ready while no request of io_uring was in flight
};

}  // namespace

void take_part(const Work& work, const OwnFolder& folder, Board& board, std::int64_t process, std::uint64_t seed,
               std::uint64_t version) {
  Worker& worker = board.worker(process);
  try {
    Part(work, folder, board, process, seed, version).run();
  } catch (const std::exception& error) {
    std::snprintf(worker.fault, sizeof worker.fault, "%s", error.what());
  }
  worker.ready = true;
  worker.ended = true;
}

bool takes_direct(int file) {
  const int flags = fcntl(file, F_GETFL);
  if (fcntl(file, F_SETFL, flags | O_DIRECT) != 0) return false;
  const Buffer page(static_cast<char*>(std::aligned_alloc(page_bytes, page_bytes)));
  const bool taken = page && pread(file, page.get(), page_bytes, 0) >= 0;
  fcntl(file, F_SETFL, flags);
  return taken;
}

}  // namespace assay::files
