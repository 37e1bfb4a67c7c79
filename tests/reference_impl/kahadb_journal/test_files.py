"""Golden bytes, the directory of data files, recognition, siblings, and the broker's commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from reference_impl import formats
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.kahadb_journal import append, read, recognise, write
from reference_impl.kahadb_journal.layout import EOF_RECORD, command, file_id
from reference_impl.kahadb_journal.writer import batch, record
from reference_impl.leveldb_log.writer import Writer
from walproof.cli.read import read as read_command

Reader = Callable[..., Answer]

# Written by activemq-kahadb-store 5.17.2: one synchronous write each, no preallocation.
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
    """EOF records in a file of 2,621,440 bytes, before and after one batch."""
    context = {"preallocation": strategy, "max_file_length": 2621440}
    write(tmp_path / "db-1.log", [], context)
    append(tmp_path / "db-1.log", [NewRecord(b"hello")], context)
    data = (tmp_path / "db-1.log").read_bytes()
    assert len(data) == 2621440
    offsets = [at for at in range(len(data)) if data.startswith(EOF_RECORD, at)]
    assert offsets == [38, *expected[1:]]
    assert collect(read(tmp_path / "db-1.log", "recover", {})).end == 38


def test_rotation_ignores_the_control_record(tmp_path: Path) -> None:
    """Limit 200: a record of 199 fits, one of 200 leaves an empty file before it."""
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


def batch_of(text: bytes) -> bytes:
    return batch(record(text)) + EOF_RECORD


def test_files_are_read_by_number_and_others_ignored(answer: Reader) -> None:
    actual = answer(
        {
            "db-10.log": batch_of(b"ten"),
            "db-9.log": batch_of(b"nine"),
            "db-2.log": batch_of(b"two"),
            "db-3.log": b"",
            "db--3.log": batch_of(b"minus three"),
            "db-x.log": b"stranger",
            "db.data": b"index",
            "lock": b"",
        }
    )
    assert [(r.file, r.payload) for r in actual.records] == [
        ("db--3.log", b"minus three"),
        ("db-2.log", b"two"),
        ("db-9.log", b"nine"),
        ("db-10.log", b"ten"),
    ]
    assert (actual.verdict, actual.end, actual.end_file) == ("intact", 36, "db-10.log")


def test_a_duplicate_file_number_is_reported(answer: Reader) -> None:
    actual = answer({"db-01.log": batch_of(b"other"), "db-1.log": batch_of(b"plain")})
    assert [r.payload for r in actual.records] == [b"plain"]
    assert [(x.file, x.reason) for x in actual.lost] == [("db-01.log", "duplicate-id")]
    assert actual.verdict == "damaged"


def test_torn_in_an_earlier_file_is_damage(answer: Reader) -> None:
    torn = batch_of(b"first") + b""
    log = {"db-1.log": torn[:-7], "db-2.log": batch_of(b"second")}
    actual = answer(log)
    assert (actual.verdict, actual.reason) == ("damaged", "torn-batch")
    assert [r.payload for r in actual.records] == [b"second"]
    # A later file that is only preallocated does not count.
    actual = answer({"db-1.log": torn[:-7], "db-2.log": EOF_RECORD + bytes(500)})
    assert (actual.verdict, actual.reason) == ("torn", "torn-batch")
    assert (actual.end, actual.end_file) == (0, "db-1.log")


def test_strict_in_several_files(answer: Reader) -> None:
    broken = bytearray(batch_of(b"second"))
    broken[30] ^= 1
    files = {
        "db-1.log": batch_of(b"first"),
        "db-2.log": bytes(broken),
        "db-3.log": batch_of(b"third"),
    }
    actual = answer(files, "strict")
    assert [r.payload for r in actual.records] == [b"first"]
    assert [(x.file, x.start, x.end) for x in actual.lost] == [
        ("db-2.log", 0, 44),
        ("db-3.log", 0, 43),
    ]


HAWT = bytes.fromhex("0000001c0200000022") + b"WRITE BATCH" + bytes(30)
JOURNAL_IO = bytes.fromhex(
    "4a2e494f0000008200000000000000110200000000062c0215000000010000000e0168656c6c6f"
)
OLD_JOURNAL_IO = bytes.fromhex("0000000000000015020000000a00000000067d0220") + bytes(9)


@pytest.mark.parametrize("sibling", [HAWT, JOURNAL_IO, OLD_JOURNAL_IO])
def test_siblings_are_refused(answer: Reader, sibling: bytes) -> None:
    actual = answer(sibling)
    assert (actual.verdict, actual.reason) == ("refused", "foreign-journal")
    assert (actual.records, actual.lost, actual.end) == ((), (), None)


def test_a_sibling_among_kahadb_files_is_lost(answer: Reader) -> None:
    actual = answer({"db-1.log": batch_of(b"ours"), "db-2.log": JOURNAL_IO})
    assert [r.payload for r in actual.records] == [b"ours"]
    assert [x.reason for x in actual.lost] == ["foreign-journal"]
    assert (actual.verdict, actual.end) == ("damaged", None)


def test_appending_after_damage_begins_a_new_file(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    (folder / "db-7.log").write_bytes(batch_of(b"alpha")[:-5] + b"garbage")
    append(folder, [NewRecord(b"bravo")], {})
    actual = collect(read(folder, "recover", {}))
    assert [(r.file, r.payload) for r in actual.records] == [
        ("db-7.log", b"alpha"),
        ("db-8.log", b"bravo"),
    ]
    with pytest.raises(ValueError, match="bad-header"):
        append(folder / "db-7.log", [NewRecord(b"bravo")], {})


def test_appending_cuts_off_what_is_not_preallocated(tmp_path: Path) -> None:
    path = tmp_path / "db-1.log"
    path.write_bytes(batch_of(b"alpha")[:-5] + batch_of(b"x" * 500)[:-9])
    append(path, [NewRecord(b"b")], {})
    assert path.read_bytes() == batch_of(b"alpha")[:-5] + batch_of(b"b")


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b"\x01\x03abc", {"command": 1, "command_name": "KAHA_ADD_MESSAGE_COMMAND"}),
        (b"\x00\x00", {"command": 0, "command_name": "KAHA_TRACE_COMMAND"}),
        (b"\x10\x80\x01" + b"x" * 128,
         {"command": 16, "command_name": "KAHA_REWRITTEN_DATA_FILE_COMMAND"}),
        (b"\x11\x00", {}), (b"\x01\x04abc", {}), (b"\x01", {}), (b"", {}), (b"hello", {}),
        (b"\x01" + b"\xff" * 9, {}),
    ],
)  # fmt: skip
def test_commands(payload: bytes, expected: dict[str, object]) -> None:
    assert command(payload) == expected


def test_recognition(tmp_path: Path) -> None:
    def file(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    ours = [
        file("db-1.log", batch_of(b"alpha")),
        file("anything", batch_of(b"alpha")),
        file("db-2.log", b"garbage" + batch_of(b"alpha")),
        file("db-3.log", b""),
        file("db-4.log", bytes(100)),
        file("db-5.log", JOURNAL_IO),
        tmp_path,
    ]
    for path in ours:
        assert recognise(path), path
        assert formats.detect(path).id == "kahadb-journal"
    level = tmp_path / "000003.log"
    with level.open("wb") as stream:
        Writer(stream).append(batch_of(b"a KahaDB file inside"))
    for path in [
        level,
        file("text.txt", b"WRITE BATCH\n" * 9),
        file("db-6.log.txt", b"-qMa"),
        file("db-7.log", b"plain text in a file of the right name\n"),
    ]:
        assert not recognise(path), path
    assert formats.detect(level).id == "leveldb-log"


def test_command_line_on_a_folder(tmp_path: Path) -> None:
    (tmp_path / "db-1.log").write_bytes(batch_of(b"alpha"))
    (tmp_path / "db-2.log").write_bytes(batch_of(b"bravo")[:-8])
    arguments = [str(tmp_path), "--format", "kahadb-journal", "--json"]
    done = CliRunner().invoke(read_command, arguments, standalone_mode=False)
    body = json.loads(done.stdout)
    assert done.return_value == 3
    assert body["verdict"] == "torn"
    assert body["records"][0] == {
        "file": "db-1.log", "at": 28, "size": 10, "type": 1, "batch": 0, "payload": b"alpha".hex(),
    }  # fmt: skip
    assert body["end"] == {"file": "db-2.log", "at": 0}


ONE = batch(record(b"one")) + EOF_RECORD


@pytest.mark.parametrize("last", ["db-2.log", "db-+2.log"])
@pytest.mark.parametrize("written", [*range(4, 28), len(ONE)])
def test_a_truncated_file_keeps_its_number(written: int, last: str, tmp_path: Path) -> None:
    """KDB-051: truncated at ``end``, a log keeps its records, and no lost one returns."""
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
