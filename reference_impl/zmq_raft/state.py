"""Read and write state files. Upstream: zmq-raft ``lib/common/file_persistence.js``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from reference_impl.answer import Lost, NewRecord, Record
from reference_impl.zmq_raft import message_pack
from reference_impl.zmq_raft.layout import CREATED, Parts, Place
from reference_impl.zmq_raft.message_pack import (
    MOST_VALUES,
    TOO_MANY,
    BadKey,
    BadType,
    Incomplete,
    Map,
    TooDeep,
)

ROTATE_AT = 512 * 1024  # ZMR-075
WINDOW = 1 << 16


class _Window:
    """A window of a stream, from an offset up to the last byte read so far."""

    def __init__(self, file: BinaryIO, at: int) -> None:
        self.file = file
        self.data = b""
        self.at = at

    def grow(self) -> bool:
        """Double the size of the window, or return False at the end of the file."""
        more = self.file.read(max(WINDOW, len(self.data)))
        self.data += more
        return bool(more)

    def skip(self, size: int) -> None:
        """Drop bytes from the front."""
        self.data = self.data[size:]
        self.at += size


class Merged:
    """The result of merging a state file's updates (ZMR-071)."""

    def __init__(self) -> None:
        #: The keys and values, or None if there are too many (ZMR-106).
        self.values: dict[str, Any] | None = {}
        self._counts: dict[str, int] = {}
        self._count = 1  # the map itself

    def add(self, changes: Any) -> None:
        """Merge the key-value pairs of an update, or :data:`TOO_MANY`."""
        if self.values is None:
            return
        if changes is not TOO_MANY:
            for key, value in dict(changes).items():
                self._count -= self._counts.get(key, 0)
                self._counts[key] = 1 + message_pack.count_of(value)
                self._count += self._counts[key]
                self.values[key] = value
        if changes is TOO_MANY or self._count > MOST_VALUES:
            self.values = None
            self._counts.clear()


def read(file: BinaryIO, size: int) -> Parts:
    """Read the updates in a state file as records.

    The last record before the first fault, or before the end, has the merged map as its field
    ``state`` (ZMR-072), unless the map is too large (ZMR-106).
    """
    state: Merged | None = Merged()
    held: Record | None = None
    fault: Lost | None = None
    for part in _updates(file, size):
        if held is not None:
            yield _with_state(held, state) if isinstance(part, Lost) else held
        if isinstance(part, Lost):
            yield part
            held, state, fault = None, None, part
            continue
        held, changes = part
        if state is not None:
            state.add(changes)
    if held is not None:
        yield _with_state(held, state)
    if fault is None:
        return Place(size)
    return Place(fault.start if fault.torn else None)  # ZMR-101


def _with_state(record: Record, state: Merged | None) -> Record:
    if state is None or state.values is None:
        return record
    values = {key: message_pack.to_json(value) for key, value in state.values.items()}
    return replace(record, fields={**record.fields, "state": values})


def _updates(
    file: BinaryIO, size: int, start: int = 0, stops: bool = False
) -> Iterator[tuple[Record, Any] | Lost]:
    """Yield each update with its pairs or ``TOO_MANY``, and the lost range of a fault.

    Unless ``stops`` is true, proven updates after a fault are yielded, too (ZMR-107).
    """
    file.seek(start)
    window = _Window(file, start)
    # The offset is relative to the window, which drops bytes only before it grows.
    offset = 0
    while True:
        if offset == len(window.data):
            window.skip(offset)
            offset = 0
            if not window.grow():
                return
        at = window.at + offset
        if not begins_map(window.data[offset]):
            is_torn = _zeros_to_the_end(window, offset)
            reason = "torn-update" if is_torn else "not-a-map"  # ZMR-076, ZMR-077
            break
        try:
            value, end = message_pack.decode(window.data, offset, True, MOST_VALUES)
        except Incomplete:
            window.skip(offset)
            offset = 0
            if not window.grow():
                reason = "torn-update"  # ZMR-076
                break
            continue
        except BadType:
            reason = "bad-type"  # ZMR-079
            break
        except TooDeep:
            reason = "too-deep"  # ZMR-079
            break
        except BadKey as bad:
            is_torn = _zeros_to_the_end(window, bad.at)
            reason = "torn-update" if is_torn else "bad-key"  # ZMR-076, ZMR-078
            break
        raw = window.data[offset:end]
        if value is TOO_MANY:
            yield Record(at, len(raw), raw), TOO_MANY  # ZMR-106
        else:
            yield Record(at, len(raw), raw, {"update": message_pack.to_json(value)}), value.pairs
        offset = end
    following = None if reason == "torn-update" or stops else _proven_after(file, size, at)
    if following is None:
        yield Lost(at, size, reason, torn=reason == "torn-update")
        return
    yield Lost(at, following, reason)
    yield from _updates(file, size, following)


