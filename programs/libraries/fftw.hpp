// FFTW 3 as a program may call it where the build found it (src/assay/execute/libraries.py): the few functions in use,
// declared here.
#pragma once

#include <complex>
#include <memory>
#include <string>

namespace assay::libraries {

inline constexpr const char* no_fftw = "no FFTW library was found: apt-get install libfftw3-dev";

#ifdef ASSAY_FFTW

extern "C" {
struct fftw_plan_s;
fftw_plan_s* fftw_plan_dft_1d(int n, double (*from)[2], double (*to)[2], int sign, unsigned flags);
void fftw_execute(const fftw_plan_s* plan);
void fftw_destroy_plan(fftw_plan_s* plan);
void fftw_set_timelimit(double seconds);
extern const char fftw_version[];
}

inline std::string fftw_name() { return fftw_version; }

// A forward transform from one array to another, planned by measuring (FFTW_MEASURE), which overwrites both; for five
// seconds at most, after which FFTW takes the best of what it has measured: of millions of numbers that matters.
class FftwPlan {
 public:
  FftwPlan(int n, std::complex<double>* from, std::complex<double>* to) : plan_(planned(n, from, to)) {}
  void execute() const { fftw_execute(plan_.get()); }

 private:
  static std::shared_ptr<fftw_plan_s> planned(int n, std::complex<double>* from, std::complex<double>* to) {
    fftw_set_timelimit(5);
    return {fftw_plan_dft_1d(n, reinterpret_cast<double (*)[2]>(from), reinterpret_cast<double (*)[2]>(to), -1, 0),
            fftw_destroy_plan};
  }
  std::shared_ptr<fftw_plan_s> plan_;
};

#endif

}  // namespace assay::libraries
