"""Kernels that were kept do what those that were just compiled do, and numba is not imported."""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

pytest.importorskip("numba")

import numpy as np
from crc32c import crc32c

from conformance import ROOT, VECTORS
from walproof.scan import stored
from walproof.scan.storing import store

MODULES = [
    "walproof.scan.leveldb_log.kernel",
    "walproof.scan.zeebe_journal.kernel",
    "walproof.scan.kahadb_journal.kernel",
    "walproof.scan.zmq_raft.kernel",
    "walproof.scan.systemd_journal.kernels",
    "walproof.carve.kernel",
    "walproof.scan.crc32c_ranges",
]
JOURNAL = VECTORS / "systemd-journal" / "regular-keyed-zstd.journal"
READS = """
import sys, numpy as np
from walproof.scan.stored import ready
kernel = ready("walproof.scan.leveldb_log.kernel")
digits = np.frombuffer(b"123456789", np.uint8)
print(kernel.update(0, digits, 0, 9), kernel.BLOCK, "numba" in sys.modules)
"""
SCANS = f"""
import sys
from pathlib import Path
from walproof.scan import scanner
from walproof.scan.log import Log
from walproof.scan.model import Records, Wanted
events = scanner("systemd-journal").scan(Log(Path({str(JOURNAL)!r})), Wanted())
print(sum(len(one) for one in events if isinstance(one, Records)), "numba" in sys.modules)
"""


def _kept(name: str, tmp_path: Path) -> stored._Stored:
    path = tmp_path / "kept"
    store(importlib.import_module(name), path, stored.SCALARS)
    return stored._Stored(name, path.read_bytes())


@pytest.mark.parametrize("name", MODULES)
def test_all_kernels_and_constants_are_kept(name: str, tmp_path: Path) -> None:
    kept, module = _kept(name, tmp_path), importlib.import_module(name)
    for attribute, value in vars(module).items():
        if hasattr(value, "nopython_signatures") and value.nopython_signatures:
            assert callable(vars(kept)[attribute])
        if attribute.isupper() and isinstance(value, int | str):
            assert vars(kept)[attribute] == value


def test_the_second_process_does_not_import_numba(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if "NUMBA" not in name}
    environment |= {stored.FOLDER: str(tmp_path), "PYTHONPATH": str(ROOT)}
    told = [
        subprocess.check_output([sys.executable, "-c", READS], env=environment, text=True).split()
        for _ in range(2)
    ]
    assert told == [["3808858755", "32768", "True"], ["3808858755", "32768", "False"]]
    (kept,) = tmp_path.rglob("*.stored")
    kept.write_bytes(kept.read_bytes()[:-1])  # cut short: the sources are compiled again
    again = subprocess.check_output([sys.executable, "-c", READS], env=environment, text=True)
    assert again.split() == told[0]
    environment["NUMBA_CPU_NAME"] = "generic"  # the kept code is of another processor
    again = subprocess.check_output([sys.executable, "-c", READS], env=environment, text=True)
    assert again.split() == told[0]


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    kernel = _kept("walproof.scan.crc32c_ranges", tmp_path)
    data, into = np.zeros(16, np.uint8), np.zeros(3, np.uint32)
    kernel.prefixes(data, 16, into)
    assert into.tolist() == [0, crc32c(bytes(8)), crc32c(bytes(16))]
    for wrong in (
        (data, 16),
        (data, 16, into.astype(np.int64)),
        (data, 16, into[::-1]),
        (data, 16, np.frombuffer(bytes(12), np.uint32)),
        (data.reshape(2, 8), 16, into),
    ):
        with pytest.raises(TypeError):
            kernel.prefixes(*wrong)


def test_a_tuple_is_passed_member_by_member(tmp_path: Path) -> None:
    name = "walproof.scan.systemd_journal.hashes"
    kept, module = _kept(name, tmp_path), importlib.import_module(name)
    data = np.frombuffer(b"MESSAGE=Hello", np.uint8)
    for keys in ((0, 0, 0), (1, 2**63, 2**64 - 1)):
        assert kept.hash_whole(data, keys) == module.hash_whole(data, tuple(map(np.uint64, keys)))


def test_what_kernels_make_is_what_it_is_with_numba_and_is_freed(tmp_path: Path) -> None:
    name = "walproof.scan.systemd_journal.disjoint"
    kept, module = _kept(name, tmp_path), importlib.import_module(name)
    chance = np.random.default_rng(1)
    faults = np.zeros((20_000, 4), np.int64)
    faults[:, 0] = chance.integers(0, 1 << 20, len(faults))
    faults[:, 1] = faults[:, 0] + chance.integers(1, 4096, len(faults))
    pieces, count = kept.disjoint(faults, 1 << 20)
    expected, expected_count = module.disjoint(faults, 1 << 20)
    assert count == expected_count
    assert pieces.shape == expected.shape
    assert (pieces[:count] == expected[:count]).all()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(200):
        kept.disjoint(faults, 1 << 20)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50_000, f"{grown:,} KiB of 200 times {pieces.nbytes:,} bytes are held"


def test_another_array_in_its_place_is_looked_at_again(tmp_path: Path) -> None:
    update = _kept("walproof.scan.leveldb_log.kernel", tmp_path).update
    for text in (b"123456789", b"12345678"):
        for _ in range(2):
            data = np.frombuffer(text, np.uint8)
            assert update(0, data, 0, len(data)) == crc32c(text)


def test_a_systemd_journal_is_read_without_numba() -> None:
    told = [subprocess.check_output([sys.executable, "-c", SCANS], text=True) for _ in range(2)]
    count = len(json.loads(JOURNAL.with_suffix(".json").read_bytes())["expect"]["records"])
    assert told[1] == f"{count} False\n", told


def test_a_kernel_outlives_the_module_that_it_was_taken_from(tmp_path: Path) -> None:
    prefixes = _kept("walproof.scan.crc32c_ranges", tmp_path).prefixes
    engine = weakref.ref(prefixes.engine)
    gc.collect()
    assert engine() is not None, "its machine code would be freed"
    del prefixes
    gc.collect()
    assert engine() is None
