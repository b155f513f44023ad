// When a block of samples ends. A rule sees only how many samples there are and how much time they took, never a clock
// and never their values, and it is asked only at looks fixed beforehand (four per octave: 1 to 8, 10, 12, 14, 16, 20,
// ...), so that it cannot chase a result.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace assay::timing {

inline std::size_t next_look(std::size_t samples) {
  std::size_t step = 1;
  while (samples / step >= 8) step *= 2;
  return (samples / step + 1) * step;
}

class StoppingRule {
 public:
  virtual ~StoppingRule() = default;
  // Why to stop after so many samples that took so many seconds; nothing when more are wanted.
  virtual std::optional<std::string> stop(std::size_t samples, double spent) const = 0;
};

class TimeSlice : public StoppingRule {
 public:
  explicit TimeSlice(double seconds) : seconds_(seconds) {}
  std::optional<std::string> stop(std::size_t samples, double spent) const override {
    if (samples > 0 && spent >= seconds_) return "slice spent";
    return std::nullopt;
  }

 private:
  double seconds_;
};

class SampleCount : public StoppingRule {
 public:
  SampleCount(std::size_t samples, std::string why) : samples_(samples), why_(std::move(why)) {}
  std::optional<std::string> stop(std::size_t samples, double) const override {
    if (samples >= samples_) return why_;
    return std::nullopt;
  }

 private:
  std::size_t samples_;
  std::string why_;
};

}  // namespace assay::timing
