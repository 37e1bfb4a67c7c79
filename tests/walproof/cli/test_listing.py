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
