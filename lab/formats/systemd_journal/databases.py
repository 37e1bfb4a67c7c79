"""Journals of a host: the vectors that show scenarios, since their payloads are real entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.contents import read_contents, write_contents
from conformance.vectors import Vector, load_all
from lab.databases.model import Case, Item, shortened
from reference_impl.answer import Answer

FORMAT = "systemd-journal"
SOUND = "systemd-journal/payload-flipped"
"""The vector whose control is opened first."""
MESSAGE = b"MESSAGE="


def cases() -> Sequence[Case]:
    """See :class:`~lab.databases.model.FormatDatabases`."""
    vectors = load_all()
    sound = _case(vectors[SOUND], vectors)
    return [Case("none", "none", sound.control, sound.control, ()), *_damaged(vectors)]


def _damaged(vectors: Mapping[str, Vector]) -> Iterator[Case]:
    for vector in vectors.values():
        if vector.body["format"] != FORMAT or vector.operation != "read":
            continue
        if "scenario" in vector.body and vector.control in vectors:
            yield _case(vector, vectors)


def _case(vector: Vector, vectors: Mapping[str, Vector]) -> Case:
    scenario = vector.body.get("scenario", "")
    return Case(
        f"{scenario}/{vector.id.partition('/')[2]}",
        scenario,
        read_contents(vector.input),
        read_contents(vectors[vector.control or ""].input),
        vector.damage,
        "system.journal",
        vector.body.get("context", {}),
    )


def items(answer: Answer, context: Mapping[str, Any]) -> frozenset[Item]:
    """See :class:`~lab.databases.model.FormatDatabases`: the message of each entry, by its number.

    An entry whose message is gone says nothing more, and does not count.
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
