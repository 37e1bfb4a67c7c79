"""The adapter kit for Rust: its own tests, and its users."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance import BUILD, ROOT
from conformance.registry import FOLDER
from tests.conftest import unavailable

pytestmark = pytest.mark.slow

KIT = ROOT / "conformance" / "adapterkit" / "rust"
SECONDS = 600


def cargo(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["cargo", *arguments],
        cwd=copy,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.fixture(scope="module")
def copy() -> Path:
    """Return a copy of the kit, so that no Cargo.lock appears in the repository."""
    if not shutil.which("cargo"):
        unavailable("unavailable, because cargo not found")
    folder = BUILD / "adapterkit-rust"
    for name in ("src", "examples", "tests"):
        shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(KIT, folder, dirs_exist_ok=True)
    if any(cargo(folder, "fetch", *offline).returncode == 0 for offline in (["--offline"], [])):
        return folder
    unavailable("unavailable, because the crates could not be fetched")
    raise AssertionError


def test_its_own_tests_pass(copy):
    done = cargo(copy, "test", "--offline", "--jobs", "2")
    assert done.returncode == 0, done.stdout
    passed = [int(number) for number in re.findall(r"test result: ok\. (\d+) passed", done.stdout)]
    tests = (KIT / "tests" / "protocol.rs").read_text().count("#[test]")
    assert sum(passed) == tests > 10


def test_the_kit_catches_no_panic():
    sources = "".join(path.read_text() for path in (KIT / "src").glob("*.rs"))
    assert "catch_unwind" not in sources


def test_every_adapter_in_rust_uses_it():
    crates = [path.parents[1] for path in FOLDER.glob("*/src/main.rs")]
    assert len(crates) >= 3
    for crate in crates:
        assert "adapterkit::run(" in (crate / "src" / "main.rs").read_text(), crate.name
        assert "adapterkit/rust/crate.sh" in (crate / "build.sh").read_text(), crate.name
