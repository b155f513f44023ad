#include "devices/opencl.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "devices/clblast.hpp"
#include "devices/opencl_functions.hpp"
#include "devices/prelude.hpp"
#include "devices/within.hpp"
#include "timing/memory_limits.hpp"

namespace assay::devices {
namespace {

struct OpenCl {
  Library library{"libOpenCL.so.1", "libOpenCL.so"};
  cl::Functions call{library};
};

OpenCl& opencl() {  // never unloaded: a driver's threads may outlive main
  static auto* const only = new OpenCl;
  return *only;
}

template <class Number>
Number number(cl::Handle device, cl::Uint what) {
  Number value{};
  return opencl().call.device_info(device, what, sizeof value, &value, nullptr) == cl::success ? value : Number{};
}

template <class Ask>
std::string text(const Ask& ask, cl::Handle of, cl::Uint what) {
  std::size_t bytes = 0;
  if (ask(of, what, 0, nullptr, &bytes) != cl::success || bytes == 0) return "";
  std::string value(bytes, '\0');
  if (ask(of, what, bytes, value.data(), nullptr) != cl::success) return "";
  value.resize(std::min(value.find('\0'), value.size()));
  return value;
}

// A device's PCI address, "" where its driver does not say it.
std::string bus_of(cl::Handle device) {
  struct {
    cl::Uint domain, bus, device, function;
  } place{};
  unsigned char of_amd[24] = {};  // its first word 1: PCIe; the address in the last three bytes
  const auto& info = opencl().call.device_info;
  if (info(device, cl::device_bus, sizeof place, &place, nullptr) != cl::success) {
    if (info(device, cl::device_bus_amd, sizeof of_amd, of_amd, nullptr) != cl::success || of_amd[0] != 1) return "";
    place = {0, of_amd[21], of_amd[22], of_amd[23]};
  }
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", place.domain, place.bus, place.device, place.function);
  return text;
}

struct Buffer final : Memory {
  Buffer(std::int64_t bytes, cl::Handle buffer) : Memory(bytes) { handle = reinterpret_cast<std::uint64_t>(buffer); }
  ~Buffer() override { opencl().call.release_buffer(buffer()); }
  cl::Handle buffer() const { return reinterpret_cast<cl::Handle>(handle); }
};

struct OpenClKernel final : Kernel {
  ~OpenClKernel() override {
    opencl().call.release_kernel(kernel);
    opencl().call.release_program(program);
  }
  void set(std::vector<Argument> arguments) override {
    given = std::move(arguments);
    for (std::size_t at = 0; at < given.size(); ++at) {
      const cl::Int error = opencl().call.argument(kernel, static_cast<cl::Uint>(at), given[at].size, &given[at].bits);
      if (error != cl::success)
        throw timing::MeasurementFault(where + ": argument " + std::to_string(at) + ": " + cl::error_name(error));
    }
  }
  cl::Handle program = nullptr, kernel = nullptr;
  std::string where;  // for messages
  std::vector<Argument> given;
};

class OpenClDevice final : public Device {
 public:
  OpenClDevice(cl::Handle platform, cl::Handle device, std::string label) : device_(device) {
    const auto& call = opencl().call;
    facts_.label = std::move(label);
    facts_.name = text(call.device_info, device, cl::device_board_amd);  // else gfx90a:sramecc+:xnack- and its like
    if (facts_.name.empty()) facts_.name = text(call.device_info, device, cl::device_name);
    facts_.bus = bus_of(device);
    facts_.driver = text(call.platform_info, platform, cl::platform_name) + " " +
                    text(call.device_info, device, cl::driver_version);
    const auto type = number<cl::Bits>(device, cl::device_type);
    facts_.kind = type & cl::type_cpu ? cpu_kind : type & cl::type_gpu ? "GPU" : "accelerator";
    facts_.memory = static_cast<std::int64_t>(number<std::uint64_t>(device, cl::device_memory));
    facts_.largest = static_cast<std::int64_t>(number<std::uint64_t>(device, cl::device_largest));
    if (facts_.kind == cpu_kind) facts_.memory = std::min(facts_.memory, memory::read_headroom().bytes);
    facts_.cache = static_cast<std::int64_t>(number<std::uint64_t>(device, cl::device_cache));
    facts_.local = static_cast<std::int64_t>(number<std::uint64_t>(device, cl::device_local));
    facts_.group = static_cast<std::int64_t>(number<std::size_t>(device, cl::device_group));
    facts_.units = static_cast<int>(number<cl::Uint>(device, cl::device_units));
    facts_.clock = 1e6 * number<cl::Uint>(device, cl::device_clock);
    const std::string extensions = text(call.device_info, device, cl::device_extensions);
    facts_.float64 = extensions.find("cl_khr_fp64") != std::string::npos;
    facts_.float16 = extensions.find("cl_khr_fp16") != std::string::npos;
  }

