#include "devices/cuda.hpp"

#include <cctype>
#include <chrono>

#include "devices/cublas.hpp"
#include "devices/cublas_lt.hpp"
#include "devices/cuda_functions.hpp"
#include "devices/nvrtc.hpp"
#include "devices/prelude.hpp"
#include "devices/within.hpp"

namespace assay::devices {
namespace {

struct Cuda {
  Library library{"libcuda.so.1"};
  cuda::Driver call{library};
};

Cuda& driver() {
  static auto* const only = new Cuda;
  return *only;
}

constexpr int newer_code = 222;  // CUDA_ERROR_UNSUPPORTED_PTX_VERSION

std::string cuda_error(int error) {
  const char* name = nullptr;
  if (driver().call.error_name(error, &name) != 0 || name == nullptr) return "CUDA error " + std::to_string(error);
  return std::string(name) + " (" + std::to_string(error) + ")";
}

// Makes a device's context the current one. Events, memory and modules are of the context that is current when they are
// made, and a stream takes launches and events of its own context alone; blocks of all devices take turns.
cuda::Handle current_context = nullptr;  // null where a library may have changed it

int enter(cuda::Handle context) {
  if (context == current_context) return 0;
  const int error = driver().call.use(context);
  current_context = error == 0 ? context : nullptr;
  return error;
}

struct CudaMemory final : Memory {
  CudaMemory(std::int64_t bytes, cuda::Address address, cuda::Handle context) : Memory(bytes), context(context) {
    handle = address;
  }
  ~CudaMemory() override {
    enter(context);
    driver().call.release(handle);
  }
  const cuda::Handle context;
};

struct CudaPinned final : Pinned {
  CudaPinned(bool given, cuda::Handle context) : given(given), context(context) {}
  ~CudaPinned() override {
    enter(context);
    given ? driver().call.release_given(data) : driver().call.unpin(data);
  }
  const bool given;  // of the caller's memory
  const cuda::Handle context;
};

struct CudaKernel final : Kernel {
  explicit CudaKernel(cuda::Handle context) : context(context) {}
  ~CudaKernel() override {
    enter(context);
    driver().call.unload(module);
  }
  void set(std::vector<Argument> arguments) override {
    given = std::move(arguments);
    places.clear();
    for (Argument& each : given) places.push_back(&each.bits);
  }
  const cuda::Handle context;
  cuda::Handle module = nullptr, function = nullptr;
  std::vector<Argument> given;
  std::vector<void*> places;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(int number, int device, int version) : device_(device) {
    const cuda::Driver& call = driver().call;
    const auto attribute = [&](int which) {
      int value = 0;
      return call.attribute(&value, which, device) == 0 ? value : 0;
    };
    char text[256] = {};
    std::size_t bytes = 0;
    facts_.label = "cuda:" + std::to_string(number);
    if (call.name(text, sizeof text - 1, device) == 0) facts_.name = text;
    char bus[64] = {};
    if (call.bus(bus, sizeof bus - 1, device) == 0) facts_.bus = bus;
    for (char& each : facts_.bus) each = static_cast<char>(std::tolower(each));  // as /sys writes it
    facts_.driver = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    if (call.memory(&bytes, device) == 0) facts_.memory = facts_.largest = static_cast<std::int64_t>(bytes);
    facts_.cache = attribute(cuda::cache_bytes);
    facts_.local = attribute(cuda::group_memory);
    facts_.group = attribute(cuda::group_most);
    facts_.units = attribute(cuda::multiprocessors);
    facts_.clock = 1e3 * attribute(cuda::clock_rate);
    capability_ = 10 * attribute(cuda::capability_major) + attribute(cuda::capability_minor);
    facts_.float64 = true;
    facts_.float16 = capability_ >= 53;
  }

  std::shared_ptr<Pinned> pinned(std::int64_t bytes, char* given) override {
    open();
    const Within limit(facts_.label + ": page-locked memory");
    void* data = given;
    const auto size = static_cast<std::size_t>(bytes);
    check("page-locked memory of " + std::to_string(bytes) + " bytes",
          given != nullptr ? driver().call.pin_given(data, size, 0) : driver().call.pin(&data, size, 0));
    auto made = std::make_shared<CudaPinned>(given != nullptr, context_);
    made->data = static_cast<char*>(data);
    return made;
  }

  std::shared_ptr<Kernel> build(const std::string& source, const std::string& name) override {
    open();
    const Within limit(facts_.label + ": compiling " + name);
    const auto from = std::chrono::steady_clock::now();
    const std::string code = compile_cuda(source, name, capability_, where_);
    auto made = std::make_shared<CudaKernel>(context_);
    const int loaded = driver().call.load(&made->module, code.c_str());
    if (loaded == newer_code)
      fault("kernel " + name, cuda_error(loaded) + ": NVRTC is newer than the driver (" + facts_.driver +
                                  "); install one of its version");
    check("kernel " + name, loaded);
    check("kernel " + name, driver().call.function(&made->function, made->module, name.c_str()));
    made->built = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    made->name = name;
    return made;
  }

