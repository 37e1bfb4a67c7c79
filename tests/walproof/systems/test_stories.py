"""The stories of ``docs/rescue.md`` print today what the page shows.

Each folder is made as the page says: by the real program where it is here, else a folder like it.
Where the program writes it anew, its numbers are others, and are not compared.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import ROOT
from tests.real_files import ZMQ_RAFT, read_journal
from tests.walproof.real_systems import Driver
from tests.walproof.systems import test_leveldb_log as leveldb
from tests.walproof.systems import test_zeebe_journal as zeebe
from walproof.cli import walproof

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "rescue.md"
NUMBER = re.compile(r"\d[\d,.]*(?: (?:[KMG]iB|B|bytes?)\b)?")
JOURNALS = ("v252-compact-keyed-zstd", "v257-compact-512k", "v257-lz4")


Request = pytest.FixtureRequest


def a_database(folder: Path, request: Request) -> None:
    """One bit of the log was flipped, and one of the MANIFEST."""
    leveldb.leveldb("write", folder / "db")
    log = leveldb.only(folder / "db", "*.log")
    leveldb.flip(log, log.read_bytes().index(b"late value 7"))
    manifest = leveldb.only(folder / "db", "MANIFEST-*")
    leveldb.flip(manifest, manifest.stat().st_size - 3)


def a_broker(folder: Path, request: Request) -> None:
    """One bit of ``db-3.log`` was flipped."""
    broker: Driver = request.getfixturevalue("kahadb")
    assert "items" in broker.request("write", folder / "kahadb", variant="killed orders")
    leveldb.flip(folder / "kahadb" / "db-3.log", 6000)


def a_partition(folder: Path, request: Request) -> None:
    """The only segment is empty; the node knew 62 entries, three of them in a snapshot."""
    made = zeebe.partition(folder / "1", records=2, flushed=62, snapshot=3)
    (made / f"{zeebe.NAME}-1.log").write_bytes(b"")


def a_host(folder: Path, request: Request) -> None:
    """One bit of a message was flipped in one of three files."""
    made = folder / "journal"
    made.mkdir()
    for name in JOURNALS:
        (made / f"{name}.journal").write_bytes(read_journal(name))
    damaged = made / f"{JOURNALS[1]}.journal"
    leveldb.flip(damaged, 40_720 + 80)


def a_node(folder: Path, request: Request) -> None:
    """The last 16 bytes of the state file were cut off."""
    made = folder / "raft"
    shutil.copytree(ZMQ_RAFT / "raft", made)
    state = (ZMQ_RAFT / "raft.pers").read_bytes()
    (made / "raft.pers").write_bytes(state[:-16])


STORIES: dict[str, Callable[[Path, Request], None]] = {
    "A LevelDB database that no longer opens": a_database,
    "The messages of an ActiveMQ broker": a_broker,
    "`raft-partition-partition-1-1.log` is empty": a_partition,
    "Journals of a host": a_host,
    "A zmq-raft node": a_node,
}


OF_FILES = ("Journals of a host", "A zmq-raft node")
"""Of these the folder is the same each time."""


def told(heading: str) -> list[tuple[list[str], str]]:
    """The commands of a story's first example, and what the page shows of each."""
    story = PAGE.read_text("utf-8").partition(f"\n### {heading}\n")[2]
    block = re.search(r"^```console\n(.*?)^```", story, re.DOTALL | re.MULTILINE)
    assert block is not None, heading
    found = []
    for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        found.append((shlex.split(command.partition(" >")[0]), shown))
    return found


def plain(text: str, has_numbers: bool) -> str:
    """A text without the ends of lines, and without its numbers, from which these may follow."""
    return " ".join((text if has_numbers else NUMBER.sub("#", text)).split())


def test_the_page_has_these_stories_and_no_others() -> None:
    stories = PAGE.read_text("utf-8").partition("\n## Five folders\n")[2].partition("\n## ")[0]
    assert re.findall(r"^### (.*)$", stories, re.MULTILINE) == list(STORIES)


@pytest.mark.parametrize("heading", STORIES)
def test_a_story_is_what_the_commands_print(
    heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Request
) -> None:
    STORIES[heading](tmp_path, request)
    monkeypatch.chdir(tmp_path)
    for command, shown in told(heading):
        if command[0] != "walproof":
            continue
        done = CliRunner(env={"COLUMNS": "100"}).invoke(walproof, command[1:])
        rest = plain(done.output, heading in OF_FILES)
        for piece in filter(None, map(str.strip, plain(shown, heading in OF_FILES).split("…"))):
            _, there, rest = rest.partition(piece)
            assert there == piece, f"{command}: {piece!r} is not in what follows:\n{done.output}"
