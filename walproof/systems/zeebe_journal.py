"""The folder of a Zeebe partition: segments of its journal, what its node remembers, snapshots.

Upstream authority: camunda/camunda ``atomix/cluster`` ``RaftStorage.java`` (the names of the
files), ``zeebe/snapshot`` ``FileBasedSnapshotId.java`` (index-term-processed-exported…).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from reference_impl.zeebe_journal.layout import SEGMENT_NAME
from reference_impl.zeebe_journal.meta import read_flushed_index
from reference_impl.zeebe_journal.reader import journal_name, recognise, segment_files
from walproof.quantity import counted
from walproof.summary.model import Summary
from walproof.systems.model import (
    WHOLE,
    Finding,
    Kind,
    OtherFile,
    System,
    SystemLog,
    gaps,
    size_of_all,
)

FORMAT = "zeebe-journal"
SNAPSHOT = re.compile(r"(?P<index>\d+)-(?P<term>\d+)-(?P<processed>\d+)-(?P<exported>\d+)(-.*)?")
META = "what the node must not forget: its term, its vote, what was flushed"
SNAPSHOTS = ("snapshots", "bootstrap-snapshots")


class Zeebe(Kind):
    """See :class:`Kind`."""

    def recognise(self, folder: Path) -> System | None:
        """See :class:`Kind`. Empty segments are some beside a partition's other files."""
        if not recognise(folder) and not _is_a_partition(folder):
            return None
        name = journal_name(folder, {})
        if name is None:
            return None
        segments = segment_files(folder).get(name, [])
        snapshots = _snapshots(folder)
        return System(
            self,
            "Zeebe partition",
            folder,
            FORMAT,
            (SystemLog(WHOLE, f"{counted(len(segments), 'segment')} of the journal {name}"),),
            [*_others(folder, name), *(other for other, _ in snapshots)],
            list(_findings(folder, segments, snapshots)),
            {
                "flushed": _flushed(folder / f"{name}.meta"),
                "snapshot": max((index for _, index in snapshots if index is not None), default=0),
            },
        )

    def after_recovery(self, system: System) -> str:
        """See :class:`Kind`."""
        return (
            "A node needs the snapshots, too: copy them beside it. If entries are lost that it knew"
            " to be on disk, its data must come from another node."
        )

    def beyond(self, system: System, found: Summary) -> Iterator[Finding]:
        """See :class:`Kind`: what the node and its snapshots know beyond the journal."""
        flushed, snapshot = system.facts["flushed"], system.facts["snapshot"]
        first, last = found.indexes or (None, 0)
        reaches = max(last, snapshot)
        if flushed is not None and flushed > reaches:
            yield Finding(
                f"the node knew all entries up to {flushed} to be on disk; those after {reaches}"
                " are in no file here: take them from another node",
                harm="lost",
            )
        if first is not None and first > snapshot + 1:
            yield Finding(
                f"entries {snapshot + 1} to {first - 1} are neither in the journal, which begins"
                f" with {first}, nor in a snapshot: take them from another node",
                harm="lost",
            )


def _is_a_partition(folder: Path) -> bool:
    return any(
        (folder / f"{name}.meta").is_file() or (folder / f".{name}.lock").is_file()
        for name in segment_files(folder)
    )


def _flushed(meta: Path) -> int | None:
    return read_flushed_index(meta.read_bytes()[:4096]) if meta.is_file() else None


def _others(folder: Path, name: str) -> Iterator[OtherFile]:
    roles = {
        f"{name}.meta": (META, True),
        f"{name}.conf": ("who is in the raft group", False),
        f".{name}.lock": ("held by the node that uses the folder", False),
        "runtime": ("the state, made from the newest snapshot and the journal", False),
        "pending": ("snapshots that are not finished", False),
    }
    for file, (role, is_kept) in roles.items():
        if (folder / file).exists():
            yield OtherFile(file, role, size_of_all(folder / file), is_kept)


def _snapshots(folder: Path) -> list[tuple[OtherFile, int | None]]:
    """Each snapshot, and its index; None for one without the checksums that are written last."""
    found: list[tuple[OtherFile, int | None]] = []
    for place in SNAPSHOTS:
        inside = folder / place
        for path in sorted(inside.iterdir()) if inside.is_dir() else []:
            match = SNAPSHOT.fullmatch(path.name)
            if match is None or not path.is_dir():
                continue
            finished = path.with_name(f"{path.name}.checksum").is_file()
            role = f"snapshot of all entries up to {match['index']}, of term {match['term']}"
            if not finished:
                role = "snapshot without its checksums, which Zeebe passes over"
            name = path.relative_to(folder).as_posix()
            index = int(match["index"]) if finished else None
            found.append((OtherFile(name, role, size_of_all(path)), index))
    return found


def _findings(
    folder: Path, segments: list[Path], snapshots: list[tuple[OtherFile, int | None]]
) -> Iterator[Finding]:
    for path in segments:
        if not _is_blank(path):
            continue
        size = "empty" if not path.stat().st_size else "nothing but zeros"
        if path == segments[0]:
            text = f"the first segment is {size}: all that it held is lost here; take the entries"
            text += " after the newest snapshot from another node"
            yield Finding(text, path.name, "lost")
        elif path == segments[-1]:
            yield Finding(f"the last segment is {size}: made, and never used", path.name, "none")
        else:
            yield Finding(f"this segment is {size}, and others come after it", path.name, "lost")
    numbers = [int(match["id"]) for p in segments if (match := SEGMENT_NAME.fullmatch(p.name))]
    for first, last in gaps(numbers):
        missing = f"segment {first}" + (f" to {last}" if last > first else "")
        yield Finding(f"{missing} is not there, though later ones are", harm="lost")
    for other, index in snapshots:
        if index is None:
            yield Finding("the snapshot has no .checksum file: it was never finished", other.name)


def _is_blank(path: Path) -> bool:
    """Whether nothing was written at the start of a segment: its descriptor would be there."""
    with path.open("rb") as file:
        head = file.read(4096)
    return head.count(0) == len(head)


KIND = Zeebe()
