"""Scanners: optimised readers of all formats, from bytes to columns.

A scanner returns the events of the executable specification, with records in runs of columns. A
kernel reads intact records, and the executable specification reads after the first fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from walproof.formats import plugin_for

if TYPE_CHECKING:
    from walproof.scanners.model import Part, Scanner


def scanner(format_id: str) -> Scanner:
    """Return the scanner of a format, or the executable specification. Raises ``UnknownFormat``."""
    installed = plugin_for(format_id).scanner
    if installed is not None:
        return installed
    from walproof.scanners.reference import ReferenceScanner

    return ReferenceScanner(format_id)


def reads_ranges(format_id: str) -> bool:
    """Return whether remote logs of a format are read by ranges instead of as a whole."""
    return plugin_for(format_id).discovery.restart_bytes is not None


def part_from(format_id: str, start: int, end: int | None = None) -> Part:
    """Return the part of a log that contains everything that begins in ``[start, end)``.

    The result is ``WHOLE`` if a scan must begin at the start of the log.
    """
    from walproof.scanners.model import WHOLE, Part

    step = plugin_for(format_id).discovery.restart_bytes
    if step is None or start < step:
        return WHOLE
    return Part(start // step * step, None if end is None else -(-end // step) * step)
