// Matrix products on a device: our own tiled kernel, and the vendor's or a tuned library (cuBLAS, CLBlast), by type.
#include <algorithm>
#include <cmath>

#include "devices/found.hpp"
#include "devices/kernels/product.hpp"
#include "devices/product_check.hpp"

constexpr std::string_view record = R"record(
from = "devices/found.hpp"
name = "device-gemm"
title = "Matrix products on devices"
first_look = true
summary = "products of square matrices on a device, by our own tiled kernel and by the library (cuBLAS, cuBLASLt, CLBlast), by size and type"
cost = "one operation is 2 flops of the 2 n^3 of a product (int8: operations)"
check = "rows of the product against a float64 product by the host, each element within the error bound of its type; and a product of whole numbers, all of it: its product with two vectors of signs against that of the factors, without any error"
source = "Higham 2002, section 3.5, for the bound; Freivalds 1977, for the second check"
statistics = ["median", "best"]
noise_immune = ["build", "clock", "power"]
exact = ["error"]
slice_quick = 0.1
slice_standard = 0.2
slice_full = 1.0
blocks_quick = 2
blocks_standard = 3

[parameter.device]
from = "devices/found.hpp"

[parameter.code]
type = "choice"
default = ["ours", "library"]
choices = ["ours", "library"]
sweep = true
help = "ours: a tiled kernel without tuning; library: cuBLAS and for float8 cuBLASLt through CUDA, CLBlast through OpenCL, where it can be opened"

[parameter.type]
type = "choice"
default = ["float64", "float32", "tf32", "bfloat16", "float16", "float8", "int8"]
quick = ["float64", "float32", "float16"]
choices = ["float64", "float32", "tf32", "bfloat16", "float16", "float8", "int8"]
sweep = true
help = "of the factors (float8: E4M3, with a result of bfloat16, by cuBLASLt); those below 32 bits and tf32 are added up in float32 (int8: in int32), on matrix engines where the device has them; ours: float64, float32"

[parameter.n]
type = "integer"
default = [256, 1024, 2048, 4096]
quick = [512, 4096]
min = 64
max = 65536
unit = "1"
sweep = true
help = "rows and columns; a multiple of 64; on a CPU through OpenCL at most 1024 unless there is one size"

[metric.time]
unit = "s"
help = "time of a flop"

[metric.error]
unit = "1"
help = "greatest error of the elements that were compared, of what the bound of their type allows"

[metric.build]
unit = "s"
help = "time to compile the kernel; library: of its first call, in which it is opened, and compiles or chooses kernels"

[metric.clock]
from = "devices/found.hpp"

[metric.power]
from = "devices/found.hpp"

[headline.float64]
figure = "rate"
where = "code=library type=float64 on=GPU n=4096"
title = "matrix product on the device (float64, library)"
bound = "device_stated"
advice = "look at its power limit, and whether the library is as new as the device: an older one lacks its matrix engines"
says = "a device multiplies matrices at up to"
order = 2

[figure.rate]
metric = "time"
formula = "1 / value"
unit = "flop/s"
better = "higher"
headline = true
help = "2 n^3 over the time of a product"

[figure.error]
metric = "error"
unit = "1"
better = "lower"
help = "greatest error as a share of the bound ((n + 2) u_s + 3 u_t) |a| |b|: u_s of the type that sums are added up in, u_t of the result's type where that is shorter"

[figure.build]
metric = "build"
unit = "s"
help = "time to compile the kernel; library: of its first call"

[figure.clock]
from = "devices/found.hpp"

[figure.power]
from = "devices/found.hpp"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using namespace assay::devices;

}  // namespace

int main(int argc, char** argv) {
  return run_program(record, argc, argv, [&](Case& at) {
    const auto device = device_of(at);
    if (!device) return;
    const Facts& facts = device->facts();
    const bool ours = at.choice("code") == "ours";
    const Element type = element_of(at.choice("type"));
    const std::int64_t n = at.integer("n");
    if (n % 64 != 0) throw refused_value("n", "is no multiple of 64", n, "multiples of 64");
    std::int64_t sizes = 0;  // of the matrices of all cases
    for (const CaseSettings& each : at.all_cases())
      sizes = std::max(sizes, each.at("n").integer != n ? std::int64_t{2} : 1);
    if (facts.kind == cpu_kind && n > 1024 && sizes > 1)
      return at.skip("a CPU through OpenCL: sizes above 1024 are measured where there is no other size");
    if ((type == Element::float64 && !facts.float64) || (ours && type != Element::float64 && type != Element::float32))
      return at.skip(facts.label + ": no product of " + at.choice("type") + (ours ? " by our own kernel" : ""), "type",
                     "type=float32");
    const std::int64_t bytes = n * n * bytes_of(type), result = n * n * bytes_of(result_of(type));
    if (!device->holds(2 * bytes + result, std::max(bytes, result)))
      return at.skip(device->lacks("matrices of " + std::to_string(n) + " rows"), "n", "smaller n, or one size");
    auto work = std::make_shared<ProductCheck>(device, type, n, at.seed());
    std::function<void()> multiply;
    double built = 0;
    if (ours) {
      std::string source = device->prelude(type, 1);
      source += product_kernel;
#ifdef ASSAY_BREAK
      source.replace(source.find("k < 16; ++k"), 6, "k < 15");
#endif
      const auto kernel = device->build(source, "product");
      kernel->set({work->a, work->b, work->c, static_cast<std::uint32_t>(n)});
      built = kernel->built;
      multiply = [=] { device->launch(*kernel, n / 64 * (n / 64), 256); };
    } else {
      std::string missing;
      const std::int64_t from = now_ns();
      if (!device->product(type, n, *work->a, *work->b, *work->c, missing))
        return at.skip(facts.label + ": " + missing, "code", "code=ours");
      device->finish();  // its kernels are compiled now: the first call of the measured loop is of a product alone
      built = 1e-9 * static_cast<double>(now_ns() - from);
      multiply = [=] {
        std::string none;
        device->product(type, n, *work->a, *work->b, *work->c, none);
      };
    }
    at.observe("build", [=] { return built; }, true);
    const std::int64_t unit = 2 * n * n * n;
    at.measure("time",
               [=](std::int64_t operations) {
                 for (; operations > 0; operations -= unit) multiply();
                 device->finish();
               },
               {.unit = unit});
    watch_device(at, device);
    at.observe("error", [=] { return work->error(multiply); }, true);
    at.check([=] { return work->within_bound(); });
    at.check([=] { return work->whole_numbers(multiply); });
  });
}