def _proven_after(file: BinaryIO, size: int, at: int) -> int | None:
    """Return the end of a faulty update if all updates after it are valid (ZMR-107)."""
    file.seek(at)
    window = _Window(file, at)
    while window.grow():
        try:
            length = message_pack.decode(window.data, 0, False, MOST_VALUES, allows_c1=True)[1]
        except Incomplete:
            continue
        except TooDeep:
            return None
        end = at + length
        is_clean = not any(isinstance(part, Lost) for part in _updates(file, size, end, True))
        return end if is_clean else None
    return None


def begins_map(first: int) -> bool:
    """Return whether this byte is the first byte of a map."""
    return 0x80 <= first <= 0x8F or first in (0xDE, 0xDF)


def _zeros_to_the_end(window: _Window, offset: int) -> bool:
    """Return whether only zeros follow. This reads ahead, but the caller stops reading here."""
    part = window.data[offset:]
    while part:
        if part.count(0) != len(part):
            return False
        part = window.file.read(WINDOW)
    return True


class StateWriter:
    """Writes a state file as ``FilePersistence`` does.

    ``initial`` contains the initial values of all known keys. If it is given, the writer removes
    unknown keys from updates (ZMR-074).
    """

    def __init__(
        self, path: Path, initial: Mapping[str, Any] | None = None, created: str = CREATED
    ) -> None:
        self.path = path
        self.initial = initial
        self.created = created
        self.state = Merged()
        self.state.add(initial or {})
        if path.exists():
            with path.open("rb") as file:
                for part in _updates(file, path.stat().st_size):
                    if not isinstance(part, Lost):
                        self._add(part[1])
        else:
            path.touch()  # ZMR-070

    @property
    def is_full(self) -> bool:
        """Return whether the next update rotates the file. Torn bytes count, too (ZMR-075)."""
        return self.path.stat().st_size >= ROTATE_AT

    def update(self, changes: Mapping[str, Any]) -> None:
        """Append an update or, from 512 KiB on, write the whole state to a new file (ZMR-075)."""
        if self.is_full:
            self.rotate(changes)
            return
        with self.path.open("ab") as file:
            file.write(message_pack.encode(self._add(changes)))

    def rotate(self, changes: Mapping[str, Any]) -> None:
        """Write the whole state to a new file, and rename the old one (ZMR-075).

        Raises ``ValueError`` if the state has too many values (ZMR-106).
        """
        self._add(changes)
        if self.state.values is None:
            raise ValueError(f"the state has more than {MOST_VALUES:,} values")
        fresh = self.path.with_name(f"{self.path.name}.tmp-{os.getpid()}-1")
        with fresh.open("xb") as file:
            file.write(message_pack.encode(self.state.values))
        names = (rotated_name(self.path.name, self.created, number) for number in count())
        olds = (self.path.with_name(name) for name in names)
        next(old for old in olds if not old.exists()).hardlink_to(self.path)
        fresh.replace(self.path)

    def _add(self, changes: Any) -> dict[str, Any]:
        """Merge the known keys of an update into the state, and return them (ZMR-074)."""
        if changes is TOO_MANY:
            self.state.add(TOO_MANY)
            return {}
        known = dict(changes)
        if self.initial is not None:
            known = {key: known[key] for key in self.initial if key in known}
        self.state.add(known)
        return known


def rotated_name(name: str, moment: str, counter: int) -> str:
    """Return the name to which the old file is renamed (ZMR-075).

    The date, the time, the milliseconds and a counter in base 36 are added to ``name``. ``moment``
    is a time such as ``2018-09-26T14:59:36.817Z``.
    """
    when = datetime.fromisoformat(moment)
    text = ""
    while counter or not text:
        counter, digit = divmod(counter, 36)
        text = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + text
    return f"{name}-{when:%Y-%m-%d-%H%M%S}-{when.microsecond // 1000:03}{text}"


def changes_of(record: NewRecord) -> dict[str, Any]:
    """Decode the MessagePack map in the payload of a record to write.

    Raises ``ValueError`` for any other payload.
    """
    try:
        value, end = message_pack.decode(record.payload, most=MOST_VALUES)
    except (Incomplete, BadType, TooDeep) as error:
        raise ValueError(f"the payload is not a MessagePack map: {error!r}") from None
    if value is TOO_MANY:
        raise ValueError(f"an update has more than {MOST_VALUES:,} values")  # ZMR-106
    if end != len(record.payload) or not isinstance(value, Map):
        raise ValueError("the payload is not a MessagePack map")
    if not all(isinstance(key, str) for key, _ in value.pairs):
        raise ValueError("the keys of an update must be strings")
    return dict(value.pairs)


def write_all(writer: StateWriter, records: Sequence[NewRecord]) -> None:
    """Write each record as an update, in a new file if its field ``rotate`` is true."""
    for record in records:
        if record.fields.get("rotate"):
            writer.rotate(changes_of(record))
        else:
            writer.update(changes_of(record))
