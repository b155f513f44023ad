// The 24 Livermore loops (McMahon 1986), written anew from their formulas, indices from 0, at the longest of the
// published lengths. `Loops<T>` holds the arrays; `restore()` gives them their first values, which every machine has to
// the last digit; `run(k)` does loop k once; `checksum(k)` sums what it left. The paper's weights count its flops: 1
// for an addition, subtraction, multiplication or comparison, 4 for a division or a root, 8 for an exponential.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "timing/program.hpp"

namespace assay::kernels {

inline constexpr int loops = 24;

template <class T>
class Loops {
 public:
  Loops() { restore(); }
  void restore();
  void run(int loop);  // of doubles in livermore_loops.cpp, which is compiled apart
  long double checksum(int loop) const;
  std::int64_t flops(int loop) const;  // of one execution; loop 16's are those that its last execution did

 private:
#ifdef ASSAY_BREAK
  static constexpr int less = sizeof(T) == sizeof(double) ? 1 : 0;  // every loop ends one short
#else
  static constexpr int less = 0;
#endif
  static constexpr int length = 1200, plane = 102;
  using Line = T[length];
  using Plane = T[7][plane];
  using Table = T[101][25];
  using Layers = T[2][101][5];

  // Filled, each from numbers of its own: restore().
  Line x, y, z, u, v, w, g, xx, vx, grd, ex, dex, vsp, vstp, vxne, vlr, vlin, sa, sb, plan, d;
  T b[64][64], c[64][64], p[64][4];
  Table px, cx, vy;
  Plane vh, vf, vg;
  Layers u1, u2, u3;
  Plane za, zp, zq, zr, zm, zb, zu, zv, zz;
  int e[64], f[64], zone[800];
  // What loops begin with 0.
  Line vxnd, ve3, b5, ex1, dex1, xi, rx;
  T rh[2050], h[65][65], q;
  Plane speed, strain;
  int ix[1001], ir[1001], visited, distant, least;

  static constexpr T r = 0.0625, s = 0.09375, t = 0.078125, small = 0.0078125;

