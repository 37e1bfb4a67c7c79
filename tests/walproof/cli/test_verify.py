"""``walproof verify`` of logs that are none of systemd's, and of the folders of systems."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from click.testing import CliRunner, Result

from conformance import VECTORS
from walproof.cli import walproof

DAMAGED = VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log"
SOUND = VECTORS / "leveldb-log" / "one-record.log"
JOURNAL = VECTORS / "systemd-journal" / "five-entries.journal"
KEY = "c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(walproof, ["verify", *map(str, arguments)], standalone_mode=False)


def test_each_lost_range_has_its_rule() -> None:
    done = run(DAMAGED)
    assert done.return_value == 3
    first, last = done.stdout.splitlines()
    assert first.startswith("12–38: checksum-mismatch [LDB-")
    assert last == f"{DAMAGED}: leveldb-log, 1 finding"
    (body,) = [json.loads(line) for line in run(DAMAGED, "--json").stdout.splitlines()]
    assert (body["from"], body["to"], body["reason"]) == (12, 38, "checksum-mismatch")
    assert body["rule"].startswith("LDB-")


def test_a_sound_log_has_none() -> None:
    done = run(SOUND)
    assert (done.return_value, done.stdout) == (0, f"{SOUND}: leveldb-log, no findings\n")


def test_a_key_is_for_journals_only() -> None:
    assert "--key is that of a sealed journal" in str(run(SOUND, "--key", KEY).exception)


def test_what_is_no_log_says_so_in_words(tmp_path: Path) -> None:
    (tmp_path / "notes").write_bytes(b"nothing of ours " * 99)
    done = run(tmp_path / "notes")
    assert done.return_value == 4
    assert "(not-a-journal)" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_journals_of_a_folder_are_named(tmp_path: Path) -> None:
    shutil.copy(JOURNAL, tmp_path / "system.journal")
    shutil.copy(JOURNAL, tmp_path / "user-1000.journal")
    done = run(tmp_path)
    assert done.return_value == 0
    assert f"{tmp_path}/user-1000.journal: no findings" in done.stdout
