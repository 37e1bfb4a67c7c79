"""Users who follow the output lose no data, for each damage to each type of file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import unavailable
from tests.real_files import read_journal
from tests.walproof.decode.real_programs import LEVELDB, ROCKSDB, _python_with
from tests.walproof.real_systems import BUILD, DRIVERS, Driver
from tests.walproof.recovery.oracle import (
    Store,
    Tolerated,
    check_all,
)

MAX_SHOWN_FAILURES = 40
KAHADB_PROMISES = {
    "a broker that starts on .* replays the journal into a new one": "open",
    r"Move .*\.data.* before a broker starts": "rebuild",
}
EMPTY_LOG = "a database that was just opened has an empty log"
TABLES = "LevelDB, bytewise|RocksDB, plain|RocksDB, families|Pebble, .*"
BLOCKS = "blocks of tables and blobs are not read, and the output says so"
NO_CHECKSUM = "zmq-raft has no checksum over entries and snapshots"
BY_INDEX = "a broker reads messages through the index without checksums"
OLD_INDEX = "the index of a killed broker is older than the file; a prepared file is like this"
TOLERATED = (
    # Damage that nothing in the folder shows.
    Tolerated("LevelDB.*|RocksDB.*|Pebble, killed", "last log", ("empty",), EMPTY_LOG),
    Tolerated("RocksDB, (plain|families)", "last log", ("missing",), "a checkpoint has no log"),
    Tolerated(TABLES, ".*table|blob file", ("one bit",), BLOCKS),
    Tolerated("Zeebe", "conf", ("missing",), "a broker has the members in its settings, too"),
    Tolerated("Zeebe", "checksum", ("missing",), "a killed broker leaves an unfinished snapshot"),
    Tolerated("KahaDB, killed", "last log", ("missing", "empty", "zeros"), OLD_INDEX),
    Tolerated("zmq-raft", "snapshot", ("one bit", "last third zeros"), NO_CHECKSUM),
    Tolerated("zmq-raft", ".* index file", ("one bit",), NO_CHECKSUM),
    Tolerated("zmq-raft", "last index file", ("missing",), "no other file has the last index"),
    Tolerated("systemd", ".*", ("missing",), "journals have no list of files"),
    # Damage that the real system ignores, because it reads records with an invalid checksum.
    Tolerated("KahaDB, stopped", "last log", ("one bit",), BY_INDEX, "open"),
    Tolerated("KahaDB, scheduler", "(first|last) log", ("one bit",), BY_INDEX, "open"),
)


def check(store: Store, scratch: Path, half: int | None = None) -> None:
    """Check the combinations of a store; fail with a list of all violated rules."""
    work = scratch / f"{store.name}-work"
    work.mkdir()
    failures = check_all(store, work, TOLERATED, half)
    shown = "\n".join(failures[:MAX_SHOWN_FAILURES])
    assert not failures, f"{len(failures)} broken rules\n{shown}"


def choose(folder: Path, patterns: Mapping[str, str]) -> dict[str, str]:
    """Return the file of each role: the first match, or the last if the role is "last …"."""
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    names.sort(key=lambda name: [part.zfill(20) for part in re.split(r"(\d+)", name)])
    files = {}
    for role, pattern in patterns.items():
        matching = [name for name in names if re.fullmatch(pattern, name)]
        assert matching, f"no {role} ({pattern}) among {names}"
        files[role] = matching[-1 if role.startswith("last ") else 0]
    return files


TABLE, LOG, MANIFEST, OPTIONS = r"\d+\.(ldb|sst)", r"\d+\.log", r"MANIFEST-\d+", r"OPTIONS-\d+"
DATABASE = {"CURRENT": "CURRENT", "MANIFEST": MANIFEST, "last log": LOG}
TEXTS = {"LOCK": "LOCK", "LOG": "LOG"}


@pytest.mark.parametrize(
    ("variant", "more", "half"),
    [
        ("bytewise", {"last table": TABLE, **TEXTS, "older LOG": r"LOG\.old"}, 1),
        ("comparator", {}, 0),
    ],
    ids=["bytewise", "comparator"],
)
def test_leveldb(variant: str, more: Mapping[str, str], half: int, scratch: Path) -> None:
    driver = Driver(_python_with(*LEVELDB), DRIVERS / "leveldb.py", variant)
    folder = scratch / f"leveldb-{variant}"
    assert "items" in driver.request("write", folder)
    chosen = choose(folder, {**DATABASE, "first table": TABLE, **more})
    store = Store(f"LevelDB, {variant}", folder, chosen, ["open", "repair"], driver.request)
    check(store, scratch, half)
    driver.stop()


OF_ROCKSDB = {
    "plain": {
        "first table": TABLE,
        "last table": TABLE,
        "OPTIONS": OPTIONS,
        "IDENTITY": "IDENTITY",
        **TEXTS,
    },
    "recycled": {},
    "families": {"table": TABLE, "blob file": r"\d+\.blob", "last OPTIONS": OPTIONS},
}


@pytest.mark.parametrize(("variant", "half"), [("plain", 0), ("recycled", 1), ("families", 1)])
def test_rocksdb(variant: str, half: int, scratch: Path) -> None:
    driver = Driver(_python_with(*ROCKSDB), DRIVERS / "rocksdb.py")
    folder = scratch / f"rocksdb-{variant}"
    assert "items" in driver.request("write", folder, variant=variant)
    chosen = choose(folder, {**DATABASE, **OF_ROCKSDB[variant]})
    modes = ["open", "repair"]
    store = Store(f"RocksDB, {variant}", folder, chosen, modes, driver.request)
    check(store, scratch, half)
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


@pytest.mark.parametrize(("variant", "half"), [("closed", 0), ("killed", 1)])
def test_pebble(variant: str, half: int, pebble: Driver, scratch: Path) -> None:
    folder = scratch / f"pebble-{variant}"
    assert "items" in pebble.request("write", folder, variant=variant)
    patterns = {
        "MANIFEST": MANIFEST,
        "manifest marker": r"marker\.manifest\..*",
        "format marker": r"marker\.format-version\..*",
        "last log": LOG,
        "first table": TABLE,
        "last table": TABLE,
        "OPTIONS": OPTIONS,
        "LOCK": "LOCK",
    }
    chosen = choose(folder, patterns)
    store = Store(f"Pebble, {variant}", folder, chosen, ["open"], pebble.request)
    check(store, scratch, half)


DATA_FILE = r"db-\d+\.log"
OF_KAHADB = {"lock": "lock", "first log": DATA_FILE, "last log": DATA_FILE}


@pytest.mark.parametrize(("variant", "half"), [("stopped", 0), ("killed", 1), ("scheduler", 0)])
def test_kahadb(variant: str, half: int, kahadb: Driver, scratch: Path) -> None:
    folder = scratch / f"kahadb-{variant}"
    assert "items" in kahadb.request("write", folder, variant=variant)
    name = "scheduleDB" if variant == "scheduler" else "db"
    patterns = {**OF_KAHADB, "index": rf"{name}\.data", "redo": rf"{name}\.redo"}
    if variant != "killed":
        patterns["free"] = rf"{name}\.free"
    if variant == "stopped":
        patterns["middle log"] = r"db-[789]\.log"
    chosen = choose(folder, patterns)

    def open_with(mode: str, copy: Path) -> Mapping[str, Any]:
        return kahadb.request(mode, copy, variant=variant)

    modes = ["open", "repair", "rebuild"]
    store = Store(f"KahaDB, {variant}", folder, chosen, modes, open_with, promises=KAHADB_PROMISES)
    check(store, scratch, half)


def test_zeebe(zeebe: Driver, scratch: Path) -> None:
    folder = scratch / "zeebe"
    assert "items" in zeebe.request("write", folder)
    patterns = {
        "meta": r".*\.meta",
        "conf": r".*\.conf",
        "lock": r"\..*\.lock",
        "first segment": r".*-1\.log",
        "middle segment": r".*-2\.log",
        "last segment": r".*-4\.log",
        "prepared segment": r".*-5\.log",
        "snapshot": r"snapshots/.*\.sst",
        "checksum": r"snapshots/.*\.checksum",
    }
    promises = {r"a broker opens the journal only .*\.meta": "no-meta"}
    chosen, modes = choose(folder, patterns), ["open", "no-meta"]
    store = Store("Zeebe", folder, chosen, modes, zeebe.request, promises=promises)
    check(store, scratch)


def test_zmq_raft(scratch: Path) -> None:
    package = BUILD / "zmq-raft"
    if shutil.which("node") is None or not (package / "package.json").is_file():
        unavailable("unavailable, because zmq-raft is not built: make setup")
    driver = Driver("node", DRIVERS / "zmq_raft.cjs", package)
    folder = scratch / "zmq-raft"
    assert "items" in driver.request("write", folder)
    patterns = {
        "state": r"raft\.pers",
        "snapshot": "snap",
        "first index file": r"log/.*\.rlog",
        "middle index file": r"log/.*20\.rlog",
        "last index file": r"log/.*\.rlog",
    }
    chosen = choose(folder, patterns)
    check(Store("zmq-raft", folder, chosen, ["open", "log"], driver.request), scratch)
    driver.stop()


def _journalctl() -> list[str]:
    """Return the command of the newest journalctl that is built, or of the installed journalctl."""
    for root in sorted(BUILD.glob("systemd*/root"), reverse=True):
        for loader in root.glob("usr/lib/*/ld-linux*.so.*"):
            libraries = f"{loader.parent}:{loader.parent / 'systemd'}"
            return [str(loader), "--library-path", libraries, str(root / "usr/bin/journalctl")]
    if (installed := shutil.which("journalctl")) is None:
        unavailable("unavailable, because journalctl not found")
    return [installed]


def test_systemd(scratch: Path) -> None:
    command = [*_journalctl(), "--no-pager", "--utc"]
    folder = scratch / "systemd"
    folder.mkdir()
    archived = f"system@{'aa' * 16}-0000000000000001-00060a24181e4000.journal"
    (folder / archived).write_bytes(read_journal("v257-sealed"))
    (folder / "system.journal").write_bytes(read_journal("v252-online-snapshot"))

    def entries(_: str, journals: Path) -> Mapping[str, Any]:
        words = [*command, f"-D{journals}", "-ojson", "--all", "-q"]
        done = subprocess.run(words, capture_output=True, timeout=60, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        if not lines:
            return {"refused": "no entry"}
        return {"items": {line["__REALTIME_TIMESTAMP"]: str(line.get("MESSAGE")) for line in lines}}

    chosen = {"archived journal": archived, "active journal": "system.journal"}
    check(Store("systemd", folder, chosen, ["open"], entries), scratch, 0)