  void launch(Kernel& kernel, std::int64_t groups, std::int64_t group, int queue) override {
    auto& own = static_cast<CudaKernel&>(kernel);
    begin(queue);
    const int error =
        driver().call.launch(own.function, static_cast<unsigned>(groups), 1, 1, static_cast<unsigned>(group), 1, 1, 0,
                             streams_[queue], own.places.data(), nullptr);
    if (error != 0) check("kernel " + kernel.name, error);
  }

  Span timed(Kernel& kernel, std::int64_t groups, std::int64_t group, std::int64_t times) override {
    const cuda::Driver& call = driver().call;
    begin();
    cuda::Handle from = nullptr, to = nullptr;
    check("an event", call.event(&from, 0));
    check("an event", call.event(&to, 0));
    check("an event", call.record(from, streams_[0]));
    for (std::int64_t at = 0; at < times; ++at) launch(kernel, groups, group, 0);
    check("an event", call.record(to, streams_[0]));
    finish();
    float milliseconds = 0;
    const int error = call.elapsed(&milliseconds, from, to);
    call.release_event(from);
    call.release_event(to);
    check("the timer of kernel " + kernel.name, error);
    return {0, 1e-3 * static_cast<double>(milliseconds)};
  }

  void copy_in(Memory& to, const void* from, std::int64_t bytes, std::int64_t at, int queue) override {
    begin(queue);
    check("copy to the device", driver().call.copy_in(to.handle + static_cast<cuda::Address>(at), from,
                                                      static_cast<std::size_t>(bytes), streams_[queue]));
  }
  void copy_out(void* to, const Memory& from, std::int64_t bytes, std::int64_t at, int queue) override {
    begin(queue);
    check("copy from the device", driver().call.copy_out(to, from.handle + static_cast<cuda::Address>(at),
                                                         static_cast<std::size_t>(bytes), streams_[queue]));
  }

  void finish() override {
    begin();
    for (int queue = 0; queue < (second_used_ ? 2 : 1); ++queue)
      check("waiting for what was queued", driver().call.wait(streams_[queue]));
    second_used_ = false;
    pending_.reset();
  }

  std::string prelude(Element type, int lanes) const override { return cuda_prelude(type, lanes); }

  bool product(Element type, std::int64_t n, Memory& a, Memory& b, Memory& c, std::string& missing) override {
    begin();
    const bool done = [&] {
      const Within limit(product_, library_times);
      return type == Element::float8
                 ? cublas_lt_product(n, a.handle, b.handle, c.handle, streams_[0], where_, missing,
                                     [this](std::int64_t bytes) { return allocate(bytes); })
                 : cublas_product(type, n, a.handle, b.handle, c.handle, streams_[0], where_, missing);
    }();
    current_context = nullptr;
    if (!done) finish();
    return done;
  }

 private:
  std::shared_ptr<Memory> reserve(std::int64_t bytes) override {
    open();
    const Within limit(facts_.label + ": memory of " + std::to_string(bytes) + " bytes");
    cuda::Address address = 0;
    check("memory of " + std::to_string(bytes) + " bytes",
          driver().call.allocate(&address, static_cast<std::size_t>(bytes)));
    return std::make_shared<CudaMemory>(bytes, address, context_);
  }

  void open() {  // at first use: a device that is only listed costs nothing
    if (context_ == nullptr) {
      const Within limit(facts_.label + ": opening");
      where_ = facts_.label + " (" + facts_.name + ")";
      waiting_ = where_ + ": waiting for what was queued";
      product_ = where_ + ": a product by the library";
      check("a context", driver().call.context(&context_, device_));
      check("a context", enter(context_));
      constexpr unsigned unordered = 1;  // CU_STREAM_NON_BLOCKING
      for (cuda::Handle& stream : streams_) check("a queue", driver().call.stream(&stream, unordered));
    }
    check("a context", enter(context_));
  }
  void begin(int queue = 0) {  // before whatever is queued: its time limit runs from now until `finish`
    if (!pending_) pending_.emplace(waiting_);
    second_used_ = second_used_ || queue == 1;
    if (const int error = enter(context_); error != 0) check("a context", error);
  }
  void check(std::string_view doing, int error) const {
    if (error != 0) fault(doing, cuda_error(error));
  }

  int device_, capability_ = 0;
  cuda::Handle context_ = nullptr, streams_[2] = {};
  std::string where_, waiting_, product_;
  std::optional<Within> pending_;
  bool second_used_ = false;
};

}  // namespace

FoundDevices find_cuda() {
  FoundDevices found;
  Cuda& with = driver();
  if (!with.library.here()) {
    found.missing = "no CUDA driver: " + with.library.why() + "; install NVIDIA's driver";
    return found;
  }
  const Within limit("cuda: looking for devices", 3);  // without persistence mode some seconds for each device
  int count = 0, version = 0;
  int error = with.call.start(0);
  if (error == 0) error = with.call.count(&count);
  if (error == 0) with.call.version(&version);
  for (int number = 0; error == 0 && number < count; ++number)
    if (int device = 0; with.call.device(&device, number) == 0)
      found.devices.push_back(std::make_shared<CudaDevice>(number, device, version));
  if (found.devices.empty())
    found.missing = "CUDA finds no device" + (error == 0 ? std::string() : ": " + cuda_error(error));
  else if (const std::string missing = missing_nvrtc(); !missing.empty())
    found = {{}, missing};
  return found;
}

}  // namespace assay::devices
