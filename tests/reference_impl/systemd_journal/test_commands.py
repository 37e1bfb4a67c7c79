"""walproof read, verify, export, fields and import."""

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.recipes.systemd_journal.log import KEY, SEALED_START, START
from tests.reference_impl.systemd_journal.journal_files import answer, hello, journal_bytes
from walproof.cli import walproof


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(
        walproof, [str(a) for a in arguments], input=stdin, standalone_mode=False
    )


def test_verify_checks_seals_with_the_key_only(tmp_path: Path) -> None:
    options = {"key": KEY, "continuous": False}
    data = bytearray(journal_bytes(*hello(5), first=SEALED_START, step=6_000_000, **options))
    tag = data.rindex(b"\x07" + bytes(7) + b"\x40" + bytes(7))
    data[tag + 40] ^= 1
    path = tmp_path / "a.journal"
    path.write_bytes(bytes(data))
    assert run("verify", path).return_value == 0
    done = run("verify", path, "--key", KEY)
    assert (done.return_value, "SDJ-075" in done.output) == (3, True)


def test_an_export_can_be_imported(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.journal", tmp_path / "b.journal"
    path.write_bytes(journal_bytes(*hello(5), [b"BLOB=\x00\xff\n", b"MESSAGE=one\ntwo"]))
    exported = run("export", path)
    assert exported.return_value == 0
    assert run("systemd", "import", "--out", copy, stdin=exported.stdout_bytes).return_value == 0
    again = answer(copy.read_bytes())
    assert again.verdict == "intact"
    assert [r.payload for r in again.records] == [
        r.payload for r in answer(path.read_bytes()).records
    ]


def test_export_of_a_damaged_file_gives_the_survivors(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(8))[:-200])
    done = run("export", path)
    assert done.return_value == 3
    assert 0 < done.stdout.count("__CURSOR=") < 8


journalctl = pytest.mark.skipif(not shutil.which("journalctl"), reason="journalctl not found")


def shown(*command: str) -> list[str]:
    done = subprocess.run(["journalctl", *command], capture_output=True, text=True)
    return done.stdout.splitlines()


def messages(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("MESSAGE=")]


def test_since_with_a_fraction_and_from_a_sequence_number(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(6), step=1))
    since = f"@{START / 1_000_000:.6f}"[:-1] + "4"
    assert messages(run("export", path, "--since", since).stdout.splitlines()) == [
        "MESSAGE=hello 4",
        "MESSAGE=hello 5",
    ]
    done = run("export", path, "--from-seqnum", "6")
    assert messages(done.stdout.splitlines()) == ["MESSAGE=hello 5"]


@journalctl
@pytest.mark.parametrize("name", ["PRIORITY", "MESSAGE", "_BOOT_ID", "NOTHING"])
def test_fields_agree_with_journalctl(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(journal_bytes(*hello(12)))
    done = run("systemd", "fields", path, name)
    assert done.return_value == 0
    assert done.stdout.splitlines() == shown(f"--file={path}", f"--field={name}")
    assert run("systemd", "fields", path).stdout.splitlines() == sorted(
        shown(f"--file={path}", "--fields")
    )


@pytest.mark.parametrize("command", ["systemd fields", "verify", "export"])
def test_files_that_end_in_the_header(tmp_path: Path, command: str) -> None:
    path = tmp_path / "a.journal"
    data = journal_bytes(*hello(2))
    for size in (0, 4, 207, 208, 250):
        path.write_bytes(data[:size])
        assert run(*command.split(), path).return_value in (3, 4), size


def test_read_shows_entries_with_their_message_first(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_bytes(
        journal_bytes([b"A=1", b"MESSAGE=two\nlines", b"BLOB=\x1b[2J\xff"], [b"A=\x1b[2J"])
    )
    lines = run("read", path).stdout.splitlines()
    assert lines[0].split() == [
        *("record", "at", "size", "seqnum", "realtime", "monotonic", "boot_id", "payload")
    ]
    assert lines[1].endswith('01234567…  MESSAGE=two\\nlines  A=1  BLOB={"hex": "1b5b324aff"}')
    assert lines[2].endswith("01234567…  A=\\x1b[2J")
