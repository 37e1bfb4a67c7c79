"""``docs/rescue.md`` shows the current output of its commands.

If the real program is not installed, the test uses a similar folder. Numbers that change with each
run are not compared.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import ROOT, VECTORS
from tests.real_files import ZMQ_RAFT, read_journal
from tests.walproof.formats.leveldb_log import test_system_folder as leveldb
from tests.walproof.formats.sqlite_wal.histories import History
from tests.walproof.formats.zeebe_journal import test_system_folder as zeebe
from tests.walproof.real_systems import Driver
from walproof.cli import walproof

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "rescue.md"
NUMBER = re.compile(r"\d[\d,.]*(?: (?:[KMG]iB|B|bytes?)\b)?")
JOURNALS = ("v252-compact-keyed-zstd", "v257-compact-512k", "v257-lz4")


Request = pytest.FixtureRequest


def a_database(folder: Path, request: Request) -> None:
    """Flip one bit of the log and one of the MANIFEST."""
    driver = leveldb.start()
    driver.request("write", folder / "db")
    driver.stop()
    log = leveldb.only(folder / "db", "*.log")
    leveldb.flip(log, log.read_bytes().index(b"late value 7"))
    manifest = leveldb.only(folder / "db", "MANIFEST-*")
    leveldb.flip(manifest, manifest.stat().st_size - 3)


def a_sqlite_database(folder: Path, request: Request) -> None:
    """Flip one bit in the fourth of six transactions."""
    (folder / "work").mkdir()
    users = "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES"
    history = History(folder / "work" / "app.db", "", 512, f"{users}(1, 'Ada')")
    for name in ("Zoë", "Bob", "Cem", "Dan"):
        history.step("INSERT INTO users(name) VALUES(?)", name)
    history.step("UPDATE users SET name = 'Eve' WHERE id = 2")
    history.step("DELETE FROM users WHERE id = 1")
    (folder / "data").mkdir()
    leveldb.flip(history.close(folder / "data"), 32 + 3 * 536 + 400)


def a_broker(folder: Path, request: Request) -> None:
    """Flip one bit of ``db-3.log`` of a broker."""
    broker: Driver = request.getfixturevalue("kahadb")
    assert "items" in broker.request("write", folder / "kahadb", variant="killed orders")
    leveldb.flip(folder / "kahadb" / "db-3.log", 6000)


def a_partition(folder: Path, request: Request) -> None:
    """Empty a segment of a node with 62 entries, three of which are in a snapshot."""
    created = zeebe.partition(folder / "1", records=2, flushed=62, snapshot=3)
    (created / f"{zeebe.NAME}-1.log").write_bytes(b"")


def a_host(folder: Path, request: Request) -> None:
    """Flip one bit of a message in one of the host's three files."""
    created = folder / "journal"
    created.mkdir()
    for name in JOURNALS:
        (created / f"{name}.journal").write_bytes(read_journal(name))
    damaged = created / f"{JOURNALS[1]}.journal"
    leveldb.flip(damaged, 40_720 + 80)


def a_node(folder: Path, request: Request) -> None:
    """Cut off the last 16 bytes of the node's state file."""
    created = folder / "raft"
    shutil.copytree(ZMQ_RAFT / "raft", created)
    state = (ZMQ_RAFT / "raft.pers").read_bytes()
    (created / "raft.pers").write_bytes(state[:-16])


def a_log(folder: Path, request: Request) -> None:
    """Make a log with a FULL record inside an open record, and an undamaged replica."""
    logs = VECTORS / "leveldb-log"
    shutil.copy(logs / "first-then-full.log", folder / "000003.log")
    shutil.copy(logs / "four-short-records.log", folder / "replica.log")


def a_disk(folder: Path, request: Request) -> None:
    """Make a disk image with two deleted logs, each at a sector boundary."""
    with (folder / "disk.img").open("wb") as image:
        image.truncate(1 << 20)
        for sector, name in (
            (100, "leveldb-log/four-short-records.log"),
            (900, "systemd-journal/archived-compact.journal"),
        ):
            image.seek(512 * sector)
            image.write((VECTORS / name).read_bytes())


QUESTIONS: dict[str, Callable[[Path, Request], None]] = {
    "What is this file, and what is lost?": a_log,
    "My LevelDB or RocksDB database does not open": a_database,
    "Which keys and values does the log still hold?": a_database,
    "My SQLite database has a damaged -wal": a_sqlite_database,
    "Which messages still wait in my ActiveMQ broker?": a_broker,
    "My Zeebe partition does not start: a segment is empty": a_partition,
    "Which entries of my journal survive?": a_host,
    "My zmq-raft node does not start": a_node,
    "The file was deleted. Can I still find it?": a_disk,
    "Is my copy complete?": a_log,
}
#: Functions that write the same bytes in each run.
FIXED = (a_log, a_host, a_node, a_disk, a_sqlite_database)


def commands_of(heading: str) -> list[tuple[list[str], str]]:
    """Return the commands of the first example under a heading, each with its output."""
    story = PAGE.read_text("utf-8").partition(f"\n### {heading}\n")[2]
    block = re.search(r"^```console\n(.*?)^```", story, re.DOTALL | re.MULTILINE)
    assert block is not None, heading
    commands = []
    for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        commands.append((shlex.split(command.partition(" >")[0]), shown))
    return commands


def plain(text: str, has_numbers: bool) -> str:
    """Return text on one line; remove the numbers unless ``has_numbers`` is true."""
    return " ".join((text if has_numbers else NUMBER.sub("#", text)).split())


def test_the_page_has_exactly_these_questions() -> None:
    answers = PAGE.read_text("utf-8").partition("\n## Ten questions\n")[2].partition("\n## ")[0]
    assert re.findall(r"^### (.*)$", answers, re.MULTILINE) == list(QUESTIONS)


@pytest.mark.parametrize("heading", QUESTIONS)
def test_the_page_shows_the_output_of_its_commands(
    heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Request
) -> None:
    prepare = QUESTIONS[heading]
    prepare(tmp_path, request)
    has_numbers = prepare in FIXED
    monkeypatch.chdir(tmp_path)
    for command, shown in commands_of(heading):
        if command[0] != "walproof":
            continue
        done = CliRunner(env={"COLUMNS": "100"}).invoke(walproof, command[1:])
        rest = plain(done.output, has_numbers)
        for piece in filter(None, map(str.strip, plain(shown, has_numbers).split("…"))):
            _, there, rest = rest.partition(piece)
            assert there == piece, f"{command}: {piece!r} is not in what follows:\n{done.output}"
