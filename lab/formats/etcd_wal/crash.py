"""etcd folders with two-page segments, so that the writer often starts a new segment."""

from __future__ import annotations

from conformance.recipes.etcd_wal.log import entry, marker, metadata
from lab.crash.format_crash import FormatCrash, random_records
from reference_impl.answer import NewRecord


def records(count: int) -> list[NewRecord]:
    """Return metadata, the marker of snapshot 0, and entries.

    Each entry replaces the one before it, so an append after a crash leaves no gap between indexes.
    etcd would refuse such a gap.
    """
    entries = [entry(1, each.payload, term) for term, each in enumerate(random_records(count), 1)]
    return [metadata(), marker(0, 0), *entries][:count]


CRASH = FormatCrash("wal", records, {"folder": True, "segment_size": 8192})
