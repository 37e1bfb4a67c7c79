"""No command takes more than 16 times a log and 64 MiB, measured from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from walproof.bench import hostile
from walproof.bench.hostile.commands import COMMANDS
from walproof.bench.hostile.formats import kahadb_journal

SIZE = 1 << 20
NAMES = ("read --records", "read --json", "recover --out", "inspect", "diff")


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_of_tiny_records_fits(name: str, tmp_path: Path) -> None:
    (command,) = [one for one in COMMANDS if one.name == name]
    log, small = tmp_path / "db-1.log", tmp_path / "db-2.log"
    log.write_bytes(kahadb_journal.empty_records(SIZE))
    small.write_bytes(kahadb_journal.empty_records(1 << 12))
    format_id = kahadb_journal.__name__.rpartition(".")[2].replace("_", "-")
    said = hostile.run_command(log, small, format_id, command)
    assert said["status"] == 0
    assert said["peak_bytes"] <= hostile.most(SIZE)


def test_each_command_has_a_name_and_its_paths() -> None:
    assert len({one.name for one in COMMANDS}) == len(COMMANDS)
    for one in COMMANDS:
        line = one.line("/log", "toy-log", "/out")
        assert "/log" in line
        assert not {"LOG", "OUT", "FORMAT"} & set(line)
