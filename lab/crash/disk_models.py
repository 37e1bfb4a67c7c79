"""Persistence models: the states of the files that a crash may leave.

========== =========================================================================================
process    the program crashes and the system keeps running: no operation is lost
ordered    the disk performs the operations in program order, sector by sector, possibly late
journaled  the disk writes sectors in any order, but sizes and names in program order. A sync of any
           file makes all earlier sizes and names durable, as on ext4 and XFS
any        the guarantees of POSIX: the disk writes sectors, sizes and names in any order until the
           file, or the directory of the name, is synced
========== =========================================================================================

A sector is atomic. A new size may reach the disk before or after the data. Until the data arrives,
the file has zeros there. A later, larger size does not restore data that a truncation removed.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from lab.crash.trace import (
    Acknowledged,
    Live,
    NameChanges,
    NameTree,
    Operation,
    Resize,
    Sync,
    Trace,
    Write,
    change_names,
    paths,
)

MODELS = ("process", "ordered", "journaled", "any")
SECTORS = (512, 4096)
#: The minimum number of states to examine at each crash point, even if the total exceeds ``most``.
MIN_STATES_AT_A_POINT = 16


@dataclass(frozen=True)
class FileState:
    """The files that a crash leaves."""

    #: Maps each path to the content of the file, or to None for a directory.
    files: dict[str, bytes | None]
    #: Number of records that the writer had acknowledged before the crash.
    acknowledged: int
    #: Number of operations that had begun before the crash.
    after: int
    #: Descriptions of operations that did not reach the disk.
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Version:
    """The content of a sector, or the size of a file, from operation ``number`` on."""

    #: Operation number. If one write sets several sizes, their numbers differ by less than 0.5.
    number: float
    #: Number of truncations up to this operation.
    epoch: int
    content: bytes = b""
    size: int = 0
    cut: bool = False


@dataclass
class _FileVersions:
    sizes: list[_Version] = field(default_factory=lambda: [_Version(-1, 0)])
    sectors: dict[int, list[_Version]] = field(default_factory=dict)


class Disk:
    """All versions of every sector, file size and name in a trace."""

    def __init__(self, trace: Trace, sector: int) -> None:
        self.trace = trace
        self.sector = sector
        self.files: dict[int, _FileVersions] = {}
        self.names: list[tuple[int, NameChanges]] = []
        for number, each in enumerate(trace.operations):
            if isinstance(each, Write):
                self._write(number, each)
            elif isinstance(each, Resize):
                self._resize(number, each)
            elif isinstance(each, NameChanges):
                self.names.append((number, each))

    def _write(self, number: int, each: Write) -> None:
        file = self.files.setdefault(each.file, _FileVersions())
        at, end = each.at, each.at + len(each.data)
        step = 0.5 / (len(each.data) // self.sector + 2)
        part = float(number)
        while at < end:
            index = at // self.sector
            upto = min(end, (index + 1) * self.sector)
            self._put(file, number, index, at, each.data[at - each.at : upto - each.at])
            if upto > (last := file.sizes[-1]).size:
                file.sizes.append(_Version(part, last.epoch, size=upto))
            at, part = upto, part + step

    def _put(
        self, file: _FileVersions, number: int, index: int, at: int, data: bytes, cut: bool = False
    ) -> None:
        versions = file.sectors.setdefault(index, [_Version(-1, 0, bytes(self.sector))])
        content = bytearray(versions[-1].content)
        start = at - index * self.sector
        content[start : start + len(data)] = data
        versions.append(_Version(number, file.sizes[-1].epoch, bytes(content), cut=cut))

    def _resize(self, number: int, each: Resize) -> None:
        file = self.files.setdefault(each.file, _FileVersions())
        last = file.sizes[-1]
        if each.size == last.size:
            return
        epoch = last.epoch + (each.size < last.size)
        file.sizes.append(_Version(number, epoch, size=each.size))
        if epoch == last.epoch:
            return
        for index in list(file.sectors):
            if (index + 1) * self.sector > each.size:
                at = max(each.size, index * self.sector)
                data = bytes((index + 1) * self.sector - at)
                self._put(file, number, index, at, data, cut=True)


#: A part of the disk that may have several versions: a sector ``(0, file, index)``, a file size
#: ``(1, file)``, a name change ``(2, n)``, or all sizes and names of a journaling file system
#: ``(3,)``.
Part = tuple[int, ...]


class Point:
    """A crash after the first ``after`` operations, and the versions that may be on the disk."""

    def __init__(self, disk: Disk, model: str, after: int) -> None:
        self.disk, self.model, self.after = disk, model, after
        before = disk.trace.operations[:after]
        self.acknowledged = max(
            (each.count for each in before if isinstance(each, Acknowledged)), default=0
        )
        syncs = [each for each in before if isinstance(each, Sync)]
        self.synced: dict[int | None, int] = {}
        for each in syncs:
            self.synced[each.node] = max(each.since, self.synced.get(each.node, 0))
        self.everything = self.synced.get(None, 0)
        self.journal = max((each.since for each in syncs), default=0)
        self.latest = after - 0.5
        self.parts = dict(self._parts())

    def _floor(self, node: int) -> int:
        return max(self.everything, self.synced.get(node, 0))

    def _parts(self) -> Iterator[tuple[Part, list[float]]]:
        """Yield each part that may have several versions, with the numbers of these versions."""
        metadata: set[float] = set()
        for number, file in self.disk.files.items():
            floor = self._floor(number)
            for index, versions in file.sectors.items():
                if len(open_ := self._open([each.number for each in versions], floor)) > 1:
                    yield (0, number, index), open_
            sizes = [each.number for each in file.sizes]
            if self.model == "journaled":
                metadata.update(self._open(sizes, self.journal))
            elif len(open_ := self._open(sizes, floor)) > 1:
                yield (1, number), open_
        for order, (number, names) in enumerate(self.disk.names):
            if number >= self.after:
                continue
            if self.model == "journaled":
                metadata.update(self._open([number], self.journal))
            elif any(number >= self._floor(folder) for folder, _, _ in names.changes):
                yield (2, order), [-1, number]
        if metadata and len(metadata | {self.journal - 0.5}) > 1:
            yield (3,), sorted(number for number in metadata | {self.journal - 0.5})

    def _open(self, numbers: Sequence[float], floor: int) -> list[float]:
        """Return the versions that the disk may have: the last synced one and all later ones."""
        seen = [number for number in dict.fromkeys(numbers) if number < self.after]
        synced = [number for number in seen if number < floor]
        return synced[-1:] + seen[len(synced) :]

    def count(self) -> int:
        """Return the number of choices."""
        return math.prod(len(open_) for open_ in self.parts.values())

    def choices(self, most: int, seed: str) -> Iterator[dict[Part, float]]:
        """Yield all choices if there are at most ``most``.

        Otherwise, yield ``most`` choices: all parts old, all parts new, choices that differ from
        these in one part, and a random sample.
        """
        parts = list(self.parts)
        if self.count() <= most:
            for chosen in itertools.product(*self.parts.values()):
                yield dict(zip(parts, chosen, strict=True))
            return
        old = {part: open_[0] for part, open_ in self.parts.items()}
        new = {part: open_[-1] for part, open_ in self.parts.items()}
        corners: list[dict[Part, float]] = [old, new]
        for part in parts:
            corners += [{**new, part: old[part]}, {**old, part: new[part]}]
        chance = Random(seed)
        if len(corners) > most:
            corners = corners[:2] + chance.sample(corners[2:], most - 2)
        yield from corners
        for _ in range(most - len(corners)):
            keep = chance.choice((0.1, 0.5, 0.9))
            yield {
                part: open_[-1] if chance.random() < keep else chance.choice(open_)
                for part, open_ in self.parts.items()
            }

    def state(self, chosen: dict[Part, float]) -> FileState:
        """Return the files that result from a choice of versions."""
        names: NameTree = {folder: {} for folder in self.disk.trace.folders}
        last = chosen.get((3,), self.after)
        missing = []
        for order, (number, each) in enumerate(self.disk.names):
            if number >= self.after:
                continue
            there = chosen.get((2, order), number) >= 0
            if self.model == "journaled":
                there = number < self.journal or number <= last
            if there:
                change_names(names, each)
            else:
                missing.append(f"the names of operation {number}")
        files: dict[str, bytes | None] = {}
        for path, node in paths(names):
            if node in self.disk.trace.folders:
                files[path] = None
            else:
                files[path], lost = self._content(node, chosen, last)
                missing += [f"{path}: {each}" for each in lost]
        return FileState(files, self.acknowledged, self.after, tuple(missing))

    def _content(
        self, node: int, chosen: dict[Part, float], last: float
    ) -> tuple[bytes, list[str]]:
        file = self.disk.files.get(node)
        if file is None:
            return b"", []
        missing = []
        upto = chosen.get((1, node), self.latest)
        if self.model == "journaled":
            upto = max(last, self.journal - 0.5, self._floor(node) - 0.5)
        size = _last(file.sizes, min(upto, self.latest))
        if size is not _last(file.sizes, self.latest):
            missing.append(f"its size is {size.size}")
        content = bytearray(size.size)
        for index, versions in file.sectors.items():
            now = _last(versions, self.latest)
            at = index * self.disk.sector
            version = _last(versions, chosen.get((0, node, index), self.latest))
            version = _of_epoch(versions, version, size.epoch)
            room = max(0, min(self.disk.sector, size.size - at))
            content[at : at + room] = version.content[:room]
            if version is not now and room:
                before = _next(versions, version)
                missing.append(f"[{at}, {at + room}) is as before operation {before}")
        return bytes(content), missing


def _last(versions: Sequence[_Version], upto: float) -> _Version:
    return next(each for each in reversed(versions) if each.number <= upto)


def _next(versions: Sequence[_Version], version: _Version) -> int:
    return int(next(each.number for each in versions if each.number > version.number))


def _of_epoch(versions: Sequence[_Version], chosen: _Version, epoch: int) -> _Version:
    if chosen.epoch > epoch:
        return next(each for each in reversed(versions) if each.epoch <= epoch)
    cuts = [each for each in versions if each.cut and each.epoch <= epoch]
    return cuts[-1] if cuts and cuts[-1].number > chosen.number else chosen


@dataclass(frozen=True)
class PossibleCrash:
    """One state that a crash may leave. It is built on demand, because files can be large."""

    build: Callable[[], FileState]
    acknowledged: int
    #: The number of parts that differ from the files of the running system.
    distance: int = 0


def _in_order(trace: Trace, sector: int, torn: bool) -> Iterator[PossibleCrash]:
    """Yield the states after each operation and, if ``torn``, after each sector of a write."""
    if torn:
        empty = FileState({}, _acknowledged(trace.operations, 0, 0), 0)
        yield PossibleCrash(lambda: empty, empty.acknowledged)
    for after, each in enumerate(trace.operations, 1):
        parts: list[Write | None] = [None]
        if torn and isinstance(each, Write):
            first = each.at - each.at % sector + sector
            parts += [
                Write(each.file, each.at, each.data[: end - each.at])
                for end in range(first, each.at + len(each.data), sector)
            ]
        for part in parts:
            done = after - (part is not None)
            acknowledged = _acknowledged(trace.operations, done if torn else None, after)
            build = functools.partial(_replayed, trace, after, part, acknowledged)
            yield PossibleCrash(build, acknowledged)


def _acknowledged(operations: Sequence[Operation], done: int | None, after: int) -> int:
    """Return how many records can be acknowledged while the disk has only ``done`` operations."""
    count = 0
    for number, each in enumerate(operations):
        if number >= after and (done is None or (isinstance(each, Sync) and each.since > done)):
            break
        if isinstance(each, Acknowledged):
            count = max(count, each.count)
    return count


def _replayed(trace: Trace, after: int, part: Write | None, acknowledged: int) -> FileState:
    live = Live()
    for each in trace.operations[: after - 1]:
        live.apply(each)
    live.apply(part or trace.operations[after - 1])
    missing = (f"operation {after - 1} from {part.at + len(part.data)} on",) if part else ()
    return FileState(live.files(trace.folders), acknowledged, after, missing)


def states(
    trace: Trace, model: str, sector: int, most: int = 2000, seed: int = 1
) -> tuple[list[PossibleCrash], bool]:
    """Return the distinct states that a crash may leave, and whether the list is complete.

    About ``most`` states are examined, selected by ``seed``. Of equal states, only the one with the
    most acknowledged records is returned.
    """
    results: dict[bytes, PossibleCrash] = {}

    def keep(crash: PossibleCrash) -> None:
        digest = _digest(crash.build())
        if digest not in results or results[digest].acknowledged < crash.acknowledged:
            results[digest] = crash

    if model in ("process", "ordered"):
        for crash in _in_order(trace, sector, torn=model == "ordered"):
            keep(crash)
        return list(results.values()), True
    # A state that is possible between two syncs is also possible just before the second sync. More
    # records are acknowledged there, so crashes between two syncs need no separate check.
    syncs = [number for number, each in enumerate(trace.operations) if isinstance(each, Sync)]
    points = [number for number in [*syncs, len(trace.operations)] if number]
    disk, complete = Disk(trace, sector), True
    share = max(MIN_STATES_AT_A_POINT, most // max(1, len(points)))
    for after in points:
        point = Point(disk, model, after)
        complete &= point.count() <= share
        for chosen in point.choices(share, f"{seed}:{after}"):
            distance = sum(chosen[part] != open_[-1] for part, open_ in point.parts.items())
            keep(
                PossibleCrash(functools.partial(point.state, chosen), point.acknowledged, distance)
            )
    return list(results.values()), complete


def _digest(state: FileState) -> bytes:
    total = hashlib.sha256()
    for path, content in sorted(state.files.items()):
        total.update(path.encode(errors="surrogateescape") + b"\0")
        total.update(b"folder" if content is None else hashlib.sha256(content).digest())
    return total.digest()
