"""Scanners: optimised readers that convert the bytes of a log to columns.

A scanner yields the same events as the executable specification, but groups records into runs of
columns. A kernel reads intact records, and the executable specification takes over after a fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from walproof.formats import plugin_for

if TYPE_CHECKING:
    from walproof.scanners.model import Part, Scanner


def scanner(format_id: str) -> Scanner:
    """Return a format's scanner, or the executable specification. Raises ``UnknownFormat``."""
    installed = plugin_for(format_id).scanner
    if installed is not None:
        return installed
    from walproof.scanners.reference import ReferenceScanner

    return ReferenceScanner(format_id)


def reads_ranges(format_id: str) -> bool:
    """Return whether remote logs of a format can be read in byte ranges instead of as a whole."""
    return plugin_for(format_id).discovery.restart_bytes is not None


def part_from(format_id: str, start: int, end: int | None = None) -> Part:
    """Return a part of a log that contains everything beginning in ``[start, end)``.

    The part is ``WHOLE`` if a scan must begin at the start of the log.
    """
    from walproof.scanners.model import WHOLE, Part

    step = plugin_for(format_id).discovery.restart_bytes
    if step is None or start < step:
        return WHOLE
    return Part(start // step * step, None if end is None else -(-end // step) * step)
