// The links of a laboratory: a process that stores and forwards frames between network interfaces, each direction of a
// link by itself. A frame holds its direction for (bytes + 24) x time per byte, as Ethernet's preamble, checksum and
// gap do; the next one starts when it has ended, and it is handed on a delay later. A direction queues a finite number
// of frames and drops those that come when the queue is full.
//
// Due times follow from the kernel's arrival stamps, so that waking late delays one frame and no later ones.
//
// Arguments: FILE for the counts below; then for each direction: IN-INTERFACE OUT-INTERFACE NS-PER-BYTE DELAY-NS QUEUE.
// It writes one line, "ready", to standard output, and ends with its parent (assay/laboratory/holder.py).
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <limits>
#include <unordered_map>
#include <vector>

#include "laboratory/awake.hpp"

namespace {

using Nanoseconds = std::int64_t;
constexpr std::size_t overhead = 24;   // B: preamble 8, checksum 4, gap 12
constexpr std::size_t longest = 1600;  // B: an MTU of 1500 with its header
constexpr Nanoseconds spin = 30'000;   // waits shorter than this are spent looking at the clock
constexpr Nanoseconds late = 100'000;  // a frame handed on later than this counts as late
constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

// What is counted, in a file that others may map: frames, dropped, late, sum and maximum of lateness (ns).
struct Counts {
  std::uint64_t frames, dropped, late, lateness, worst;
};

struct Frame {
  Nanoseconds ended;  // its transmission
  std::vector<unsigned char> bytes;
};

struct Direction {
  int out;
  double per_byte;
  Nanoseconds delay;
  std::size_t queue;
  Nanoseconds free = 0;
  std::deque<Frame> frames{};
  [[nodiscard]] Nanoseconds due() const { return frames.empty() ? never : frames.front().ended + delay; }
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "links: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

Nanoseconds clock_of(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return Nanoseconds{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int index_of(const char* name) {
  const auto index = if_nametoindex(name);
  if (index == 0) fail(name);
  return static_cast<int>(index);
}

class Links {
 public:
  Links(Counts& counts, std::unordered_map<int, Direction> directions)
      : counts_(counts), directions_(std::move(directions)) {
    socket_ = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, htons(ETH_P_ALL));
    if (socket_ < 0) fail("socket(AF_PACKET)");
    const int on = 1, room = 64 << 20;
    if (setsockopt(socket_, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0) fail("PACKET_IGNORE_OUTGOING");
    if (setsockopt(socket_, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) fail("SO_TIMESTAMPNS");
    setsockopt(socket_, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on);
    if (setsockopt(socket_, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
      setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  }

  [[noreturn]] void forward() {
    for (;;) {
      while (take()) {
      }
      const auto next = hand_on();
      const auto left = next == never ? never : next - clock_of(CLOCK_MONOTONIC);
      if (left < spin) continue;
      pollfd ready{socket_, POLLIN, 0};
      const timespec until{(left - spin) / 1'000'000'000, (left - spin) % 1'000'000'000};
      ppoll(&ready, 1, next == never ? nullptr : &until, nullptr);
    }
  }

 private:
  // Takes a frame from the socket into its direction's queue; false where there is none.
  bool take() {
    sockaddr_ll from{};
    iovec piece{buffer_.data(), buffer_.size()};
    msghdr message{};
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control_.data();
    message.msg_controllen = control_.size();
    const auto length = recvmsg(socket_, &message, MSG_TRUNC);
    if (length < 0) {
      if (errno == EAGAIN || errno == EINTR || errno == ENETDOWN) return false;
      fail("recvmsg");
    }
    const auto found = directions_.find(from.sll_ifindex);
    if (found == directions_.end()) return true;
    const auto size = static_cast<std::size_t>(length);
    if (size > longest) {
      errno = EMSGSIZE;
      fail("a frame longer than the MTU (segmentation offload)");
    }
    auto& direction = found->second;
    if (direction.frames.size() >= direction.queue) {
      ++counts_.dropped;
      return true;
    }
    const auto taken =
        static_cast<Nanoseconds>(std::llround(direction.per_byte * static_cast<double>(size + overhead)));
    direction.free = std::max(direction.free, arrival(message)) + taken;
    direction.frames.push_back({direction.free, {buffer_.begin(), buffer_.begin() + length}});
    awake_.until(direction.free + direction.delay);
    return true;
  }

  // When the kernel received it, on the monotonic clock; now where it has no stamp or one that cannot be right.
  static Nanoseconds arrival(msghdr& message) {
    const auto now = clock_of(CLOCK_MONOTONIC);
    for (auto* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
      if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_TIMESTAMPNS) continue;
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(each), sizeof stamp);
      const auto age = clock_of(CLOCK_REALTIME) - (Nanoseconds{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec);
      if (age > 0 && age < 100'000'000) return now - age;
    }
    return now;
  }

  // Hands on what is due; the time at which the next frame will be.
  Nanoseconds hand_on() {
    Nanoseconds next = never;
    for (auto& [in, direction] : directions_) {
      while (direction.due() <= clock_of(CLOCK_MONOTONIC)) {
        send(direction);
        direction.frames.pop_front();
      }
      next = std::min(next, direction.due());
    }
    return next;
  }

  void send(const Direction& direction) {
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_ifindex = direction.out;
    const auto& bytes = direction.frames.front().bytes;
    if (sendto(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0)
      ++counts_.dropped;
    const auto lateness =
        static_cast<std::uint64_t>(std::max<Nanoseconds>(0, clock_of(CLOCK_MONOTONIC) - direction.due()));
    ++counts_.frames;
    counts_.late += lateness > late;
    counts_.lateness += lateness;
    counts_.worst = std::max(counts_.worst, lateness);
  }

  Counts& counts_;
  std::unordered_map<int, Direction> directions_;  // by the interface that frames come in at
  int socket_ = -1;
  assay::Awake awake_{};
  std::array<unsigned char, 2048> buffer_{};
  alignas(cmsghdr) std::array<unsigned char, 256> control_{};
};

}  // namespace

int main(int count, char** words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1);
  if (count < 7 || (count - 2) % 5 != 0) {
    std::fprintf(stderr, "usage: links FILE [IN OUT NS-PER-BYTE DELAY-NS QUEUE]...\n");
    return 2;
  }
  const int file = open(words[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(Counts)) != 0) fail(words[1]);
  void* counts = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counts == MAP_FAILED) fail("mmap");
  std::unordered_map<int, Direction> directions;
  for (int at = 2; at < count; at += 5)
    directions.emplace(index_of(words[at]),
                       Direction{index_of(words[at + 1]), std::atof(words[at + 2]), std::atoll(words[at + 3]),
                                 static_cast<std::size_t>(std::atoll(words[at + 4]))});
  Links links(*static_cast<Counts*>(counts), std::move(directions));
  std::puts("ready");
  std::fflush(stdout);
  links.forward();
}
