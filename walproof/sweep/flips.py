"""Find the single-bit flips that no check detects, for ``walproof sweep --flips``.

After such a flip, the log is still `intact`, but its records differ. Either the register of the
format explains this limit (``unseen``), or a rule is missing.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from conformance.contents import Contents, digest
from conformance.kaitai.grammars import grammar_of
from conformance.scratch import Held
from conformance.undetected_flips import EFFECTS, Searched
from conformance.vectors import Vector
from reference_impl.answer import Record
from reference_impl.register import registers
from walproof.formats import plugin_for
from walproof.sweep import shares
from walproof.sweep.controls import Control, undamaged, with_fields
from walproof.sweep.specification import Reference
from walproof.worker_pool import map_unordered

#: A log with more records or bytes gets an eighth of the flips, since each flip takes longer.
MANY_RECORDS, LARGE_BYTES = 256, 64 << 10

#: Number of flips in one task, which take a few seconds in the slowest format.
TASK_FLIPS = 4096

_REPEATED = re.compile(r"(\b\w+\[\]\.)\1+")


class Disagreement(Exception):
    """Raised if the profiles disagree on an intact log, or the executable specification fails."""


class UndetectedFlip(NamedTuple):
    """A flip that no check detects; ``file`` is empty in a log of one file."""

    file: str
    at: int
    bit: int
    path: str
    field: str
    effect: str


#: The number of a log, and the numbers of the flips to try.
Task = tuple[int, range]


class Stretch(NamedTuple):
    """The result of a task. ``tried`` counts the flips by field."""

    log: str
    tried: Counter[str]
    undetected: list[UndetectedFlip]


@dataclass(frozen=True)
class FlippedLog:
    """An intact log and the flips to try, half in the structure and half in the content.

    Flips in the structure have the lowest numbers.
    """

    control: Control
    #: Maximum number of flips.
    at_most: int

    @property
    def count(self) -> int:
        """Number of flips."""
        return sum(self._shares)

    @property
    def bits(self) -> int:
        """Number of bits in the log."""
        return 8 * self.control.size

    @property
    def fingerprint(self) -> str:
        """A digest of the contents and the context."""
        control = self.control
        text = json.dumps([digest(control.contents), dict(control.context)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def flip(self, number: int) -> tuple[str, int, int]:
        """Return a flip by its number: file, offset of the byte, bit."""
        is_content = number >= self._shares[0]
        files = self._offsets[is_content]
        bits = 8 * sum(map(len, files.values()))
        at, bit = divmod(shares.spread(number - is_content * self._shares[0], bits, 0), 8)
        for file, offsets in files.items():
            if at < len(offsets):
                return file, offsets[at], bit
            at -= len(offsets)
        raise IndexError(number)

    @functools.cached_property
    def _offsets(self) -> Sequence[Mapping[str, Sequence[int]]]:
        """The offsets of the structural bytes, by file, and then those of the content bytes."""
        fields = self.control.fields
        return (
            {file: fields[file].structural for file in self.control.files},
            {file: fields[file].content for file in self.control.files},
        )

    @functools.cached_property
    def _shares(self) -> list[int]:
        limits = [8 * sum(map(len, files.values())) for files in self._offsets]
        return shares.divide(self.at_most, limits, (1.0, 1.0))

    def field(self, file: str, at: int) -> str:
        """Return the generic name of the field at an offset.

        If the format has several file types, the name begins with the file type.
        """
        name = self.control.fields[file].name_at(at)
        return self._file_types[file] + _REPEATED.sub(r"\1", name)

    @functools.cached_property
    def _file_types(self) -> Mapping[str, str]:
        format = self.control.format
        if len(registers()[format].grammars) == 1:
            return dict.fromkeys(self.control.files, "")
        return {
            file: f"{grammar_of(format, data[:4], file or self.control.name).rpartition('_')[2]}: "
            for file, data in self.control.files.items()
        }


def choose_logs(
    vectors: Mapping[str, Vector], format: str, patterns: Sequence[str], at_most: int
) -> list[FlippedLog]:
    """Return the intact logs of undamaged vectors, smallest first.

    ``patterns`` select vectors by id or slug. Vectors whose context selects records are left out.
    """
    logs: dict[tuple[str, str, str], FlippedLog] = {}
    for vector in undamaged(vectors, format, patterns):
        body, context = vector.body, dict(vector.body.get("context", {}))
        if not context.keys().isdisjoint(plugin_for(format).sweep.selecting):
            continue
        identity = (str(body["sha256"]), repr(sorted(context.items())), vector.input.suffix)
        if identity not in logs:
            bare = Control(vector.id, format, vector.contents, vector.input.name, context)
            logs[identity] = _flipped_log(
                with_fields(bare), len(body["expect"]["records"]), at_most
            )
    return sorted(logs.values(), key=lambda log: (log.control.size, log.control.id))


def _flipped_log(control: Control, records: int, at_most: int) -> FlippedLog:
    is_large = records > MANY_RECORDS or control.size > LARGE_BYTES
    return FlippedLog(control, at_most // 8 if is_large else at_most)


# -- search ----------------------------------------------------------------------------------------


def flip_tasks(logs: Sequence[FlippedLog]) -> list[Task]:
    """Return tasks for all flips of these logs, large logs first."""
    return [
        (n, range(start, min(start + TASK_FLIPS, logs[n].count)))
        for n in sorted(range(len(logs)), key=lambda n: -logs[n].control.size)
        for start in range(0, logs[n].count, TASK_FLIPS)
    ]


def run_flips(
    logs: Sequence[FlippedLog],
    tasks: Sequence[Task],
    progress: Callable[[int], None] = lambda count: None,
) -> list[Stretch]:
    """Try flips in a worker pool; return the results in the order of the tasks."""
    scratch = Held()
    outcomes: dict[Task, Stretch] = {}
    try:
        arguments = (logs, scratch.folder)
        for task, stretch in map_unordered(_run_task, tasks, _start_worker, arguments):
            outcomes[task] = stretch
            progress(stretch.tried.total())
    finally:
        scratch.close()
    return [outcomes[task] for task in tasks]


#: In a worker process: the logs, and the executable specification.
_worker: tuple[Sequence[FlippedLog], Reference] | None = None


def _start_worker(logs: Sequence[FlippedLog], scratch: Path) -> None:
    global _worker
    folder = Path(tempfile.mkdtemp(dir=scratch))
    _worker = logs, Reference(logs[0].control.format, folder)


def _run_task(task: Task) -> tuple[Task, Stretch]:
    assert _worker is not None
    logs, reference = _worker
    return task, search(logs[task[0]], task[1], reference)


def search(log: FlippedLog, numbers: Sequence[int], reference: Reference) -> Stretch:
    """Try the flips with these numbers. Raises :class:`Disagreement`."""
    control = log.control
    stretch = Stretch(control.id, Counter(), [])
    before = reference.read(control, control.contents).records
    for number in numbers:
        file, at, bit = log.flip(number)
        name = log.field(file, at)
        stretch.tried[name] += 1
        data = bytearray(control.files[file])
        data[at] ^= 1 << bit
        contents: Contents = {**control.files, file: bytes(data)} if file else bytes(data)
        try:
            output = reference.read(control, contents)
            effect = effect_of(before, output.records) if output.verdict == "intact" else None
            if effect is not None and reference.read(control, contents, "strict") != output:
                raise ValueError("the profile strict gives a different answer")
        except Exception as error:
            where = f"bit {bit} of byte {at}" + (f" in {file}" if file else "")
            text = f"{control.id}: {where}: {type(error).__name__}: {error}"
            raise Disagreement(text) from error
        if effect is not None:
            leaf = control.fields[file].at(at)
            path = leaf.path if leaf else f"byte {at}"
            path = f"{file}:{path}" if file else path
            stretch.undetected.append(UndetectedFlip(file, at, bit, path, name, effect))
    return stretch


def totals(
    format: str, at_most: int, logs: Sequence[FlippedLog], stretches: Sequence[Stretch]
) -> Searched:
    """Return the totals of a search of these logs."""
    tried: Counter[str] = Counter()
    by_id: dict[str, dict[str, Any]] = {}
    for log in logs:
        mine = [stretch for stretch in stretches if stretch.log == log.control.id]
        unseen: dict[str, Counter[str]] = {}
        for stretch in mine:
            tried.update(stretch.tried)
            for flip in stretch.undetected:
                unseen.setdefault(flip.field, Counter())[flip.effect] += 1
        by_id[log.control.id] = {
            "fingerprint": log.fingerprint,
            "bits": log.bits,
            "flips": sum(stretch.tried.total() for stretch in mine),
            "unseen": {field: dict(sorted(unseen[field].items())) for field in sorted(unseen)},
        }
    return {"format": format, "at_most": at_most, "tried": dict(tried), "logs": by_id}


# -- effects ---------------------------------------------------------------------------------------

#: Effects, most harmful first. A flip counts once, under the first effect that applies.
GONE, CHANGED, INVENTED, ORDER, FIELDS = EFFECTS


def effect_of(before: Sequence[Record], after: Sequence[Record]) -> str | None:
    """Return the most harmful effect on the records; None if they are equal.

    The effect ``fields`` is followed by the names of the changed fields: ``fields: term``.
    """
    if list(before) == list(after):
        return None
    old, new = Counter(map(_key, before)), Counter(map(_key, after))
    missing, added = [*(old - new).elements()], [*(new - old).elements()]
    # A payload at a different offset was moved, not lost.
    moved = Counter(key.payload for key in missing) & Counter(key.payload for key in added)
    missing, added = _without(missing, moved), _without(added, moved)
    if Counter(key[:2] for key in missing) - Counter(key[:2] for key in added):
        return GONE
    if missing:
        return CHANGED
    if added:
        return INVENTED
    pairs = list(zip(before, after, strict=True))
    if any(one.payload != other.payload for one, other in pairs):
        return ORDER
    return f"{FIELDS}: {', '.join(sorted({name for pair in pairs for name in _differ(*pair)}))}"


class _Key(NamedTuple):
    file: str | None
    at: int
    payload: bytes


def _key(record: Record) -> _Key:
    return _Key(record.file, record.at, record.payload)


def _without(keys: Sequence[_Key], payloads: Counter[bytes]) -> list[_Key]:
    remaining = Counter(payloads)
    result = []
    for key in keys:
        if remaining[key.payload] > 0:
            remaining[key.payload] -= 1
        else:
            result.append(key)
    return result


def _differ(old: Record, new: Record) -> Iterator[str]:
    for name in ("at", "size", "file"):
        if getattr(old, name) != getattr(new, name):
            yield name
    for name in old.fields.keys() | new.fields.keys():
        if old.fields.get(name) != new.fields.get(name):
            yield name
