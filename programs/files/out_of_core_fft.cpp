// A two-dimensional Fourier transform of n x n points in a file, after EuroBen's mod3b: the rows are read, transformed
// and written back in blocks of 4 MiB, then the columns in panels of at most 128 MiB and half of the plane. The sizes
// are the paper's: 512, of which its table is, and 8192.
#include <cmath>
#include <complex>

#include "files/out_of_core.hpp"
#include "files/room.hpp"
#include "kernels/radix4.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "out-of-core-fft"
title = "Fourier transform in a file"
part = "files"
kind = "node"
from = "files/whole_application.hpp"
summary = "two-dimensional Fourier transform of n x n points in a file: time, and rates of reading and writing"
cost = "16 bytes per point, written once before, then read and written twice, by rows and by columns; fsync counts"
check = "sum of squares over all points of the result, and 4 of them against sums over points that were made again"
source = "van der Steen 2000, sections 6.3.1 and 6.4.2, Table 6.14 (EuroBen mod3b)"
published = ["euroben.mod3b"]
writes = [16, "size", "size"]

[unit.radix4]
source = "kernels/radix4.cpp"
flags = ["-ffast-math"]

[parameter.folder]
type = "path"
default = "scratch"
help = "folder in which the launch makes one of its own for the file, removed at the end"

[parameter.size]
type = "integer"
default = 512
full = [512, 8192]
min = 256
max = 65536
sweep = true
help = "points of a side, a power of two"

[metric.time]
unit = "s"
help = "time of reading, transforming and writing back rows and columns, fsync included"

[metric.write]
unit = "s/B"
help = "time per byte of writing, fsync included"

[metric.read]
unit = "s/B"
help = "time per byte of reading"

[headline.time]
figure = "time"
where = "size=512"
title = "Fourier transform of 512 x 512 points in a file"
order = 31

[figure.time]
metric = "time"
unit = "s"
better = "lower"
headline = true
help = "of the whole transform, files read and written"

[figure.write_rate]
metric = "write"
formula = "1 / value"
unit = "B/s"
better = "higher"
help = "writing with fsync; source: where the bytes went"

[figure.read_rate]
metric = "read"
formula = "1 / value"
unit = "B/s"
better = "higher"
help = "reading; source: where the bytes came from"
)record";

namespace {

using namespace assay;
using namespace assay::timing;
using Point = std::complex<double>;

constexpr std::int64_t point_bytes = 16;
constexpr std::int64_t narrowest = files::page_of_file / point_bytes;  // columns of a panel
constexpr std::int64_t block_bytes = std::int64_t{1} << 22, panel_bytes = std::int64_t{1} << 27;

double part(std::uint64_t& state) { return static_cast<double>(random_bits(state) >> 11) * 0x1p-52 - 1; }
Point given(std::int64_t at) {
  auto state = static_cast<std::uint64_t>(at) * 2 + 1;
  const double real = part(state);
  return {real, part(state)};
}
Point root(std::int64_t k, std::int64_t n) {
  const long double angle =
      -2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k % n) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

class Plane {
 public:
  explicit Plane(std::int64_t n)
      : n_(n),
        rows_(std::max<std::int64_t>(1, std::min(n, block_bytes / (n * point_bytes)))),
        wide_(std::clamp(panel_bytes / (n * point_bytes), narrowest, std::max(narrowest, n / 2))),
        block_(files::block_of<Point>(std::max(wide_, rows_) * n * point_bytes)) {
    for (std::int64_t k = 0; k < n; ++k) roots_.push_back(root(k, n));
    line_.resize(static_cast<std::size_t>(n));
    done_ = spare_ = line_;
  }

  double run(const files::OwnFolder& own) {
    files::OutOfCore file(own, "plane");
    const std::int64_t row = n_ * point_bytes;
    for (std::int64_t at = 0; at < n_; at += rows_) {
      for (std::int64_t i = 0; i < rows_ * n_; ++i) block_[static_cast<std::size_t>(i)] = given(at * n_ + i);
      file.write(at * row, block_.get(), rows_ * row);
    }
    file.finish();
    const std::int64_t start = now_ns();
    for (std::int64_t at = 0; at < n_; at += rows_) {
      file.read(at * row, block_.get(), rows_ * row);
      for (std::int64_t i = 0; i < rows_; ++i) transform(block_.get() + i * n_, 1);
      file.write(at * row, block_.get(), rows_ * row);
    }
    file.finish();
    for (std::int64_t column = 0; column < n_; column += wide_) {
      for (std::int64_t i = 0; i < n_; ++i)
        file.read(i * row + column * point_bytes, block_.get() + i * wide_, wide_ * point_bytes);
      for (std::int64_t i = 0; i < wide_; ++i) transform(block_.get() + i, wide_);
      for (std::int64_t i = 0; i < n_; ++i)
        file.write(i * row + column * point_bytes, block_.get() + i * wide_, wide_ * point_bytes);
    }
    file.finish();
    const double seconds = 1e-9 * static_cast<double>(now_ns() - start);
    written = file.written();
    got = file.got();
    why = file.why();
    look(file);
    return seconds;
  }
  // The worse of two errors, as a share of what rounding in so many steps explains.
  double share_of_bound() const {
    const double allowed = 8 * 2 * std::log2(static_cast<double>(n_)) * 0x1p-52;
    const long double points = static_cast<long double>(n_) * static_cast<long double>(n_);
    const double scale = allowed * std::sqrt(static_cast<double>(energy_));
    auto worst = static_cast<double>(std::abs(kept_ / points - energy_) / (allowed * energy_));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double off = std::abs(sum_at(places[i] * n_ / 512, places[3 - i] * n_ / 512) - found_[i]);
      if (!(off <= worst * scale)) worst = off / scale;  // a NaN stays
    }
    return worst;
  }