  static T larger(T a, T b) { return a < b ? b : a; }  // the standard's would be shared with what is compiled otherwise
  static T smaller(T a, T b) { return b < a ? b : a; }

#define ASSAY_LOOP [[gnu::noinline]] void
  ASSAY_LOOP hydro_fragment() {  // 1
    for (int k = 0; k < 1001 - less; ++k) x[k] = T(0.5) + y[k] * (r * z[k + 10] + t * z[k + 11]);
  }
  ASSAY_LOOP incomplete_cholesky() {  // 2
    int left = 101, end = 0;
    do {
      const int begin = end;
      end += left;
      left /= 2;
      int i = end - 1;
      for (int k = begin + 1; k < end - less; k += 2) {
        ++i;
        x[i] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1];
      }
    } while (left > 0);
  }
  ASSAY_LOOP inner_product() {  // 3
    T sum = 0;
    for (int k = 0; k < 1001 - less; ++k) sum += z[k] * x[k];
    q = sum;
  }
  ASSAY_LOOP banded_equations() {  // 4
    for (int k = 6; k < 1001; k += (1001 - 7) / 2) {
      T sum = x[k - 1];
      for (int j = 4, at = k - 6; j < 1001 - 5 * less; j += 5, ++at) sum -= x[at] * y[j];
      x[k - 1] = y[4] * sum;
    }
  }
  ASSAY_LOOP tridiagonal_elimination() {  // 5
    for (int i = 1; i < 1001 - less; ++i) x[i] = z[i] * (y[i] - x[i - 1]);
  }
  ASSAY_LOOP linear_recurrence() {  // 6
    for (int i = 1; i < 64 - less; ++i) {
      T sum = T(0.0078125);
      for (int k = 0; k < i; ++k) sum += b[k][i] * w[i - k - 1];
      w[i] = sum;
    }
  }
  ASSAY_LOOP equation_of_state() {  // 7
    for (int k = 0; k < 995 - less; ++k)
      x[k] = u[k] + r * (z[k] + r * y[k]) +
             t * (u[k + 3] + r * (u[k + 2] + r * u[k + 1]) + t * (u[k + 6] + s * (u[k + 5] + s * u[k + 4])));
  }
  ASSAY_LOOP alternating_directions() {  // 8
    const auto step = [](Layers& to, int ky, int kx, T a1, T d1, T a2, T d2, T a3, T d3) {
      to[1][ky][kx] =
          to[0][ky][kx] + a1 * d1 + a2 * d2 + a3 * d3 + r * (to[0][ky][kx + 1] - 2 * to[0][ky][kx] + to[0][ky][kx - 1]);
    };
    for (int kx = 1; kx < 3; ++kx)
      for (int ky = 1; ky < 100 - less; ++ky) {
        const T d1 = u1[0][ky + 1][kx] - u1[0][ky - 1][kx], d2 = u2[0][ky + 1][kx] - u2[0][ky - 1][kx],
                d3 = u3[0][ky + 1][kx] - u3[0][ky - 1][kx];
        step(u1, ky, kx, r, d1, s, d2, t, d3);
        step(u2, ky, kx, s, d1, t, d2, r, d3);
        step(u3, ky, kx, t, d1, r, d2, s, d3);
      }
  }
  ASSAY_LOOP integrate_predictors() {  // 9
    for (int i = 0; i < 101 - less; ++i)
      px[i][0] = r * px[i][12] + s * px[i][11] + t * px[i][10] + r * px[i][9] + s * px[i][8] + t * px[i][7] +
                 r * px[i][6] + T(0.5) * (px[i][4] + px[i][5]) + px[i][2];
  }
  ASSAY_LOOP difference_predictors() {  // 10
    for (int i = 0; i < 101 - less; ++i) {
      T now = cx[i][4];
      for (int k = 4; k < 13; ++k) {
        const T next = now - px[i][k];
        px[i][k] = now;
        now = next;
      }
      px[i][13] = now;
    }
  }
  ASSAY_LOOP first_sum() {  // 11
    x[0] = y[0];
    for (int k = 1; k < 1001 - less; ++k) x[k] = x[k - 1] + y[k];
  }
  ASSAY_LOOP first_difference() {  // 12
    for (int k = 0; k < 1000 - less; ++k) x[k] = y[k + 1] - y[k];
  }
  ASSAY_LOOP particles_in_a_plane() {  // 13
    for (int i = 0; i < 64 - less; ++i) {
      const int i1 = static_cast<int>(p[i][0]) & 63, j1 = static_cast<int>(p[i][1]) & 63;
      p[i][2] += b[j1][i1];
      p[i][3] += c[j1][i1];
      p[i][0] += p[i][2];
      p[i][1] += p[i][3];
      int i2 = static_cast<int>(p[i][0]) & 63, j2 = static_cast<int>(p[i][1]) & 63;
      p[i][0] += y[i2 + 32];
      p[i][1] += z[j2 + 32];
      i2 += e[i2];
      j2 += f[j2];
      h[j2][i2] += 1;
    }
  }
  ASSAY_LOOP particles_on_a_line() {  // 14
    for (int k = 0; k < 1001 - less; ++k) {
      vx[k] = 0;
      xx[k] = 0;
      ix[k] = static_cast<int>(grd[k]);
      xi[k] = static_cast<T>(ix[k]);
      ex1[k] = ex[ix[k] - 1];
      dex1[k] = dex[ix[k] - 1];
    }
    for (int k = 0; k < 1001 - less; ++k) {
      vx[k] += ex1[k] + (xx[k] - xi[k]) * dex1[k];
      xx[k] += vx[k] + small;
      ir[k] = static_cast<int>(xx[k]);
      rx[k] = xx[k] - static_cast<T>(ir[k]);
      ir[k] = (ir[k] & 2047) + 1;
      xx[k] = rx[k] + static_cast<T>(ir[k]);
    }
    for (int k = 0; k < 1001 - less; ++k) {
      rh[ir[k] - 1] += 1 - rx[k];
      rh[ir[k]] += rx[k];
    }
  }
  ASSAY_LOOP casual_fortran() {  // 15
    for (int j = 1; j < 7; ++j)
      for (int k = 1; k < 101 - less; ++k) {
        if (j + 1 >= 7) {
          speed[j][k] = 0;
          continue;
        }
        T a = vh[j + 1][k] > vh[j][k] ? s : t, most, by;
        if (vf[j][k] < vf[j][k - 1]) {
          most = larger(vh[j][k - 1], vh[j + 1][k - 1]);
          by = vf[j][k - 1];
        } else {
          most = larger(vh[j][k], vh[j + 1][k]);
          by = vf[j][k];
        }
        speed[j][k] = std::sqrt(vg[j][k] * vg[j][k] + most * most) * a / by;
        if (k + 1 >= 101) {
          strain[j][k] = 0;
          continue;
        }
        if (vf[j][k] < vf[j - 1][k]) {
          most = larger(vg[j - 1][k], vg[j - 1][k + 1]);
          by = vf[j - 1][k];
          a = t;
        } else {
          most = larger(vg[j][k], vg[j][k + 1]);
          by = vf[j][k];
          a = s;
        }
        strain[j][k] = std::sqrt(vh[j][k] * vh[j][k] + most * most) * a / by;
      }
  }
  ASSAY_LOOP monte_carlo_search() {  // 16
    constexpr int n = 75, third = n / 3, both = 2 * third;
    visited = distant = 0;
    for (int m = 1;;) {
      const int at = 2 * n * (m - 1) + 1;
      bool next = false;
      for (int k = 1; k <= n - less && !next; ++k) {
        ++visited;
        const int here = at + 2 * k, j = zone[here - 1];
        T off;
        if (j < n) {
          off = plan[j - 1] - (j + both < n ? t : j + third < n ? s : r);
        } else if (j == n) {
          return;
        } else {
          ++distant;
          const T d3 = t - d[j - 3], d4 = s - d[j - 4], d5 = r - d[j - 5];
          off = d[j - 1] - (d[j - 2] * d3 * d3 + d4 * d4 + d5 * d5);
        }
        const int side = zone[here - 2];
        if (off == 0 || side == 0) return;
        next = (off < 0) != (side < 0);
      }
      if (!next) return;
      if (++m > zone[0]) return;  // back at the first group
    }
  }
  ASSAY_LOOP implicit_conditional() {  // 17
    T now = T(0.34375), e6 = T(0.328125);
    for (int i = 100; i != less; --i) {
      const T e3 = now * vlr[i] + vlin[i], before = vxne[i], most = T(1.625) * e3;
      vxnd[i] = e6;
      if (now > most || before > most) {
        e6 = now * vsp[i] + vstp[i];
        vxne[i] = e6;
        ve3[i] = e6;
      } else {
        ve3[i] = e3;
        e6 = e3 + e3 - now;
        vxne[i] = e3 + e3 - before;
      }
      now = e6;
    }
  }
  ASSAY_LOOP explicit_hydrodynamics() {  // 18
    constexpr int n = 100 - less;
    for (int k = 1; k < 6; ++k)
      for (int j = 1; j < n; ++j) {
        za[k][j] = (zp[k + 1][j - 1] + zq[k + 1][j - 1] - zp[k][j - 1] - zq[k][j - 1]) * (zr[k][j] + zr[k][j - 1]) /
                   (zm[k][j - 1] + zm[k + 1][j - 1]);
        zb[k][j] =
            (zp[k][j - 1] + zq[k][j - 1] - zp[k][j] - zq[k][j]) * (zr[k][j] + zr[k - 1][j]) / (zm[k][j] + zm[k][j - 1]);
      }
    const auto moved = [this](const Plane& of, int k, int j) {
      return small * (za[k][j] * (of[k][j] - of[k][j + 1]) - za[k][j - 1] * (of[k][j] - of[k][j - 1]) -
                      zb[k][j] * (of[k][j] - of[k - 1][j]) + zb[k + 1][j] * (of[k][j] - of[k + 1][j]));
    };
    for (int k = 1; k < 6; ++k)
      for (int j = 1; j < n; ++j) {
        zu[k][j] += moved(zz, k, j);
        zv[k][j] += moved(zr, k, j);
      }
    for (int k = 1; k < 6; ++k)
      for (int j = 1; j < n; ++j) {
        zr[k][j] += small * zu[k][j];
        zz[k][j] += small * zv[k][j];
      }
  }
  ASSAY_LOOP general_recurrence() {  // 19
    T carried = T(0.109375);
    const auto step = [&](int k) {
      b5[k] = sa[k] + carried * sb[k];
      carried = b5[k] - carried;
    };
    for (int k = 0; k < 101 - less; ++k) step(k);
    for (int k = 100; k >= less; --k) step(k);
  }
  ASSAY_LOOP discrete_ordinates() {  // 20
    for (int k = 0; k < 1000 - less; ++k) {
      const T under = y[k] - g[k] / (xx[k] + T(0.25));
      T n = T(0.1875);
      if (under != 0) n = larger(T(0.0625), smaller(T(0.5), z[k] / under));
      x[k] = ((w[k] + v[k] * n) * xx[k] + u[k]) / (vx[k] + v[k] * n);
      xx[k + 1] = (x[k] - xx[k]) * n + xx[k];
    }
  }
  ASSAY_LOOP matrix_product() {  // 21
    for (int k = 0; k < 25; ++k)
      for (int i = 0; i < 25; ++i)
        for (int j = 0; j < 101 - less; ++j) px[j][i] += vy[k][i] * cx[j][k];
  }
  ASSAY_LOOP planckian() {  // 22
    for (int k = 0; k < 101 - less; ++k) {
      y[k] = u[k] / v[k];
      w[k] = x[k] / (std::exp(y[k]) - 1);
    }
  }
  ASSAY_LOOP implicit_hydrodynamics() {  // 23
    for (int j = 1; j < 6; ++j)
      for (int k = 1; k < 100 - less; ++k) {
        const T sum = za[j + 1][k] * zr[j][k] + za[j - 1][k] * zb[j][k] + za[j][k + 1] * zu[j][k] +
                      za[j][k - 1] * zv[j][k] + zz[j][k];
        za[j][k] += T(0.171875) * (sum - za[j][k]);
      }
  }
  ASSAY_LOOP first_minimum() {  // 24
    int m = 0;
    for (int k = 1; k < 1001 - less; ++k)
      if (x[k] < x[m]) m = k;
    least = m;
  }
#undef ASSAY_LOOP

