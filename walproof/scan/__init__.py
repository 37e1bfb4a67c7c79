"""Bulk scanners: fast twins of the reference readers, from bytes to columns.

A scanner gives the events of the reference reader (``reference_impl.answer``) with its records in
runs of columns: :class:`~walproof.scan.model.Records` instead of ``Record``, then ``Lost``
and one ``End`` as ever. Whether it agrees is tested like any implementation: on every vector
(``walproof/implementations/fast-scan``) and on the damage sweep.

A scanner is the module ``scanner`` in a format's folder here (``columns.COLUMNS`` says what the
columns are) with

* ``plan(log, target_bytes)``: parts of about that many bytes that can be scanned apart, in log
  order; ``[WHOLE]`` where the format, or this log, cannot be split;
* ``scan(log, wanted, part)``: the events of a part. The parts of a log give exactly the records
  and lost ranges of the whole; only ``WHOLE`` ends with an ``End``.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from walproof.scan.log import Log
from walproof.scan.model import WHOLE, Event, Part, Wanted

# Formats with a kernel. The others, and all where numba is absent, are read by the reference.
MODULES: dict[str, str] = {
    "leveldb-log": "leveldb_log",
    "zeebe-journal": "zeebe_journal",
    "kahadb-journal": "kahadb_journal",
    "systemd-journal": "systemd_journal",
    "zmq-raft": "zmq_raft",
}


class Scanner(Protocol):
    """What a scanner offers."""

    def plan(self, log: Log, target_bytes: int) -> Sequence[Part]:
        """Parts that can be scanned apart."""

    def scan(self, log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """The events of a part."""


def scanner(format_id: str) -> Scanner:
    """The scanner of a format. Raises ``UnknownFormat`` for an id that is none of ours."""
    if format_id in MODULES and importlib.util.find_spec("numba") is not None:
        return cast(Scanner, importlib.import_module(f"{__name__}.{MODULES[format_id]}.scanner"))
    from walproof.scan.plain import PlainScanner

    return PlainScanner(format_id)
