"""Bulk scanners: optimised readers of all formats, from bytes to columns.

A scanner gives the events of the reference reader (``reference_impl.answer``) with its records in
runs of columns: :class:`~walproof.scan.model.Records` instead of ``Record``, then ``Lost``
and one ``End`` as ever. Whether it agrees is tested like any implementation: on every vector
(``walproof/implementations/fast-scan``) and on the damage sweep.

Each format has a folder here. In it are the module ``columns``, ``ENTERED_EVERY`` (where a scan may
begin besides the start of a log: at each multiple of so many bytes, or nowhere), and the scanner,
which is the module ``scanner`` with

* ``plan(log, target_bytes)``: parts of about that many bytes that can be scanned apart, in log
  order; ``[WHOLE]`` where the format, or this log, cannot be split;
* ``scan(log, wanted, part)``: the events of a part. The parts of a log give exactly the records
  and lost ranges of the whole; only ``WHOLE`` ends with an ``End``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from walproof.by_format import module_of
from walproof.scan.log import Log
from walproof.scan.model import WHOLE, Event, Part, Wanted


class Scanner(Protocol):
    """What a scanner offers."""

    def plan(self, log: Log, target_bytes: int) -> Sequence[Part]:
        """Parts that can be scanned apart."""

    def scan(self, log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """The events of a part."""


def scanner(format_id: str) -> Scanner:
    """The scanner of a format. Raises ``UnknownFormat`` for an id that is none of ours."""
    if has_kernel(format_id):
        return cast(Scanner, module_of(format_id, __name__, "scanner"))
    from walproof.scan.reference import ReferenceScanner

    return ReferenceScanner(format_id)


def has_kernel(format_id: str) -> bool:
    """Return whether a format is scanned by kernels here, which need numba.

    Raises ``UnknownFormat``.
    """
    folder = module_of(format_id, __name__).__name__
    return all(importlib.util.find_spec(name) for name in ("numba", f"{folder}.scanner"))


def reads_ranges(format_id: str) -> bool:
    """Whether a remote log of a format is read by ranges; the others are needed whole."""
    return _entered_every(format_id) is not None


def part_from(format_id: str, start: int, end: int | None = None) -> Part:
    """The part of a log to read for what begins in ``[start, end)``.

    :data:`WHOLE` for a format whose logs are read from their start, since what comes before
    decides what a record means.
    """
    step = _entered_every(format_id)
    if step is None or start < step:
        return WHOLE
    return Part(start // step * step, None if end is None else -(-end // step) * step)


def _entered_every(format_id: str) -> int | None:
    """The bytes from one place where a scan may begin to the next; None for the start alone."""
    return cast("int | None", module_of(format_id, __name__).ENTERED_EVERY)
