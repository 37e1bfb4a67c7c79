"""Raft partition logs from the vectors that show a scenario. Their payloads are raft entries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.contents import by_name, write_contents
from conformance.saving import save
from lab.databases.damaged_logs import DatabaseCase, FormatDatabases, Item, shortened, vector_cases
from reference_impl.answer import Answer

FORMAT = "zeebe-journal"
SEGMENT_SIZE = 1 << 20
ONLY_FILE = "journal-1.log"
SEGMENT = re.compile(r"(.+)-[1-9][0-9]*\.log")


def items(answer: Answer) -> frozenset[Item]:
    """Return the entries by index."""
    return frozenset(
        (str(record.fields["index"]), shortened(_entry(record.fields).encode()))
        for record in answer.records
    )


def _entry(fields: Mapping[str, Any]) -> str:
    if fields["entry_type"] != "application":
        return f"{fields['term']} {fields['entry_type']}"
    return f"{fields['term']} application {fields['entry']['application_data']}"


def place(case: DatabaseCase, folder: Path) -> Path:
    """Write the segments, and the file ``settings`` for the broker; return their directory."""
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


DATABASES = FormatDatabases(lambda: vector_cases(FORMAT, f"{FORMAT}/payload-flipped"), items, place)
