"""``walproof verify`` on logs, on journals with and without seals, and on folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from conformance.vectors import load_all
from walproof.cli import verify, walproof
from walproof.formats.systemd_journal.query import journal_file

DAMAGED = VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log"
SOUND = VECTORS / "leveldb-log" / "one-record.log"
JOURNAL = VECTORS / "systemd-journal" / "five-entries.journal"
SEALED = JOURNAL.with_name("sealed-regular.journal")
SEALED_KEY = "60c6dd-60e930-b562e9-86b6ff/ab344fa-989680"
KEY = "c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(walproof, ["verify", *map(str, arguments)], standalone_mode=False)


def test_each_lost_range_has_its_rule() -> None:
    done = run(DAMAGED)
    assert done.return_value == 3
    first, last = done.stdout.splitlines()
    assert first.startswith("12–38: checksum-mismatch [LDB-")
    assert last == f"{DAMAGED}: leveldb-log, 1 finding"


def test_a_folder_without_logs_is_refused_as_by_the_summary(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n")
    message = f"{tmp_path}: expected a log, or a folder with logs, found no log among 1 file"
    assert message in run(tmp_path).stderr


def test_a_key_is_for_journals_only() -> None:
    assert "--key is only for sealed systemd journals" in str(run(SOUND, "--key", KEY).exception)


def test_a_key_for_an_unsealed_file_is_a_finding() -> None:
    done = run(JOURNAL, "--key", KEY)
    assert done.return_value == 3
    first, last = done.stdout.splitlines()
    fault = (
        "8–12 (header): not-sealed [SDJ-006]: not sealed: the key proves nothing about this file"
    )
    assert first == f"{JOURNAL}: {fault}"
    assert last.startswith(f"{JOURNAL}: no other findings, ")
    assert run(JOURNAL).return_value == 0


def test_old_seals_have_a_caveat() -> None:
    done = run(SEALED, "--key", SEALED_KEY)
    assert done.return_value == 0
    assert done.stdout.splitlines()[-1] == verify.CAVEAT
    done = run(SEALED.with_name("sealed-regular-continuous.journal"), "--key", SEALED_KEY)
    assert done.return_value == 0
    assert "The seals are valid for entries up to" in done.stdout
    assert verify.CAVEAT not in done.stdout
    assert verify.CAVEAT not in run(SEALED).stdout


def test_entries_after_the_last_seal_are_not_sealed() -> None:
    log = SEALED.with_name("last-segment-without-a-seal.journal")
    done = run(log, "--key", SEALED_KEY)
    assert "Later entries are not sealed: the key proves nothing about them." in done.stdout


def test_sealed_files_and_others_in_a_folder(tmp_path: Path) -> None:
    shutil.copy(SEALED, tmp_path / "system.journal")
    shutil.copy(JOURNAL, tmp_path / "user-1000.journal")
    done = run(tmp_path, "--key", SEALED_KEY)
    assert done.return_value == 3
    assert f"{tmp_path}/user-1000.journal: 8–12 (header): not-sealed" in done.stdout
    assert f"{tmp_path}/system.journal: no findings" in done.stdout
    (tmp_path / "user-1000.journal").unlink()
    assert run(tmp_path, "--key", SEALED_KEY).return_value == 0


def test_a_folder_of_unreadable_files_names_each_with_its_error(
    tmp_path: Path, unreadable_logs: None
) -> None:
    shutil.copy(DAMAGED, tmp_path / "000003.log")
    done = run(tmp_path)
    assert done.return_value == 1
    assert done.stderr == f"{tmp_path}/000003.log: not read: Permission denied\n"


def test_the_kernels_give_the_same_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """With kernels, the output and status are the same for intact, faulty and sealed files."""
    vectors = [each for each in load_all().values() if each.body["format"] == "systemd-journal"]
    vectors = [each for each in vectors if each.operation == "read" and each.input.is_file()]
    sound = 0
    for vector in vectors[::6]:
        key = vector.body.get("context", {}).get("key")
        options = ["--key", key] if key else []
        without = run(vector.input, *options)
        monkeypatch.setattr(journal_file, "WORTH_A_KERNEL", 0)
        done = run(vector.input, *options)
        monkeypatch.undo()
        assert (done.output, done.return_value) == (without.output, without.return_value), vector.id
        sound += without.return_value == 0
    assert 10 < sound < len(vectors[::6]) - 10


def test_a_file_that_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    formats = (
        ([], "at offset 0, expected a log of"),
        (["--format", "systemd-journal"], "a.json: not a"),
    )
    for options, message in formats:
        done = run(path, *options)
        assert (done.return_value, message in done.stderr) == (4, True)