  std::shared_ptr<Pinned> pinned(std::int64_t bytes, char* given) override;

  std::shared_ptr<Kernel> build(const std::string& source, const std::string& name) override {
    open();
    const Within limit(facts_.label + ": compiling " + name);
    const auto& call = opencl().call;
    const auto from = std::chrono::steady_clock::now();
    const char* words = source.c_str();
    cl::Int error = cl::success;
    auto made = std::make_shared<OpenClKernel>();
    made->program = call.program(context_, 1, &words, nullptr, &error);
    check("a program for kernel " + name, error);
    error = call.build(made->program, 1, &device_, "", nullptr, nullptr);
    if (error != cl::success) fault("kernel " + name + " does not compile", cl::error_name(error) + ": " + log(*made));
    made->kernel = call.kernel(made->program, name.c_str(), &error);
    check("kernel " + name, error);
    made->built = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    made->name = name;
    made->where = where_ + ": kernel " + name;
    return made;
  }

  void launch(Kernel& kernel, std::int64_t groups, std::int64_t group, int queue) override {
    begin(queue);
    enqueue(kernel, groups, group, queue, nullptr);
  }

  Span timed(Kernel& kernel, std::int64_t groups, std::int64_t group, std::int64_t times) override {
    const auto& call = opencl().call;
    begin();
    cl::Handle first = nullptr, last = nullptr;
    for (std::int64_t at = 0; at < times; ++at) {
      const bool ends = at == 0 || at + 1 == times;
      enqueue(kernel, groups, group, 0, ends ? (at == 0 ? &first : &last) : nullptr);
    }
    finish();
    std::uint64_t begin = 0, end = 0;
    const cl::Int error =
        std::min(call.profiling(first, cl::profiling_start, sizeof begin, &begin, nullptr),
                 call.profiling(last == nullptr ? first : last, cl::profiling_end, sizeof end, &end, nullptr));
    call.release_event(first);
    if (last != nullptr) call.release_event(last);
    check("the timer of kernel " + kernel.name, error);
    return {1e-9 * static_cast<double>(begin), 1e-9 * static_cast<double>(end)};
  }

  void copy_in(Memory& to, const void* from, std::int64_t bytes, std::int64_t at, int queue) override {
    begin(queue);
    check("copy to the device",
          opencl().call.write(queues_[queue], buffer_of(to), cl::unblocking, static_cast<std::size_t>(at),
                              static_cast<std::size_t>(bytes), from, 0, nullptr, nullptr));
  }
  void copy_out(void* to, const Memory& from, std::int64_t bytes, std::int64_t at, int queue) override {
    begin(queue);
    check("copy from the device",
          opencl().call.read(queues_[queue], buffer_of(from), cl::unblocking, static_cast<std::size_t>(at),
                             static_cast<std::size_t>(bytes), to, 0, nullptr, nullptr));
  }

  void finish() override {
    begin();
    for (int queue = 0; queue < 2; ++queue)
      if (queue == 0 || second_used_) {
        if (second_used_) opencl().call.flush(queues_[1]);
        check("waiting for what was queued", opencl().call.finish(queues_[queue]));
      }
    second_used_ = false;
    pending_.reset();
  }

  std::string prelude(Element type, int lanes) const override { return opencl_prelude(type, lanes); }

  bool product(Element type, std::int64_t n, Memory& a, Memory& b, Memory& c, std::string& missing) override {
    begin();
    const bool done = [&] {
      const Within limit(product_, library_times);
      return clblast_product(type, n, buffer_of(a), buffer_of(b), buffer_of(c), &queues_[0], where_, missing);
    }();
    if (!done) finish();
    return done;
  }

  cl::Handle queue() const { return queues_[0]; }
  void check(std::string_view doing, cl::Int error) const {
    if (error != cl::success) fault(doing, cl::error_name(error));
  }

 private:
  std::shared_ptr<Memory> reserve(std::int64_t bytes) override {
    open();
    const Within limit(facts_.label + ": memory of " + std::to_string(bytes) + " bytes");
    cl::Int error = cl::success;
    const cl::Handle made =
        opencl().call.buffer(context_, cl::memory_read_write, static_cast<std::size_t>(bytes), nullptr, &error);
    check("memory of " + std::to_string(bytes) + " bytes", error);
    return std::make_shared<Buffer>(bytes, made);
  }

