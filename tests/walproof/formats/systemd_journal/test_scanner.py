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
from reference_impl.answer import Answer, Lost, collect
from reference_impl.formats import named
from reference_impl.systemd_journal import inspection
from tests.real_files import JOURNALS, read_journal
from tests.walproof.formats.systemd_journal.damaged_logs import (
    KEY,
    LONG,
    damaged,
    hello,
    journal_bytes,
    originals,
)
from walproof.formats.systemd_journal.columns import FIELDS
from walproof.formats.systemd_journal.scanner import (
    _inspection,
    constants,
    entry_kernels,
    soundness,
)
from walproof.formats.systemd_journal.scanner.batches import runs
from walproof.formats.systemd_journal.scanner.inspection import Inspection
from walproof.scan import scanner
from walproof.scan.answers import answer, records
from walproof.scan.log import Log
from walproof.scan.model import Records, Wanted
from walproof.scan.reference import ReferenceScanner

FORMAT = "systemd-journal"
ORIGINALS = originals()


def fast(path: Path, **context: Any) -> Answer:
    return answer(FORMAT, scanner(FORMAT).scan(Log(path, context), Wanted()))


def reference_answer(path: Path, **context: Any) -> Answer:
    return collect(named(FORMAT).read(path, "recover", context))


def in_parts(path: Path, target: int, whole: Answer, **context: Any) -> None:
    """Compare the parts of a file, in any order, with the whole."""
    log = Log(path, context)
    results: list[Any] = []
    parts = list(scanner(FORMAT).plan(log, target))
    random.Random(target).shuffle(parts)
    for part in parts:
        for event in scanner(FORMAT).scan(log, Wanted(), part):
            results += records(FORMAT, event) if isinstance(event, Records) else [event]
    if len(parts) == 1:
        results = [each for each in results if not hasattr(each, "verdict")]
    lost = sorted((each for each in results if isinstance(each, Lost)), key=lambda gap: gap.start)
    stored = sorted(
        (each for each in results if not isinstance(each, Lost)), key=lambda each: each.at
    )
    assert tuple(lost) == whole.lost
    assert tuple(stored) == whole.records


