"""Select the logs for every writer: the logs of ``write`` vectors, and additional logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.compare import differences, normalise
from conformance.vectors import Vector
from lab.formats import lab_part


@dataclass(frozen=True)
class Wanted:
    """A log to write: its records as in the protocol, and the context of the write."""

    id: str
    format: str
    #: Name of the file or directory, which determines the file type.
    name: str
    records: Sequence[Mapping[str, Any]]
    context: Mapping[str, Any] = field(default_factory=dict)

    def message(self, command: str, place: Path) -> dict[str, Any]:
        """Return the ``write`` or ``read`` message of the log, without a sequence number."""
        about = {"cmd": command, "format": self.format, "path": str(place)}
        if command == "read":
            return {**about, "profile": "recover", "context": dict(self.context)}
        return {**about, "records": [dict(each) for each in self.records], "context": self.context}


def wanted(vectors: Iterable[Vector], format: str) -> list[Wanted]:
    """Return the logs to write in a format: the logs of its vectors, then the additional logs."""
    return [*of_vectors(vectors, format), *added_logs(format)]


def of_vectors(vectors: Iterable[Vector], format: str) -> list[Wanted]:
    """Return the logs of ``write`` vectors that leave an intact log with exactly their records."""
    chosen = []
    for vector in vectors:
        body = vector.body
        if (body["format"], vector.operation) != (format, "write") or body.get("must_refuse"):
            continue
        records = vector.records_to_write()
        left = body["expect"]
        if left["verdict"] == "intact" and not differences(
            normalise({"records": records}), left, ["records"]
        ):
            context = body.get("context", {})
            chosen.append(Wanted(vector.id, format, vector.neutral_name, records, context))
    return chosen


def added_logs(format: str) -> list[Wanted]:
    """Return the additional logs of a format, from its part ``crossing`` if it has this part."""
    part = lab_part(format, "crossing")
    logs: list[Wanted] = [] if part is None else part.LOGS
    return logs
