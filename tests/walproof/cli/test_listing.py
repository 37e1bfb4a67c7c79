"""``walproof list DIR --format ID``: the folder is taken for a log only if the format has such."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance import VECTORS
from walproof.cli.list import list_logs

ONE_FILE = ("leveldb-log/three-records.log", "systemd-journal/five-entries.journal")


def listed(*words: str) -> Result:
    return CliRunner().invoke(list_logs, words, standalone_mode=False)


@pytest.mark.parametrize("log", ONE_FILE)
def test_a_format_of_single_files_lists_the_files_of_a_folder(log: str, tmp_path: Path) -> None:
    shutil.copy(VECTORS / log, tmp_path)
    (tmp_path / "notes.txt").write_text("no log\n")
    format_id, _, name = log.partition("/")
    told = listed("--format", format_id, str(tmp_path))
    assert told.return_value == 0, told.output
    lines = {line.split()[0]: line.split()[1:] for line in told.output.splitlines() if line}
    assert lines[name][0] == format_id and "intact" in lines[name]
    assert lines["notes.txt"][0] == "–"


def test_a_log_of_several_files_is_one(tmp_path: Path) -> None:
    folder = tmp_path / "two-files"
    shutil.copytree(VECTORS / "kahadb-journal" / "two-files", folder)
    told = listed("--format", "kahadb-journal", str(folder))
    assert told.output.splitlines()[-1].split()[:2] == [str(folder), "kahadb-journal"]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that cannot be read")
def test_a_file_that_cannot_be_read_does_not_end_the_list(tmp_path: Path) -> None:
    for name in ("a.log", "c.log"):
        shutil.copy(VECTORS / "leveldb-log/three-records.log", tmp_path / name)
    (tmp_path / "b.log").symlink_to("/proc/self/mem")  # an I/O error, also for root
    told = listed(str(tmp_path))
    lines = [line.split(maxsplit=3) for line in told.output.splitlines()[1:]]
    assert [line[0] for line in lines] == ["a.log", "b.log", "c.log"]
    assert lines[1][3] == "Input/output error"
    assert told.return_value == 1
    assert '"error": "Input/output error"' in listed("--json", str(tmp_path)).output
