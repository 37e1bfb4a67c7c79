"""Scanners: optimised readers of all formats, from bytes to columns.

A scanner returns the events of the executable specification (``reference_impl.answer``). The only
difference is that records are grouped into runs of columns: :class:`~walproof.scan.model.Records`
in place of ``Record``. Scanners are tested like any implementation: on every vector
(``walproof/implementations/fast-scan``) and in the damage sweep.

The scanner of a format is the module ``scanner`` of its package in ``walproof/formats``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from walproof.formats import plugin_for

if TYPE_CHECKING:
    from walproof.scan.model import Part, Scanner


def scanner(format_id: str) -> Scanner:
    """Return the scanner of a format, or the executable specification if none is installed.

    Raises ``UnknownFormat``.
    """
    installed = plugin_for(format_id).scanner
    if installed is not None:
        return installed
    from walproof.scan.reference import ReferenceScanner

    return ReferenceScanner(format_id)


def reads_ranges(format_id: str) -> bool:
    """Return whether remote logs of a format are read by ranges instead of as a whole."""
    return plugin_for(format_id).discovery.restart_bytes is not None


def part_from(format_id: str, start: int, end: int | None = None) -> Part:
    """Return the part of a log that contains everything that begins in ``[start, end)``.

    If the records of the format depend on everything before them, the result is ``WHOLE``.
    """
    from walproof.scan.model import WHOLE, Part

    step = plugin_for(format_id).discovery.restart_bytes
    if step is None or start < step:
        return WHOLE
    return Part(start // step * step, None if end is None else -(-end // step) * step)
