"""Describe the records of vectors, and measure the cost of describing hostile payloads."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any

from conformance.vectors import load_all
from reference_impl.answer import Record, collect
from reference_impl.formats import named
from walproof.describe import Description, NotDescribed, describe


def records_of(vector_id: str) -> list[Record]:
    """Return the records that the executable specification reads from a vector."""
    vector = load_all()[vector_id]
    context = vector.body.get("context", {})
    return list(
        collect(named(vector_id.split("/")[0]).read(vector.input, "recover", context)).records
    )


def describe_payload(
    format_id: str, payload: bytes, fields: Mapping[str, Any] | None = None
) -> Description | None:
    """Describe a record that has this payload and these fields."""
    return describe(format_id, Record(0, len(payload), payload, fields or {}))


def texts_of(vector_id: str) -> list[str | None]:
    """Return the text for each record of a vector, or the error if the payload is not described."""
    return [text_of(vector_id.split("/")[0], record) for record in records_of(vector_id)]


def text_of(format_id: str, record: Record) -> str | None:
    """Return the text that describes a record, or the error."""
    try:
        described = describe(format_id, record)
    except NotDescribed as fault:
        return str(fault)
    return None if described is None else described.text


def assert_linear(
    format_id: str, make: Callable[[int], bytes], fields: Mapping[str, Any] | None = None
) -> None:
    """Assert that describing eight times as many items takes only proportionally more time.

    ``make`` returns a payload with a number of items. Quadratic time would be 64 times as long. The
    memory may be at most 16 bytes per byte of payload, plus 12 MB for the first items.
    """
    seconds = []
    for payload in (make(20_000), make(160_000)):
        record = Record(0, len(payload), payload, fields or {})
        began = time.process_time()
        text_of(format_id, record)
        seconds.append(time.process_time() - began)
    assert seconds[1] < 24 * seconds[0] + 0.1
    tracemalloc.start()
    text_of(format_id, record)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * len(payload) + 12_000_000
