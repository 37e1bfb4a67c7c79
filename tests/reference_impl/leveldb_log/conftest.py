"""Shared functions for the tests of leveldb-log: a writer and a reader."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest

from reference_impl.answer import Answer, collect
from reference_impl.leveldb_log.reader import read_stream as read
from reference_impl.leveldb_log.writer import Writer


@pytest.fixture(scope="session")
def write() -> Callable[..., bytes]:
    """Return a function that returns a log of records, to follow ``length`` existing bytes."""
    return lambda *payloads, length=0: written(payloads, length)


@pytest.fixture(scope="session")
def answer() -> Callable[..., Answer]:
    """Return a function that reads a log with the executable specification."""
    return answer_to


def written(payloads: Sequence[bytes], length: int = 0) -> bytes:
    out = io.BytesIO()
    writer = Writer(out, length)
    for payload in payloads:
        writer.append(payload)
    return out.getvalue()


def answer_to(log: bytes, profile: str = "recover") -> Answer:
    return collect(read(io.BytesIO(log), profile))
