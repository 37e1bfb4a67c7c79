"""Logs of a raft partition: the vectors that show scenarios, since their payloads are entries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.contents import by_name, write_contents
from conformance.saving import save
from conformance.vectors import load_all
from lab.databases.model import Case, Item, scenario_vectors, shortened, vector_case
from reference_impl.answer import Answer

FORMAT = "zeebe-journal"
SOUND = "zeebe-journal/payload-flipped"
"""The vector whose control is opened first."""
SEGMENT_SIZE = 1 << 20
ONLY_FILE = "journal-1.log"
SEGMENT = re.compile(r"(.+)-[1-9][0-9]*\.log")


def cases() -> Sequence[Case]:
    """See :class:`~lab.databases.model.FormatDatabases`."""
    vectors = load_all()
    sound = vector_case(vectors[SOUND], vectors, vectors[SOUND].input.name)
    none = Case("none", "none", sound.control, sound.control, (), sound.name, sound.context)
    damaged = [
        vector_case(each, vectors, each.input.name) for each in scenario_vectors(FORMAT, vectors)
    ]
    # Where log and control are alike, what differs may be what was acknowledged.
    return [none, *(case for case in damaged if case.log != case.control)]


def items(answer: Answer, context: Mapping[str, Any]) -> frozenset[Item]:
    """See :class:`~lab.databases.model.FormatDatabases`: entries by their index."""
    return frozenset(
        (str(record.fields["index"]), shortened(_entry(record.fields).encode()))
        for record in answer.records
    )


def _entry(fields: Mapping[str, Any]) -> str:
    if fields["entry_type"] != "application":
        return f"{fields['term']} {fields['entry_type']}"
    return f"{fields['term']} application {fields['entry']['application_data']}"


def place(case: Case, folder: Path) -> Path:
    """See :class:`~lab.databases.model.FormatDatabases`: the segments, and what the broker knew."""
    files = {name or ONLY_FILE: data for name, data in by_name(case.log).items()}
    write_contents(files, folder / "partition")
    names = {result[1] for name in files if (result := SEGMENT.fullmatch(name))}
    settings = {
        "name": sorted(names)[0] if names else "journal",
        "segment_size": case.context.get("max_segment_size", SEGMENT_SIZE),
        "flushed": case.context.get("last_flushed_index"),
    }
    text = "".join(f"{key}={value}\n" for key, value in settings.items() if value is not None)
    save(folder / "settings", text)
    return folder
