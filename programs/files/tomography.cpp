// A large matrix in a file times a vector, after EuroBen's mod3a, "the tomography application": the matrix is written
// by rows, brought to the device, read back and multiplied block by block; the rates of writing and reading are what
// the paper's Figure 6.8 shows of four sizes.
//
// The paper prints neither the matrix nor how it is stored (the largest, if full, has 200 GB, more than its machines
// had). Ours is full, of float64; where that is more than may be written, it has its first rows only, and says which
// part: the rate of a file that is written and read in order does not depend on its rows.
#include "files/out_of_core.hpp"
#include "files/room.hpp"
#include "timing/program.hpp"

constexpr std::string_view record = R"record(
name = "tomography"
title = "Matrix in a file times a vector"
part = "files"
kind = "node"
from = "files/whole_application.hpp"
summary = "a large matrix, or as many of its first rows as may be written, goes to a file, is read back and multiplied with a vector: rates of writing and reading by size"
cost = "8 bytes per element written and read once; writing ends with fsync, which counts"
check = "each element of the product is compared with a sum over integers that were made again, without the file"
source = "van der Steen 2000, section 6.4.2, Figure 6.8 (EuroBen mod3a)"
published = ["euroben.mod3a"]
noise_immune = ["rows"]
writes = ["most"]

[parameter.folder]
type = "path"
default = "scratch"
help = "folder in which the launch makes one of its own for the file, removed at the end"

[parameter.size]
type = "choice"
default = ["25000x20000", "50000x20000", "100000x100000", "250000x100000"]
choices = ["25000x20000", "50000x20000", "100000x100000", "250000x100000"]
sweep = true
help = "rows and columns of the matrix, as the paper's four; of which `most` bytes are worked on, its first rows"

[parameter.most]
type = "integer"
default = 268435456
full = 1073741824
min = 4194304
max = 1099511627776
unit = "B"
help = "bytes of the matrix that are written at most: its first rows, the same bytes of each size that has more; never more than a quarter of what is free"

[parameter.bytes]
type = "integer"
default = 4194304
min = 4096
max = 67108864
unit = "B"
help = "bytes of a transfer, a multiple of 4096"

[metric.write]
unit = "s/B"
help = "time per byte of writing, fsync included"

[metric.read]
unit = "s/B"
help = "time per byte of reading"

[metric.time]
unit = "s"
help = "time of writing, reading and multiplying the rows that the file has; part: which these are of the matrix"

[metric.rows]
unit = "1"
help = "part of the matrix's rows that the file has"

[headline.read]
figure = "read_rate"
title = "matrix of {size} in a file ({part}), read"
order = 30

[figure.write_rate]
metric = "write"
formula = "1 / value"
unit = "B/s"
better = "higher"
headline = true
help = "writing with fsync; source: where the bytes went"

[figure.read_rate]
metric = "read"
formula = "1 / value"
unit = "B/s"
better = "higher"
headline = true
help = "reading; source: where the bytes came from"

[figure.time_of_rows]
metric = "time"
unit = "s"
better = "lower"
help = "of writing, reading and multiplying the rows that the file has (part), not the whole matrix: no extrapolation"

[figure.rows]
metric = "rows"
unit = "1"
better = "higher"
help = "part of the matrix's rows that the file has"
)record";

