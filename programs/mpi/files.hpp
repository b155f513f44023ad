// Files on real ranks (ranks/files.hpp): in a folder of the launch's own, by POSIX's calls or by MPI-IO's. A program
// whose record says `machine = "mpi/files.hpp"` runs on this communicator.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "files/flush.hpp"
#include "files/own_folder.hpp"
#include "files/room.hpp"
#include "files/source.hpp"
#include "mpi/communicator.hpp"
#include "ranks/files.hpp"

namespace assay::mpi {

struct Unmap {
  std::size_t length = 0;
  void operator()(char* view) const { munmap(view, length); }
};

class FileCommunicator : public Communicator {
 public:
  struct File {
    ranks::Calls calls = ranks::Calls::posix;
    bool shared = false, append = false;

   private:
    friend class FileCommunicator;
    std::string name;
    int descriptor = -1;  // of MPI's files as well: what the kernel knows is asked by it
    MPI_File handle = MPI_FILE_NULL;
    std::unique_ptr<char, Unmap> view;  // of the whole file, only to ask what of it is in memory
  };

  explicit FileCommunicator(MPI_Comm comm, int host = -1) : Communicator(comm, host) {
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near_);
  }
  FileCommunicator(FileCommunicator&& other) noexcept
      : Communicator(other),
        folder_(std::move(other.folder_)),
        storage_(std::move(other.storage_)),
        room_(other.room_),
        no_space_ahead_(std::move(other.no_space_ahead_)),
        no_direct_(std::move(other.no_direct_)),
        near_(std::exchange(other.near_, MPI_COMM_NULL)) {}
  FileCommunicator(const FileCommunicator&) = delete;
  ~FileCommunicator() {
    if (near_ != MPI_COMM_NULL) MPI_Comm_free(&near_);
  }

  int io_nodes() const { return 0; }
  int spread() const { return 0; }
  std::int64_t room() const { return room_; }
  const std::string& no_space_ahead() const { return no_space_ahead_; }
  const std::string& no_direct() const { return no_direct_; }
  std::string system() const {
    std::string words = storage_.words();
    for (const std::string& each : {storage_.caveat, storage_.link_words()})
      if (!each.empty()) words += "; " + each;
    return words;
  }

