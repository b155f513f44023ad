// What glibc 2.28 lacks, or has under an older version, where libstdc++ as it is compiled here asks for it: visible in
// this module alone.
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
// libstdc++ asks it whether counts of references need be atomic: always.
[[gnu::visibility("hidden")]] char __libc_single_threaded = 0;

[[gnu::visibility("hidden")]] pid_t gettid() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

#if defined(__x86_64__)  // where the kernel's structure is the library's
[[gnu::visibility("hidden")]] int stat(const char* path, struct stat* about) noexcept {
  return static_cast<int>(syscall(SYS_stat, path, about));
}
[[gnu::visibility("hidden")]] int fstat(int file, struct stat* about) noexcept {
  return static_cast<int>(syscall(SYS_fstat, file, about));
}
[[gnu::visibility("hidden")]] int fstat64(int file, struct stat64* about) noexcept {
  return static_cast<int>(syscall(SYS_fstat, file, about));
}

// Functions that libstdc++ calls, too, in their first versions: the linker takes these instead (--wrap).
__asm__(".symver first_pthread_once, pthread_once@GLIBC_2.2.5");
int first_pthread_once(pthread_once_t*, void (*)());
[[gnu::visibility("hidden")]] int __wrap_pthread_once(pthread_once_t* once, void (*call)()) {
  return first_pthread_once(once, call);
}
__asm__(".symver first_pthread_create, pthread_create@GLIBC_2.2.5");
int first_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
[[gnu::visibility("hidden")]] int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                        void* (*start)(void*), void* argument) {
  return first_pthread_create(thread, attributes, start, argument);
}
__asm__(".symver first_pthread_join, pthread_join@GLIBC_2.2.5");
int first_pthread_join(pthread_t, void**);
[[gnu::visibility("hidden")]] int __wrap_pthread_join(pthread_t thread, void** result) {
  return first_pthread_join(thread, result);
}
__asm__(".symver first_hypot, hypot@GLIBC_2.2.5");
double first_hypot(double, double);
[[gnu::visibility("hidden")]] double __wrap_hypot(double x, double y) { return first_hypot(x, y); }

// Headers of glibc 2.38 and newer ask for these, which read "0b1" in base 0, too.
#define ASSAY_FIRST(type, name)                                                                \
  __asm__(".symver first_" #name ", " #name "@GLIBC_2.2.5");                                   \
  type first_##name(const char*, char**, int);                                                 \
  [[gnu::visibility("hidden")]] type __isoc23_##name(const char* text, char** end, int base) { \
    return first_##name(text, end, base);                                                      \
  }
ASSAY_FIRST(long, strtol)
ASSAY_FIRST(unsigned long, strtoul)
ASSAY_FIRST(long long, strtoll)
ASSAY_FIRST(unsigned long long, strtoull)
#undef ASSAY_FIRST
#endif
}
