// Memory for one working set: mapped by itself, on a boundary of 2 MiB, with huge pages asked for or refused, and
// touched. Whether huge pages came is seen from the faults that touching took.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>

#include "timing/memory_limits.hpp"

namespace assay::memory {

class Pages {
 public:
  static constexpr std::size_t huge = std::size_t{2} << 20;

  Pages(std::size_t bytes, bool want_huge) : mapped_((bytes + huge - 1) / huge * huge + huge) {
    void* at = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
      throw timing::MeasurementFault("the system refuses a mapping of " + std::to_string(mapped_) + " bytes");
    base_ = static_cast<char*>(at);
    data_ = base_ + (huge - reinterpret_cast<std::uintptr_t>(base_) % huge) % huge;
    madvise(base_, mapped_, want_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (std::size_t i = 0; i < bytes; i += page) static_cast<volatile char*>(data_)[i] = 1;
    getrusage(RUSAGE_SELF, &after);
    const auto faults = static_cast<std::size_t>(after.ru_minflt - before.ru_minflt);
    got_huge = bytes >= 4 * page && faults < bytes / page / 2;
  }
  ~Pages() { munmap(base_, mapped_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  char* data() const { return data_; }
  bool got_huge = false;

 private:
  std::size_t mapped_;
  char *base_ = nullptr, *data_ = nullptr;
};

}  // namespace assay::memory
