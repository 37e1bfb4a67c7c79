"""Flips of single bits of intact logs: those after which the log is `intact`, with other records.

Each is a limit of the format, which its register explains (``unseen``), or a rule is missing.
"""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import json
import os
import re
import shutil
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from conformance.contents import Contents, by_name, digest, read_contents, write_contents
from conformance.kaitai.grammars import grammar_of
from conformance.scratch import Held
from conformance.undetected_flips import EFFECTS
from conformance.vectors import Vector
from reference_impl.answer import End, Event, Lost, Record
from reference_impl.formats import named
from reference_impl.register import registers
from walproof.formats import plugin_for
from walproof.sweep import shares
from walproof.sweep.controls import Control
from walproof.sweep.fields import fields_of
from walproof.worker_pool import map_unordered

MANY_RECORDS, LARGE_BYTES = 256, 64 << 10
"""A log of more records, or of more bytes, has an eighth of the flips, since each takes long."""

TASK_FLIPS = 4096
"""Flips of one task: some seconds of the slowest format."""

_REPEATED = re.compile(r"(\b\w+\[\]\.)\1+")


class NotIntact(ValueError):
    """A log that is damaged already: what one more bit does to it shows nothing."""


class Flip(NamedTuple):
    """Bit ``bit`` of the byte at ``at`` in a file; the file is "" in a log of one file."""

    file: str
    at: int
    bit: int


@dataclass(frozen=True)
class FlippedLog:
    """An intact log and the bits of it that are flipped, ``at_most`` of them.

    Of a log with more bits, half the flips are of structure and half of content, each evenly among
    all there are; what one of them leaves unused the other has. A flip has a number, structure
    first.
    """

    control: Control
    at_most: int

    @property
    def id(self) -> str:
        """What the log is called."""
        return self.control.id

    @property
    def count(self) -> int:
        """How many flips there are."""
        return sum(self._shares)

    @property
    def bits(self) -> int:
        """How many bits the log has."""
        return 8 * self.control.size

    def flip(self, number: int) -> Flip:
        """The flip of a number."""
        is_content = number >= self._shares[0]
        files, starts, offsets = self._bytes[is_content]
        bit = shares.spread(number - is_content * self._shares[0], 8 * starts[-1], 0)
        n = bisect_right(starts, bit >> 3) - 1
        return Flip(files[n], offsets[n][(bit >> 3) - starts[n]], bit & 7)

    @functools.cached_property
    def _bytes(self) -> tuple[_Bytes, _Bytes]:
        """The bytes of structure and of content: files, where each starts, offsets in it."""
        layouts = []
        for which in ("structural", "content"):
            offsets = {name: getattr(of, which) for name, of in self.control.fields.items()}
            names = [name for name in offsets if offsets[name]]
            starts = [0, *accumulate(len(offsets[name]) for name in names)]
            layouts.append((names, starts, [offsets[name] for name in names]))
        return layouts[0], layouts[1]

    @functools.cached_property
    def _shares(self) -> list[int]:
        """How many flips of structure and of content there are."""
        most = [8 * starts[-1] for _, starts, _ in self._bytes]
        return shares.shared(self.at_most, most, (1.0, 1.0))

    def field(self, flip: Flip) -> str:
        """The generic name of the field that is hit, after the kind of its file if there are more
        kinds than one: ``snapshot: header.index``. What stands in its like is named once:
        ``elements[].first`` for ``elements[].elements[].first``."""
        name = _REPEATED.sub(r"\1", self.control.fields[flip.file].name_at(flip.at))
        file_type = self._kinds[flip.file]
        return f"{file_type}: {name}" if file_type else name

    def path(self, flip: Flip) -> str:
        """The field that is hit, in its file."""
        leaf = self.control.fields[flip.file].at(flip.at)
        path = leaf.path if leaf else f"byte {flip.at}"
        return f"{flip.file}:{path}" if flip.file else path

    @functools.cached_property
    def _kinds(self) -> Mapping[str, str]:
        grammars = [grammar.name for grammar in registers()[self.control.format].grammars]
        if len(grammars) == 1:
            return dict.fromkeys(self.control.files, "")
        return {
            file: grammar_of(self.control.format, data[:4], file or self.control.name).rpartition(
                "_"
            )[2]
            for file, data in self.control.files.items()
        }


_Bytes = tuple[list[str], list[int], list[Sequence[int]]]


