"""``docs/rescue.md`` shows the current output of its commands."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import ROOT, VECTORS
from tests.walproof.formats.sqlite_wal.histories import History
from walproof.cli import walproof

PAGE = ROOT / "docs" / "rescue.md"
LOGS = VECTORS / "leveldb-log"
MAX_WORDS = 500


def a_log(folder: Path) -> None:
    """Copy a log with a FULL record inside an open record."""
    shutil.copy(LOGS / "first-then-full.log", folder / "000003.log")


def a_directory(folder: Path) -> None:
    """Create a SQLite database with six transactions, and flip one bit in the third."""
    (folder / "work").mkdir()
    users = "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES"
    history = History(folder / "work" / "app.db", "", 512, f"{users}(1, 'Ada')")
    for name in ("Zoë", "Bob", "Cem", "Dan", "Eve", "Fay"):
        history.step("INSERT INTO users(name) VALUES(?)", name)
    data = folder / "data"
    (data / "cache").mkdir(parents=True)
    log = history.close(data)
    damaged = bytearray(log.read_bytes())
    damaged[32 + 2 * 536 + 400] ^= 1
    log.write_bytes(damaged)
    shutil.copy(LOGS / "four-short-records.log", data / "cache" / "000005.log")
    (data / "cache" / "CURRENT").write_bytes(b"MANIFEST-000004\n")


EXAMPLES: dict[str, Callable[[Path], None]] = {"One log": a_log, "A directory": a_directory}


def commands_of(heading: str) -> list[tuple[list[str], str]]:
    """Return the commands of the example under a heading, and the output of each."""
    section = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```console\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(shlex.split(part.partition("\n")[0]), part.partition("\n")[2]) for part in parts]


@pytest.mark.parametrize("heading", EXAMPLES)
def test_the_page_shows_the_output_of_its_commands(
    heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    EXAMPLES[heading](tmp_path)
    monkeypatch.chdir(tmp_path)
    for command, shown in commands_of(heading):
        if command[0] == "ls":
            names = sorted(path.name for path in Path(command[1]).iterdir())
            output = "".join(f"{name}\n" for name in names)
        else:
            output = CliRunner(env={"COLUMNS": "80"}).invoke(walproof, command[1:]).output
        start, is_cut, _ = shown.partition("…\n")
        assert output.startswith(start) if is_cut else output == shown, f"{command}:\n{output}"


def test_each_example_is_tested_and_the_page_is_short() -> None:
    text = PAGE.read_text("utf-8")
    assert text.count("```console") == len(EXAMPLES)
    assert len(text.split()) <= MAX_WORDS