  using Loop = void (Loops::*)();
  static constexpr Loop all[loops] = {&Loops::hydro_fragment,
                                      &Loops::incomplete_cholesky,
                                      &Loops::inner_product,
                                      &Loops::banded_equations,
                                      &Loops::tridiagonal_elimination,
                                      &Loops::linear_recurrence,
                                      &Loops::equation_of_state,
                                      &Loops::alternating_directions,
                                      &Loops::integrate_predictors,
                                      &Loops::difference_predictors,
                                      &Loops::first_sum,
                                      &Loops::first_difference,
                                      &Loops::particles_in_a_plane,
                                      &Loops::particles_on_a_line,
                                      &Loops::casual_fortran,
                                      &Loops::monte_carlo_search,
                                      &Loops::implicit_conditional,
                                      &Loops::explicit_hydrodynamics,
                                      &Loops::general_recurrence,
                                      &Loops::discrete_ordinates,
                                      &Loops::matrix_product,
                                      &Loops::planckian,
                                      &Loops::implicit_hydrodynamics,
                                      &Loops::first_minimum};
};

template <class T>
void Loops<T>::run(int loop) {
  const Loop one = all[loop - 1];
  (this->*one)();
}

// Values from 0.125 to 0.625 of 20 binary digits: number `i` of the array `id`, the same for every type.
inline double first_value(std::uint64_t id, std::uint64_t i) {
  std::uint64_t state = id << 32 | i;
  return static_cast<double>((timing::random_bits(state) >> 45) + (1 << 17)) / (1 << 20);
}

