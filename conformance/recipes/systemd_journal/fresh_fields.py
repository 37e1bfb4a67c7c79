"""New values of fields for fresh variants, in the same hash buckets as the old values."""

from __future__ import annotations

import functools

from conformance.recipes.variation import Kept, Variation, current
from reference_impl.systemd_journal.builder import Options
from reference_impl.systemd_journal.hashes import jenkins64, siphash24

BUCKETS = 8
"""Buckets in the DATA table of most logs. Many vectors depend on which fields share a bucket."""
ATTEMPTS = 2000
LONGEST = 4096
"""Bytes of the longest field that is varied. For longer fields, the search takes too long."""

_FILE_ID = Options().file_id


def vary_field(field: bytes) -> bytes:
    """Return ``FIELD=value`` with the value for the log being built, in the same bucket by both
    hashes.
    """
    variation = current()
    if variation is None or isinstance(field, Kept) or len(field) > LONGEST:
        return field
    return _varied(field, variation.seed)


@functools.lru_cache(maxsize=65536)
def _varied(field: bytes, seed: int) -> bytes:
    name, equals, value = field.partition(b"=")
    if not value:
        return field
    wanted = jenkins64(field) % BUCKETS
    wanted_keyed = siphash24(field, _FILE_ID) % BUCKETS
    tried: set[bytes] = set()
    for attempt in range(ATTEMPTS):
        found = name + equals + _variation(seed, attempt).of(value)
        if found in tried:  # short values have few variations
            if attempt > 4 * len(tried):
                break
            continue
        tried.add(found)
        if found == field or jenkins64(found) % BUCKETS != wanted:
            continue
        if siphash24(found, _FILE_ID) % BUCKETS == wanted_keyed:
            return found
    return field


@functools.lru_cache(maxsize=ATTEMPTS)
def _variation(seed: int, attempt: int) -> Variation:
    return Variation(seed, attempt)