  void open() {  // at first use: a device that is only listed costs nothing
    if (context_ != nullptr) return;
    const Within limit(facts_.label + ": opening");
    const auto& call = opencl().call;
    if (number<cl::Uint>(device_, cl::device_available) == 0) fault("device", "CL_DEVICE_NOT_AVAILABLE");
    cl::Int error = cl::success;
    context_ = call.context(nullptr, 1, &device_, nullptr, nullptr, &error);
    check("a context", error);
    for (cl::Handle& queue : queues_) {
      queue = call.queue(context_, device_, cl::queue_profiling, &error);
      check("a queue", error);
    }
    where_ = facts_.label + " (" + facts_.name + ")";
    waiting_ = where_ + ": waiting for what was queued";
    product_ = where_ + ": a product by the library";
  }
  void begin(int queue = 0) {  // before whatever is queued: its time limit runs from now until `finish`
    if (!pending_) pending_.emplace(waiting_);
    second_used_ = second_used_ || queue == 1;
  }

  void enqueue(Kernel& kernel, std::int64_t groups, std::int64_t group, int queue, cl::Handle* event) {
    const auto local = static_cast<std::size_t>(group), global = static_cast<std::size_t>(groups * group);
    const cl::Int error = opencl().call.launch(queues_[queue], static_cast<OpenClKernel&>(kernel).kernel, 1, nullptr,
                                               &global, &local, 0, nullptr, event);
    if (error != cl::success) check("kernel " + kernel.name, error);
  }

  std::string log(const OpenClKernel& made) const {  // its first line with an error, or its first
    std::string all =
        text([&](cl::Handle of, cl::Uint what, std::size_t bytes, void* to,
                 std::size_t* had) { return opencl().call.build_info(of, device_, what, bytes, to, had); },
             made.program, cl::build_log);
    std::size_t from = all.find("error");
    from = from == std::string::npos ? 0 : all.rfind('\n', from) + 1;
    const std::string line = all.substr(from, all.find('\n', from) - from);
    return line.empty() ? "the compiler says no more" : line;
  }

  static cl::Handle buffer_of(const Memory& memory) { return reinterpret_cast<cl::Handle>(memory.handle); }

  cl::Handle device_, context_ = nullptr, queues_[2] = {};
  std::string where_, waiting_, product_;
  std::optional<Within> pending_;
  bool second_used_ = false;

  friend struct OpenClPinned;
};

struct OpenClPinned final : Pinned {  // a buffer of the host's memory, or of what is given, mapped once
  OpenClPinned(OpenClDevice& device, std::int64_t bytes, char* given) : queue_(device.queue()) {
    device.open();
    const Within limit(device.facts().label + ": page-locked memory");
    queue_ = device.queue();
    const auto& call = opencl().call;
    cl::Int error = cl::success;
    const cl::Bits flags = cl::memory_read_write | (given != nullptr ? cl::memory_given : cl::memory_of_host);
    buffer_ = call.buffer(device.context_, flags, static_cast<std::size_t>(bytes), given, &error);
    device.check("page-locked memory of " + std::to_string(bytes) + " bytes", error);
    data = static_cast<char*>(call.map(queue_, buffer_, cl::blocking, cl::map_read_write, 0,
                                       static_cast<std::size_t>(bytes), 0, nullptr, nullptr, &error));
    device.check("mapping page-locked memory", error);
  }
  ~OpenClPinned() override {
    const Within limit("opencl: page-locked memory");
    opencl().call.unmap(queue_, buffer_, data, 0, nullptr, nullptr);
    opencl().call.finish(queue_);
    opencl().call.release_buffer(buffer_);
  }
  cl::Handle queue_, buffer_ = nullptr;
};

std::shared_ptr<Pinned> OpenClDevice::pinned(std::int64_t bytes, char* given) {
  return std::make_shared<OpenClPinned>(*this, bytes, given);
}

}  // namespace

FoundDevices find_opencl() {
  OpenCl& with = opencl();
  FoundDevices found;
  if (!with.library.here()) {
    found.missing = "no OpenCL library: " + with.library.why() +
                    "; install ocl-icd-libopencl1 and the vendor's driver (without a device: pocl-opencl-icd)";
    return found;
  }
  const Within limit("opencl: looking for devices");
  cl::Uint count = 0;
  cl::Int error = with.call.platforms(0, nullptr, &count);
  std::vector<cl::Handle> platforms(error == cl::success ? count : 0);
  if (!platforms.empty()) error = with.call.platforms(count, platforms.data(), nullptr);
  for (const cl::Handle platform : platforms) {
    cl::Uint devices = 0;
    if (with.call.devices(platform, cl::device_all, 0, nullptr, &devices) != cl::success || devices == 0) continue;
    std::vector<cl::Handle> of(devices);
    if (with.call.devices(platform, cl::device_all, devices, of.data(), nullptr) != cl::success) continue;
    for (const cl::Handle device : of)
      found.devices.push_back(
          std::make_shared<OpenClDevice>(platform, device, "opencl:" + std::to_string(found.devices.size())));
  }
  if (found.devices.empty())
    found.missing = std::string("OpenCL finds no device") + (error == cl::success ? "" : ": " + cl::error_name(error)) +
                    "; install the vendor's driver (without a device: pocl-opencl-icd)";
  return found;
}

}  // namespace assay::devices