template <class T>
void Loops<T>::restore() {
  std::uint64_t id = 0;
  const auto fill = [&](auto&... arrays) {
    const auto one = [&](auto& array) {
      T* const values = reinterpret_cast<T*>(&array);
      for (std::size_t i = 0; i < sizeof(array) / sizeof(T); ++i) values[i] = static_cast<T>(first_value(id, i));
      ++id;
    };
    (one(arrays), ...);
  };
  fill(x, y, z, u, v, w, g, xx, vx, grd, ex, dex, vsp, vstp, vxne, vlr, vlin, sa, sb, plan, d);
  fill(b, c, p, px, cx, vy, vh, vf, vg, u1, u2, u3, za, zp, zq, zr, zm, zb, zu, zv, zz);
  for (T& value : grd) value = 1 + 1024 * value;  // a cell: 129 to 641
  for (T& value : d) value = T(0.375) + value / 16;
  for (auto& particle : p)
    for (int i = 0; i < 2; ++i) particle[i] *= 64;
  x[1000] = T(0.0625);  // the least: loop 24 has to reach the end
  for (int i = 0; i < 64; ++i) {
    e[i] = first_value(42, static_cast<std::uint64_t>(i)) < 0.375;
    f[i] = first_value(43, static_cast<std::uint64_t>(i)) < 0.375;
  }
  for (int i = 0; i < 800;
       ++i) {  // even: which zone, never 75; odd: on which side, seldom the other, in the last group never
    const double value = first_value(44, static_cast<std::uint64_t>(i));
    const int which = 1 + static_cast<int>((value - 0.125) * 180);
    zone[i] = i % 2 ? (value < 0.140625 && i < 600 ? -1 : 1) : (which == 75 ? 76 : which);
  }
  zone[0] = 5;
  for (Line* line : {&vxnd, &ve3, &b5, &ex1, &dex1, &xi, &rx}) std::fill(*line, *line + length, T(0));
  std::fill(rh, rh + 2050, T(0));
  std::fill(&h[0][0], &h[0][0] + 65 * 65, T(0));
  std::fill(&speed[0][0], &speed[0][0] + 7 * plane, T(0));
  std::fill(&strain[0][0], &strain[0][0] + 7 * plane, T(0));
  std::fill(ix, ix + 1001, 0);
  std::fill(ir, ir + 1001, 0);
  q = 0;
  visited = distant = least = 0;
}