def choose_logs(
    vectors: Mapping[str, Vector],
    format: str,
    patterns: Sequence[str],
    at_most: int,
) -> list[FlippedLog]:
    """The logs of the vectors of a format that are intact and that nobody damaged, smallest first.

    Of equal logs that are read with the same context, the first by id; none whose context selects
    among the records, since the answer is then not all that the log holds. Patterns choose by id.
    """
    seen: set[tuple[str, str, str]] = set()
    logs = []
    for vector in vectors.values():
        body = vector.body
        context = dict(body.get("context", {}))
        if (
            body["format"] != format
            or body["operation"] not in ("read", "truncations")
            or vector.control is not None
            or vector.damage
            or body["size"] == 0
            or body["expect"]["verdict"] != "intact"
            or any(key in context for key in plugin_for(format).sweep.selecting)
            or not _wanted(vector.id, patterns)
        ):
            continue
        same = (str(body["sha256"]), repr(sorted(context.items())), vector.input.suffix)
        if same not in seen:
            seen.add(same)
            records = len(body["expect"]["records"])
            logs.append(
                flipped_log(
                    vector.id, format, vector.contents, vector.input.name, context, records, at_most
                )
            )
    return sorted(logs, key=lambda log: (log.control.size, log.id))


def _wanted(id: str, patterns: Sequence[str]) -> bool:
    names = (id, id.partition("/")[2])
    return not patterns or any(fnmatch.fnmatchcase(n, p) for p in patterns for n in names)


def flipped_log_at(path: Path, format: str, context: Mapping[str, Any], at_most: int) -> FlippedLog:
    """The log at a path. Raises :class:`NotIntact`, ``OSError``."""
    records = intact_records(named(format).read(path, "recover", context))
    if records is None:
        raise NotIntact(f"{path}: expected an intact log; see walproof read")
    return flipped_log(
        str(path), format, read_contents(path), path.name, context, len(records), at_most
    )


def flipped_log(
    id: str,
    format: str,
    contents: Contents,
    name: str,
    context: Mapping[str, Any],
    records: int,
    at_most: int,
) -> FlippedLog:
    """A log that is intact, and which of its bits are flipped."""
    files = by_name(contents)
    if records > MANY_RECORDS or sum(map(len, files.values())) > LARGE_BYTES:
        at_most //= 8
    fields = {file: fields_of(data, format, file or name) for file, data in files.items()}
    return FlippedLog(Control(id, format, contents, name, context, (), fields), at_most)


