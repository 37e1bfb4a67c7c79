"""``walproof read --operations``."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
import struct
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance import ROOT
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from tests.real_files import CHROMIUM, ZMQ_RAFT, read_journal, unpack_partition
from walproof.cli import walproof


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(walproof, ["read", "--operations", *map(str, words)])


def rows(*words: str | Path) -> list[dict[str, Any]]:
    done = run(*words)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def batch(sequence: int, key: bytes, value: bytes) -> NewRecord:
    sizes = bytes([len(key)]), bytes([len(value)])
    head = struct.pack("<QI", sequence, 1)
    return NewRecord(head + b"\x01" + sizes[0] + key + sizes[1] + value, {})


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Make a log with a put of text, a record that is not a batch, and a put of bytes."""
    path = tmp_path / "000003.log"
    records = [batch(1, b"k", b"v"), NewRecord(b"alpha", {}), batch(2, b"line\n", b"\xff")]
    named("leveldb-log").write(path, records, {})
    return path


def test_each_operation_is_one_line(log: Path) -> None:
    first, second, third = rows(log)
    assert first == {"at": 0, "op": "put", "sequence": "1", "key": "k", "value": "v"}
    assert (second["payload"], "not decoded: " in second["fault"]) == ("alpha", True)
    assert (third["key"], third["value"]) == ("line\n", {"hex": "ff"})


def test_csv(log: Path) -> None:
    done = run(log, "--csv")
    results = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["key"], row["value"], row["payload"]) for row in results] == [
        ("k", "v", ""),
        ("", "", "alpha"),
        (r"line\n", '{"hex": "ff"}', ""),
    ]


def test_lost_ranges_are_reported_and_change_the_status(log: Path) -> None:
    data = bytearray(log.read_bytes())
    data[33] ^= 1
    log.write_bytes(data)
    words = ["read", "--operations", str(log)]
    done = CliRunner().invoke(walproof, words, standalone_mode=False)
    assert (done.return_value, len(done.stdout.splitlines())) == (3, 1)
    assert "lost: bytes " in done.stderr and "(checksum-mismatch)" in done.stderr


def test_the_logs_of_a_directory_are_read_in_order() -> None:
    folder = CHROMIUM / "IndexedDB" / "http_127.0.0.1_8765.indexeddb.leveldb"
    result = rows(folder)
    assert {row["file"] for row in result} == {"000003.log"}
    numbers = [int(row["sequence"]) for row in result]
    assert numbers == list(range(1, len(numbers) + 1))
    conditions = ["store=items", "entry=record", "key=a1"]
    assert rows(folder, *[f"--where={each}" for each in conditions]) == [result[89]]


def test_zeebe_records_are_selected_by_position_index_and_instance(tmp_path: Path) -> None:
    folder = unpack_partition("v8.8", tmp_path / "partition")
    everything = rows(folder)
    positions = [int(row["position"]) for row in everything if "position" in row]
    assert positions == list(range(1, len(positions) + 1))
    result = rows(folder, "--where", "position=5:7")
    assert [row["position"] for row in result] == ["5", "6", "7"]
    assert {row["index"] for row in rows(folder, "--where", "index=4")} == {"4"}
    key = "2251799813685297"
    result = rows(folder, "--where", f"processInstanceKey={key}")
    with_key = [row for row in everything if f'"processInstanceKey": {key}' in json.dumps(row)]
    assert result == with_key and len(result) == 30
    csv.field_size_limit(1 << 20)
    csv_rows = list(csv.DictReader(io.StringIO(run(folder, "--csv").stdout)))
    assert len(csv_rows) == len(everything)


def test_entries_of_a_raft_log() -> None:
    result = rows(ZMQ_RAFT / "raft", "--where", "index=2:3")
    assert [(row["index"], row["type"], row["data"]) for row in result] == [
        ("2", "state", "entry1"),
        ("3", "state", "entry2"),
    ]


def test_a_format_without_operations_prints_its_records(tmp_path: Path) -> None:
    journal = tmp_path / "system.journal"
    journal.write_bytes(read_journal("v257-compact-512k"))
    assert len(rows(journal)) == 30
    assert len(list(csv.DictReader(io.StringIO(run(journal, "--csv").stdout)))) == 30


def test_a_refused_log_is_reported(tmp_path: Path) -> None:
    log = tmp_path / "system.journal"
    log.write_bytes(bytes(5000))
    words = ["read", "--operations", str(log)]
    done = CliRunner().invoke(walproof, words, standalone_mode=False)
    assert (done.return_value, done.stdout) == (4, "")
    assert f"{log}: refused (not-a-journal)" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--where", "position"], "expected NAME=VALUE, found 'position'"),
        (["--json"], "--json and --operations exclude each other"),
    ],
)
def test_usage(words: list[str], message: str, log: Path) -> None:
    done = run(log, *words)
    assert done.exit_code and message in done.stderr


def test_the_page_shows_the_output_of_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run the commands that ``docs/operations.md`` shows for a browser's database."""
    shutil.copytree(CHROMIUM, tmp_path / "chromium")
    monkeypatch.chdir(tmp_path / "chromium")
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    section = page.partition("## IndexedDB and Local Storage")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```console\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    shown = [part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(shown) == 2
    for command, _, output in shown:
        done = CliRunner().invoke(walproof, shlex.split(command)[1:])
        assert done.stdout == output
