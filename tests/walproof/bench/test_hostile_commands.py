"""No command takes more than 16 times a log and 64 MiB, measured from outside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from walproof.bench import hostile
from walproof.bench.hostile.children import Watched
from walproof.bench.hostile.commands import COMMANDS
from walproof.bench.hostile.formats import kahadb_journal, leveldb_log, zmq_raft

SIZE = 1 << 19
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


def held(name: str, make: Callable[[int], bytes], size: int, folder: Path) -> float:
    """Bytes that a command holds of a log of about ``size`` bytes."""
    (command,) = [one for one in COMMANDS if one.name == name]
    (one,) = [one for one in hostile.logs() if one.make is make]
    paths = []
    for count in (1 << 12, size):
        paths.append(folder / str(count) / one.file_name)
        paths[-1].parent.mkdir()
        paths[-1].write_bytes(make(count))
    return hostile.run_command(paths[1], paths[0], one.format, command)["peak_bytes"]


@pytest.mark.parametrize("name", ["export --parquet", "export --decode --parquet"])
def test_a_table_of_tiny_ranges_fits(name: str, tmp_path: Path) -> None:
    size = 1 << 17
    assert held(name, kahadb_journal.unknown_types, size, tmp_path) <= hostile.most(size)


@pytest.mark.parametrize("name", ["read --json", "recover --out"])
def test_an_update_of_tiny_values_fits(name: str, tmp_path: Path) -> None:
    assert held(name, zmq_raft.empty_arrays, SIZE, tmp_path) <= hostile.most(SIZE)


@pytest.mark.parametrize("name", ["export --parquet", "read --jsonl --fast"])
def test_a_text_that_json_spells_out_fits(name: str, tmp_path: Path) -> None:
    size = 4 * SIZE
    assert held(name, zmq_raft.long_text, size, tmp_path) <= hostile.most(size)


def test_what_a_payload_of_tiny_values_means_fits(tmp_path: Path) -> None:
    taken = held("export --decode --parquet", leveldb_log.batch_of_marks, SIZE, tmp_path)
    assert taken <= hostile.most(SIZE)


def test_a_packed_text_fits(tmp_path: Path) -> None:
    size = SIZE // 4
    taken = held("export --decode --parquet", kahadb_journal.inflated_text, size, tmp_path)
    assert taken <= hostile.most(size)


STREAMING = (
    "summary",
    "read --jsonl --fast",
    "export --parquet",
    "audit --out --master none --option journalFormat=FORMAT",
)


@pytest.mark.parametrize("name", STREAMING)
def test_what_streams_takes_no_more_of_a_longer_log(name: str, tmp_path: Path) -> None:
    """Of 3.4 million records, after 0.8 million; a row group is full well before those."""
    (command,) = [one for one in COMMANDS if one.name == name]
    paths = [tmp_path / str(size) / "db-1.log" for size in (16 << 20, 4 << 20)]
    for path in paths:
        path.parent.mkdir()
        path.write_bytes(kahadb_journal.empty_records(int(path.parent.name)))
    said = hostile.run_command(paths[0], paths[1], "kahadb-journal", command)
    assert said["status"] == 0
    assert said["peak_bytes"] <= 64 << 20


def test_what_processes_hold_that_a_command_starts_is_counted() -> None:
    """Readers of the audit are processes of a server that is a process of the command."""
    holding = "import time; held = bytearray(b'x') * (64 << 20); time.sleep(1)"
    starting = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {holding!r}])"
    with Watched() as below:
        subprocess.run([sys.executable, "-c", starting], check=True)
    assert 64 << 20 < below.peak < 128 << 20


def test_heirs_of_those_that_were_there_are_counted_if_asked_for() -> None:
    """Readers of a second audit are processes of the server that the first one left."""
    holding = "import time; held = bytearray(b'x') * (64 << 20); time.sleep(1)"
    serving = (
        f"import subprocess, sys; input(); subprocess.run([sys.executable, '-c', {holding!r}])"
    )
    with (
        subprocess.Popen([sys.executable, "-c", serving], stdin=subprocess.PIPE) as server,
        Watched() as others,
        Watched(with_heirs=True) as below,
    ):
        server.communicate(b"go\n")
    assert 64 << 20 < below.peak < 128 << 20
    assert others.peak == 0


def test_each_command_has_a_name_and_its_paths() -> None:
    assert len({one.name for one in COMMANDS}) == len(COMMANDS)
    paths = {"LOG": "/log", "SMALL": "/small", "FOLDER": "/folder", "OUT": "/out"}
    for one in COMMANDS:
        line = one.line(paths, "toy-log")
        assert {"/log", "/folder"} & set(line)
        assert not {*paths, "FORMAT"} & set(line)
