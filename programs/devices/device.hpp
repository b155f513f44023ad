// A device that computes in addition to the processor: what benchmark programs need of one, whichever way it is
// reached. Each way (opencl.hpp, cuda.hpp) is one file that implements these two classes; programs know nothing else.
//
// Work is queued and done in order, on one of two queues; `finish` waits for both. Every wait has a time limit
// (within.hpp). Memory is the device's own, never managed, and bounded by `allocate`. All faults are MeasurementFaults
// of one line that name the device and the call.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device_state.hpp"
#include "timing/faults.hpp"

namespace assay::devices {

struct Facts {
  std::string label;         // opencl:0
  std::string name, driver;  // as the driver says them
  std::string bus;           // its PCI address, where the driver says it
  std::string kind = "GPU";  // or "accelerator", or cpu_kind
  std::int64_t memory = 0;   // bytes
  std::int64_t largest = 0;  // bytes of the largest single allocation
  std::int64_t cache = 0;    // bytes of the cache that all its memory accesses pass; 0: not stated
  std::int64_t group = 1;    // most work items of a group
  std::int64_t local = 0;    // bytes of memory that a group shares
  int units = 1;             // compute units
  double clock = 0;          // 1/s, the highest, as stated
  bool float64 = false, float16 = false;
};

inline constexpr std::string_view cpu_kind = "CPU through OpenCL";

enum class Element { float64, float32, float16, bfloat16, tf32, float8, int32, int8 };

// Bytes on the device. Freed with its last owner.
class Memory {
 public:
  explicit Memory(std::int64_t bytes) : bytes(bytes) {}
  virtual ~Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::uint64_t handle = 0;  // as the way's own functions take it
  const std::int64_t bytes;
};

// Memory of the host that the device reads and writes without a copy in between (page-locked).
class Pinned {
 public:
  virtual ~Pinned() = default;
  char* data = nullptr;
};

struct Argument {  // of a kernel: memory, or a number of 4 or 8 bytes
  Argument(const std::shared_ptr<Memory>& memory) : Argument(memory->handle) {
    owner = memory;
  }  // NOLINT: as it is called
  template <class Number>
    requires std::is_arithmetic_v<Number>
  Argument(Number number) : size(sizeof number) {  // NOLINT: as it is called
    static_assert(sizeof number <= sizeof bits);
    std::memcpy(&bits, &number, sizeof number);
  }
  std::uint64_t bits = 0;
  std::size_t size = 0;
  std::shared_ptr<Memory> owner;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void set(std::vector<Argument> arguments) = 0;
  std::string name;
  double built = 0;  // s, what its compilation took
};

struct Span {                 // of one or several launches, by the device's own timer
  double begin = 0, end = 0;  // s
  double seconds() const { return end - begin; }
};

class Device {
 public:
  virtual ~Device() = default;
  const Facts& facts() const { return facts_; }
  // At most half of the device's memory may be in use at once; MeasurementFault beyond that, and where it is refused.
  std::shared_ptr<Memory> allocate(std::int64_t bytes);
  // What may still be allocated: all cases of a launch have their memory at the same time.
  std::int64_t room() const { return facts_.memory / 2 - in_use(); }
  bool holds(std::int64_t bytes, std::int64_t each) const { return bytes <= room() && each <= facts_.largest; }
  // Why something is left out: "opencl:0: no room for three arrays of 8 bytes: half of its …".
  std::string lacks(std::string_view what) const;

  // Page-locked memory of the driver, or, where they are `given`, bytes of the caller that are page-locked meanwhile.
  virtual std::shared_ptr<Pinned> pinned(std::int64_t bytes, char* given = nullptr) = 0;
  // Compiles `source`, in the prelude's words (prelude.hpp), and finds the kernel `name` in it.
  virtual std::shared_ptr<Kernel> build(const std::string& source, const std::string& name) = 0;
  virtual void launch(Kernel& kernel, std::int64_t groups, std::int64_t group, int queue = 0) = 0;
  // `times` launches one after another, waited for: when the first began and the last ended by the device's timer.
  virtual Span timed(Kernel& kernel, std::int64_t groups, std::int64_t group, std::int64_t times) = 0;
  virtual void copy_in(Memory& to, const void* from, std::int64_t bytes, std::int64_t at = 0, int queue = 0) = 0;
  virtual void copy_out(void* to, const Memory& from, std::int64_t bytes, std::int64_t at = 0, int queue = 0) = 0;
  virtual void finish() = 0;
  // The types and functions that stand before each kernel's source, for elements of `type`, `lanes` of them a Value.
  virtual std::string prelude(Element type, int lanes) const = 0;
  // Its clock, power and what slows it down now, where the vendor's accounting knows it.
  std::optional<DeviceState> state() const { return device_state(facts_.bus); }
  // Multiplies square matrices of `n` by the vendor's or a tuned library: c = a b, row after row (float8: b column
  // after column, c of bfloat16); true where that was queued. `missing` says why not.
  virtual bool product(Element type, std::int64_t n, Memory& a, Memory& b, Memory& c, std::string& missing) = 0;

 protected:
  virtual std::shared_ptr<Memory> reserve(std::int64_t bytes) = 0;
  [[noreturn]] void fault(std::string_view doing, std::string_view what) const;
  Facts facts_;

 private:
  std::int64_t in_use() const;
  std::vector<std::weak_ptr<Memory>> reserved_;
};

// Groups of `group` work items each, enough for `items`.
inline std::int64_t groups_for(std::int64_t items, std::int64_t group) { return (items + group - 1) / group; }

}  // namespace assay::devices
