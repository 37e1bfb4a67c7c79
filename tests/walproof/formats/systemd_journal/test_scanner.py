"""Compare the systemd journal scanner with the reference on intact and damaged files."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")
from conformance.vectors import load_all
from reference_impl.answer import Answer, collect
from reference_impl.formats import named
from reference_impl.systemd_journal.layout import ENTRY_ARRAY
from tests.real_files import JOURNALS, read_journal
from tests.reference_impl.systemd_journal.journal_files import journal_bytes
from tests.walproof.formats.systemd_journal.damaged_logs import (
    KEY,
    LONG,
    damaged,
    hello,
    originals,
)
from walproof.formats.systemd_journal import scanner as systemd_scanner
from walproof.formats.systemd_journal.scanner.intact import check_file
from walproof.scan import scanner
from walproof.scan.answers import answer
from walproof.scan.log import Log
from walproof.scan.model import Records, Wanted
from walproof.scan.reference import ReferenceScanner

FORMAT = "systemd-journal"
ORIGINALS = originals()


def fast(path: Path, **context: Any) -> Answer:
    return answer(FORMAT, scanner(FORMAT).scan(Log(path, context), Wanted()))


def reference_answer(path: Path, **context: Any) -> Answer:
    return collect(named(FORMAT).read(path, "recover", context))


def check(path: Path, data: bytes, **context: Any) -> bool:
    """Compare the scanner with the reference; return whether the file is intact."""
    path.write_bytes(data)
    try:
        right = reference_answer(path, **context)
        if check_file(data, context) is None:  # the reference reads the file
            assert right.verdict != "intact"
        else:
            assert fast(path, **context) == right
    except BaseException:
        (path.parent / "failing.journal").write_bytes(data)
        raise
    return right.verdict == "intact"


@pytest.mark.parametrize("context", [{}, {"key": KEY}, {"max_field_size": 600}], ids=str)
@pytest.mark.parametrize("number", range(len(ORIGINALS)))
def test_damage(number: int, context: dict[str, Any], tmp_path: Path) -> None:
    chance = random.Random(number)
    is_intact = check(tmp_path / "a.journal", ORIGINALS[number], **context)
    assert is_intact or "max_field_size" in context
    for _ in range(10 if context else 40):
        check(tmp_path / "a.journal", damaged(ORIGINALS[number], chance), **context)


def test_every_changed_byte(tmp_path: Path) -> None:
    """No check of the reference is missing from the kernels."""
    for data in (ORIGINALS[0], ORIGINALS[1]):
        for at in range(0, len(data), 13):
            changed = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
            if check_file(changed, {}) is not None:
                assert check(tmp_path / "a.journal", changed), at


def test_files_for_the_reference(tmp_path: Path) -> None:
    """Damaged files, selections, and a DATA without a FIELD."""
    path = tmp_path / "a.journal"
    path.write_bytes(ORIGINALS[0][:-100])
    assert fast(path) == reference_answer(path)
    assert fast(path).verdict == "torn"
    path.write_bytes(ORIGINALS[0])
    for context in ({"match": "PRIORITY=1"}, {"from_seqnum": "4"}):
        assert fast(path, **context) == reference_answer(path, **context)
        assert 0 < len(fast(path, **context).records) < 8
    unusual = load_all()["systemd-journal/data-without-a-field"].input
    assert check_file(unusual.read_bytes(), {}) is None
    assert fast(unusual) == reference_answer(unusual)
    assert fast(unusual).verdict == "intact"


@pytest.mark.slow
def test_real_files(tmp_path: Path) -> None:
    chance = random.Random(9)
    for data in map(read_journal, JOURNALS):
        check(tmp_path / "a.journal", data)
        end = int.from_bytes(data[136:144], "little") + 4096
        for _ in range(3):
            check(tmp_path / "a.journal", damaged(data[:end], chance))


def table(path: Path, which: str, wanted: Wanted) -> list[dict[str, Any]]:
    reader = scanner(FORMAT) if which == "fast" else ReferenceScanner(FORMAT)
    rows: list[dict[str, Any]] = []
    for run in reader.scan(Log(path), wanted):
        if isinstance(run, Records):
            columns: dict[str, Any] = {name: col.to_pylist() for name, col in run.fields.items()}
            columns |= {"at": run.at.tolist(), "size": run.size.tolist()}
            if run.payload is not None:
                columns["payload"] = run.payload.to_pylist()
            cut = np.zeros(len(run), np.bool_) if run.truncated is None else run.truncated
            columns["cut"] = cut.tolist()
            rows += [{name: values[n] for name, values in columns.items()} for n in range(len(run))]
    return rows


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd", "xz"])
@pytest.mark.parametrize("most", [0, 1, 9, 17, 40, 300, 5007, 1 << 30])
def test_long_values_are_truncated(most: int, compression: str, tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    many = [b"F%d=%d" % (n % 70, n) for n in range(200)]
    path.write_bytes(journal_bytes(*hello(3), LONG, many, compression=compression, compact=True))
    for columns in (
        None,
        frozenset[str](),
        frozenset({"fields"}),
        frozenset({"missing", "seqnum"}),
    ):
        for payload in (True, False):
            wanted = Wanted(payload, columns, most)
            assert table(path, "fast", wanted) == table(path, "plain", wanted)


def test_fields_are_in_order(tmp_path: Path) -> None:
    """Entries with few fields, with many, and with a repeated name."""
    names = [b"N%d" % number for number in range(700)]
    random.Random(4).shuffle(names)
    entries = [[name + b"=1" for name in names[at : at + 100]] for at in range(0, len(names), 100)]
    entries += [[name + b"=%d" % value for value in (2, 1, 2)] for name in sorted(names)[-3:]]
    entries += [
        [b"A=2", b"B=1", b"A=1", b"B=1"],
        [b"B=1", b"A=1", b"B=1"],
        [sorted(names)[-1] + b"=1"],
    ]
    check(tmp_path / "a.journal", journal_bytes(*entries, data_buckets=5000, compact=True))


def test_payloads_of_every_length(tmp_path: Path) -> None:
    """Text and binary payloads, one with each byte, valid or with a flipped bit."""
    rng = random.Random(6)
    texts = [b"T=" + bytes(rng.choices(b"abc \t", k=n)) for n in range(1, 90)]
    others = [b"B=" + rng.randbytes(n) for n in range(1, 90)]
    long = [b"L=" + b"x" * n for n in (900, 980, 1100, 5000, 40)]
    payloads = rng.sample(texts + others + long, k=183)
    entries = [[each] for each in payloads[:90]] + [
        [each, other] for each, other in zip(payloads[90::2], payloads[91::2], strict=False)
    ]
    entries += [[b"E=abc" + bytes([byte]) + b"defghijklmnop"] for byte in range(256)]
    data = journal_bytes(*entries, keyed=True, data_buckets=200)
    assert check(tmp_path / "a.journal", data)
    for payload in payloads[::9]:
        at = data.index(payload) + len(payload) - 1
        assert not check(tmp_path / "a.journal", data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])


@pytest.mark.parametrize("compact", [False, True])
def test_unused_slots_of_arrays(compact: bool, tmp_path: Path) -> None:
    """Each slot in turn has an entry, although the lists of the arrays have ended."""
    data = journal_bytes(*hello(12), compact=compact)
    path, width = tmp_path / "a.journal", 4 if compact else 8
    path.write_bytes(data)
    records = reference_answer(path).records
    result, at = 0, int.from_bytes(data[88:96], "little")
    while at < len(data):
        size = int.from_bytes(data[at + 8 : at + 16], "little")
        slots = range(at + 24, at + size, width) if data[at] == ENTRY_ARRAY else range(0)
        for slot in slots:
            if not any(data[slot : slot + width]):
                broken = bytearray(data)
                broken[slot : slot + width] = records[0].at.to_bytes(width, "little")
                assert not check(path, bytes(broken))
                result += 1
        at += (size + 7) & ~7
    assert result > 3


def test_an_entry_above_the_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(3), LONG, *hello(2)))
    monkeypatch.setattr(systemd_scanner, "LIMIT", 1000)
    run, _ = scanner(FORMAT).scan(Log(path), Wanted())
    assert isinstance(run, Records) and run.payload is not None and run.truncated is not None
    assert run.truncated.tolist() == [False, False, False, True, False, False]
    assert run.fields["fields"].is_null().tolist() == run.truncated.tolist()
    assert [len(each) > 0 for each in run.payload.to_pylist()] == (~run.truncated).tolist()


def test_runs_of_few_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(systemd_scanner, "_RUN_BYTES", 100)
    check(tmp_path / "a.journal", ORIGINALS[1])
    runs = list(scanner(FORMAT).scan(Log(tmp_path / "a.journal"), Wanted()))
    assert len(runs) > 4


def test_runs_take_no_time_for_the_fields_of_others(tmp_path: Path) -> None:
    """A file of a gibibyte may have millions of ranks, and a thousand runs."""
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes([b"A=1", b"B=2", b"A=3"], [b"A=2", b"A=1"]))
    file = check_file(path.read_bytes(), {})
    assert file is not None
    columns = systemd_scanner._Columns(file, Wanted())
    expected = [row for run in columns.runs() for row in run.payload.to_pylist()]
    assert expected == [each.payload for each in reference_answer(path).records]
    columns.n_ranks = 1 << 26
    began = time.process_time()
    for _ in range(10):
        assert [row for run in columns.runs() for row in run.payload.to_pylist()] == expected
    assert time.process_time() - began < 1


@pytest.mark.slow
def test_cyclic_chains(tmp_path: Path) -> None:
    """Set each link to itself, to its source, to the first object, and before its target."""
    data = journal_bytes(*hello(5))
    locations = [at for at in range(136, 200, 8)] + list(range(264, len(data), 8))
    started = time.monotonic()
    for at in locations:
        link = int.from_bytes(data[at : at + 8], "little")
        if 264 <= link < len(data):
            for to in (at & ~7, at - 24, 264, link - 8):
                broken = data[:at] + to.to_bytes(8, "little") + data[at + 8 :]
                check(tmp_path / "a.journal", broken)
    assert time.monotonic() - started < 120


def test_false_counts_cost_no_memory(tmp_path: Path) -> None:
    data = bytearray(journal_bytes(*hello(3)))
    for at in range(96, 256, 8):
        data[at : at + 8] = (2**64 - 1 - at).to_bytes(8, "little")
    check(tmp_path / "a.journal", bytes(data))


def test_cursors_of_numbers_of_every_length(tmp_path: Path) -> None:
    for first in (0x1, 0xF, 0x10, 0xFFFF, 0x1000, 0xABCDEF0123, (1 << 55) - 9):
        check(tmp_path / "a.journal", journal_bytes(*hello(4), first=first, step=1))
