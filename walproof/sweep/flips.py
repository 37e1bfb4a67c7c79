"""Find the single-bit flips that no check detects, for ``walproof sweep --flips``.

After such a flip, the log is still `intact`, but its records differ. Either the register explains
this limit of the format (``unseen``), or a rule is missing.
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

from conformance.contents import digest
from conformance.kaitai.grammars import grammar_of
from conformance.scratch import Scratch
from conformance.undetected_flips import EFFECTS, Searched
from conformance.vectors import Vector
from reference_impl.answer import Record
from reference_impl.register import registers
from walproof.formats import plugin_for
from walproof.sweep.controls import Control, undamaged, with_fields
from walproof.sweep.enumeration import DamagedControl
from walproof.sweep.plan import divide, spread
from walproof.sweep.properties import Reference
from walproof.worker_pool import map_unordered

#: Each flip of a larger log takes longer, so such a log gets only an eighth of the flips.
MANY_RECORDS, LARGE_BYTES = 256, 64 << 10

#: Number of flips that a task tries. In the slowest format, a task takes a few seconds.
TASK_FLIPS = 4096

_REPEATED = re.compile(r"(\b\w+\[\]\.)\1+")


class ProfilesDisagree(Exception):
    """Raised if the profiles disagree on an intact log, or the executable specification fails."""


class UndetectedFlip(NamedTuple):
    """A flip that no check detects. ``file`` is empty in a log of one file."""

    file: str
    at: int
    bit: int
    path: str
    field: str
    effect: str


#: A task consists of the number of a log and the numbers of the flips to try in it.
FlipTask = tuple[int, range]


class FlipResults(NamedTuple):
    """The result of a task. ``tried`` counts the flips by field.

    ``costs`` counts the flips by field and by the number of records missing from their place.
    """

    log: str
    tried: Counter[str]
    undetected: list[UndetectedFlip]
    costs: Counter[tuple[str, int]]


@dataclass(frozen=True)
class FlippedLog:
    """An intact log and the flips to try, half in the structure and half in the content.

    Flips in the structure have the lowest numbers.
    """

    control: Control
    #: Maximum number of flips.
    at_most: int
    record_count: int = 0

    @functools.cached_property
    def _places(self) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """File and offset of each structural byte, and of each content byte."""
        fields = self.control.fields
        return (
            [(file, at) for file in self.control.files for at in fields[file].structural],
            [(file, at) for file in self.control.files for at in fields[file].content],
        )

    @functools.cached_property
    def counts(self) -> list[int]:
        """Number of flips in the structure, and in the content."""
        return divide(self.at_most, [8 * len(places) for places in self._places], (1.0, 1.0))

    @property
    def count(self) -> int:
        """Number of flips."""
        return sum(self.counts)

    @property
    def fingerprint(self) -> str:
        """A digest of the contents and the context."""
        control = self.control
        text = json.dumps([digest(control.contents), dict(control.context)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def flip(self, number: int) -> tuple[str, int, int]:
        """Return a flip by its number: the file, the byte offset, and the bit."""
        is_content = number >= self.counts[0]
        places = self._places[is_content]
        place, bit = divmod(spread(number - is_content * self.counts[0], 8 * len(places), 0), 8)
        return *places[place], bit

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
    """Return the logs of intact, undamaged vectors, smallest first.

    ``patterns`` select vectors by id or slug. Vectors with a context that selects records are
    omitted.
    """
    logs: dict[tuple[str, str, str], FlippedLog] = {}
    for vector in undamaged(vectors, format, patterns):
        body, context = vector.body, dict(vector.body.get("context", {}))
        if not context.keys().isdisjoint(plugin_for(format).sweep.selecting):
            continue
        identity = (str(body["sha256"]), repr(sorted(context.items())), vector.input.suffix)
        if identity not in logs:
            bare = Control(vector.id, format, vector.contents, vector.input.name, context)
            count = len(body["expect"]["records"])
            is_large = count > MANY_RECORDS or bare.size > LARGE_BYTES
            limit = at_most // 8 if is_large else at_most
            logs[identity] = FlippedLog(with_fields(bare), limit, count)
    return sorted(logs.values(), key=lambda log: (log.control.size, log.control.id))


# -- search ----------------------------------------------------------------------------------------


def flip_tasks(logs: Sequence[FlippedLog]) -> list[FlipTask]:
    """Return tasks for all flips of these logs, large logs first."""
    return [
        (n, range(start, min(start + TASK_FLIPS, logs[n].count)))
        for n in sorted(range(len(logs)), key=lambda n: -logs[n].control.size)
        for start in range(0, logs[n].count, TASK_FLIPS)
    ]


def run_flips(
    logs: Sequence[FlippedLog],
    tasks: Sequence[FlipTask],
    progress: Callable[[int], None] = lambda count: None,
) -> list[FlipResults]:
    """Try flips in a worker pool, and return the results in the order of the tasks."""
    scratch = Scratch()
    outcomes: dict[FlipTask, FlipResults] = {}
    try:
        arguments = (logs, scratch.folder)
        for task, stretch in map_unordered(_run_task, tasks, _start_worker, arguments):
            outcomes[task] = stretch
            progress(stretch.tried.total())
    finally:
        scratch.close()
    return [outcomes[task] for task in tasks]


#: A worker process stores the logs and the executable specification here.
_worker: tuple[Sequence[FlippedLog], Reference] | None = None


def _start_worker(logs: Sequence[FlippedLog], scratch: Path) -> None:
    global _worker
    folder = Path(tempfile.mkdtemp(dir=scratch))
    _worker = logs, Reference(logs[0].control.format, folder)


def _run_task(task: FlipTask) -> tuple[FlipTask, FlipResults]:
    assert _worker is not None
    logs, reference = _worker
    return task, search(logs[task[0]], task[1], reference)


def search(log: FlippedLog, numbers: Sequence[int], reference: Reference) -> FlipResults:
    """Try the flips with these numbers. Raises :class:`ProfilesDisagree`."""
    control = log.control
    stretch = FlipResults(control.id, Counter(), [], Counter())
    before = reference.read(control, control.contents).records
    places = {(record.file, record.at) for record in before}
    for number in numbers:
        file, at, bit = log.flip(number)
        name = log.field(file, at)
        stretch.tried[name] += 1
        damaged = DamagedControl(control)
        damaged.apply({"op": "flip", "at": at, "bit": bit, "file": file})
        contents = damaged.contents
        try:
            output = reference.read(control, contents)
            lost = places - {(record.file, record.at) for record in output.records}
            stretch.costs[name, len(lost)] += 1
            effect = effect_of(before, output.records) if output.verdict == "intact" else None
            if effect is not None and reference.read(control, contents, "strict") != output:
                raise ValueError("the profile strict gives a different answer")
        except Exception as error:
            where = f"bit {bit} of byte {at}" + (f" in {file}" if file else "")
            text = f"{control.id}: {where}: {type(error).__name__}: {error}"
            raise ProfilesDisagree(text) from error
        if effect is not None:
            leaf = control.fields[file].at(at)
            path = leaf.path if leaf else f"byte {at}"
            path = f"{file}:{path}" if file else path
            stretch.undetected.append(UndetectedFlip(file, at, bit, path, name, effect))
    return stretch


def totals(
    format: str, at_most: int, logs: Sequence[FlippedLog], stretches: Sequence[FlipResults]
) -> Searched:
    """Return the totals of a search through these logs."""
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
            "bits": 8 * log.control.size,
            "flips": sum(stretch.tried.total() for stretch in mine),
            "unseen": {field: dict(sorted(unseen[field].items())) for field in sorted(unseen)},
        }
    return {"format": format, "at_most": at_most, "tried": dict(tried), "logs": by_id}


# -- effects ---------------------------------------------------------------------------------------

#: The effects are sorted, most harmful first. A flip counts once, under the first effect that
#: applies.
GONE, CHANGED, INVENTED, ORDER, FIELDS = EFFECTS


def effect_of(before: Sequence[Record], after: Sequence[Record]) -> str | None:
    """Return the most harmful effect on the records, or None if they are equal.

    The effect ``fields`` is followed by the names of the changed fields: ``fields: term``.
    """
    if list(before) == list(after):
        return None
    old, new = Counter(map(_key, before)), Counter(map(_key, after))
    missing, added = [*(old - new).elements()], [*(new - old).elements()]
    # A payload at a different offset counts as moved, not lost.
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
