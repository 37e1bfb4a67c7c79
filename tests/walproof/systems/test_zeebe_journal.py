"""A Zeebe partition: its segments, its snapshots, and what the node knows beyond the journal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance import VECTORS
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import named
from reference_impl.zeebe_journal.meta import Meta, write_meta
from walproof.systems import recognise

NAME = "raft-partition-partition-1"
JOURNAL = named("zeebe-journal")


def partition(
    folder: Path, first: int = 1, records: int = 9, flushed: int | None = None, snapshot: int = 0
) -> Path:
    """A partition's folder, as a node keeps it; indexes begin with ``first``."""
    payloads = [f"record {number}".encode() * 20 for number in range(records)]
    new = [
        NewRecord(payload, {"asqn": str(number + 1), "index": str(first + number)})
        for number, payload in enumerate(payloads)
    ]
    JOURNAL.write(folder, new, {"name": NAME, "max_segment_size": 700})
    (folder / f"{NAME}.meta").write_bytes(write_meta(Meta(3, flushed, None, b"0")))
    (folder / f".{NAME}.lock").write_bytes(b"0")
    if snapshot:
        made = folder / "snapshots" / f"{snapshot}-1-45-9223372036854775807-0-35cfec88"
        made.mkdir(parents=True)
        (made / "000008.log").write_bytes(b"")
        made.with_name(f"{made.name}.checksum").write_bytes(b"\0" * 20)
    return folder


def test_a_partition_is_listed(tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    done = run(folder)
    assert done.return_value == 0, done.output
    assert "Zeebe partition: 4 segments" in done.output
    assert "snapshot of all entries up to 3, of term 1" in done.output
    assert "gone" not in done.output


@pytest.mark.parametrize("zeros", [0, 700])
def test_an_empty_first_segment_is_no_whole_log(zeros: int, tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1")
    for number in range(2, 5):
        (folder / f"{NAME}-{number}.log").unlink()
    (folder / f"{NAME}-1.log").write_bytes(bytes(zeros))
    done = run(folder)
    assert done.return_value == 3
    assert "the first segment is" in done.output
    assert "whole;" not in done.output
    assert "A writer may resume" not in done.output
    read = run("read", folder)
    assert "the first segment is" in read.stderr
    assert "A writer may resume" not in read.stdout
    alone = run(folder / f"{NAME}-1.log")
    assert alone.return_value == 3
    assert "the first segment is" in alone.output


def test_entries_that_the_node_knew_to_be_on_disk(tmp_path: Path, run) -> None:
    done = run(partition(tmp_path / "1", flushed=12))
    assert done.return_value == 3
    assert "all entries up to 12 to be on disk; those after 9" in done.output.replace(
        "\n        ", ""
    )


def test_a_hole_between_snapshot_and_journal(tmp_path: Path, run) -> None:
    assert run(partition(tmp_path / "whole", first=4, snapshot=3)).return_value == 0
    assert run(partition(tmp_path / "more", first=4, snapshot=5)).return_value == 0
    done = run(partition(tmp_path / "hole", first=6, snapshot=3))
    assert done.return_value == 3
    assert "entries 4 to 5 are neither in the journal" in done.output


def test_a_snapshot_without_checksums_does_not_count(tmp_path: Path) -> None:
    folder = partition(tmp_path / "1", first=4, snapshot=3)
    for file in (folder / "snapshots").glob("*.checksum"):
        file.unlink()
    system = recognise(folder)
    assert system is not None
    assert system.facts["snapshot"] == 0
    text = "the snapshot has no .checksum file: it was never finished"
    assert text in [finding.text for finding in system.findings]


def test_a_segment_that_is_not_there(tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1")
    (folder / f"{NAME}-3.log").unlink()
    done = run(folder)
    assert done.return_value == 3
    assert "segment 3 is not there" in done.output


def test_recovered_it_keeps_names_sizes_and_what_the_node_remembers(tmp_path: Path, run) -> None:
    folder = partition(tmp_path / "1", flushed=9, snapshot=3)
    out = tmp_path / "new"
    done = run("recover", folder, "--out", out)
    assert done.return_value == 0, done.output
    segments = [f"{NAME}-{number}.log" for number in range(1, 5)]
    assert sorted(path.name for path in out.iterdir()) == sorted([*segments, f"{NAME}.meta"])
    for name in segments:
        assert (out / name).stat().st_size == (folder / name).stat().st_size
    assert "left out" in done.output
    old, new = (collect(JOURNAL.read(path, "recover", {})) for path in (folder, out))
    assert [record.payload for record in old.records] == [record.payload for record in new.records]


@pytest.mark.parametrize("version", ["1", "2/1", "2/2"])
def test_recovered_it_can_be_read_by_a_node_as_old(version: str, tmp_path: Path, run) -> None:
    folder = tmp_path / "1"
    new = [NewRecord(b"alpha", {"asqn": "1", "index": "1"})]
    JOURNAL.write(folder, new, {"name": NAME, "max_segment_size": 4096, "descriptor": version})
    done = run("recover", folder, "--out", tmp_path / "new")
    assert done.return_value == 0, done.output
    name = f"{NAME}-1.log"
    assert (tmp_path / "new" / name).read_bytes() == (folder / name).read_bytes()


def test_a_folder_of_a_vector_is_one_too(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    shutil.copytree(VECTORS / "zeebe-journal" / "three-segments", folder)
    system = recognise(folder)
    assert system is not None
    assert system.is_one_log
