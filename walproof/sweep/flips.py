"""The family of ``walproof sweep --flips``: single-bit flips that no check detects.

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
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from conformance.contents import Contents, digest
from conformance.kaitai.grammars import grammar_of
from conformance.scratch import Held
from conformance.undetected_flips import EFFECTS, Hit, Searched, SearchedLog
from conformance.vectors import Vector
from reference_impl.answer import Record, collect
from reference_impl.formats import named
from reference_impl.register import registers
from walproof.formats import plugin_for
from walproof.sweep import operations, shares
from walproof.sweep.controls import Control, control_at, is_selected, with_fields
from walproof.sweep.operations import Change, Family, File, Joined
from walproof.sweep.specification import Reference
from walproof.worker_pool import map_unordered

#: A log with more records or bytes gets an eighth of the flips, since each takes longer.
MANY_RECORDS, LARGE_BYTES = 256, 64 << 10

#: Flips of one task: a few seconds in the slowest format.
TASK_FLIPS = 4096

_REPEATED = re.compile(r"(\b\w+\[\]\.)\1+")


class NotIntact(ValueError):
    """Raised for a log that is already damaged."""


class Disagreement(Exception):
    """Raised if the profiles disagree on an intact log, or the executable specification fails."""


class Flip(NamedTuple):
    """Bit ``bit`` of the byte at ``at`` in a file; ``file`` is empty in a log of one file."""

    file: str
    at: int
    bit: int


class UndetectedFlip(NamedTuple):
    """A flip that no check detects: its field, the field's generic name, and the effect."""

    flip: Flip
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

    Flips in the structure have the lowest numbers. If one half has too few bits, the other half
    gets more flips.
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

    def change(self, number: int) -> tuple[Flip, Change]:
        """Return a flip by its number."""
        is_content = number >= self._shares[0]
        joined = self._families[is_content]
        position = number - is_content * self._shares[0]
        index, n = joined.resolved(shares.spread(position, joined.count, 0))
        family = joined.families[index]
        change = family.changes[n]
        ((at, _, new),) = change.edits
        flipped = self.control.files[family.file][at] ^ new[0]
        return Flip(family.file, at, flipped.bit_length() - 1), change

    @functools.cached_property
    def _families(self) -> tuple[Joined, Joined]:
        """The flips in the structure, then those in the content."""
        files = [
            File(name, data, self.control.fields[name]) for name, data in self.control.files.items()
        ]
        return (
            Joined(
                [Family("flip", operations.flips(f, f.fields.structural), f.name) for f in files]
            ),
            Joined([Family("flip", operations.flips(f, f.fields.content), f.name) for f in files]),
        )

    @functools.cached_property
    def _shares(self) -> list[int]:
        return shares.divide(self.at_most, [of.count for of in self._families], (1.0, 1.0))

    def field(self, number: int) -> str:
        """Return the generic name of the field that a flip hits.

        If the format has several file types, the name begins with the file type. Repeated steps are
        merged: ``elements[].elements[].first`` becomes ``elements[].first``.
        """
        flip, change = self.change(number)
        return self._file_types[flip.file] + _REPEATED.sub(r"\1", change.field)

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
    """Return the logs of all undamaged vectors whose answer is `intact`, smallest first.

    ``patterns`` select vectors by id or slug. Vectors with the same log and context are used once.
    Vectors with a context that selects records are excluded.
    """
    logs: dict[tuple[str, str, str], FlippedLog] = {}
    for id, vector in vectors.items():
        body = vector.body
        context = dict(body.get("context", {}))
        if (
            body["format"] != format
            or body["operation"] not in ("read", "truncations")
            or vector.control is not None
            or vector.damage
            or body["size"] == 0
            or body["expect"]["verdict"] != "intact"
            or not context.keys().isdisjoint(plugin_for(format).sweep.selecting)
        ):
            continue
        if patterns and not is_selected(id, patterns):
            continue
        identity = (str(body["sha256"]), repr(sorted(context.items())), vector.input.suffix)
        if identity not in logs:
            bare = Control(id, format, vector.contents, vector.input.name, context)
            logs[identity] = _flipped_log(
                with_fields(bare), len(body["expect"]["records"]), at_most
            )
    return sorted(logs.values(), key=lambda log: (log.control.size, log.control.id))


def flipped_log_at(path: Path, format: str, context: Mapping[str, Any], at_most: int) -> FlippedLog:
    """Return the log at a path. Raises :class:`NotIntact` and ``OSError``."""
    answer = collect(named(format).read(path, "recover", context))
    if answer.verdict != "intact":
        raise NotIntact(f"{path}: expected an intact log (see walproof read)")
    return _flipped_log(control_at(path, format, context), len(answer.records), at_most)


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
    """Try flips in a worker pool, and return the results in the order of the tasks.

    ``progress`` gets the number of new flips.
    """
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
    """Try the flips with these numbers.

    Raises :class:`Disagreement` if the executable specification fails or its profiles differ.
    """
    control = log.control
    stretch = Stretch(control.id, Counter(), [])
    before = reference.read(control, control.contents).records
    for number in numbers:
        flip, change = log.change(number)
        name = log.field(number)
        stretch.tried[name] += 1
        data = operations.applied(control.files[flip.file], change.edits)
        contents: Contents = {**control.files, flip.file: data} if flip.file else data
        try:
            output = reference.read(control, contents)
            effect = effect_of(before, output.records) if output.end.verdict == "intact" else None
            if effect is not None and reference.read(control, contents, "strict") != output:
                raise ValueError("the profile strict gives a different answer")
        except Exception as error:
            text = f"{control.id}: {flip}: {type(error).__name__}: {error}"
            raise Disagreement(text) from error
        if effect is not None:
            leaf = control.fields[flip.file].at(flip.at)
            path = leaf.path if leaf else f"byte {flip.at}"
            path = f"{flip.file}:{path}" if flip.file else path
            stretch.undetected.append(UndetectedFlip(flip, path, name, effect))
    return stretch


def totals(
    format: str, at_most: int, logs: Sequence[FlippedLog], stretches: Sequence[Stretch]
) -> Searched:
    """Return the totals of a search of these logs."""
    tried: Counter[str] = Counter()
    flips: Counter[str] = Counter()
    hits: dict[str, Counter[Hit]] = {log.control.id: Counter() for log in logs}
    for stretch in stretches:
        tried.update(stretch.tried)
        flips[stretch.log] += stretch.tried.total()
        hits[stretch.log].update((flip.field, flip.effect) for flip in stretch.undetected)
    searched = {}
    for log in logs:
        id = log.control.id
        searched[id] = SearchedLog(id, log.fingerprint, log.bits, flips[id], dict(hits[id]))
    return Searched(format, at_most, dict(tried), searched)


# -- effects ---------------------------------------------------------------------------------------

#: Most harmful first: a flip counts once, under the first effect that applies.
GONE, CHANGED, INVENTED, ORDER, FIELDS = EFFECTS


def effect_of(before: Sequence[Record], after: Sequence[Record]) -> str | None:
    """Return the most harmful effect on the records, or None if they are equal.

    The effect ``fields`` is followed by the names of the changed fields, as in ``fields: term``.
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


def _without(
    records: Sequence[Record], removed: Counter[Hashable], key: Callable[[Record], Hashable]
) -> list[Record]:
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
