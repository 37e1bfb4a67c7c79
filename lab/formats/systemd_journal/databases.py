"""Host journals from the vectors that show a scenario. Their payloads are real entries."""

from __future__ import annotations

from lab.databases.damaged_logs import FormatDatabases, Item, shortened, vector_cases
from reference_impl.answer import Answer

FORMAT = "systemd-journal"
MESSAGE = b"MESSAGE="


def items(answer: Answer) -> frozenset[Item]:
    """Return the message of each entry by sequence number. Skip entries without a message."""
    return frozenset(
        (str(record.fields["seqnum"]), shortened(line.removeprefix(MESSAGE)))
        for record in answer.records
        for line in record.payload.split(b"\n")
        if line.startswith(MESSAGE)
    )


DATABASES = FormatDatabases(
    lambda: vector_cases(FORMAT, f"{FORMAT}/payload-flipped", "system.journal"), items
)
