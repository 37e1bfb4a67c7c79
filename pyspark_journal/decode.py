"""What payloads mean, as a typed struct for each format (option ``decode``)."""

from __future__ import annotations

import pyarrow as pa

from pyspark_journal.scan.model import Records


def type_of(format_id: str, entry_fields: tuple[str, ...] = ()) -> pa.DataType:
    """The struct of a format."""
    raise NotImplementedError


def columns_for(format_id: str) -> frozenset[str]:
    """The scanner's columns that decoding looks at."""
    return frozenset()


def needs_payload(format_id: str) -> bool:
    """Whether decoding looks at payloads."""
    return True


def decoded(
    format_id: str, run: Records, entry_fields: tuple[str, ...] = ()
) -> tuple[pa.Array, pa.Array]:
    """The structs of a run of records, and why one could not be made (else null)."""
    raise NotImplementedError
