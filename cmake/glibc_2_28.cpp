// What glibc 2.28 lacks, for a module that starts with it, too: visible in this module alone.
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
// libstdc++ asks it whether counts of references need be atomic: always.
[[gnu::visibility("hidden")]] char __libc_single_threaded = 0;

[[gnu::visibility("hidden")]] pid_t gettid() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }
}
