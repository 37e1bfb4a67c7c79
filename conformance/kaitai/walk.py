"""Yield the fields of a log one by one, so that memory use does not depend on the log size."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kaitaistruct import KaitaiStruct

_UNKNOWN = 2**64 - 1


class ParseStopped(Exception):
    """The grammar does not fit the bytes; raised after the last field that could be read."""


@dataclass(frozen=True, slots=True)
class Found:
    """One field of ``parent``: its path, its value, and the bytes ``[start, end)`` of the log."""

    parent: KaitaiStruct
    name: str
    path: str
    value: Any
    start: int
    end: int


def walk(make: Callable[[], Any], base: int) -> Iterator[Found]:
    """Yield all fields of ``make()``, sorted by offset. Each outer field precedes its subfields.

    ``base`` is the offset at which the stream begins. Raises :class:`ParseStopped`.
    """
    ends = _Ends(_steps(make(), base))
    for step in _steps(make(), base):
        if isinstance(step, Found):
            if isinstance(step.value, KaitaiStruct):
                end = ends.next()
                yield Found(step.parent, step.name, step.path, step.value, step.start, end)
            else:
                yield step


@dataclass(slots=True)
class _Open:
    """An object that is being read; ``base`` is the start of its stream in the log."""

    struct: Any
    steps: Iterator[Any]
    path: str
    base: int


def _steps(top: Any, base: int) -> Iterator[Found | int]:
    """Yield each field when it is read. An object comes before its fields, its end after them."""
    stack = [_Open(top, top._steps(), "", base)]
    while stack:
        inside = stack[-1]
        try:
            step = next(inside.steps, None)
        # Kaitai's own errors, and UnicodeDecodeError. Fields before the error remain valid.
        except Exception as error:
            yield from _unread(inside)
            stack.pop()
            for outer in reversed(stack):  # objects may extend to the end of their streams
                yield outer.base + outer.struct._io.size()
            raise ParseStopped(f"{type(error).__name__}: {error}") from error
        if step is None:
            stack.pop()
            continue
        name, value = (step, None) if isinstance(step, str) else step
        span = inside.struct._debug[name]
        path = f"{inside.path}.{name}" if inside.path else name
        if "arr" in span:
            path = f"{path}[{len(span['arr']) - 1}]"
            span = span["arr"][-1]
        start = inside.base + span["start"]
        if value is not None:
            base = inside.base if value._io is inside.struct._io else start
            yield Found(inside.struct, name, path, value, start, start)
            stack.append(_Open(value, value._steps(), path, base))
            continue
        value = getattr(inside.struct, name)
        value = value[-1] if path.endswith("]") else value
        end = inside.base + span["end"]
        yield (
            end
            if isinstance(value, KaitaiStruct)
            else Found(inside.struct, name, path, value, start, end)
        )


def _unread(inside: _Open) -> Iterator[Found]:
    """Yield the field at which parsing stopped; it may extend to the end of its stream."""
    for name in inside.struct.SEQ_FIELDS:
        span = inside.struct._debug.get(name, {})
        if "start" in span and not {"arr", "end"} & span.keys():
            path = f"{inside.path}.{name}".lstrip(".")
            size = inside.struct._io.size()
            start = inside.base + span["start"]
            yield Found(inside.struct, name, path, None, start, inside.base + size)


class _Ends:
    """The ends of objects in the order of their starts, in eight bytes per incomplete object."""

    def __init__(self, steps: Iterator[Found | int]) -> None:
        self._steps = steps
        self._ends = array("Q")
        self._dropped = 0  # the number of ends before the first in the array
        self._returned = 0
        self._open: list[int] = []

    def next(self) -> int:
        """Return the end of the next object."""
        number = self._returned - self._dropped
        while number >= len(self._ends) or self._ends[number] == _UNKNOWN:
            self._step()
        self._returned += 1
        end = self._ends[number]
        if 2 * number > len(self._ends):
            del self._ends[: number + 1]
            self._dropped += number + 1
        return end

    def _step(self) -> None:
        step = next(self._steps)
        if isinstance(step, int):
            self._ends[self._open.pop() - self._dropped] = step
        elif isinstance(step.value, KaitaiStruct):
            self._open.append(self._dropped + len(self._ends))
            self._ends.append(_UNKNOWN)
