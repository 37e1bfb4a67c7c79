"""The digests of field listings are cached and reused."""

from __future__ import annotations

import pytest

from conformance.structure import listing
from conformance.structure.digest_cache import DigestCache
from conformance.structure.listing import Digest, Tells, digest, expected_digest

KEY, OTHER, SHA = "a log", "another log", "ab" * 32


def test_digests_persist_between_runs(tmp_path):
    DigestCache(tmp_path / "structure", "x", []).put(KEY, 7, SHA)
    DigestCache(tmp_path / "structure", "x", []).put(OTHER, 8, SHA)
    again = DigestCache(tmp_path / "structure", "x", [])
    assert (again.get(KEY), again.get(OTHER)) == ((7, SHA), (8, SHA))
    assert again.get("a third log") is None


@pytest.mark.parametrize("end", [5, 12, 30, -2, -10])
def test_a_truncated_line_is_ignored(tmp_path, end):
    first = DigestCache(tmp_path, "x", [])
    first.put(OTHER, 8, SHA)
    first.put(KEY, 7, SHA)
    whole, cut = first.path.read_text().splitlines()
    first.path.write_text(f"{whole}\n{cut[:end]}")
    cache_read = DigestCache(tmp_path, "x", [])
    assert cache_read.get(OTHER) == (8, SHA) and cache_read.get(KEY) is None


def test_cached_digests_are_those_of_listings(tmp_path, monkeypatch, vector):
    log = vector("three-records").contents
    digests = DigestCache(tmp_path, "x", [])
    monkeypatch.setattr(listing, "_digests", lambda *_: digests)
    for tells in (Tells(), Tells(absent=False)):
        expected_digest.cache_clear()
        cached = expected_digest(log, "leveldb_log", tells)
        assert cached == digest(listing.listing(log, "leveldb_log", tells))
    expected_digest.cache_clear()
    monkeypatch.setattr(listing, "listing", None)  # building a listing would fail
    assert isinstance(expected_digest(log, "leveldb_log", Tells()), Digest)
    expected_digest.cache_clear()
