"""walproof export, systemd fields and import."""

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.reference_impl.systemd_journal.journal_files import answer, hello, journal_bytes
from walproof.cli import walproof


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(
        walproof, [str(a) for a in arguments], input=stdin, standalone_mode=False
    )


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


journalctl = pytest.mark.skipif(not shutil.which("journalctl"), reason="journalctl not found")


def shown(*command: str) -> list[str]:
    done = subprocess.run(["journalctl", *command], capture_output=True, text=True)
    return done.stdout.splitlines()


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
