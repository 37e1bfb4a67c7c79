"""Recognise folders of databases, brokers, raft nodes and hosts that contain logs.

Each format describes its folders in the module ``system_folder`` of its package.
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
from walproof.systems.text_conversion import conversion_finding

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


def examine(system: System, summaries: Mapping[str, Summary]) -> System:
    """Add the findings that follow from the logs; ``summaries`` maps log names to summaries.

    Raises ``OSError``.
    """
    findings = [*system.findings]
    for log in system.logs:
        if log.name in summaries:
            findings += system.folder_type.of_log(system, log, summaries[log.name])
            if system.is_one_log:
                findings += system.folder_type.beyond(system, summaries[log.name])
            if summaries[log.name].verdict != "intact":
                names = system.folder_type.log_files(system) if system.is_one_log else [log.name]
                for name in names:
                    findings += conversion_finding(system.format, system.folder / name, name)
    return replace(system, findings=findings)


def systems_in(folder: Path, formats: Sequence[str] = tuple(FORMATS)) -> list[System]:
    """Return the systems of the given formats to which a folder belongs.

    A system type is skipped if one of its files is unreadable. Raises ``OSError``.
    """
    next(folder.iterdir(), None)
    results = []
    for format_id in formats:
        with suppress(OSError):
            if (system := plugin_for(format_id).system_folder.recognise(folder)) is not None:
                results.append(system)
    return results


def recognise(folder: Path, format_id: str | None = None) -> System | None:
    """Return the system to which a folder belongs; None if there is not exactly one system."""
    if not folder.is_dir():
        return None
    result = systems_in(folder, list(FORMATS) if format_id is None else [format_id])
    return result[0] if len(result) == 1 else None
