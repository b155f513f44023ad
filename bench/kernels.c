/* Plain C that calls BLAS, LAPACK and FFTW as people do, for `./x bench kernels`. The file is compiled twice, as TWIN =
   plain and again. One thread. Words, each with how many times a reading does it:
   gemm N TIMES: c = a b by cblas_dgemm, seconds a product. fft N TIMES: a transform from one array to another by
   fftw_execute, planned by measuring. dot N TIMES, axpy N TIMES: cblas_ddot and cblas_daxpy of N elements, seconds an
   element; axpy waits for its own last element before the next call, as our passes do. linpack N TIMES: the matrix is
   copied, dgesv solves. On x86-64 loops written in assembly language, whatever the compiler: loadBITS N TIMES passes
   over N vectors of so many bits, 32 loads without a branch, seconds a vector; fmaBITS N TIMES: N flops in twelve
   chains of multiply-adds, seconds per flop. */
#include <cblas.h>
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef ASSAY_BLAS_64 /* OpenBLAS as its Python package brings it: whole numbers of 64 bits, and names of its own */
#define BLAS(name) scipy_##name##64_
typedef blasint whole;
#else
#define BLAS(name) name
typedef int whole;
#endif

void BLAS(dgesv_)(const whole* n, const whole* columns, double* a, const whole* lda, whole* pivots, double* b,
                  const whole* ldb, whole* info);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double* numbers(long count) { /* between -1/2 and 1/2 */
  double* made = aligned_alloc(64, (size_t)(count * 8 + 63) / 64 * 64);
  if (!made) exit(1);
  unsigned long state = 1;
  for (long i = 0; i < count; ++i) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    made[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
  }
  return made;
}

static void gemm(long n, long times, int readings, double* took) {
  double *a = numbers(n * n), *b = numbers(n * n), *c = numbers(n * n);
  const whole size = (whole)n;
  for (int k = -1; k < readings; ++k) { /* -1 warms up */
    const double from = now();
    for (long i = 0; i < times; ++i)
      BLAS(cblas_dgemm)(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, a, size, b, size, 0, c, size);
    if (k >= 0) took[k] = (now() - from) / (double)times;
  }
  free(a), free(b), free(c);
}

static void fft(long n, long times, int readings, double* took) {
  static fftw_complex *from_array, *to;
  static fftw_plan plan;
  static long planned;
  if (planned != n) { /* once a launch: planning measures, too */
    from_array = fftw_alloc_complex((size_t)n), to = fftw_alloc_complex((size_t)n);
    plan = fftw_plan_dft_1d((int)n, from_array, to, FFTW_FORWARD, FFTW_MEASURE);
    double* parts = (double*)from_array; /* a complex number or a pair, by what was included before */
    for (long i = 0; i < 2 * n; ++i) parts[i] = 1.0 / (double)(i + 1);
    planned = n;
  }
  for (int k = -1; k < readings; ++k) {
    const double from = now();
    for (long i = 0; i < times; ++i) fftw_execute(plan);
    if (k >= 0) took[k] = (now() - from) / (double)times;
  }
}

static void dot(long n, long times, int readings, double* took) {
  double *x = numbers(n), *y = numbers(n);
  volatile double sum = 0;
  for (int k = -1; k < readings; ++k) {
    const double from = now();
    for (long i = 0; i < times; ++i) sum = BLAS(cblas_ddot)((whole)n, x, 1, y, 1);
    if (k >= 0) took[k] = (now() - from) / (double)(times * n);
  }
  (void)sum;
  free(x), free(y);
}

static void axpy(long n, long times, int readings, double* took) {
  double *x = numbers(n), *y = numbers(n);
  long nothing = 0, after = 0;
  __asm__ volatile("" : "+r"(nothing));
  for (int k = -1; k < readings; ++k) {
    const double from = now();
    for (long i = 0; i < times; ++i) {
      BLAS(cblas_daxpy)((whole)n, 1e-9, x + after, 1, y + after, 1);
      long last;
      memcpy(&last, y + n - 1, sizeof last);
      after = last & nothing;
    }
    if (k >= 0) took[k] = (now() - from) / (double)(times * n);
  }
  free(x), free(y);
}

