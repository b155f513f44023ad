"""The Livermore loops evaluated a second time, from the formulas, in NumPy's long double: a checksum for each loop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

WORD = (1 << 64) - 1
L = np.longdouble
LINES = ["x", "y", "z", "u", "v", "w", "g", "xx", "vx", "grd", "ex", "dex"]
LINES += ["vsp", "vstp", "vxne", "vlr", "vlin", "sa", "sb", "plan", "d"]
TABLES = {"b": (64, 64), "c": (64, 64), "p": (64, 4)}
TABLES |= dict.fromkeys(("px", "cx", "vy"), (101, 25)) | dict.fromkeys(("vh", "vf", "vg"), (7, 102))
TABLES |= dict.fromkeys(("u1", "u2", "u3"), (2, 101, 5))
TABLES |= dict.fromkeys(("za", "zp", "zq", "zr", "zm", "zb", "zu", "zv", "zz"), (7, 102))


def _first(identity: int, i: int) -> float:
    bits = ((identity << 32 | i) + 0x9E3779B97F4A7C15) & WORD
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & WORD
    return (((bits ^ (bits >> 31)) >> 45) + 2**17) / 2**20


def _arrays() -> dict[str, Any]:
    shapes = {**dict.fromkeys(LINES, (1200,)), **TABLES}
    made = {
        name: np.array([_first(k, i) for i in range(math.prod(shape))], dtype=L).reshape(shape)
        for k, (name, shape) in enumerate(shapes.items())
    }
    made["grd"] = 1 + 1024 * made["grd"]
    made["d"] = L(0.375) + made["d"] / 16
    made["p"][:, :2] *= 64
    made["x"][1000] = 0.0625
    return made


def _sum(*arrays: Any) -> Any:
    return sum(np.sum(a.ravel() * (1 + np.arange(a.size) % 7)) for a in arrays)


def checksums() -> list[Any]:
    """The 24 checksums."""
    return [globals()[f"_loop{number}"](**_arrays()) for number in range(1, 25)]


R, S, T, SMALL = L(0.0625), L(0.09375), L(0.078125), L(0.0078125)


def _loop1(x, y, z, **_):
    x[:1001] = L(0.5) + y[:1001] * (R * z[10:1011] + T * z[11:1012])
    return _sum(x)


def _loop2(x, v, **_):
    begin, length = 0, 101
    while length > 0:
        for place, k in enumerate(range(begin + 1, begin + length, 2)):
            x[begin + length + place] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1]
        begin, length = begin + length, length // 2
    return _sum(x)


def _loop3(x, z, **_):
    return np.dot(x[:1001], z[:1001])


def _loop4(x, y, **_):
    for k in (6, 503, 1000):
        x[k - 1] = y[4] * (x[k - 1] - np.dot(x[k - 6 : k + 194], y[4:1001:5]))
    return _sum(x)


def _loop5(x, y, z, **_):
    for i in range(1, 1001):
        x[i] = z[i] * (y[i] - x[i - 1])
    return _sum(x)


def _loop6(w, b, **_):
    for i in range(1, 64):
        w[i] = SMALL + np.dot(b[:i, i], w[:i][::-1])
    return _sum(w)


def _loop7(x, y, z, u, **_):
    n = 995
    inner = u[6 : n + 6] + S * (u[5 : n + 5] + S * u[4 : n + 4])
    x[:n] = u[:n] + R * (z[:n] + R * y[:n]) + T * (u[3 : n + 3] + R * (u[2 : n + 2] + R * u[1 : n + 1]) + T * inner)
    return _sum(x)


def _loop8(u1, u2, u3, **_):
    inside = slice(1, 100)
    for kx in (1, 2):
        slopes = [u[0, 2:101, kx] - u[0, :99, kx] for u in (u1, u2, u3)]
        for u, factors in ((u1, (R, S, T)), (u2, (S, T, R)), (u3, (T, R, S))):
            curve = u[0, inside, kx + 1] - 2 * u[0, inside, kx] + u[0, inside, kx - 1]
            u[1, inside, kx] = u[0, inside, kx] + sum(a * d for a, d in zip(factors, slopes, strict=True)) + R * curve
    return _sum(u1, u2, u3)


def _loop9(px, **_):
    factors = {12: R, 11: S, 10: T, 9: R, 8: S, 7: T, 6: R, 4: L(0.5), 5: L(0.5), 2: L(1)}
    px[:, 0] = sum(factor * px[:, k] for k, factor in factors.items())
    return _sum(px)


def _loop10(px, cx, **_):
    now = cx[:, 4].copy()
    for k in range(4, 13):
        px[:, k], now = now, now - px[:, k]
    px[:, 13] = now
    return _sum(px)


def _loop11(x, y, **_):
    x[:1001] = np.cumsum(y[:1001])
    return _sum(x)


def _loop12(x, y, **_):
    x[:1000] = np.diff(y[:1001])
    return _sum(x)


def _loop13(p, b, c, y, z, **_):
    h = np.zeros((65, 65), dtype=L)
    for particle in p:
        i, j = int(particle[0]) % 64, int(particle[1]) % 64
        particle[2:] += b[j, i], c[j, i]
        particle[:2] += particle[2:]
        i, j = int(particle[0]) % 64, int(particle[1]) % 64
        particle[:2] += y[i + 32], z[j + 32]
        h[j + (_first(43, j) < 0.375), i + (_first(42, i) < 0.375)] += 1
    return _sum(p, h)


def _loop14(grd, ex, dex, vx, xx, **_):
    rh = np.zeros(2050, dtype=L)
    for k in range(1001):
        cell = int(grd[k])
        vx[k] = ex[cell - 1] - cell * dex[cell - 1]
        place = vx[k] + SMALL
        whole = int(place)  # towards zero
        rest, at = place - whole, whole % 2048 + 1
        xx[k] = rest + at
        rh[at - 1] += 1 - rest
        rh[at] += rest
    return _sum(vx, xx, rh)


def _loop15(vh, vf, vg, **_):
    speed, strain = np.zeros((7, 102), dtype=L), np.zeros((7, 102), dtype=L)
    for j in range(1, 6):
        for k in range(1, 101):
            at = k - 1 if vf[j, k] < vf[j, k - 1] else k
            factor = S if vh[j + 1, k] > vh[j, k] else T
            speed[j, k] = np.hypot(vg[j, k], max(vh[j, at], vh[j + 1, at])) * factor / vf[j, at]
            if k < 100:
                row, factor = (j - 1, T) if vf[j, k] < vf[j - 1, k] else (j, S)
                strain[j, k] = np.hypot(vh[j, k], max(vg[row, k], vg[row, k + 1])) * factor / vf[row, k]
    return _sum(speed, strain)


def _loop16(plan, d, **_):
    def zone(i: int) -> int:
        value = _first(44, i)
        if i % 2:
            return -1 if value < 0.140625 and i < 600 else 1
        which = 1 + int((value - 0.125) * 180)
        return 76 if which == 75 else which

    visited = distant = 0
    for group in range(5):
        for k in range(1, 76):
            visited += 1
            here = 150 * group + 1 + 2 * k
            j, side = zone(here - 1), zone(here - 2)
            if j < 75:
                off = plan[j - 1] - (T if j < 25 else S if j < 50 else R)
            else:
                distant += 1
                off = d[j - 1] - (d[j - 2] * (T - d[j - 3]) ** 2 + (S - d[j - 4]) ** 2 + (R - d[j - 5]) ** 2)
            if (off < 0) != (side < 0):
                break
        else:
            break
    return 1000 * visited + distant


def _loop17(vsp, vstp, vxne, vlr, vlin, **_):
    vxnd, ve3 = np.zeros(1200, dtype=L), np.zeros(1200, dtype=L)
    now, e6 = L(0.34375), L(0.328125)
    for i in range(100, 0, -1):
        e3 = now * vlr[i] + vlin[i]
        vxnd[i] = e6
        if max(now, vxne[i]) > L(1.625) * e3:
            e6 = vxne[i] = ve3[i] = now * vsp[i] + vstp[i]
        else:
            ve3[i], e6, vxne[i] = e3, 2 * e3 - now, 2 * e3 - vxne[i]
        now = e6
    return _sum(vxne, vxnd, ve3)


def _loop18(za, zb, zp, zq, zr, zm, zu, zv, zz, **_):
    k, j = slice(1, 6), slice(1, 100)
    above, below, left, right = slice(2, 7), slice(0, 5), slice(0, 99), slice(2, 101)
    both = zp + zq
    za[k, j] = (both[above, left] - both[k, left]) * (zr[k, j] + zr[k, left]) / (zm[k, left] + zm[above, left])
    zb[k, j] = (both[k, left] - both[k, j]) * (zr[k, j] + zr[below, j]) / (zm[k, j] + zm[k, left])
    for to, of in ((zu, zz), (zv, zr)):
        here = of[k, j]
        to[k, j] += SMALL * (
            za[k, j] * (here - of[k, right])
            - za[k, left] * (here - of[k, left])
            - zb[k, j] * (here - of[below, j])
            + zb[above, j] * (here - of[above, j])
        )
    zr[k, j] += SMALL * zu[k, j]
    zz[k, j] += SMALL * zv[k, j]
    return _sum(za, zb, zu, zv, zr, zz)


def _loop19(sa, sb, **_):
    b5, carried = np.zeros(1200, dtype=L), L(0.109375)
    for k in [*range(101), *reversed(range(101))]:
        b5[k] = sa[k] + carried * sb[k]
        carried = b5[k] - carried
    return _sum(b5)


def _loop20(x, y, z, u, v, w, g, xx, vx, **_):
    for k in range(1000):
        under = y[k] - g[k] / (xx[k] + L(0.25))
        n = np.clip(z[k] / under, L(0.0625), L(0.5)) if under else L(0.1875)
        x[k] = ((w[k] + v[k] * n) * xx[k] + u[k]) / (vx[k] + v[k] * n)
        xx[k + 1] = (x[k] - xx[k]) * n + xx[k]
    return _sum(x, xx)


def _loop21(px, cx, vy, **_):
    px += cx @ vy[:25]
    return _sum(px)


def _loop22(x, y, u, v, w, **_):
    y[:101] = u[:101] / v[:101]
    w[:101] = x[:101] / np.expm1(y[:101])
    return _sum(y, w)


def _loop23(za, zb, zr, zu, zv, zz, **_):
    for j in range(1, 6):
        for k in range(1, 100):
            around = za[j + 1, k] * zr[j, k] + za[j - 1, k] * zb[j, k]
            around += za[j, k + 1] * zu[j, k] + za[j, k - 1] * zv[j, k] + zz[j, k]
            za[j, k] += L(0.171875) * (around - za[j, k])
    return _sum(za)


def _loop24(x, **_):
    return int(np.argmin(x[:1001]))
