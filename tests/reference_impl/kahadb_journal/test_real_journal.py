"""The executable specification and ActiveMQ's journal read each other's files."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path

import pytest

from reference_impl.answer import NewRecord, collect
from reference_impl.kahadb_journal import append, read, write
from walproof.implementations import all_implementations

pytestmark = pytest.mark.slow

RELEASES = [each for each in all_implementations() if "kahadb-journal" in each.formats]
RELEASES = [each for each in RELEASES if each.name.startswith("kahadb-store")]


@pytest.fixture(params=RELEASES, ids=[each.name for each in RELEASES])
def java(request: pytest.FixtureRequest) -> list[str]:
    """Return the command of a release that is built here."""
    implementation = request.param
    if implementation.missing() or not implementation.is_built():
        pytest.skip(f"{implementation.name} is not built: make setup")
    return list(implementation.command)


def run(command: list[str], *arguments: object) -> str:
    done = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbered(number: int, size: int) -> bytes:
    return (b"%012d" % number * (size // 12 + 1))[:size]


@pytest.mark.parametrize(
    ("mode", "count", "size"),
    [
        ("sync,checksum", 60, 30),
        ("sync", 60, 30),
        ("async,checksum", 20000, 100),
        ("async", 20000, 100),
        ("async,checksum,max=65536", 5000, 200),
        ("async,checksum,sparse,max=65536", 2000, 200),
        ("async,zeros,max=65536", 2000, 200),
        ("async,checksum,kernel-copy,max=65536", 2000, 200),
        ("async,checksum,chunked-zeros,max=2621440", 20000, 300),
        ("async,checksum,max=4096", 5, 100000),
        ("async,checksum", 3, 6000000),
        ("sync,checksum,sparse,max=4096", 100, 0),
    ],
)
def test_activemq_writes_and_the_reader_reads(
    java: list[str], tmp_path: Path, mode: str, count: int, size: int
) -> None:
    run(java, "generate", tmp_path, count, size, mode)
    actual = collect(read(tmp_path, "recover", {}))
    assert (actual.verdict, actual.lost) == ("intact", ())
    expected = (numbered(number, size) for number in range(count))
    assert len(actual.records) == count
    assert all(a.payload == b for a, b in zip(actual.records, expected, strict=True))
    assert collect(read(tmp_path, "strict", {})).records == actual.records


@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("strategy", ["none", "sparse", "zeros", "kernel-copy", "chunked-zeros"])
def test_the_writer_writes_and_activemq_reads(
    java: list[str], tmp_path: Path, strategy: str, checksum: bool
) -> None:
    path = tmp_path / "log"
    records = [NewRecord(numbered(n, n % 90), {"batch": n // 7}) for n in range(300)]
    context = {
        "folder": True,
        "checksum": checksum,
        "preallocation": strategy,
        "max_file_length": 5000,
    }
    write(path, records, context)
    append(path, [NewRecord(b"appended")], context)
    answer = json.loads(run(java, "read", "kahadb-journal", path))
    ours = collect(read(path, "recover", {}))
    assert answer["signals"] == []
    assert len(answer["records"]) == 301
    for actual, expected in itertools.zip_longest(answer["records"], ours.records):
        assert actual["payload"] == expected.payload.hex()
        assert (actual["file"], actual["at"], actual["size"]) == (
            expected.file,
            expected.at,
            expected.size,
        )
    assert answer["end"] == {"file": ours.end_file, "at": ours.end}
