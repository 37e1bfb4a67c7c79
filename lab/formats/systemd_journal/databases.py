"""Journals of a host: the vectors that show scenarios, since their payloads are real entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.contents import write_contents
from conformance.vectors import load_all
from lab.databases.model import Case, Item, scenario_vectors, shortened, vector_case
from reference_impl.answer import Answer

FORMAT = "systemd-journal"
SOUND = "systemd-journal/payload-flipped"
"""The vector whose control is opened first."""
MESSAGE = b"MESSAGE="
NAME = "system.journal"


def cases() -> Sequence[Case]:
    """See :class:`~lab.databases.model.FormatDatabases`."""
    vectors = load_all()
    sound = vector_case(vectors[SOUND], vectors, NAME)
    damaged = [vector_case(each, vectors, NAME) for each in scenario_vectors(FORMAT, vectors)]
    return [Case("none", "none", sound.control, sound.control, ()), *damaged]


def items(answer: Answer, context: Mapping[str, Any]) -> frozenset[Item]:
    """See :class:`~lab.databases.model.FormatDatabases`: the message of each entry, by its number.

    An entry that has lost its message does not count.
    """
    return frozenset(
        (str(record.fields["seqnum"]), shortened(line.removeprefix(MESSAGE)))
        for record in answer.records
        for line in record.payload.split(b"\n")
        if line.startswith(MESSAGE)
    )


def place(case: Case, folder: Path) -> Path:
    """See :class:`~lab.databases.model.FormatDatabases`: the program puts it into a folder."""
    path = folder / "damaged.journal"
    write_contents(case.log, path)
    return path
