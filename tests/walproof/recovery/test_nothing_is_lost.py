"""Real systems read at least as much from a recovered log as from the damaged one.

The newest log of a real database or node is damaged, and ``walproof recover`` copies the directory.
The real system then opens copies of the source and of the result. If it reads an item of the
undamaged log from the source, it must also read it from the result, or the result must have the
record in the file next to the log. The result keeps the damaged bytes, and the source does not
change.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.conftest import unavailable
from tests.real_files import read_journal
from tests.walproof.real_systems import BUILD, DRIVERS, Driver, python_with
from walproof.cli import walproof
from walproof.new_log import AFTER_LOSS

APPENDED_ZEROS = bytes(4096)

Open = Callable[[Path], Mapping[str, Any]]


def _flip_a_bit(data: bytes) -> bytes:
    at = len(data) // 3
    return data[:at] + bytes([data[at] ^ 8]) + data[at + 1 :] if data else data


DAMAGES: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "zeros": lambda data: bytes(len(data)),
    "torn at half": lambda data: data[: len(data) // 2],
    "torn before the last byte": lambda data: data[:-1],
    "zeros appended": lambda data: data + APPENDED_ZEROS,
    "last third zeros": lambda data: data[: len(data) - len(data) // 3] + bytes(len(data) // 3),
    "one bit": _flip_a_bit,
}


def items(open_with: Open, folder: Path, scratch: Path) -> dict[str, str]:
    """Return the items that the system reads from a copy of a folder; none if it refuses."""
    copy = scratch / "opened"
    shutil.copytree(folder, copy)
    answer = open_with(copy)
    shutil.rmtree(copy)
    return dict(answer.get("items", {}))


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def check(folder: Path, pattern: str, open_with: Open, scratch: Path) -> None:
    """Apply each kind of damage to the last file whose name matches the pattern, and recover it."""
    names = sorted(name for name in contents(folder) if re.fullmatch(pattern, name))
    true_items = items(open_with, folder, scratch).items()
    assert names and true_items
    for damage, change in DAMAGES.items():
        source, result = scratch / "source", scratch / "result"
        shutil.copytree(folder, source)
        (source / names[-1]).write_bytes(change((folder / names[-1]).read_bytes()))
        before = contents(source)
        done = CliRunner().invoke(walproof, ["recover", str(source), "--out", str(result)])
        assert done.exit_code in (0, 3, 4), (damage, done.output)
        assert contents(source) == before
        after = contents(result)
        for name, data in before.items():
            assert data in (after.get(name), after.get(f"{name}.damaged")), (damage, name)
        read = items(open_with, source, scratch).items() & true_items
        missing = read - items(open_with, result, scratch).items()
        beside = sum(data.count(b"\n") for name, data in after.items() if name.endswith(AFTER_LOSS))
        assert len(missing) <= beside, (damage, missing, done.output)
        shutil.rmtree(source)
        shutil.rmtree(result)


LOG = r"\d+\.log"


@pytest.mark.parametrize("variant", ["bytewise", "comparator"])
def test_leveldb(variant: str, scratch: Path) -> None:
    driver = Driver(python_with("plyvel", "1.5.1"), DRIVERS / "leveldb.py", variant)
    folder = scratch / f"leveldb-{variant}"
    assert "items" in driver.request("write", folder)
    check(folder, LOG, lambda copy: driver.request("open", copy), scratch)
    driver.stop()


@pytest.mark.parametrize("variant", ["plain", "recycled", "families"])
def test_rocksdb(variant: str, scratch: Path) -> None:
    driver = Driver(python_with("rocksdict", "0.3.29"), DRIVERS / "rocksdb.py")
    folder = scratch / f"rocksdb-{variant}"
    assert "items" in driver.request("write", folder, variant=variant)
    check(folder, LOG, lambda copy: driver.request("open", copy), scratch)
    driver.stop()


@pytest.fixture(scope="module")
def pebble(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    if shutil.which("go") is None:
        unavailable("unavailable, because go not found")
    program = tmp_path_factory.mktemp("pebble") / "pebble"
    settings = {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly -buildvcs=false"}
    done = subprocess.run(
        ["go", "build", "-p", "1", "-trimpath", "-o", str(program), "."],
        cwd=DRIVERS / "pebble",
        env=os.environ | settings | {"CGO_ENABLED": "0"},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        unavailable(f"unavailable, because pebble is not built: {done.stderr.decode()[-500:]}")
    driver = Driver(program)
    yield driver
    driver.stop()


@pytest.mark.parametrize("variant", ["closed", "killed"])
def test_pebble(variant: str, pebble: Driver, scratch: Path) -> None:
    folder = scratch / f"pebble-{variant}"
    assert "items" in pebble.request("write", folder, variant=variant)
    check(folder, LOG, lambda copy: pebble.request("open", copy), scratch)


def test_zmq_raft(scratch: Path) -> None:
    package = BUILD / "zmq-raft"
    if shutil.which("node") is None or not (package / "package.json").is_file():
        unavailable("unavailable, because zmq-raft is not built: make setup")
    driver = Driver("node", DRIVERS / "zmq_raft.cjs", package)
    folder = scratch / "zmq-raft"
    assert "items" in driver.request("write", folder)
    for pattern in (r"log/.*\.rlog", r"log/.*20\.rlog"):
        check(folder, pattern, lambda copy: driver.request("log", copy), scratch)
    driver.stop()


def test_systemd(scratch: Path) -> None:
    program = shutil.which("journalctl") or ""
    if not program:
        unavailable("unavailable, because journalctl not found")
    folder = scratch / "systemd"
    folder.mkdir()
    (folder / "system.journal").write_bytes(read_journal("v252-online-snapshot"))

    def entries(journals: Path) -> Mapping[str, Any]:
        words = [program, "--no-pager", "--utc", f"-D{journals}", "-ojson", "--all", "-q"]
        done = subprocess.run(words, capture_output=True, timeout=60, check=False)
        lines = map(json.loads, done.stdout.splitlines())
        return {"items": {line["__REALTIME_TIMESTAMP"]: str(line.get("MESSAGE")) for line in lines}}

    check(folder, r"system\.journal", entries, scratch)
