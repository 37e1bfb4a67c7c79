"""``walproof verify`` of logs that are none of systemd's, and of the folders of systems."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from conformance.vectors import load_all
from reference_impl.systemd_journal import inspection
from walproof.cli import verify, walproof
from walproof.scan import has_kernel

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


def test_what_is_sound_the_kernels_may_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same words and status with them as without, whatever is wrong, sealed or not."""
    vectors = [one for one in load_all().values() if one.body["format"] == "systemd-journal"]
    vectors = [one for one in vectors if one.operation == "read" and one.input.is_file()]
    sound = 0
    for vector in vectors[::6]:
        key = vector.body.get("context", {}).get("key")
        options = ["--key", key] if key else []
        without = run(vector.input, *options)
        monkeypatch.setattr(verify, "WORTH_A_KERNEL", 0)
        done = run(vector.input, *options)
        monkeypatch.undo()
        assert (done.output, done.return_value) == (without.output, without.return_value), vector.id
        sound += without.return_value == 0
    assert 10 < sound < len(vectors[::6]) - 10


def test_the_kernels_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_kernel("systemd-journal"):
        pytest.skip("no kernels here")
    monkeypatch.setattr(verify, "WORTH_A_KERNEL", 0)
    monkeypatch.setattr(verify.inspection, "inspect", None)
    done = run(JOURNAL)
    assert done.return_value == 0 and "no findings" in done.stdout


def test_objects_are_counted() -> None:
    found = inspection.inspect(JOURNAL.read_bytes(), {})
    assert f"no findings, {found.walk.counts.total()} objects, 5 entries" in run(JOURNAL).stdout
    assert found.walk.counts.total() == found.view.header.n_objects


def test_how_far_it_is() -> None:
    offsets: list[int] = []
    data = JOURNAL.read_bytes()
    inspection.inspect(data, {}, offsets.append)
    assert sum(other < one for one, other in pairwise(offsets)) == verify.PASSES - 1
    assert max(offsets) <= len(data)
    told: list[int] = []
    tell = verify._summed(told.append, len(data))
    for at in offsets:
        tell(at)
    assert all(one < other for one, other in pairwise(told))
    assert told[0] < len(data) // 3 < 2 * len(data) // 3 < told[-1] < len(data)


def test_how_far_it_is_is_told_now_and_then() -> None:
    told: list[int] = []
    tell = verify._summed(told.append, 2_000)
    for at in [*range(2_000), *range(2_000)]:
        tell(at)
    assert told[:2] == [3, 7] and told[-1] > 1_300
    assert len(told) < 400