template <class T>
long double Loops<T>::checksum(int loop) const {
  const auto sum = [](const auto&... arrays) {  // weights from 1 to 7, so that what stands elsewhere is found
    long double all = 0;
    const auto one = [&](const auto& array) {
      const T* const values = reinterpret_cast<const T*>(&array);
      for (std::size_t i = 0; i < sizeof(array) / sizeof(T); ++i)
        all += static_cast<long double>(values[i]) * static_cast<long double>(1 + i % 7);
    };
    (one(arrays), ...);
    return all;
  };
  switch (loop) {
    case 3:
      return static_cast<long double>(q);
    case 6:
      return sum(w);
    case 8:
      return sum(u1, u2, u3);
    case 9:
    case 10:
    case 21:
      return sum(px);
    case 13:
      return sum(p, h);
    case 14:
      return sum(vx, xx, rh);
    case 15:
      return sum(speed, strain);
    case 16:
      return 1000.0L * visited + distant;
    case 17:
      return sum(vxne, vxnd, ve3);
    case 18:
      return sum(za, zb, zu, zv, zr, zz);
    case 19:
      return sum(b5);
    case 20:
      return sum(x, xx);
    case 22:
      return sum(y, w);
    case 23:
      return sum(za);
    case 24:
      return least;
    default:
      return sum(x);
  }
}

template <class T>
std::int64_t Loops<T>::flops(int loop) const {
  constexpr std::array<std::int64_t, loops> of = {5 * 1001,      4 * 97,      2 * 1001,     3 * (2 * 200 + 1),
                                                  2 * 1000,      2 * 2016,    16 * 995,     36 * 2 * 99,
                                                  17 * 101,      9 * 101,     1000,         1000,
                                                  7 * 64,        11 * 1001,   33 * 5 * 100, 0,
                                                  9 * 100,       44 * 5 * 99, 6 * 101,      26 * 1000,
                                                  2 * 625 * 101, 17 * 101,    11 * 5 * 99,  1000};
  return loop == 16 ? 2 * (visited - distant) + 11 * distant : of[static_cast<std::size_t>(loop - 1)];
}

extern template void Loops<double>::run(int loop);

}  // namespace assay::kernels
