"""Shared parts of the tests of the executable specification: a writer and answers."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest

from reference_impl.answer import Answer, collect
from reference_impl.leveldb_log.reader import read_stream as read
from reference_impl.leveldb_log.writer import Writer


@pytest.fixture(scope="session")
def write() -> Callable[..., bytes]:
    """Return the bytes of a log of these records, after ``length`` existing bytes."""
    return lambda *payloads, length=0: written(payloads, length)


@pytest.fixture(scope="session")
def answer() -> Callable[..., Answer]:
    """Return the executable specification's answer for a log."""
    return answer_to


def written(payloads: Sequence[bytes], length: int = 0) -> bytes:
    out = io.BytesIO()
    writer = Writer(out, length)
    for payload in payloads:
        writer.append(payload)
    return out.getvalue()


def answer_to(log: bytes, profile: str = "recover") -> Answer:
    return collect(read(io.BytesIO(log), profile))