def check(path: Path, data: bytes, **context: Any) -> None:
    path.write_bytes(data)
    try:
        right = reference_answer(path, **context)
        assert fast(path, **context) == right
        in_parts(
            path, max(1, len(data) // random.Random(len(data)).randrange(1, 9)), right, **context
        )
    except BaseException:
        (path.parent / "failing.journal").write_bytes(data)
        raise


@pytest.mark.parametrize("number", range(len(ORIGINALS)))
def test_damage(number: int, tmp_path: Path) -> None:
    chance = random.Random(number)
    check(tmp_path / "a.journal", ORIGINALS[number])
    for _ in range(40):
        check(tmp_path / "a.journal", damaged(ORIGINALS[number], chance))


@pytest.mark.parametrize(
    "context",
    [
        {"key": KEY},
        {"match": "PRIORITY=1"},
        {"match": LONG[0].decode()},
        {"match": "A="},
        {"from_seqnum": "4"},
        {"from_realtime": "1700000003000000"},
        {"max_field_size": 600},
    ],
    ids=str,
)
def test_damage_in_a_context(context: dict[str, Any], tmp_path: Path) -> None:
    chance = random.Random(str(context))
    for data in ORIGINALS:
        check(tmp_path / "a.journal", data, **context)
        for _ in range(3):
            check(tmp_path / "a.journal", damaged(data, chance), **context)


def test_every_intact_vector_is_queried_for_an_existing_field() -> None:
    """Includes files without hash tables (SDJ-016), which have no index to query."""
    requested = 0
    for vector in load_all().values():
        expected = vector.body.get("expect", {})
        if vector.body["format"] != FORMAT or vector.operation != "read":
            continue
        if expected["verdict"] != "intact" or not expected["records"] or vector.body.get("context"):
            continue
        name, value = expected["records"][-1]["fields"][0]
        given = {"match": f"{name}={value}"}
        right = reference_answer(vector.input, **given)
        assert fast(vector.input, **given) == right, (vector.id, given)
        requested += isinstance(value, str) and bool(right.records)
    assert requested > 50


@pytest.mark.slow
def test_real_files(tmp_path: Path) -> None:
    chance = random.Random(9)
    for data in map(read_journal, JOURNALS):
        check(tmp_path / "a.journal", data)
        end = int.from_bytes(data[136:144], "little") + 4096
        for _ in range(3):
            check(tmp_path / "a.journal", damaged(data[:end], chance))


def test_a_copy_with_pages_of_different_moments(tmp_path: Path) -> None:
    chance = random.Random(3)
    for options in ({"header_size": 272}, {"compact": True, "keyed": True}):
        generations = [
            journal_bytes(*hello(n), state=1, spare=8192, **options) for n in (30, 34, 41)
        ]
        size = min(len(data) for data in generations)
        for _ in range(40):
            pages = [chance.choice(generations)[at : at + 512] for at in range(0, size, 512)]
            check(tmp_path / "a.journal", b"".join(pages)[:size])


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
    """Text and binary payloads, valid or with a flipped bit."""
    rng = random.Random(6)
    texts = [b"T=" + bytes(rng.choices(b"abc \t", k=n)) for n in range(1, 90)]
    others = [b"B=" + rng.randbytes(n) for n in range(1, 90)]
    long = [b"L=" + b"x" * n for n in (900, 980, 1100, 5000, 40)]
    payloads = rng.sample(texts + others + long, k=183)
    entries = [[each] for each in payloads[:90]] + [
        [each, other] for each, other in zip(payloads[90::2], payloads[91::2], strict=False)
    ]
    data = journal_bytes(*entries, keyed=True, data_buckets=200)
    check(tmp_path / "a.journal", data)
    assert fast(tmp_path / "a.journal").verdict == "intact"
    for payload in payloads[::9]:
        at = data.index(payload) + len(payload) - 1
        check(tmp_path / "a.journal", data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert fast(tmp_path / "a.journal").verdict == "damaged"


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
        slots = range(at + 24, at + size, width) if data[at] == constants.ENTRY_ARRAY else range(0)
        for slot in slots:
            if not any(data[slot : slot + width]):
                broken = bytearray(data)
                broken[slot : slot + width] = records[0].at.to_bytes(width, "little")
                check(path, bytes(broken))
                assert fast(path).verdict == "damaged"
                result += 1
        at += (size + 7) & ~7
    assert result > 3


@pytest.mark.parametrize("has_numbers", [True, False])
@pytest.mark.parametrize("most", [2, 1 << 30])
def test_shared_names_are_stored_once(has_numbers: bool, most: int, tmp_path: Path) -> None:
    """Each name of the file is stored once if all have a number; else names are next to values."""
    path = tmp_path / "a.journal"
    many = [b"F%d=%d" % (n % 70, n) for n in range(200)]
    path.write_bytes(journal_bytes(*hello(9), LONG, many, compression="zstd", compact=True))
    inspection = _inspection(Log(path))
    assert isinstance(inspection, Inspection)
    objects = inspection.objects
    if not has_numbers:
        objects.name_ids[objects.of_kind(constants.DATA)[7]] = constants.NO_NAME
    shared, plain = (
        [run.fields["fields"] for run in runs(inspection, inspection.released(), wanted)]
        for wanted in (
            Wanted(max_payload=most, dictionaries=True),
            Wanted(max_payload=most),
        )
    )
    assert [each.to_pylist() for each in shared] == [each.to_pylist() for each in plain]
    assert {each.type for each in shared} == {
        FIELDS.with_dictionaries if has_numbers else FIELDS.type
    }
    assert {each.type for each in plain} == {FIELDS.type}
    if has_numbers:
        (names,) = (each.values.field("name").dictionary.to_pylist() for each in shared)
        assert len(names) == len(set(names)) == 76


@pytest.mark.slow
def test_cyclic_chains(tmp_path: Path) -> None:
    """Set each link of each type to itself, to its source, and to all other objects."""
    data = journal_bytes(*hello(5))
    locations = [at for at in range(136, 200, 8)] + list(range(264, len(data), 8))
    started = time.monotonic()
    for at in locations:
        link = int.from_bytes(data[at : at + 8], "little")
        if 264 <= link < len(data):
            for to in (at & ~7, at - 16, at - 24, at - 32, 264, link - 8):
                broken = data[:at] + to.to_bytes(8, "little") + data[at + 8 :]
                (tmp_path / "a.journal").write_bytes(broken)
                assert fast(tmp_path / "a.journal") == reference_answer(tmp_path / "a.journal")
    assert time.monotonic() - started < 120


@pytest.mark.slow
def test_changed_object_types(tmp_path: Path) -> None:
    """Types that cannot be distinguished by content: tables, arrays and entries."""
    chance = random.Random(8)
    path = tmp_path / "a.journal"
    for data in ORIGINALS:
        path.write_bytes(data)
        entries = [record.at for record in reference_answer(path).records]
        tables = [int.from_bytes(data[at : at + 8], "little") - 16 for at in (104, 120)]
        locations = [at for at in entries + tables if 264 <= at < len(data)]
        for _ in range(30 if locations else 0):
            broken = bytearray(data)
            for at in chance.sample(locations, min(len(locations), chance.randrange(1, 3))):
                broken[at] = chance.choice((0, 1, 3, 4, 5, 6, 7))
            if chance.randrange(3) == 0:
                at = chance.choice((104, 112, 120, 128, 176))
                broken[at : at + 8] = chance.choice(locations).to_bytes(8, "little")
            check(path, bytes(broken))


def test_a_chain_of_lost_fields_shared_by_every_bucket(tmp_path: Path) -> None:
    count = 60
    data = bytearray(journal_bytes(*hello(count), data_buckets=count))
    members = [at for at in range(264, len(data), 8) if data[at + 72 :].startswith(b"MESSAGE=")]
    members += [at for at in range(264, len(data), 8) if data[at + 64 :].startswith(b"MESSAGE=")]
    members = [at for at in sorted(members) if data[at] == 1]
    for at, following in zip(members, [*members[1:], 0], strict=True):
        data[at + 16 : at + 24] = bytes(8)
        data[at + 24 : at + 32] = following.to_bytes(8, "little")
    table = int.from_bytes(data[104:112], "little")
    bucket = members[0].to_bytes(8, "little") + members[-1].to_bytes(8, "little")
    data[table : table + 16 * count] = bucket * count
    check(tmp_path / "a.journal", bytes(data))


def test_false_counts_cost_no_memory(tmp_path: Path) -> None:
    data = bytearray(journal_bytes(*hello(3)))
    for at in range(96, 256, 8):
        data[at : at + 8] = (2**64 - 1 - at).to_bytes(8, "little")
    check(tmp_path / "a.journal", bytes(data))


def test_cursors_of_numbers_of_every_length() -> None:
    """Compare with the reference, for numbers of every length, with and without zeros inside.

    The boot ids change and recur, and some of them share one half.
    """
    rng = random.Random(5)
    boot = rng.randbytes(16)
    boots = [boot, boot, boot[:8] + rng.randbytes(8), rng.randbytes(8) + boot[8:]]
    numbers = [0, 1, 15, 16, (1 << 32) - 1, 1 << 32, (1 << 64) - 1]
    numbers += [rng.getrandbits(bits) for bits in range(1, 65)]
    numbers += [number << rng.randrange(33) & (1 << 64) - 1 for number in numbers]
    data = bytearray(rng.randbytes(208))
    offsets = []
    for number in numbers:
        offsets.append(len(data))
        four = [number, *rng.choices(numbers, k=2)]
        head = bytes(16) + b"".join(each.to_bytes(8, "little") for each in four)
        data += head + rng.choice(boots) + rng.choice(numbers).to_bytes(8, "little")
    nothing = [np.zeros(0, kind) for kind in ("i8", "i8", "u8", "i4")]
    more = [np.zeros(0, kind) for kind in ("u1", "u1", "u2")]
    result = constants.ObjectTable(
        np.frombuffer(bytes(data), np.uint8), *nothing, np.array(offsets, np.int64), *more,
        np.zeros((0, 2), np.int64), *(np.zeros(0, kind) for kind in ("i4", "u1", "u1")),
    )  # fmt: skip
    entries, bounds = np.arange(len(offsets)), np.empty(len(offsets) + 1, np.int32)
    text = np.empty(constants.CURSOR_WIDTH * len(offsets), np.uint8)
    entry_kernels.cursors(result, entries, bounds, text)
    ids = np.empty(32 * len(offsets), np.uint8)
    entry_kernels.boot_ids(result, entries, ids)
    for row, at in enumerate(offsets):
        seqnum, realtime, monotonic = (
            int.from_bytes(data[at + place : at + place + 8], "little") for place in (16, 24, 32)
        )
        named_boot, mix = (
            data[at + 40 : at + 56].hex(),
            int.from_bytes(data[at + 56 : at + 64], "little"),
        )
        given = text[bounds[row] : bounds[row + 1]].tobytes().decode()
        assert given == (
            f"s={data[72:88].hex()};i={seqnum:x};b={named_boot};m={monotonic:x};t={realtime:x};x={mix:x}"
        )
        assert ids[32 * row :][:32].tobytes().decode() == named_boot


@pytest.mark.slow
def test_intact_files_have_no_fault() -> None:
    for vector in load_all().values():
        if vector.body["format"] == FORMAT and vector.input.is_file():
            data = vector.input.read_bytes()
            refused = len(data) < 208 or inspection.refusal(data) is not None
            expected = None if refused else inspection.inspect(data, {})
            result = soundness.of_file(vector.input)
            assert (result is not None) == (expected is not None and not expected.faults), vector.id
            if result is not None and expected is not None:
                assert result.objects == expected.walk.counts.total()
                assert result.entries == len(expected.entries)
                assert result.sealed_until is None
