// Ranks that wait for messages sleep: a laboratory's hosts share this machine's processors, and an MPI that looks at
// its sockets all the time would take them from the ranks that have something to do. Loaded before ranks (LD_PRELOAD):
// a look without a timeout (poll, epoll_wait) that finds nothing several times in turn waits a moment for what it looks
// for, and ends at once when it comes.
#include <dlfcn.h>
#include <poll.h>
#include <sys/epoll.h>

namespace {

constexpr int looks = 8;  // in vain, before one waits
constexpr int wait = 1;   // ms, at most
thread_local int in_vain = 0;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int timeout_of(int given) { return given == 0 && in_vain >= looks ? wait : given; }

int counted(int found) {
  in_vain = found == 0 ? in_vain + 1 : 0;
  return found;
}

}  // namespace

extern "C" int poll(pollfd* descriptors, nfds_t count, int timeout) {
  static const auto looked = next<int (*)(pollfd*, nfds_t, int)>("poll");
  return counted(looked(descriptors, count, timeout_of(timeout)));
}

extern "C" int epoll_wait(int descriptor, epoll_event* events, int most, int timeout) {
  static const auto looked = next<int (*)(int, epoll_event*, int, int)>("epoll_wait");
  return counted(looked(descriptor, events, most, timeout_of(timeout)));
}
