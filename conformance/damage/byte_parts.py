"""Describe bytes as a list of parts: hexadecimal digits, fills, and copies from other logs.

Vectors contain operations and edits whose bytes are in this form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from conformance.damage.operations import DamagedLog, Edit, Operation

#: Fills and copies that are shorter than this are written as hexadecimal digits.
MIN_FILL_BYTES, MIN_COPY_BYTES = 48, 96

#: The search for copies compares blocks of ``_BLOCK`` bytes at multiples of ``_STEP``.
_BLOCK, _STEP = 32, 16
_FILL = re.compile(rb"(.)\1{%d,}" % (MIN_FILL_BYTES - 1), re.DOTALL)
#: A fill repeats a pattern of at most ``_MAX_PERIOD`` bytes at least ``_MIN_REPETITIONS`` times.
_MAX_PERIOD, _MIN_REPETITIONS = 512, 4


class _Place(NamedTuple):
    id: str
    file: str
    at: int


class ByteSource:
    """Logs from which parts are copied, by vector id. Earlier logs take precedence."""

    def __init__(self, logs: Mapping[str, Mapping[str, bytes]]) -> None:
        self._logs = logs
        self._blocks: dict[bytes, _Place] = {}
        for id, files in logs.items():
            for file, data in files.items():
                for at in range(0, len(data) - _BLOCK + 1, _STEP):
                    self._blocks.setdefault(data[at : at + _BLOCK], _Place(id, file, at))

    def parts_of(self, data: bytes) -> str | Sequence[Any]:
        """Return hexadecimal digits, or a list of parts with these bytes."""
        parts: list[Any] = []
        literal = at = 0
        while at < len(data):
            start, end, part = _filled(data, at) or self._copied(data, literal, at)
            if part is None:
                at += 1
                continue
            parts += [data[literal:start].hex()] * (start > literal)
            parts.append(part)
            literal = at = end
        if not parts:
            return data.hex()
        return [*parts, data[literal:].hex()] if literal < len(data) else parts

    def _copied(self, data: bytes, first: int, at: int) -> tuple[int, int, Any]:
        """Return the copied range of ``data`` around ``at``, and the part that describes it."""
        place = self._blocks.get(data[at : at + _BLOCK])
        if place is None:
            return at, at, None
        source = self._logs[place.id][place.file]
        start, end, offset = at, at + _BLOCK, place.at
        while start > first and offset > 0 and data[start - 1] == source[offset - 1]:
            start, offset = start - 1, offset - 1
        while (
            end < len(data)
            and offset + end - start < len(source)
            and data[end] == source[offset + end - start]
        ):
            end += 1
        if end - start < MIN_COPY_BYTES:
            return at, at, None
        file = {"file": place.file} if place.file else {}
        return start, end, {"copy": place.id, **file, "at": offset, "size": end - start}


def operation_to_json(
    log: DamagedLog, operation: Operation, edits: Sequence[Edit], source: ByteSource
) -> dict[str, Any]:
    """Return an operation on a log, with its edits, as vectors contain it."""
    body = dict(operation)
    if "bytes" in body:
        body["bytes"] = source.parts_of(log.bytes_from(body["bytes"]))
    body["edits"] = [edit.to_json(source.parts_of(edit.insert)) for edit in edits]
    return body


def _filled(data: bytes, at: int) -> tuple[int, int, Any] | None:
    """Return the range of a fill that starts at ``at``, and the part that describes it."""
    if fill := _FILL.match(data, at):
        return at, fill.end(), {"fill": fill[1].hex(), "size": len(fill[0])}
    period = data.find(data[at : at + 12], at + 1, at + 12 + _MAX_PERIOD) - at
    if period < 2:
        return None
    whole = data[at : at + period]
    end = at + period
    while data.startswith(whole, end):
        end += period
    if end - at < max(MIN_COPY_BYTES, _MIN_REPETITIONS * period):
        return None
    return at, end, {"fill": whole.hex(), "size": end - at}
