"""Search for single-bit flips that change the records of a log but leave its verdict `intact`.

Such a flip is either a limit of the format, which its register explains (``unseen``), or a sign of
a missing rule.
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

#: A log with more records or bytes gets an eighth of the flips, since each takes longer.
MANY_RECORDS, LARGE_BYTES = 256, 64 << 10

#: Flips of one task: a few seconds in the slowest format.
TASK_FLIPS = 4096

_REPEATED = re.compile(r"(\b\w+\[\]\.)\1+")


class NotIntact(ValueError):
    """Raised for a log that is already damaged."""


class Flip(NamedTuple):
    """Bit ``bit`` of the byte at ``at`` in a file; ``file`` is empty in a log of one file."""

    file: str
    at: int
    bit: int


@dataclass(frozen=True)
class FlippedLog:
    """An intact log and the flips to try. ``at_most`` is the maximum number of flips.

    If the log has more bits than that, half of the flips are in the structure and half in the
    content, both evenly spread. If one half has fewer bits, the other half gets the remaining
    flips. Flips in the structure have the lowest numbers.
    """

    control: Control
    at_most: int

    @property
    def id(self) -> str:
        """Id of the vector, or path of the log."""
        return self.control.id

    @property
    def count(self) -> int:
        """Number of flips."""
        return sum(self._shares)

    @property
    def bits(self) -> int:
        """Number of bits in the log."""
        return 8 * self.control.size

    def flip(self, number: int) -> Flip:
        """Return a flip by its number."""
        is_content = number >= self._shares[0]
        files, starts, offsets = self._bytes[is_content]
        bit = shares.spread(number - is_content * self._shares[0], 8 * starts[-1], 0)
        n = bisect_right(starts, bit >> 3) - 1
        return Flip(files[n], offsets[n][(bit >> 3) - starts[n]], bit & 7)

    @functools.cached_property
    def _bytes(self) -> tuple[_Bytes, _Bytes]:
        """File names, cumulated sizes and offsets of the structural bytes, then of the content
        bytes.
        """
        layouts = []
        for part in ("structural", "content"):
            offsets = {name: getattr(of, part) for name, of in self.control.fields.items()}
            names = [name for name in offsets if offsets[name]]
            starts = [0, *accumulate(len(offsets[name]) for name in names)]
            layouts.append((names, starts, [offsets[name] for name in names]))
        return layouts[0], layouts[1]

    @functools.cached_property
    def _shares(self) -> list[int]:
        limits = [8 * starts[-1] for _, starts, _ in self._bytes]
        return shares.divide(self.at_most, limits, (1.0, 1.0))

    def field(self, flip: Flip) -> str:
        """Return the generic name of the field that contains a flipped bit.

        If the format has several file types, the name begins with the file type, as in ``snapshot:
        header.index``. Repeated steps are merged: ``elements[].elements[].first`` becomes
        ``elements[].first``.
        """
        name = _REPEATED.sub(r"\1", self.control.fields[flip.file].name_at(flip.at))
        file_type = self._file_types[flip.file]
        return f"{file_type}: {name}" if file_type else name

    def path(self, flip: Flip) -> str:
        """Return the path of the field that a flip hits, with its file."""
        leaf = self.control.fields[flip.file].at(flip.at)
        path = leaf.path if leaf else f"byte {flip.at}"
        return f"{flip.file}:{path}" if flip.file else path

    @functools.cached_property
    def _file_types(self) -> Mapping[str, str]:
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
    """Return the logs of all undamaged vectors whose answer is `intact`, smallest first.

    ``patterns`` select vectors by id or slug. Of several vectors with the same log and context,
    only the first is used. Vectors with a context that selects records are excluded, because their
    answer does not cover the whole log.
    """
    earlier: set[tuple[str, str, str]] = set()
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
            or not _is_selected(vector.id, patterns)
        ):
            continue
        identity = (str(body["sha256"]), repr(sorted(context.items())), vector.input.suffix)
        if identity not in earlier:
            earlier.add(identity)
            records = len(body["expect"]["records"])
            logs.append(
                flipped_log(
                    vector.id, format, vector.contents, vector.input.name, context, records, at_most
                )
            )
    return sorted(logs, key=lambda log: (log.control.size, log.id))


def _is_selected(id: str, patterns: Sequence[str]) -> bool:
    names = (id, id.partition("/")[2])
    return not patterns or any(fnmatch.fnmatchcase(n, p) for p in patterns for n in names)


def flipped_log_at(path: Path, format: str, context: Mapping[str, Any], at_most: int) -> FlippedLog:
    """Return the log at a path. Raises :class:`NotIntact` and ``OSError``."""
    records = intact_records(named(format).read(path, "recover", context))
    if records is None:
        raise NotIntact(f"{path}: expected an intact log (see walproof read)")
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
    """Return an intact log with the limit of its flips; large logs get fewer."""
    files = by_name(contents)
    if records > MANY_RECORDS or sum(map(len, files.values())) > LARGE_BYTES:
        at_most //= 8
    fields = {file: fields_of(data, format, file or name) for file, data in files.items()}
    return FlippedLog(Control(id, format, contents, name, context, (), fields), at_most)


def flip_fingerprint(log: FlippedLog) -> str:
    """Return a digest of the contents and the context of a log."""
    text = json.dumps([digest(log.control.contents), dict(log.control.context)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Disagreement(Exception):
    """Raised if the profiles disagree on an intact log, or the executable specification fails."""


@dataclass(frozen=True)
class UndetectedFlip:
    """A flip that no check detects, with the field that it hits and its effect on the records."""

    flip: Flip
    field: str
    path: str
    effect: str


@dataclass
class Stretch:
    """The result of a task. ``tried`` counts the flips by field."""

    log: str
    tried: Counter[str] = field(default_factory=Counter)
    undetected: list[UndetectedFlip] = field(default_factory=list)


class FlipTask(NamedTuple):
    """A range of flips of one log; ``log`` is its index in the list of logs."""

    log: int
    start: int
    stop: int
    step: int = 1


def flip_tasks(logs: Sequence[FlippedLog], step: int = 1) -> list[FlipTask]:
    """Return tasks for every ``step``-th flip of these logs, large logs first."""
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
    """Try flips in a worker pool, and return the results in the order of the tasks.

    ``progress`` is called with the number of new flips. Raises :class:`Disagreement`.
    """
    scratch = Held()
    outcomes: dict[FlipTask, Stretch] = {}
    try:
        arguments = (logs, scratch.folder)
        for task, stretch in map_unordered(_run_task, tasks, _start_worker, arguments):
            outcomes[task] = stretch
            progress(stretch.tried.total())
    finally:
        scratch.close()
    return [outcomes[task] for task in tasks]


#: In a worker process: the logs, and the folder for copies of them.
_worker: tuple[Sequence[FlippedLog], Path] | None = None


def _start_worker(logs: Sequence[FlippedLog], scratch: Path) -> None:
    global _worker
    _worker = logs, scratch


def _run_task(task: FlipTask) -> tuple[FlipTask, Stretch]:
    assert _worker is not None
    logs, scratch = _worker
    with FlipSearch(logs[task.log], Path(tempfile.mkdtemp(dir=scratch))) as search:
        return task, search.run(range(task.start, task.stop, task.step))


class FlipSearch:
    """A scratch copy of a log whose bits are flipped in place and restored.

    ``folder`` is an empty folder, preferably in memory, which is removed at the end.
    """

    def __init__(self, log: FlippedLog, folder: Path) -> None:
        self.log = log
        control = log.control
        self.context = control.context
        self.format = named(control.format)
        self.folder = folder
        self.path = folder / control.name
        write_contents(control.contents, self.path)
        self._files = {
            name: os.open(self.path / name if name else self.path, os.O_RDWR)
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
        """Try the flips with these numbers. Raises :class:`Disagreement`."""
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
        """Return the effect of a flip on the records, or None if there is none or it is detected.

        Raises :class:`Disagreement` if a reader raises an error, or if the two profiles differ.
        """
        data = self.log.control.files[flip.file]
        self._put(flip, data[flip.at] ^ 1 << flip.bit)
        try:
            after = self._read("recover")
            effect = None if after is None else effect_of(self.before, after)
            if effect is not None and self._read("strict") != after:
                raise Disagreement("the profile strict gives a different answer")
            return effect
        except Exception as error:
            raise Disagreement(f"{self.log.id}: {flip}: {type(error).__name__}: {error}") from error
        finally:
            self._put(flip, data[flip.at])

    def _read(self, profile: str) -> list[Record] | None:
        return intact_records(self.format.read(self.path, profile, self.context))

    def _put(self, flip: Flip, value: int) -> None:
        os.pwrite(self._files[flip.file], bytes([value]), flip.at)


# -- effects ---------------------------------------------------------------------------------------

#: Most harmful first: a flip counts once, under the first effect that applies.
GONE, CHANGED, INVENTED, ORDER, FIELDS = EFFECTS


def intact_records(events: Iterable[Event]) -> list[Record] | None:
    """Return the records of an `intact` log; None for any other log."""
    records = []
    for event in events:
        if type(event) is Record:
            records.append(event)
        elif type(event) is Lost or (type(event) is End and event.verdict != "intact"):
            return None
    return records


def effect_of(before: Sequence[Record], after: Sequence[Record]) -> str | None:
    """Return the most harmful effect on the records, or None if they are equal.

    The effect ``fields`` is followed by the names of the changed fields, as in ``fields: term``.
    Records with the same position and payload are matched first, then records with the same
    payload. If two unmatched records have the same position, the record has changed.
    """
    if list(before) == list(after):
        return None
    unchanged = Counter(map(_key, before)) & Counter(map(_key, after))
    missing, new = _without(before, unchanged, _key), _without(after, unchanged, _key)
    moved = Counter(map(_payload, missing)) & Counter(map(_payload, new))
    missing, new = _without(missing, moved, _payload), _without(new, moved, _payload)
    if Counter(map(_position, missing)) - Counter(map(_position, new)):
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


def _without(records: Sequence[Record], removed: Counter[Hashable], key: _Key) -> list[Record]:
    """Return the records without ``removed[key]`` records of each key."""
    remaining = Counter(removed)
    result = []
    for record in records:
        if remaining[key(record)] > 0:
            remaining[key(record)] -= 1
        else:
            result.append(record)
    return result


def _position(record: Record) -> Hashable:
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
