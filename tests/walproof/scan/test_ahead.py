"""Kernels compiled ahead of time: without numba every scanner gives the reference's answers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conformance import ROOT
from walproof.scan import ahead
from walproof.scan.ahead import build

pytest.importorskip("numba")
pytestmark = pytest.mark.xdist_group("ahead")  # the library is compiled once
SECONDS = 900


@pytest.fixture(scope="module")
def library() -> Path:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    try:
        return build.build(build.BUILD / "kernels")
    except build.CannotBuild as error:
        pytest.skip(str(error))


def without_numba(
    code: str, *arguments: str, packages: Path = ROOT, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run code in a process that cannot import numba, with the kernels of the library."""
    hidden = "import sys; sys.modules.update(numba=None, llvmlite=None)\n"
    environment = os.environ | {"PYTHONPATH": str(packages), ahead.VARIABLE: ahead.LIBRARY}
    return subprocess.run(
        [sys.executable, "-c", hidden + code, *arguments],
        cwd=cwd, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip


def test_every_scanner_agrees_on_every_vector_and_under_random_damage(library: Path) -> None:
    """The tests of the scanners themselves, once more: whole, in parts, in tiny windows.

    Those of compiling, and of a search that carving alone makes, need numba.
    """
    names = [path.name for path in Path(__file__).parent.glob("test_*.py")]
    files = [f"tests/walproof/scan/{one}" for one in names if one != Path(__file__).name]
    done = without_numba(
        "import pytest; sys.exit(pytest.main(['-p', 'no:cacheprovider', *sys.argv[1:]]))",
        *(one for one in files if "anywhere" not in one and "compiled" not in one),
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) > 80, done.stdout[-2000:]


def test_it_asks_nothing_of_a_libc_by_version(library: Path) -> None:
    """So that it loads beside any: glibc or musl."""
    if shutil.which("readelf") is None:
        pytest.skip("no readelf")
    said = subprocess.check_output(["readelf", "--dynamic", "--dyn-syms", "-W", library], text=True)
    assert "NEEDED" not in said and "TEXTREL" not in said
    missing = {line.split()[-1] for line in said.splitlines() if " UND " in line}
    assert missing - {"UND"} <= {"free", "malloc", "memcpy", "memmove", "memset", "realloc"}


def test_what_kernels_return_is_given_back(library: Path) -> None:
    """A hundred thousand calls that return an array of a kilobyte leave no memory behind."""
    done = without_numba(
        "import numpy as np, resource\n"
        "from walproof.scan.systemd_journal.disjoint import disjoint\n"
        "faults = np.stack([np.arange(40) * 10, np.arange(40) * 10 + 15], 1).astype(np.int64)\n"
        "found, count = disjoint(faults, 1000)\n"
        "assert found[:count].tolist()[:2] == [[0, 0, 15], [1, 15, 25]], found[:count]\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\n"
        "for _ in range(100_000): disjoint(faults, 1000)\n"
        "print(peak() - before)\n"
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 16_384  # KiB; what was lost would be 200 MiB


IMPORTS = """
import numpy as np
from walproof.scan.ahead.calls import bound
from walproof.scan.leveldb_log.kernel import all_zero
"""


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("all_zero(np.zeros(9, np.int8), 0, 9)", "a contiguous array of uint8"),
        ("all_zero(np.zeros(18, np.uint8)[::2], 0, 9)", "a contiguous array of uint8"),
        ("all_zero(np.zeros((3, 3), np.uint8), 0, 9)", "a contiguous array of uint8"),
        ("all_zero(b'', 0, 0)", "a contiguous array of uint8"),
        ("all_zero(np.zeros(9, np.uint8), 0)", "takes 3 arguments, not 2"),
        ("bound(all_zero, np.zeros(9, np.uint8))(0)", "takes 2 arguments, not 1"),
        ("bound(all_zero, np.zeros(9, np.int8))", "a contiguous array of uint8"),
    ],
)
def test_arguments_are_checked(library: Path, call: str, what: str) -> None:
    done = without_numba(IMPORTS + call)
    assert "TypeError" in done.stderr and what in done.stderr


def test_a_kernel_is_told_its_first_arguments_once(library: Path) -> None:
    """Whose memory is held until it is no longer needed."""
    code = IMPORTS + (
        "asked = bound(all_zero, np.array([0, 0, 1, 0], np.uint8))\n"
        "print(asked(0, 2), asked(0, 3), asked(3, 4))\n"
    )
    done = without_numba(code)
    assert done.stdout.split() == ["True", "False", "True"], done.stderr


def test_kernels_that_are_not_there_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ahead.VARIABLE, "fortran")
    with pytest.raises(ahead.NoSuchKernels, match="fortran"):
        ahead.kernels()
    monkeypatch.setenv(ahead.VARIABLE, ahead.LIBRARY)
    monkeypatch.setattr(ahead, "library", lambda: None)
    with pytest.raises(ahead.NoSuchKernels):
        ahead.kernels()
    monkeypatch.delenv(ahead.VARIABLE)
    assert ahead.kernels() == ahead.NUMBA


def test_a_library_of_other_sources_is_not_taken(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "BESIDE", tmp_path)
    monkeypatch.setattr(ahead, "BUILD", tmp_path)
    ahead.library.cache_clear()
    try:
        shutil.copy(library, tmp_path / library.name.replace(ahead.digest(), "0" * 16))
        assert ahead.library() is None
        ahead.library.cache_clear()
        shutil.copy(library, tmp_path / library.name)
        assert ahead.library() == tmp_path / library.name
    finally:
        ahead.library.cache_clear()


def test_a_wheel_carries_it(library: Path, tmp_path: Path) -> None:
    """Out of the wheel the same log is read, by the library of the wheel."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--wheel-dir", str(tmp_path), str(ROOT)],
        check=True, env=os.environ | {"WALPROOF_WHEEL_KERNELS": str(library)},
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    machine = library.stem.rpartition("-")[2]
    assert wheel.name.endswith(f"-py3-none-manylinux2014_{machine}.musllinux_1_1_{machine}.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "packages")
    log = ROOT / "vectors" / "leveldb-log" / "three-records.log"
    done = without_numba(
        "from walproof.scan.ahead import library; print(library())\n"
        "from walproof.cli import main; main()",
        "read", "--fast", str(log),
        packages=tmp_path / "packages", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "packages") in done.stdout
