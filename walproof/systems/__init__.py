"""Folders as systems keep them: a database, a broker's store, a raft node, a host's journals.

A log seldom lies alone. Which of the files beside it are logs and in what order, what the others
are for, and what their being there or not says, is a system's own business: each format that has
such folders has a module here whose ``KIND`` is a :class:`~walproof.systems.model.Kind`.
"""

from __future__ import annotations

from pathlib import Path

from reference_impl.formats import FORMATS
from walproof.by_format import module_of
from walproof.systems.model import Finding, Harm, Kind, OtherFile, System, SystemLog, size_of_all

__all__ = [
    "Finding",
    "Harm",
    "Kind",
    "OtherFile",
    "System",
    "SystemLog",
    "kind",
    "recognise",
    "size_of_all",
]


def kind(format_id: str) -> Kind:
    """What is known of the system that writes a format. Raises ``UnknownFormat``."""
    found: Kind = module_of(format_id, __name__).KIND
    return found


def recognise(folder: Path, format_id: str | None = None) -> System | None:
    """The system whose folder this is; None for a file, or if there is none or more than one.

    ``format_id`` asks one system only. Raises ``OSError``.
    """
    if not folder.is_dir():
        return None
    asked = [format_id] if format_id is not None else list(FORMATS)
    found = [system for one in asked if (system := kind(one).recognise(folder)) is not None]
    return found[0] if len(found) == 1 else None
