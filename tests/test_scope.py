"""Every sentence about files follows from a chapter. None makes a claim about a whole system."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance import VECTORS
from conformance.vectors import load_all
from reference_impl.formats import FORMATS
from tests.real_files import DATA
from walproof.cli import walproof

#: Claims about databases, brokers and other files contain these words. No chapter proves such
#: claims.
OUT_OF_SCOPE = re.compile(
    r"\b(opens?|starts? (?:up|again)|whole|gone|(?:may|can|must) be (?:deleted|removed)|"
    r"safe to (?:delete|remove)|repair\w*|healthy|all logs are intact|"
    r"(?:the|this|its|another) (?:database|broker|index|manifest)|its records are in)\b",
    re.IGNORECASE,
)


def _vectors(directory: Path) -> None:
    """Fill a directory with every sixth log of each format. Each log has its own subdirectory."""
    for format_id in FORMATS:
        logs = [
            v.input
            for v in load_all().values()
            if v.body["format"] == format_id and v.input.exists()
        ]
        for number, log in enumerate(logs[::6]):
            to = directory / format_id / str(number) / log.name
            to.parent.mkdir(parents=True)
            shutil.copytree(log, to) if log.is_dir() else shutil.copy(log, to)


def _database(directory: Path) -> None:
    """Create what looks like a LevelDB database with a damaged log and empty tables."""
    directory.mkdir()
    shutil.copy(VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log", directory)
    (directory / "CURRENT").write_bytes(b"MANIFEST-000002\n")
    for name in ("MANIFEST-000002", "000004.ldb", "LOCK"):
        (directory / name).touch()


def _sqlite(directory: Path) -> None:
    directory.mkdir()
    log = VECTORS / "sqlite-wal" / "one-transaction-wal"
    (directory / "app.db").write_bytes(b"SQLite format 3\0" + bytes(4080))
    source = log if log.exists() else next((VECTORS / "sqlite-wal").glob("*-wal"))
    shutil.copy(source, directory / "app.db-wal")


def _broker(directory: Path) -> None:
    """Create what looks like a KahaDB store with gaps, an index and a lock."""
    directory.mkdir()
    logs = sorted((VECTORS / "kahadb-journal").glob("*.log"))
    for number, log in zip((1, 3, 7), logs, strict=False):
        shutil.copy(log, directory / f"db-{number}.log")
    for name in ("db.data", "db.redo", "lock"):
        (directory / name).write_bytes(bytes(4096))


def _strange(directory: Path) -> None:
    """Create links, a pipe, an empty directory, an empty log and unrelated files."""
    (directory / "empty").mkdir(parents=True)
    (directory / "000003.log").touch()
    (directory / "notes.txt").write_text("nothing of ours")
    (directory / "etc").symlink_to("/etc")
    (directory / "nowhere.journal").symlink_to("missing")
    (directory / "loop").symlink_to(".")
    os.mkfifo(directory / "MANIFEST-000001")


def _real(directory: Path) -> None:
    """Copy files that real systems wrote."""
    shutil.copytree(DATA, directory)


LAYOUTS: dict[str, Callable[[Path], None]] = {
    "vectors": _vectors,
    "database": _database,
    "sqlite": _sqlite,
    "broker": _broker,
    "strange": _strange,
    "real": _real,
}


def _sentences(directory: Path, out: Path) -> Iterator[tuple[str, str]]:
    """Yield each line that a command prints about the files in a directory, with the command."""
    files = [p for p in sorted(directory.rglob("*")) if p.is_file() and not p.is_symlink()]
    # The names of vectors, which may be folders, are words.
    all_names = {re.escape(p.name) for p in directory.rglob("*")}
    names = re.compile("|".join(sorted(all_names, key=len, reverse=True)))
    commands = [["summary", directory], ["recover", directory, "--out", out / "copy"]]
    for number, file in enumerate(files):
        commands.append(["summary", file])
        commands.append(["recover", file, "--out", out / f"{number}" / file.name])
        (out / f"{number}").mkdir()
        if number < 8:
            commands += [["read", file, "--lost-only"], ["inspect", file, "--limit", "20"]]
    for words in commands:
        done = CliRunner().invoke(walproof, list(map(str, words)), standalone_mode=False)
        text = done.output + (str(done.exception) if done.exception else "")
        for line in text.replace(str(out), "OUT").replace(str(directory), "DIR").splitlines():
            yield " ".join(map(str, words)), names.sub("NAME", line)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_sentence_is_about_a_whole_system(layout: str, tmp_path: Path) -> None:
    LAYOUTS[layout](tmp_path / "input")
    (tmp_path / "out").mkdir()
    lines = list(_sentences(tmp_path / "input", tmp_path / "out"))
    assert len(lines) > 10
    # Quoted text is not checked, because it comes from the records of a log.
    offending = [
        (command, line)
        for command, line in lines
        if OUT_OF_SCOPE.search(re.sub(r'"[^"]*"?', "", line))
    ]
    assert offending == []


@pytest.mark.parametrize(
    "sentence",
    [
        "RocksDB opens it",
        "journal-6.log: its records are in journal-1.log",
        "the file may be deleted",
        "all logs are intact",
    ],
)
def test_sentences_about_a_system_are_found(sentence: str) -> None:
    assert OUT_OF_SCOPE.search(sentence)