def flip_fingerprint(log: FlippedLog) -> str:
    """Return a digest of the bytes and the context of a log."""
    text = json.dumps([digest(log.control.contents), dict(log.control.context)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Disagreement(Exception):
    """The two profiles disagree about an intact log, or the reader raised: a defect of ours."""


@dataclass(frozen=True)
class UndetectedFlip:
    """A flip that no check detects: what was hit, and the effect on the records."""

    flip: Flip
    field: str
    path: str
    effect: str


@dataclass
class Stretch:
    """The outcome of some flips of one log. ``tried`` counts the flips by field."""

    log: str
    tried: Counter[str] = field(default_factory=Counter)
    undetected: list[UndetectedFlip] = field(default_factory=list)


class FlipTask(NamedTuple):
    """Flips of one log, by its place in the list of logs: a range of their numbers."""

    log: int
    start: int
    stop: int
    step: int = 1


def flip_tasks(logs: Sequence[FlippedLog], step: int = 1) -> list[FlipTask]:
    """Return tasks for all flips of these logs, or each ``step``-th one; long logs first."""
    return [
        FlipTask(n, start, min(start + TASK_FLIPS * step, logs[n].count), step)
        for n in sorted(range(len(logs)), key=lambda n: -logs[n].control.size)
        for start in range(0, logs[n].count, TASK_FLIPS * step)
    ]


def run_flips(
    logs: Sequence[FlippedLog],
    tasks: Sequence[FlipTask],
    progress: Callable[[int], None] = lambda count: None,
) -> list[Stretch]:
    """Try flips on all cores; return the outcomes in the order of the tasks.

    ``progress`` is called with the number of flips that were tried since the last call. Raises
    :class:`Disagreement`.
    """
    scratch = Held()
    outcomes: dict[FlipTask, Stretch] = {}
    try:
        given = (logs, scratch.folder)
        for task, stretch in map_unordered(_run_task, tasks, _start_worker, given):
            outcomes[task] = stretch
            progress(stretch.tried.total())
    finally:
        scratch.close()
    return [outcomes[task] for task in tasks]


_worker: tuple[Sequence[FlippedLog], Path] | None = None
"""In a worker process: the logs, and where copies of them are laid out."""


def _start_worker(logs: Sequence[FlippedLog], scratch: Path) -> None:
    global _worker
    _worker = logs, scratch


def _run_task(task: FlipTask) -> tuple[FlipTask, Stretch]:
    assert _worker is not None
    logs, scratch = _worker
    with FlipSearch(logs[task.log], Path(tempfile.mkdtemp(dir=scratch))) as search:
        return task, search.run(range(task.start, task.stop, task.step))


class FlipSearch:
    """A copy of a log, whose bits are flipped in place and back.

    ``folder`` is empty, in memory at best; it is removed on leaving.
    """

    def __init__(self, log: FlippedLog, folder: Path) -> None:
        self.log = log
        control = log.control
        self.context = control.context
        self.format = named(control.format)
        self.folder = folder
        self.place = folder / control.name
        write_contents(control.contents, self.place)
        self._files = {
            name: os.open(self.place / name if name else self.place, os.O_RDWR)
            for name in control.files
        }
        before = self._read("recover")
        if before is None:
            raise Disagreement(f"{log.id}: expected an intact log")
        self.before = before

    def __enter__(self) -> FlipSearch:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._files.values():
            os.close(file)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, numbers: Iterable[int]) -> Stretch:
        """Try the flips of these numbers. Raises :class:`Disagreement`."""
        stretch = Stretch(self.log.id)
        for number in numbers:
            flip = self.log.flip(number)
            name = self.log.field(flip)
            stretch.tried[name] += 1
            effect = self.effect(flip)
            if effect is not None:
                stretch.undetected.append(UndetectedFlip(flip, name, self.log.path(flip), effect))
        return stretch

    def effect(self, flip: Flip) -> str | None:
        """Return the effect of a flip on the records; None if it is detected, or has none.

        The profiles cannot differ for an intact log. Raises :class:`Disagreement`.
        """
        data = self.log.control.files[flip.file]
        self._put(flip, data[flip.at] ^ 1 << flip.bit)
        try:
            after = self._read("recover")
            effect = None if after is None else effect_of(self.before, after)
            if effect is not None and self._read("strict") != after:
                raise Disagreement("another answer in the profile strict")
            return effect
        except Exception as error:
            raise Disagreement(f"{self.log.id}: {flip}: {type(error).__name__}: {error}") from error
        finally:
            self._put(flip, data[flip.at])

    def _read(self, profile: str) -> list[Record] | None:
        return intact_records(self.format.read(self.place, profile, self.context))

    def _put(self, flip: Flip, value: int) -> None:
        os.pwrite(self._files[flip.file], bytes([value]), flip.at)


# -- effects ---------------------------------------------------------------------------------------

GONE, CHANGED, INVENTED, ORDER, FIELDS = EFFECTS
"""The gravest first: a flip counts as one of them."""


def intact_records(events: Iterable[Event]) -> list[Record] | None:
    """The records of an `intact` log; None for any other, known from the first lost range on."""
    records = []
    for event in events:
        if type(event) is Record:
            records.append(event)
        elif type(event) is Lost or (type(event) is End and event.verdict != "intact"):
            return None
    return records


def effect_of(before: Sequence[Record], after: Sequence[Record]) -> str | None:
    """What became of the records: the gravest effect; of ``fields`` also which (``fields: term``).

    None if all are as they were. A record with its payload at its place is the same one; then one
    with that payload elsewhere; of those that are left, two at the same place are one that changed.
    """
    if list(before) == list(after):
        return None
    both = Counter(map(_key, before)) & Counter(map(_key, after))
    missing, new = _without(before, both, _key), _without(after, both, _key)
    moved = Counter(map(_payload, missing)) & Counter(map(_payload, new))
    missing, new = _without(missing, moved, _payload), _without(new, moved, _payload)
    if Counter(map(_place, missing)) - Counter(map(_place, new)):
        return GONE
    if missing:
        return CHANGED
    if new:
        return INVENTED
    if any(
        old.payload != new_record.payload for old, new_record in zip(before, after, strict=True)
    ):
        return ORDER
    changed = {
        name
        for old, new_record in zip(before, after, strict=True)
        for name in _differ(old, new_record)
    }
    return f"{FIELDS}: {', '.join(sorted(changed))}"


_Key = Callable[[Record], Hashable]


def _without(records: Sequence[Record], others: Counter[Hashable], key: _Key) -> list[Record]:
    """The records that are left when so many of each key are taken away."""
    left = Counter(others)
    rest = []
    for record in records:
        if left[key(record)] > 0:
            left[key(record)] -= 1
        else:
            rest.append(record)
    return rest


def _place(record: Record) -> Hashable:
    return record.file, record.at


def _payload(record: Record) -> Hashable:
    return record.payload


def _key(record: Record) -> Hashable:
    return record.file, record.at, record.payload


def _differ(old: Record, new: Record) -> Iterator[str]:
    for name in ("at", "size", "file"):
        if getattr(old, name) != getattr(new, name):
            yield name
    for name in old.fields.keys() | new.fields.keys():
        if old.fields.get(name) != new.fields.get(name):
            yield name