namespace {

using namespace assay;
using namespace assay::timing;

// Elements are whole numbers below 2^20 and the vector's from 1 to 8, so that every sum is exact in float64.
std::int64_t element(std::int64_t at) {
  auto state = static_cast<std::uint64_t>(at);
  return static_cast<std::int64_t>(random_bits(state) >> 44);
}
std::int64_t entry(std::int64_t column) { return 1 + column % 8; }

class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t columns, std::int64_t block)
      : rows_(rows), columns_(columns), block_(block), buffer_(files::block_of<double>(block)) {
    for (std::int64_t column = 0; column < columns; ++column) x_.push_back(static_cast<double>(entry(column)));
  }

  double run(const files::OwnFolder& own) {
    product_.assign(static_cast<std::size_t>(rows_), 0.0);
    files::OutOfCore file(own, "matrix");
    const std::int64_t all = rows_ * columns_;
    for (std::int64_t at = 0; at < all; at += block_ / 8) {
      for (std::int64_t i = 0; i < block_ / 8; ++i)
        buffer_[static_cast<std::size_t>(i)] = at + i < all ? static_cast<double>(element(at + i)) : 0.0;
      file.write(8 * at, buffer_.get(), block_);
    }
    file.finish();
    const std::int64_t start = now_ns();
    for (std::int64_t at = 0; at < all; at += block_ / 8) {
      file.read(8 * at, buffer_.get(), block_);
      multiply(at, std::min(all, at + block_ / 8));
    }
    const double reading = 1e-9 * static_cast<double>(now_ns() - start);
    written = file.written();
    got = file.got();
    why = file.why();
    return written.seconds + reading;
  }
  std::int64_t wrong() const {
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < rows_; ++row) {
      std::int64_t sum = 0;
      for (std::int64_t column = 0; column < columns_; ++column)
        sum += element(row * columns_ + column) * entry(column);
      count += product_[static_cast<std::size_t>(row)] != static_cast<double>(sum);
    }
    return count;
  }

  files::Moved written, got;
  std::string why;

 private:
  void multiply(std::int64_t from, std::int64_t to) {  // elements `from` to `to`, which the buffer has
    const double* values = buffer_.get();
    while (from < to) {
      const std::int64_t row = from / columns_, column = from % columns_;
      const std::int64_t count = std::min(to - from, columns_ - column);
      double sum = 0;
      for (std::int64_t i = 0; i < count; ++i) sum += values[i] * x_[static_cast<std::size_t>(column + i)];
      product_[static_cast<std::size_t>(row)] += sum;
      values += count;
      from += count;
    }
  }

  std::int64_t rows_, columns_, block_;
  files::Block<double> buffer_;
  std::vector<double> x_, product_;
};

// Which part of the matrix the file has, as all titles say.
std::string part_of(std::int64_t held, std::int64_t rows) {
  if (held == rows) return "all rows";
  char text[48];
  std::snprintf(text, sizeof text, "first %.2g%% of the rows",
                100.0 * static_cast<double>(held) / static_cast<double>(rows));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::shared_ptr<files::OwnFolder> own;
  return run_program(record, argc, argv, [&](Case& at) {
    if (!own) own = std::make_shared<files::OwnFolder>(at.path("folder"), at.subfolder());
    const std::string& size = at.choice("size");
    const std::int64_t rows = std::stoll(size), columns = std::stoll(size.substr(size.find('x') + 1));
    const std::int64_t block = at.integer("bytes");
    if (block % files::page_of_file != 0)
      throw refused_value("bytes", "are no whole pages", block, "a multiple of 4096");
    const files::Room room = files::read_room(own->descriptor());
    const std::int64_t wished = at.integer("most"), allowed = std::min(room.bytes, room.file);
    const std::int64_t most = std::min(wished, allowed) - block;  // the last block is whole
    const std::int64_t held = std::min(rows, most / (8 * columns));
    if (held < 1) {
      const std::string by = wished > allowed ? room.by : "most=" + std::to_string(wished);
      return at.leave_out(size + ": not even a row of " + std::to_string(8 * columns) + " bytes and a last block of " +
                          std::to_string(block) + " (bytes=) may be written, by " + by);
    }
    if (held < rows)
      at.note(size + ": the first " + std::to_string(held) + " rows, of which " + std::to_string(8 * held * columns) +
              " bytes may be written");
    at.also_label("part", part_of(held, rows));
    auto matrix = std::make_shared<Matrix>(held, columns, block);
    at.observe("time", [=, folder = own] { return matrix->run(*folder); });
    for (std::size_t which = 0; which < files::source_names.size(); ++which)
      for (const bool writes : {true, false})
        at.observe_all(writes ? "write" : "read", {{"source", files::source_names[which]}}, [=] {
          const files::Moved& moved = writes ? matrix->written : matrix->got;
          const bool this_one = moved.source == static_cast<files::Source>(which);
          return this_one ? std::vector<double>{moved.per_byte()} : std::vector<double>();
        });
    at.observe("rows", [=] { return static_cast<double>(held) / static_cast<double>(rows); }, true);
    Case* const self = &at;
    at.afterwards([=] {
      if (!matrix->why.empty()) self->note("source=unknown: " + matrix->why);
      return std::string();
    });
    at.check([=] {
      const std::int64_t wrong = matrix->wrong();
      return Check{wrong == 0, std::to_string(held) + " sums over the rows, " + std::to_string(wrong) + " wrong"};
    });
  });
}
