"""Fields of fresh variants: other values that lie in the same buckets."""

from __future__ import annotations

import functools

from conformance.recipes.variation import Kept, Variation, current
from reference_impl.systemd_journal.builder import Options
from reference_impl.systemd_journal.hashes import jenkins64, siphash24

BUCKETS = 8
"""Of the DATA table of most logs here; which fields share one is the point of many vectors."""
ATTEMPTS = 2000
LONGEST = 4096
"""In bytes. What is longer keeps its value: to find another takes too long."""

_FILE_ID = Options().file_id


def vary_field(field: bytes) -> bytes:
    """``FIELD=value`` as the log being built is to have it, in the same bucket by both hashes."""
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
        if found in tried:  # short values have few others
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
