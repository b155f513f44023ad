"""The CUDA way without a device: kernels compiled by NVRTC, host code before a driver that records its calls."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from compiled import compile_to
from devices_here import NATIVE, of, shim, start
from remarked import texts

ROOT = Path(__file__).resolve().parents[1]


def nvrtc() -> Path | None:
    """The folder of NVRTC's library: ASSAY_NVRTC, or where `./x test --nightly` installs it."""
    folder = Path(os.environ.get("ASSAY_NVRTC") or ROOT / "build" / "nvrtc" / "nvidia" / "cuda_nvrtc" / "lib")
    return folder if any(folder.glob("libnvrtc.so*")) else None


@pytest.mark.skipif(nvrtc() is None, reason="no NVRTC: ./x test --nightly installs it; or ASSAY_NVRTC=FOLDER")
def test_every_kernel_compiles_for_cuda(tmp_path: Path) -> None:
    program = compile_to(tmp_path / "kernels", NATIVE / "device_kernels.cpp", base="-O1")
    environment = os.environ | {"LD_LIBRARY_PATH": str(nvrtc())}
    done = subprocess.run([program], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (0, "58 kernels\n")
    wrong = subprocess.run([program, "wrong"], capture_output=True, text=True, env=environment)
    assert wrong.returncode == 1 and wrong.stdout.startswith("cuda: kernel stream_write does not compile: ")
    assert 'identifier "undeclared" is undefined' in wrong.stdout and wrong.stdout.count("\n") == 1


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shim(tmp_path_factory.mktemp("driver"), "cuda_shim", "libcuda.so.1", "libnvrtc.so.13")


def on_shim(
    name: str, driver: Path, tmp_path: Path, *settings: str, fault: str = ""
) -> tuple[int, list[dict[str, object]], str, list[str]]:
    calls = tmp_path / "calls"
    environment = {"LD_LIBRARY_PATH": str(driver), "ASSAY_SHIM_CALLS": str(calls), "ASSAY_SHIM": fault}
    status, lines, said = start(name, ("device=cuda", *settings), tmp_path, environment=environment)
    return status, lines, said, calls.read_text().splitlines() if calls.exists() else []


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("launch", ("mode=waited,queued",)),
        ("latency", ("bytes=16384",)),
        ("copy", ("bytes=4099", "direction=in,out,both", "memory=pinned,pageable")),
    ],
)
def test_host_code_meets_a_driver_that_records(
    name: str, settings: tuple[str, ...], driver: Path, tmp_path: Path
) -> None:
    status, lines, said, calls = on_shim(name, driver, tmp_path, *settings)
    assert status == 0, said
    checks = of(lines, "check")
    assert checks and all(each["passed"] for each in checks)
    assert {each["case"]["device"] for each in checks} == {"cuda:0", "cuda:1"}  # type: ignore[index]
    assert {each["case"]["on"] for each in checks} == {"GPU"}  # type: ignore[index]
    assert calls[0] == "cuInit" and calls.count("cuDevicePrimaryCtxRetain 0") == 1
    assert calls.count("cuStreamCreate 1") == 4  # two queues of each device, which wait for no default stream
    assert sum(call.startswith("cuMemAlloc ") for call in calls) == calls.count("cuMemFree")
    assert sum(call.startswith("cuMemHostAlloc ") for call in calls) == calls.count("cuMemFreeHost")
    if name != "copy":
        assert "--gpu-architecture=compute_90 2" in calls and calls.count("cuModuleLoadData") == calls.count(
            "cuModuleUnload"
        )
        launched = calls.index("cuLaunchKernel 1")
        assert calls.index("cuModuleLoadData") < launched < len(calls) - calls[::-1].index("cuStreamSynchronize")


def test_two_devices_take_turns_each_in_its_own_context(driver: Path, tmp_path: Path) -> None:
    """Blocks of both are shuffled; the driver refuses streams and events of a context that is not the current one."""
    status, lines, said, calls = on_shim("launch", driver, tmp_path, "mode=waited,queued")
    assert status == 0, said
    order = [block["case"]["device"] for block in of(lines, "block") if block["metric"] == "timer"]  # type: ignore[index]
    assert len(order) == 8 and order != sorted(order)
    assert calls.count("cuEventElapsedTime") >= len(order)


