"""``walproof recover --drop`` writes a valid journal without the data of dropped entries."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import Result

from reference_impl.systemd_journal import inspection, layout
from reference_impl.systemd_journal.hashes import jenkins64, siphash24
from tests.walproof.formats.systemd_journal.journals import (
    Entry,
    cursors,
    refusal,
    run,
    write_journal,
)

LONG = b"top secret " * 200
SECRET: list[Entry] = [
    (0, 1, [b"MESSAGE=login", b"PASSWORD=hunter2", b"_SYSTEMD_UNIT=vault.service", b"PRIORITY=6"]),
    (0, 3, [b"MESSAGE=" + LONG, b"_SYSTEMD_UNIT=vault.service", b"PRIORITY=6"]),
    (1, 5, [b"MESSAGE=logout", b"_SYSTEMD_UNIT=vault.service", b"PRIORITY=5", b"KEY=\x00\xff\x01"]),
]
OPEN: list[Entry] = [
    (0, 2, [b"MESSAGE=hello", b"_SYSTEMD_UNIT=ssh.service", b"PRIORITY=6"]),
    (0, 4, [b"MESSAGE=" + b"public " * 300, b"_SYSTEMD_UNIT=ssh.service", b"PRIORITY=4"]),
    (1, 6, [b"MESSAGE=bye", b"_SYSTEMD_UNIT=ssh.service", b"PRIORITY=6"]),
]
BOTH = sorted(SECRET + OPEN, key=lambda entry: entry[1])
GONE = {field for *_, fields in SECRET for field in fields} - {
    field for *_, fields in OPEN for field in fields
}
FORMS = {
    "regular": {"compact": False, "keyed": False, "header_size": 240},
    "systemd 252": {"header_size": 264, "compression": "zstd"},
    "lz4": {"header_size": 264, "compression": "lz4"},
}


def drop(log: Path, out: Path, *filters: str, status: int = 0) -> Result:
    done = run("recover", log, "--out", out, "--drop", *filters)
    assert done.return_value == status, done.output
    return done


def payloads(path: Path) -> set[bytes]:
    """Return each ``FIELD=value`` in a file, decompressed."""
    result = inspection.inspect(path.read_bytes(), {})
    return {bytes(result.view.payload(at)) for at in result.walk.sound(layout.DATA)}


def verify(path: Path) -> None:
    """Verify a file with Walproof, and with journalctl if it is installed."""
    if command := shutil.which("journalctl"):
        done = subprocess.run([command, "--verify", f"--file={path}"], capture_output=True)
        assert done.returncode == 0, done.stderr
    assert run("verify", path).return_value == 0


@pytest.mark.parametrize("form", FORMS)
def test_no_data_of_dropped_entries_remains(form: str, tmp_path: Path) -> None:
    log = write_journal(tmp_path / "a.journal", BOTH, **FORMS[form])
    out = tmp_path / "clean.journal"
    drop(log, out, "--unit", "vault")
    expected = cursors(run("export", log, "_SYSTEMD_UNIT=ssh.service").stdout_bytes)
    assert cursors(run("export", out).stdout_bytes) == expected
    data = out.read_bytes()
    key = layout.parse_header(data).file_id
    assert payloads(out).isdisjoint(GONE)
    for payload in GONE:
        value = payload.partition(b"=")[2]
        assert len(value) < 3 or value not in data, payload
        for number in (jenkins64(payload), siphash24(payload, key)):
            assert number.to_bytes(8, "little") not in data, payload
    for name in (b"PASSWORD", b"KEY"):
        assert name not in data
    verify(out)


def test_a_journal_without_entries_is_valid(tmp_path: Path) -> None:
    log = write_journal(tmp_path / "a.journal", BOTH, header_size=264)
    done = drop(log, tmp_path / "clean.journal", "--since", "1970-01-01")
    assert "0 records; 6 records removed; 0 bytes" in done.stderr
    assert cursors(run("export", tmp_path / "clean.journal").stdout_bytes) == []
    verify(tmp_path / "clean.journal")


def test_a_damaged_journal(tmp_path: Path) -> None:
    log = write_journal(tmp_path / "a.journal", BOTH, header_size=264)
    data = bytearray(log.read_bytes())
    data[data.index(b"MESSAGE=hello") + 9] ^= 1
    log.write_bytes(data)
    out = tmp_path / "clean.journal"
    done = drop(log, out, "--unit", "vault", status=3)
    assert "3 records; 3 records removed; " in done.stderr
    assert " bytes of " in done.stderr
    assert "hash-mismatch" in done.stderr
    assert "1 record of" in done.stderr and "so filters may not match" in done.stderr
    assert payloads(out).isdisjoint(GONE)
    verify(out)


def test_every_copy_in_a_directory_is_redacted(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    machine = folder / ("01" * 16)
    write_journal(machine / "system.journal", BOTH, header_size=264)
    write_journal(machine / "user-1000.journal", OPEN, header_size=264)
    write_journal(folder / "remote" / "remote-one.journal", BOTH, "bb" * 16, header_size=264)
    (machine / "notes.txt").write_bytes(b"hunter2")
    (machine / "system.journal.before-recovery").write_bytes(b"hunter2")
    out = tmp_path / "clean"
    done = drop(folder, out, "--unit", "vault")
    assert "9 records; 6 records removed" in done.stderr
    assert "Only journals were written" in done.stderr
    written = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.*"))
    names = [f"{'01' * 16}/system.journal", f"{'01' * 16}/user-1000.journal"]
    assert written == [*names, "remote/remote-one.journal"]
    for name in written:
        assert payloads(out / name).isdisjoint(GONE)
        verify(out / name)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--drop"], "--drop: expected FIELD=VALUE or another filter, found none"),
        (["PRIORITY=6"], "expected one LOG, found 'PRIORITY=6'"),
        (["--drop", "A=1", "--context", "a=1"], "--drop excludes --context"),
        (["--drop", "--boot", "7"], "--boot: no boot 7: there are entries of 2"),
    ],
)
def test_unsupported_requests(arguments: list[str], expected: str, tmp_path: Path) -> None:
    log = write_journal(tmp_path / "a.journal", BOTH, header_size=264)
    assert expected in refusal("recover", log, "--out", tmp_path / "new.journal", *arguments)
    assert not (tmp_path / "new.journal").exists()


def test_other_formats_and_files(tmp_path: Path) -> None:
    (tmp_path / "000003.log").write_bytes(bytes(40))
    done = run("recover", tmp_path / "000003.log", "--out", tmp_path / "b", "--drop", "A=1")
    assert (done.return_value, "not-a-journal" in done.output) == (4, True)
    assert not (tmp_path / "b").exists()


def test_a_folder_inside_itself(tmp_path: Path) -> None:
    write_journal(tmp_path / "in" / "system.journal", BOTH, header_size=264)
    arguments = [tmp_path / "in", "--out", tmp_path / "in" / "out", "--drop", "A=1"]
    assert "choose a path outside" in refusal("recover", *arguments)
