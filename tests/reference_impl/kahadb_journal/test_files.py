"""Data files have the expected bytes, preallocated space and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_impl.answer import NewRecord, collect
from reference_impl.kahadb_journal import append, read, write
from reference_impl.kahadb_journal.layout import EOF_RECORD, file_id
from reference_impl.kahadb_journal.writer import batch, record

# activemq-kahadb-store 5.17.2 wrote each of these files with one synchronous write, without
# preallocation.
GOLDEN = {
    "hello": (
        {"checksum": True}, [b"hello"],
        "0000001c02" "5752495445204241544348" "0000000a" "00000000067d0220"
        "0000000a01" "68656c6c6f" "2d714d6134",
    ),
    "no checksum": (
        {"checksum": False}, [b"hello"],
        "0000001c02" "5752495445204241544348" "0000000a" "0000000000000000"
        "0000000a01" "68656c6c6f" "2d714d6134",
    ),
    "empty payload": (
        {}, [b""],
        "0000001c02" "5752495445204241544348" "00000005" "0000000000100007"
        "0000000501" "2d714d6134",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_bytes(name: str, tmp_path: Path) -> None:
    context, payloads, expected = GOLDEN[name]
    path = tmp_path / "db-1.log"
    write(path, [NewRecord(payload) for payload in payloads], context)
    assert path.read_bytes().hex() == expected
    assert [r.payload for r in collect(read(path, "recover", {})).records] == payloads


def test_golden_batch_of_several_records() -> None:
    records = b"".join(record(payload) for payload in (b"m0", b"m1", b"m2", b"m3", b"last"))
    assert batch(records)[16:28].hex() == "00000025" + "000000003bcf0459"


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("sparse", [0, 2621435]),
        ("kernel-copy", [0]),
        ("zeros", [0]),
        ("chunked-zeros", [0, 1 << 20, 2 << 20]),
    ],
)
def test_preallocation(strategy: str, expected: list[int], tmp_path: Path) -> None:
    """EOF records are at these offsets of a large file. A batch moves the first one to 38."""
    context = {"preallocation": strategy, "max_file_length": 2621440}
    write(tmp_path / "db-1.log", [], context)
    append(tmp_path / "db-1.log", [NewRecord(b"hello")], context)
    data = (tmp_path / "db-1.log").read_bytes()
    assert len(data) == 2621440
    offsets = [at for at in range(len(data)) if data.startswith(EOF_RECORD, at)]
    assert offsets == [38, *expected[1:]]
    assert collect(read(tmp_path / "db-1.log", "recover", {})).end == 38


def test_rotation_ignores_the_control_record(tmp_path: Path) -> None:
    """With a limit of 200 bytes, 199 bytes fit; a record of 200 leaves an empty file before it."""
    context = {"folder": True, "max_file_length": 200}
    write(tmp_path / "fits", [NewRecord(bytes(194))], context)
    assert {p.name: p.stat().st_size for p in (tmp_path / "fits").iterdir()} == {"db-1.log": 232}
    write(tmp_path / "not", [NewRecord(bytes(195))], context)
    sizes = {p.name: p.stat().st_size for p in (tmp_path / "not").iterdir()}
    assert sizes == {"db-1.log": 0, "db-2.log": 233}


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("db-1.log", 1), ("db-01.log", 1), ("db-+2.log", 2), ("db--3.log", -3), ("db-10.log", 10),
        ("db-x.log", None), ("db-.log", None), ("db-4.log.bak", None), ("db-5.LOG", None),
        ("db-2147483648.log", None), ("db-1 .log", None), ("db-log.template", None),
        ("db-٣.log", None),
    ],
)  # fmt: skip
def test_names(name: str, number: int | None) -> None:
    assert file_id(name) == number


ONE = batch(record(b"one")) + EOF_RECORD


@pytest.mark.parametrize("last", ["db-2.log", "db-+2.log"])
@pytest.mark.parametrize("written", [*range(4, 28), len(ONE)])
def test_a_truncated_file_keeps_its_number(written: int, last: str, tmp_path: Path) -> None:
    """KDB-051: A log truncated at ``end`` keeps its records, and no lost record reappears."""
    (tmp_path / "db-1.log").write_bytes(ONE)
    (tmp_path / last).write_bytes(ONE[:written])
    (tmp_path / "db-002.log").write_bytes(ONE)
    actual = collect(read(tmp_path, "recover", {}))
    assert len(actual.records) == 1 + (written == len(ONE))
    if written < 28:
        assert actual.end is None
        append(tmp_path, [NewRecord(b"two")], {})
        assert (tmp_path / "db-3.log").is_file()
    else:
        assert (actual.end_file, actual.end) == (last, written - len(EOF_RECORD))
        (tmp_path / last).write_bytes(ONE[: actual.end])
    payloads = [each.payload for each in collect(read(tmp_path, "recover", {})).records]
    assert payloads == [b"one", b"one" if written == len(ONE) else b"two"]