  Ready<std::string> settle(const std::string& folder, const std::string& subfolder) {
    std::string why, own = subfolder;
    const auto attempt = [&](auto&& make) {
      try {
        make();
      } catch (const std::exception& fault) {
        why = fault.what();
      }
    };
    if (rank() == 0) attempt([&] { folder_ = std::make_unique<files::OwnFolder>(folder, subfolder); });
    if (rank() == 0 && folder_ && subfolder.empty()) {  // one of a random name, which the others must learn
      own = folder_->path().substr(folder_->path().rfind('/') + 1);
      own += ":" + own;
    }
    spread(own);
    if (rank() != 0)
      attempt([&] { folder_ = std::make_unique<files::OwnFolder>(files::OwnFolder::joined(folder, own)); });
    std::int64_t least[2] = {rank(), 0};  // the first rank that has none: its reason goes to all
    if (why.empty()) least[0] = size();
    if (folder_) {
      storage_ = files::storage_of(folder_->descriptor(), folder_->path());
      const files::Room room = files::read_room(folder_->descriptor());
      least[1] = std::min(room.bytes, room.file);
    }
    MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT64_T, MPI_MIN, handle());
    room_ = least[1];
    if (least[0] < size()) {
      spread(why, static_cast<int>(least[0]));
      if (least[0] > 0) why = "rank " + std::to_string(least[0]) + ": " + why;
      return {why};
    }
    if (rank() == 0) attempt([&] { probe(); });
    spread(no_space_ahead_);
    spread(no_direct_);
    spread(storage_.unflushed);
    return {why};
  }

  Ready<void> open(File& file, const std::string& name, int, std::uint64_t reserve) {
    file.name = name;
    if (!ranks::by_system(file.calls)) {
      note(Call::collective, ranks::any_source, 0);
      const std::string path = folder_->path() + "/" + name;
      check(MPI_File_open(file.shared ? handle() : MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                          MPI_INFO_NULL, &file.handle),
            "MPI_File_open", name);
      file.descriptor = folder_->open(name, O_RDWR);
    } else {
      const int past = file.calls == ranks::Calls::direct ? O_DIRECT : 0;
      file.descriptor = folder_->open(name, O_RDWR | O_CREAT | past | (file.append ? O_APPEND : 0));
    }
    // Not posix_fallocate(3), which writes where the file system cannot allocate. Appended files stay as long as they
    // are.
    const int mode = file.append ? FALLOC_FL_KEEP_SIZE : 0;
    if (reserve > 0 && (rank() == 0 || !file.shared) &&
        fallocate(file.descriptor, mode, 0, static_cast<off_t>(reserve)) != 0)
      fault("allocated", name, errno);
    return {};
  }
  Ready<void> read(File& file, std::byte* into, std::uint64_t bytes, std::uint64_t offset) {
    if (ranks::by_system(file.calls)) return whole(file, into, bytes, offset);
    MPI_Status status;
    const auto call = file.calls == ranks::Calls::collective ? MPI_File_read_at_all : MPI_File_read_at;
    note(Call::collective, ranks::any_source, 0);
    check(call(file.handle, static_cast<MPI_Offset>(offset), into, count(bytes), MPI_BYTE, &status), "MPI_File_read_at",
          file.name);
    return complete(status, bytes, "read", file.name);
  }
  Ready<void> write(File& file, const std::byte* from, std::uint64_t bytes, std::uint64_t offset) {
    if (ranks::by_system(file.calls)) return whole(file, from, bytes, offset);
    MPI_Status status;
    const bool together = file.calls == ranks::Calls::collective;
    note(Call::collective, ranks::any_source, 0);
    if (file.append) {  // by the pointer that all share
      const auto behind = together ? MPI_File_write_ordered : MPI_File_write_shared;
      check(behind(file.handle, from, count(bytes), MPI_BYTE, &status), "MPI_File_write_shared", file.name);
      return complete(status, bytes, "written", file.name);
    }
    const auto call = together ? MPI_File_write_at_all : MPI_File_write_at;
    check(call(file.handle, static_cast<MPI_Offset>(offset), from, count(bytes), MPI_BYTE, &status),
          "MPI_File_write_at", file.name);
    return complete(status, bytes, "written", file.name);
  }
  Ready<void> sync(File& file) {
    if (file.handle != MPI_FILE_NULL) check(MPI_File_sync(file.handle), "MPI_File_sync", file.name);
    if (fsync(file.descriptor) != 0) fault("synchronised", file.name, errno);
    return {};
  }
  Ready<void> close(File& file) {
    if (file.handle != MPI_FILE_NULL) check(MPI_File_close(&file.handle), "MPI_File_close", file.name);
    if (::close(std::exchange(file.descriptor, -1)) != 0) fault("closed", file.name, errno);
    return {};
  }
  Ready<void> forget() { return {}; }  // by file: drop()

  Ready<void> drop(File& file) {
    fsync(file.descriptor);
    posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED);
    return {};
  }
  std::int64_t held(File& file, std::int64_t offset, std::int64_t bytes) {
    if (!file.view && file.descriptor >= 0) {
      const off_t length = lseek(file.descriptor, 0, SEEK_END);
      const auto span = static_cast<std::size_t>(std::max<off_t>(0, length));
      void* map = span > 0 ? mmap(nullptr, span, PROT_READ, MAP_SHARED, file.descriptor, 0) : MAP_FAILED;
      if (map != MAP_FAILED) file.view = {static_cast<char*>(map), Unmap{span}};
    }
    if (!file.view || offset + bytes > static_cast<std::int64_t>(file.view.get_deleter().length)) return 0;
    return std::max<std::int64_t>(0, files::resident(file.view.get() + offset, bytes));
  }
  void erase(const std::string& name) { folder_->remove(name); }

  void begin() {
    before_ = files::read_counters(storage_);
    begun_ = timing::now_ns();
  }
  // Judged by host, of the bytes of its ranks together; what hosts do not agree about is unknown.
  Ready<ranks::BytesOrigin> origin(bool wrote, std::int64_t bytes, std::int64_t held) {
    std::int64_t took = timing::now_ns() - begun_;
    const files::Counters mine = files::since(files::read_counters(storage_), before_);
    std::int64_t sums[4] = {bytes, held, std::max<std::int64_t>(0, mine.fetched), std::max<std::int64_t>(0, mine.sent)};
    std::int64_t most[2] = {mine.device_read, mine.device_wrote};
    std::int64_t counted = mine.fetched < 0 || mine.sent < 0 ? -1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INT64_T, MPI_SUM, near_);
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, near_);
    MPI_Allreduce(MPI_IN_PLACE, &counted, 1, MPI_INT64_T, MPI_MIN, near_);
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_INT64_T, MPI_MAX, near_);
    files::Evidence evidence;
    evidence.below = storage_.below;
    evidence.synced = storage_.synced;
    evidence.unflushed = storage_.unflushed;
    evidence.counted.fetched = counted < 0 ? -1 : sums[2];
    evidence.counted.sent = counted < 0 ? -1 : sums[3];
    evidence.counted.device_read = most[0];
    evidence.counted.device_wrote = most[1];
    ranks::BytesOrigin found;
    files::Source source = files::Source::unknown;
    if (wrote) {
      evidence.written = sums[0];
      source = files::source_of_writes(evidence, found.why);
    } else if (sums[1] > 0 && sums[1] < sums[0] && storage_.below != files::Below::memory) {
      found.why = std::to_string(sums[1]) + " of " + std::to_string(sums[0]) + " bytes were in the page cache before";
    } else {
      const auto kind = static_cast<std::size_t>(sums[1] > 0 ? files::Found::held : files::Found::nothing);
      evidence.bytes[kind] = sums[0];
      const files::Sources sources = files::sources_of_reads(evidence);
      source = sources.rate[kind];
      found.why = sources.why;
    }
    if (sums[0] > 0)
      source = files::no_faster_than_link(source, 1e-9 * static_cast<double>(took) / static_cast<double>(sums[0]),
                                          storage_.link, found.why);
    int first = sums[0] > 0 ? static_cast<int>(source) : 99, last = sums[0] > 0 ? static_cast<int>(source) : -1;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, handle());
    MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, handle());
    if (first == last) found.source = files::source_names[static_cast<std::size_t>(first)];
    if (first < last) found.why = "the hosts' bytes came from different places";
    return {found};
  }

 private:
  void probe() {
    const int at = folder_->open("probe", O_RDWR | O_CREAT | O_EXCL);
    storage_.unflushed = files::flush_missing(at, storage_);
    if (fallocate(at, 0, 0, 4096) != 0) no_space_ahead_ = storage_.type + ": " + std::strerror(errno);
    ::close(at);
    const int direct = openat(folder_->descriptor(), "probe", O_RDWR | O_DIRECT | O_NOFOLLOW | O_CLOEXEC);
    if (direct < 0) no_direct_ = storage_.type + ": " + std::strerror(errno);
    if (direct >= 0) ::close(direct);
    folder_->remove("probe");
  }
  static void check(int code, const char* call, const std::string& name) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    std::string words(text, static_cast<std::size_t>(length));
    std::ranges::replace(words, '\n', ' ');
    throw std::runtime_error("file " + name + ": " + call + ": " + words);
  }
  [[noreturn]] void fault(const char* done, const std::string& name, int error) const {
    const std::string why = error != 0 ? std::strerror(error) : "nothing more of it is there: another has truncated it";
    throw timing::MeasurementFault(folder_->path() + "/" + name + ": cannot be " + done + ": " + why);
  }
  Ready<void> complete(const MPI_Status& status, std::uint64_t bytes, const char* done, const std::string& name) const {
    int moved = 0;
    MPI_Get_count(&status, MPI_BYTE, &moved);
    if (static_cast<std::uint64_t>(moved) != bytes) fault(done, name, 0);
    return {};
  }
  template <class Place>
  Ready<void> whole(const File& file, Place* place, std::uint64_t bytes, std::uint64_t offset) const {
    constexpr bool writes = std::is_const_v<Place>;
    for (std::uint64_t did = 0; did < bytes;) {
      ssize_t now = 0;
      const auto at = static_cast<off_t>(offset + did);
      if constexpr (writes) {
        now = pwrite(file.descriptor, place + did, bytes - did, at);
      } else {
        now = pread(file.descriptor, place + did, bytes - did, at);
      }
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) fault(writes ? "written" : "read", file.name, now < 0 ? errno : 0);
      did += static_cast<std::uint64_t>(now);
    }
    return {};
  }
  static int count(std::uint64_t bytes) { return static_cast<int>(bytes); }  // a record's `bytes` are below INT_MAX
  void spread(std::string& text, int from = 0) const {
    int length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, from, handle());
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, from, handle());
  }

  std::unique_ptr<files::OwnFolder> folder_;
  files::Storage storage_;
  std::int64_t room_ = 0;
  std::string no_space_ahead_, no_direct_;
  files::Counters before_;
  std::int64_t begun_ = 0;
  MPI_Comm near_ = MPI_COMM_NULL;  // the ranks of this host
};

static_assert(ranks::HostFiles<FileCommunicator>);

using Machine = FileCommunicator;  // what main.cpp makes the program's communicator

}  // namespace assay::mpi
