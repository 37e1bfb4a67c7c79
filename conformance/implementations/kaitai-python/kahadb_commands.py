"""Read the command in a broker's payload, by spec/kahadb-journal.md alone (KDB-016)."""

from __future__ import annotations

from typing import Any

COMMANDS = (
    "TRACE",
    "ADD_MESSAGE",
    "REMOVE_MESSAGE",
    "PREPARE",
    "COMMIT",
    "ROLLBACK",
    "REMOVE_DESTINATION",
    "SUBSCRIPTION",
    "PRODUCER_AUDIT",
    "ACK_MESSAGE_FILE_MAP",
    "UPDATE_MESSAGE",
    "ADD_SCHEDULED_JOB",
    "RESCHEDULE_JOB",
    "REMOVE_SCHEDULED_JOB",
    "REMOVE_SCHEDULED_JOBS",
    "DESTROY_SCHEDULER",
    "REWRITTEN_DATA_FILE",
)


def fields(payload: bytes) -> dict[str, Any]:
    """Return ``command`` and ``command_name``, if the payload is a command."""
    if not payload or payload[0] >= len(COMMANDS):
        return {}
    length = 0  # ``length`` is stored as a varint of one to five bytes
    for index, byte in enumerate(payload[1:6]):
        length |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            if len(payload) != 2 + index + length:
                return {}
            name = f"KAHA_{COMMANDS[payload[0]]}_COMMAND"
            return {"command": payload[0], "command_name": name}
    return {}