@pytest.fixture(scope="module")
def cublas(driver: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = shim(tmp_path_factory.mktemp("cublas"), "cublas_shim", "libcublas.so.13")
    for each in driver.iterdir():
        (folder / each.name).symlink_to(each)
    return folder


TYPES = ("float64", "float32", "tf32", "bfloat16", "float16", "int8")
PRODUCTS = ("code=library", f"type={','.join(TYPES)}", "n=64,128")


def test_products_are_what_cublas_is_asked_for(cublas: Path, tmp_path: Path) -> None:
    """The shim multiplies columns of all types as the manual says, by a handle of each device: both checks pass."""
    status, lines, said, _ = on_shim("gemm", cublas, tmp_path, *PRODUCTS)
    assert status == 0, said
    checks = of(lines, "check")
    cases = {(each["case"]["device"], each["case"]["type"], each["case"]["n"]) for each in checks}  # type: ignore[index]
    assert cases == {(f"cuda:{at}", kind, n) for at in (0, 1) for kind in TYPES for n in (64, 128)}
    assert len(checks) == 2 * len(cases) and all(each["passed"] for each in checks)
    errors = [value for line in of(lines, "block") if line["metric"] == "error" for value in line["values"]]  # type: ignore[attr-defined]
    assert len(errors) == len(cases) and all(0 <= error < 1 for error in errors) and any(errors)


def test_a_wrong_product_of_cublas_fails_its_checks(cublas: Path, tmp_path: Path) -> None:
    status, lines, said, _ = on_shim("gemm", cublas, tmp_path, *PRODUCTS, fault="one-wrong")
    assert status == 1 and "row sums wrong" in said
    assert not any(each["passed"] for each in of(lines, "check") if "row sums" in str(each["detail"]))


def test_what_cublas_does_not_multiply_is_left_out(cublas: Path, tmp_path: Path) -> None:
    status, lines, _, _ = on_shim("gemm", cublas, tmp_path, *PRODUCTS, fault="no-types")
    assert status == 0 and not of(lines, "block")
    assert {each["text"] for each in of(lines, "skip")} == {
        f"cuda:{at}: cuBLAS multiplies no matrices of this type on it" for at in (0, 1)
    }


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("breaks", "device-gemm: cuda:0 (Shim 0): cublasGemmEx: CUBLAS_STATUS_EXECUTION_FAILED (13)"),
        ("hangs-product", "cuda:0 (Shim 0): a product by the library: timed out after 5 s"),
    ],
)
def test_a_fault_of_cublas_names_device_and_call(
    fault: str, message: str, cublas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DEVICE_WITHIN", "0.5")  # a library has ten times as long
    status, _, said, _ = on_shim("gemm", cublas, tmp_path, "code=library", "type=float64", "n=64", fault=fault)
    assert status == 1 and said.splitlines() == [message]


@pytest.mark.parametrize("fault", ["hangs-launch", "hangs-copy"])
def test_a_call_that_does_not_return_ends_the_launch(
    fault: str, driver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DEVICE_WITHIN", "2")
    status, _, said, _ = on_shim("launch", driver, tmp_path, "mode=waited", fault=fault)
    assert status == 1
    assert said.splitlines() == ["cuda:0 (Shim 0): waiting for what was queued: timed out after 2 s"]


@pytest.fixture(scope="module")
def float8(driver: Path) -> Path:
    return shim(driver, "cublas_lt_shim", "libcublasLt.so.13")


FLOAT8 = ("code=library", "type=float8", "n=64,192")


def test_float8_products_are_what_cublas_lt_is_asked_for(float8: Path, tmp_path: Path) -> None:
    """The shim multiplies as the library's manual says, on numbers that it decodes by itself: both checks pass."""
    status, lines, said, calls = on_shim("gemm", float8, tmp_path, *FLOAT8)
    assert status == 0, said
    checks = of(lines, "check")
    assert len(checks) == 8 and all(each["passed"] for each in checks)  # two devices, two sizes, two checks
    errors = [value for line in of(lines, "block") if line["metric"] == "error" for value in line["values"]]  # type: ignore[attr-defined]
    assert errors and all(0 < error < 1 for error in errors)
    assert "nvrtcCreateProgram" not in calls and calls.count("cuMemAlloc 4096") >= 4  # the workspace of each plan


def test_a_wrong_float8_product_fails_its_checks(float8: Path, tmp_path: Path) -> None:
    status, lines, said, _ = on_shim("gemm", float8, tmp_path, *FLOAT8, fault="one-wrong")
    assert status == 1 and "row sums wrong" in said
    assert not any(each["passed"] for each in of(lines, "check") if "row sums" in str(each["detail"]))


@pytest.mark.parametrize(
    ("fault", "words"),
    [("no-float8", "cuBLASLt multiplies no matrices of this type on it"), ("", "no cuBLASLt: libcublasLt.so")],
)
def test_what_multiplies_no_float8_is_named(
    fault: str, words: str, driver: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = (
        request.getfixturevalue("float8") if fault else shim(tmp_path, "cuda_shim", "libcuda.so.1", "libnvrtc.so.13")
    )
    status, lines, _, _ = on_shim("gemm", folder, tmp_path, *FLOAT8, fault=fault)
    assert status == 0 and not of(lines, "block")
    assert all(words in text for text in texts(lines) if text.startswith("left out"))
    assert any(words in text for text in texts(lines))
    status, lines, _, _ = on_shim("gemm", folder, tmp_path, "code=ours", "type=float8", "n=64", fault=fault)
    assert any("no product of float8 by our own kernel" in text for text in texts(lines))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("memory", "cuda:0 (Shim 0): memory of 8 bytes: CUDA_ERROR_OUT_OF_MEMORY (2)"),
        ("gone", "cuda:0 (Shim 0): waiting for what was queued: CUDA_ERROR_LAUNCH_FAILED (719)"),
        (
            "build",
            "cuda:0 (Shim 0): kernel count does not compile: NVRTC_ERROR_COMPILATION: count.cu(3): error: nothing fits",
        ),
        (
            "newer-code",
            "cuda:0 (Shim 0): kernel count: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): NVRTC is newer than the driver "
            "(CUDA 12.4); install one of its version",
        ),
    ],
)
def test_each_fault_of_the_driver_is_one_clear_line(fault: str, message: str, driver: Path, tmp_path: Path) -> None:
    status, lines, said, _ = on_shim("launch", driver, tmp_path, fault=fault)
    assert status == 1 and said.splitlines() == [f"device-launch: {message}"] and not of(lines, "block")


def test_a_driver_without_a_device_is_said(driver: Path, tmp_path: Path) -> None:
    status, lines, _, _ = on_shim("launch", driver, tmp_path, fault="no-device")
    (note,) = texts(lines)
    assert status == 0 and note == "left out: CUDA finds no device: CUDA_ERROR_NO_DEVICE (100)"


HALVES = r"""
#include <cstdio>
#include "devices/numbers.hpp"
using namespace assay::devices;
int main() {
  for (int bits = 0; bits < 65536; ++bits) std::printf("%.17g ", of_half(static_cast<std::uint16_t>(bits)));
  std::puts("");
  std::vector<char> to(2);
  for (int bits = 0; bits < 256; ++bits) std::printf("%.17g ", of_e4m3(static_cast<std::uint8_t>(bits)));
  for (int at = -4000; at <= 4000; ++at) {
    const double value = std::ldexp(at, at % 19 - 14), eighth = put(to, Element::float8, 0, value);
    std::printf("%.17g %.17g %.17g ", value, eighth, get(to, Element::float8, 0));
  }
  std::puts("");
  for (int at = -3000; at <= 3000; ++at) {
    const double value = at / 1024.0 * (1 + at % 7);
    const double half = put(to, Element::float16, 0, value), brain = put(to, Element::bfloat16, 0, value);
    std::printf("%.17g %.17g %.17g ", value, half, brain);
  }
}
"""


def are_e4m3(found: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    """Each code's value by the definition; each number is the nearest value, of two the one whose last bit is 0."""
    codes = np.arange(256)
    power, fraction = codes // 8 % 16, codes % 8 / 8
    sizes = np.where(power == 0, fraction * 2.0**-6, (1 + fraction) * 2.0 ** (power - 7))
    values = np.where(codes < 128, sizes, -sizes)
    values[codes % 128 == 127] = np.nan
    assert np.array_equal(found[:256], values, equal_nan=True)
    finite = [code for code in range(128) if code != 127]
    for value, rounded, back in found[256:].reshape(-1, 3):
        assert rounded == back
        away = np.abs(sizes[finite] - abs(value))
        nearest = [code for code in finite if away[code] == away.min()]
        (even,) = [code for code in nearest if len(nearest) == 1 or code % 2 == 0]
        assert abs(rounded) == sizes[even] and (rounded == 0 or (rounded > 0) == (value > 0))


def test_small_floats_are_those_of_ieee_754(tmp_path: Path) -> None:
    source = tmp_path / "halves.cpp"
    source.write_text(HALVES)
    program = compile_to(tmp_path / "halves", source, "-O1")
    first, eighths, second = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split("\n")
    are_e4m3(np.array([float(each) for each in eighths.split()]))
    found = np.array([float(each) for each in first.split()])
    halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
    assert np.array_equal(found, halves, equal_nan=True)
    value, half, brain = np.array([float(each) for each in second.split()]).reshape(-1, 3).T
    normal = np.abs(value) >= 2.0**-14
    assert np.array_equal(half[normal], value.astype(np.float16).astype(np.float64)[normal])
    bits = value.astype(np.float32).view(np.uint32)
    upper = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    assert np.array_equal(brain, upper.astype(np.float64))
