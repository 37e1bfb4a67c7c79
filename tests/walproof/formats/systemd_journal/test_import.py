"""``walproof systemd import`` writes the entries of a damaged stream and reports skipped ranges."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reference_impl.systemd_journal.export_format import export_field
from tests.reference_impl.systemd_journal.journal_files import answer, hello, journal_bytes
from walproof.cli import walproof
from walproof.formats.systemd_journal.exported_entries import read_entries

BOOT = b"_BOOT_ID=" + b"ab" * 16


def entry(number: int, *fields: bytes, cursor: bool = False, lacks: bytes = b"-") -> bytes:
    lines = [
        *([b"__CURSOR=s=1;i=%d" % number] if cursor else []),
        b"__REALTIME_TIMESTAMP=%d" % (1_700_000_000_000_000 + number),
        b"__MONOTONIC_TIMESTAMP=%d" % (1000 + number),
        BOOT,
    ]
    stored = [line for line in lines if not line.startswith(lacks)]
    fields = (b"MESSAGE=m%d" % number, *fields)
    return b"".join([*(line + b"\n" for line in stored), *map(export_field, fields), b"\n"])


BINARY = entry(2, b"BLOB=two\nlines\n\n__CURSOR=s=9\n")
CUT = entry(3, b"BLOB=two\nlines")
HUGE = b"BLOB\n" + (1 << 40).to_bytes(8, "little")
STREAMS: dict[str, tuple[bytes, list[int], list[str]]] = {
    "all whole": (entry(0) + entry(1), [0, 1], []),
    "no blank line at the end": ((entry(0) + entry(1))[:-1], [0, 1], []),
    "binary": (entry(1) + BINARY + entry(3), [1, 2, 3], []),
    "cut in a binary field": (entry(1) + CUT[:-8], [1], ["ends inside BLOB of 9 bytes"]),
    "cut in a line": (entry(1) + entry(2)[:-5], [1], ["ends inside a line"]),
    "no boot id": (entry(0) + entry(1, lacks=BOOT) + entry(2), [0, 2], ["without _BOOT_ID"]),
    "a time that is no number": (
        entry(0).replace(b"__REALTIME_TIMESTAMP=1", b"__REALTIME_TIMESTAMP=x") + entry(1),
        [1], ["__REALTIME_TIMESTAMP: expected a number, found 'x70"],
    ),
    "a time out of range": (
        entry(0).replace(b"__REALTIME_TIMESTAMP=1", b"__REALTIME_TIMESTAMP=999") + entry(1),
        [1], ["time out of range"],
    ),
    "a boot id of zeros": (
        entry(0).replace(b"ab" * 16, b"00" * 16) + entry(1), [1], ["needs a boot id"],
    ),
    "text between": (
        entry(0) + b"-- Reboot --\n" + entry(1), [0, 1], ["found '-- Reboot --'"],
    ),
    "text inside": (
        entry(0).replace(b"MESSAGE", b"# a note\nMESSAGE") + entry(1), [0, 1], ["'# a note'"],
    ),
    "no blank line between": (
        entry(0)[:-1] + entry(1, cursor=True) + entry(2), [0, 1, 2], [],
    ),
    "a length out of range": (
        entry(0) + b"A=1\n" + HUGE + b"\n\n" + entry(2), [0, 2], ["has no newline after it"],
    ),
    "a length that is too small": (
        entry(0) + BINARY.replace((24).to_bytes(8, "little"), (2).to_bytes(8, "little")) + entry(3),
        [0, 3], ["BLOB of 2 bytes has no newline", "without __REALTIME_"],
    ),
    "a length that is too large": (
        entry(0) + CUT.replace((9).to_bytes(8, "little"), (5000).to_bytes(8, "little")) + entry(4),
        [0], ["the stream ends inside BLOB of 5,000 bytes"],
    ),
    "only damaged ones": (entry(0, lacks=BOOT), [], ["without _BOOT_ID"]),
    "a field that no writer accepts": (entry(0, b"lower=1", b"A" * 65 + b"=1"), [0], []),
}  # fmt: skip


def run(stream: bytes, out: Path, *options: str) -> Result:
    arguments = ["systemd", "import", "--out", str(out), *options]
    return CliRunner().invoke(walproof, arguments, input=stream, standalone_mode=False)


def numbers(out: Path) -> list[int]:
    read = answer(out.read_bytes())
    assert read.verdict == "intact"
    return [int(record.fields["monotonic"]) - 1000 for record in read.records]


@pytest.mark.parametrize("name", STREAMS)
def test_complete_entries_are_written(name: str, tmp_path: Path) -> None:
    stream, expected, faults = STREAMS[name]
    out = tmp_path / "a.journal"
    done = run(stream, out)
    if not expected and faults:
        assert "no complete entry found" in str(done.exception)
        assert not out.exists()
        return
    assert done.return_value == (3 if faults else 0), done.output
    assert numbers(out) == expected
    lines = [line for line in done.stderr.splitlines() if line.startswith("skipped [")]
    assert len(lines) == len(faults)
    for line, fault in zip(lines, faults, strict=True):
        assert fault in line


def test_strict_rejects_damaged_streams(tmp_path: Path) -> None:
    out = tmp_path / "a.journal"
    done = run(entry(0) + entry(1, lacks=BOOT), out, "--strict")
    assert str(done.exception).startswith(f"at {len(entry(0))}: entry without _BOOT_ID")
    assert not out.exists()
    assert run(entry(0), out, "--strict").return_value == 0


@pytest.mark.parametrize("name", STREAMS)
def test_every_byte_is_accounted_for(name: str) -> None:
    stream, _, _ = STREAMS[name]
    covered = bytearray(len(stream))
    for each in read_entries(stream):
        covered[each.start : each.end] = b"\1" * (each.end - each.start)
    assert all(stream[at] == ord("\n") for at, byte in enumerate(covered) if not byte)


def test_an_existing_output_path_is_refused_before_the_input_is_read(tmp_path: Path) -> None:
    out = tmp_path / "b.journal"
    out.write_bytes(b"kept")
    done = run(b"no entry", out)
    assert (done.exit_code, out.read_bytes()) == (1, b"kept")
    assert f"{out} already exists: expected a new path" in str(done.exception)
    assert "skipped" not in done.stderr


def test_an_export_can_be_imported(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.journal", tmp_path / "b.journal"
    path.write_bytes(journal_bytes(*hello(5), [b"BLOB=\x00\xff\n", b"MESSAGE=one\ntwo"]))
    exported = CliRunner().invoke(walproof, ["export", str(path)], standalone_mode=False)
    assert run(exported.stdout_bytes, copy).return_value == 0
    each, other = (answer(log.read_bytes()).records for log in (path, copy))
    assert [record.payload for record in each] == [record.payload for record in other]