static void linpack(long n, long times, int readings, double* took) {
  double *given = numbers(n * n), *right = numbers(n);
  double *a = numbers(n * n), *x = numbers(n);
  whole *pivots = malloc((size_t)n * sizeof(whole)), size = (whole)n, one = 1, info = 0;
  for (int k = 0; k < readings; ++k) {
    const double from = now();
    for (long i = 0; i < times; ++i) {
      memcpy(a, given, (size_t)(n * n) * 8);
      memcpy(x, right, (size_t)n * 8);
      BLAS(dgesv_)(&size, &one, a, &size, pivots, x, &size, &info);
      if (info) exit(1);
    }
    took[k] = (now() - from) / (double)times;
  }
  free(given), free(right), free(a), free(x), free(pivots);
}

#ifdef __x86_64__
#define LOAD(bits, bytes, into)                                                                                      \
  static void load##bits(long n, long times, int readings, double* took) {                                           \
    char* at = (char*)numbers(n * bytes / 8);                                                                        \
    for (int k = -1; k < readings; ++k) {                                                                            \
      const double from = now();                                                                                     \
      for (long i = 0; i < times; ++i)                                                                               \
        for (long v = 0; v < n; v += 32)                                                                             \
          __asm__ volatile(".set offset, 0\n.rept 32\nvmovaps offset(%0), %%" into "\n.set offset, offset + " #bytes \
                           "\n.endr"                                                                                 \
                           :                                                                                         \
                           : "r"(at + v * bytes)                                                                     \
                           : "xmm0");                                                                                \
      if (k >= 0) took[k] = (now() - from) / (double)(times * n);                                                    \
    }                                                                                                                \
    free(at);                                                                                                        \
  }
LOAD(128, 16, "xmm0")
LOAD(256, 32, "ymm0")
LOAD(512, 64, "zmm0")

#define CHAIN(wide, number) "vfmadd231pd %%" wide "mm12, %%" wide "mm13, %%" wide "mm" number "\n"
#define FOUR(wide, a, b, c, d) CHAIN(wide, a) CHAIN(wide, b) CHAIN(wide, c) CHAIN(wide, d)
#define TWELVE(wide) FOUR(wide, "0", "1", "2", "3") FOUR(wide, "4", "5", "6", "7") FOUR(wide, "8", "9", "10", "11")
#define FMA(bits, wide)                                                                                             \
  static void fma##bits(long n, long times, int readings, double* took) {                                           \
    const long flops = 96 * 2 * bits / 64;                                                                          \
    for (int k = -1; k < readings; ++k) {                                                                           \
      __asm__ volatile("vzeroall");                                                                                 \
      const double from = now();                                                                                    \
      for (long left = n * times; left > 0; left -= flops)                                                          \
        __asm__ volatile(".rept 8\n" TWELVE(wide) ".endr"                                                           \
                         :                                                                                          \
                         :                                                                                          \
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
                           "xmm11", "xmm12", "xmm13");                                                              \
      if (k >= 0) took[k] = (now() - from) / (double)(n * times);                                                   \
    }                                                                                                               \
  }
FMA(128, "x")
FMA(256, "y")
FMA(512, "z")
#endif

void TWIN(char** words, int readings, double* took) {
  static const struct {
    const char* name;
    void (*does)(long n, long times, int readings, double* took);
  } known[] = {
      {"gemm", gemm},       {"fft", fft},         {"dot", dot},         {"axpy", axpy},     {"linpack", linpack},
#ifdef __x86_64__
      {"load128", load128}, {"load256", load256}, {"load512", load512}, {"fma128", fma128}, {"fma256", fma256},
      {"fma512", fma512},
#endif
  };
  BLAS(openblas_set_num_threads)(1);
  for (unsigned i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (!strcmp(words[0], known[i].name)) {
      known[i].does(atol(words[1]), atol(words[2]), readings, took);
      return;
    }
  exit(2);
}