  files::Moved written, got;
  std::string why;

 private:
  static constexpr std::array<std::int64_t, 4> places = {0, 1, 170, 511};  // of 512; row i with column 3 - i

  void transform(Point* first, std::int64_t step) {  // n numbers, `step` apart
    for (std::int64_t i = 0; i < n_; ++i) line_[static_cast<std::size_t>(i)] = first[i * step];
    const auto plain = [](std::vector<Point>& of) { return reinterpret_cast<kernels::Number*>(of.data()); };
    kernels::transform(n_, plain(line_), plain(done_), plain(spare_), plain(roots_));
    for (std::int64_t i = 0; i < n_; ++i) first[i * step] = done_[static_cast<std::size_t>(i)];
  }
  void look(files::OutOfCore& file) {  // at the result in the file
    kept_ = energy_ = 0;
    for (std::int64_t at = 0; at < n_; at += rows_) {
      file.read(at * n_ * point_bytes, block_.get(), rows_ * n_ * point_bytes);
      for (std::int64_t i = 0; i < rows_ * n_; ++i) {
        kept_ += std::norm(block_[static_cast<std::size_t>(i)]);
        energy_ += std::norm(given(at * n_ + i));
      }
      for (std::size_t i = 0; i < places.size(); ++i)
        if (const std::int64_t row = places[i] * n_ / 512; row >= at && row < at + rows_)
          found_[i] = block_[static_cast<std::size_t>((row - at) * n_ + places[3 - i] * n_ / 512)];
    }
  }
  Point sum_at(std::int64_t row, std::int64_t column) const {
    std::complex<long double> all = 0;
    for (std::int64_t r = 0; r < n_; ++r) {
      Point sum = 0;
      for (std::int64_t c = 0; c < n_; ++c)
        sum += given(r * n_ + c) * roots_[static_cast<std::size_t>(c * column % n_)];
      all += std::complex<long double>(sum * roots_[static_cast<std::size_t>(r * row % n_)]);
    }
    return Point(all);
  }

  std::int64_t n_, rows_, wide_;
  files::Block<Point> block_;
  std::vector<Point> roots_, line_, done_, spare_;
  long double kept_ = 0, energy_ = 0;
  std::array<Point, 4> found_{};
};

}  // namespace

int main(int argc, char** argv) {
  std::shared_ptr<files::OwnFolder> own;
  return run_program(record, argc, argv, [&](Case& at) {
    if (!own) own = std::make_shared<files::OwnFolder>(at.path("folder"), at.subfolder());
    const std::int64_t n = at.integer("size"), bytes = n * n * point_bytes;
    if (n & (n - 1)) throw refused_value("size", "is no power of two", n, "powers of two");
    const files::Room room = files::read_room(own->descriptor());
    if (bytes > std::min(room.bytes, room.file))
      return at.skip(std::to_string(n) + " x " + std::to_string(n) + " points: only " +
                     std::to_string(std::min(room.bytes, room.file)) + " bytes may be written, by " + room.by);
    auto plane = std::make_shared<Plane>(n);
    at.observe("time", [=, folder = own] { return plane->run(*folder); });
    for (std::size_t which = 0; which < files::source_names.size(); ++which)
      for (const bool writes : {true, false})
        at.observe_all(writes ? "write" : "read", {{"source", files::source_names[which]}}, [=] {
          const files::Moved& moved = writes ? plane->written : plane->got;
          const bool this_one = moved.source == static_cast<files::Source>(which);
          return this_one ? std::vector<double>{moved.per_byte()} : std::vector<double>();
        });
    Case* const self = &at;
    at.on_finish([=] {
      if (!plane->why.empty()) self->note("source=unknown: " + plane->why);
      return std::string();
    });
    at.check([=] {
      const double share = plane->share_of_bound();
      char text[120];
      std::snprintf(text, sizeof text, "sum of squares and %d points within %.2g of the bound", 4, share);
      return Check{share <= 1, text};
    });
  });
}
