"""Folders as systems keep them: a database, a broker's store, a raft node, a host's journals.

A log seldom lies alone. Which of the files beside it are logs and in what order, what the others
are for, and what their being there or not says, is a system's own business: a format that has such
folders describes them as a :class:`~walproof.systems.model.SystemFolder` (its part
``system_folder`` in ``walproof/formats``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from reference_impl.formats import FORMATS
from walproof.formats import plugin_for
from walproof.summary.model import Summary
from walproof.systems.model import (
    Finding,
    Harm,
    OtherFile,
    System,
    SystemFolder,
    SystemLog,
    size_of_all,
)
from walproof.systems.text_conversion import conversion_findings

__all__ = [
    "Finding",
    "Harm",
    "OtherFile",
    "System",
    "SystemFolder",
    "SystemLog",
    "examine",
    "recognise",
    "size_of_all",
    "systems_in",
]


def examine(system: System, found: Mapping[str, Summary]) -> System:
    """Add the findings that its logs lead to; ``found`` are their summaries, by their names.

    Raises ``OSError``.
    """
    findings = [*system.findings]
    for log in system.logs:
        if log.name in found:
            findings += system.folder_type.of_log(system, log, found[log.name])
            if system.is_one_log:
                findings += system.folder_type.beyond(system, found[log.name])
            if found[log.name].verdict != "intact":
                findings += conversion_findings(system, log.name)
    return replace(system, findings=findings)


def systems_in(folder: Path, formats: Sequence[str] = tuple(FORMATS)) -> list[System]:
    """The systems whose folder this is, of the given formats: one, none, or several that share it.

    A kind of system that cannot read a file of the folder is passed over: that file is then read,
    and its error reported, on its own. Raises ``OSError`` if the folder cannot be listed.
    """
    next(folder.iterdir(), None)
    results = []
    for format_id in formats:
        with suppress(OSError):
            if (system := plugin_for(format_id).system_folder.recognise(folder)) is not None:
                results.append(system)
    return results


def recognise(folder: Path, format_id: str | None = None) -> System | None:
    """The system whose folder this is; None for a file, or if there is none or more than one.

    ``format_id`` looks for one system only. Raises ``OSError``.
    """
    if not folder.is_dir():
        return None
    result = systems_in(folder, list(FORMATS) if format_id is None else [format_id])
    return result[0] if len(result) == 1 else None
