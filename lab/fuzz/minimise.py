"""Makes an input small that shows a fault: fewer files, fewer bytes, zeros, nothing told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from lab.fuzz.field_positions import Known
from lab.fuzz.packed import Input


def minimise(one: Input, shows: Callable[[Input], bool], seconds: float) -> Input:
    """The smallest input found within so much processor time for which ``shows`` is true."""
    deadline = time.process_time() + seconds
    known = Known(one.format)
    again = True
    while again:
        again = False
        for simpler in _simpler(one, known):
            if time.process_time() > deadline:
                return one
            if shows(simpler):
                one, again = simpler, True
                break
    return one


def _simpler(one: Input, known: Known) -> Iterator[Input]:
    """Inputs that are a step simpler: without an element of something, without any bytes."""
    if not isinstance(one.contents, bytes):
        for name in one.contents:
            yield replace(one, contents={n: d for n, d in one.contents.items() if n != name})
    for key in one.context:
        yield replace(one, context={k: v for k, v in one.context.items() if k != key})
    for name, data in one.files.items():
        for unit in known.of(data, name or one.name):
            if unit.path.endswith("]"):
                yield _with(one, name, data[: unit.start] + data[unit.end :])
    for name, data in one.files.items():
        length = len(data)
        while length:
            for at in range(0, len(data), length):
                yield _with(one, name, data[:at] + data[at + length :])
            length //= 2
    for name, data in one.files.items():
        length = len(data)
        while length:
            for at in range(0, len(data), length):
                if any(data[at : at + length]):
                    zeros = bytes(len(data[at : at + length]))
                    yield _with(one, name, data[:at] + zeros + data[at + length :])
            length //= 2


def _with(one: Input, name: str, data: bytes) -> Input:
    contents = data if isinstance(one.contents, bytes) else {**one.contents, name: data}
    return replace(one, contents=contents)
