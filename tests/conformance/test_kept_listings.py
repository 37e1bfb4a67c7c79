"""Digests that are kept between runs: the same ones, never stale, and no fault of a full disk."""

from __future__ import annotations

import pytest

from conformance.structure import kept, listing
from conformance.structure.kept import Kept, kept_of, key_of
from conformance.structure.listing import Digest, Tells, digest, owed
from conformance.vectors import load_all

KEY, OTHER = (
    key_of(b"a log", "leveldb_log", True, False),
    key_of(b"a log", "leveldb_log", True, True),
)
SHA = "ab" * 32


def test_what_was_kept_is_found_by_the_next_run(tmp_path):
    path = tmp_path / "structure" / "x.txt"
    Kept(path).keep(KEY, 7, SHA)
    Kept(path).keep(OTHER, 8, SHA)
    again = Kept(path)
    assert (again.get(KEY), again.get(OTHER)) == ((7, SHA), (8, SHA))
    assert again.get(key_of(b"another", "leveldb_log", True, False)) is None


@pytest.mark.parametrize("end", [5, 70, 90, -2, -10])
def test_a_line_that_was_cut_is_no_line(tmp_path, end):
    path = tmp_path / "x.txt"
    Kept(path).keep(OTHER, 8, SHA)
    Kept(path).keep(KEY, 7, SHA)
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{second[:end]}")
    found = Kept(path)
    assert found.get(OTHER) == (8, SHA) and found.get(KEY) is None


def test_a_file_that_is_too_large_is_begun_anew(tmp_path, monkeypatch):
    path = tmp_path / "x.txt"
    monkeypatch.setattr(kept, "LARGEST", 300)
    one = Kept(path)
    for number in range(9):
        one.keep(key_of(b"%d" % number, "leveldb_log", True, True), number, SHA)
    assert 0 < path.stat().st_size <= 300 + 150
    assert one.get(key_of(b"0", "leveldb_log", True, True)) == (0, SHA)


def test_a_disk_that_cannot_is_no_fault(tmp_path):
    (tmp_path / "file").touch()
    one = Kept(tmp_path / "file" / "x.txt")
    one.keep(KEY, 7, SHA)
    assert one.get(KEY) == (7, SHA)


def test_other_code_and_another_parser_have_other_files(tmp_path):
    code = tmp_path / "listing.py"
    code.write_text("one")
    paths = {kept_of("parser-a", code).path, kept_of("parser-b", code).path}
    kept_of.cache_clear()
    code.write_text("two")
    paths.add(kept_of("parser-a", code).path)
    assert len(paths) == 3


def test_it_is_the_digest_of_the_listing(tmp_path, monkeypatch):
    vector = load_all()["leveldb-log/three-records"]
    store = Kept(tmp_path / "x.txt")
    monkeypatch.setattr(listing, "_kept", lambda *_: store)
    for tells in (Tells(), Tells(absent=False)):
        owed.cache_clear()
        made = owed(vector.contents, "leveldb_log", tells)
        assert made == digest(listing.listing(vector.contents, "leveldb_log", tells))
    owed.cache_clear()
    monkeypatch.setattr(listing, "listing", None)  # it is not made again
    assert owed(vector.contents, "leveldb_log", Tells()) == Digest(
        *store.get(key_of(vector.contents, "leveldb_log", True, True))
    )
    owed.cache_clear()
