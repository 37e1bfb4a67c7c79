"""Test that a vector detects each of many systemd journal readers with one wrong rule.

Each reader is the executable specification with one change: a fault that it does not report, a
fault with wrong bytes, or a function that behaves differently. A reader that is not detected would
get a full score, although it loses records or misreports damage.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import Lost, collect
from reference_impl.systemd_journal import (
    compression,
    counts,
    export_format,
    inspection,
    layout,
    reader,
    walk,
)
from reference_impl.systemd_journal.compression import BadCompression, TooLarge
from reference_impl.systemd_journal.objects import Fault
from reference_impl.systemd_journal.seals import Seals

VECTORS = Path(__file__).parents[2] / "vectors" / "systemd-journal"


def right(slug: str) -> bool:
    """Return whether the answers to a vector, in both profiles, are the expected ones."""
    vector = json.loads((VECTORS / f"{slug}.json").read_text("utf-8"))
    data = (VECTORS / vector["input"]).read_bytes()
    for profile, wanted in (("recover", "expect"), ("strict", "expect_strict")):
        context = vector.get("context", {})
        answer = collect(reader.read_data(data, profile, context)).to_json()
        if answer != vector.get(wanted, vector["expect"]):
            return False
    return True


#: Change the handling of the faults of one rule whose text contains certain words.
FAULTY = {
    row["name"]: row
    for row in tomllib.loads(
        Path(__file__).with_name("near_right_systemd_journal.toml").read_text()
    )["faulty"]
}


def _changed(fault: Fault, row: Mapping[str, Any]) -> Fault | None:
    if fault.rule != row["rule"] or row["text"] not in fault.text:
        return fault
    if "bytes" not in row:
        return None
    start, size = row["bytes"]
    return replace(fault, start=fault.start + start, end=fault.start + start + size)


@pytest.mark.parametrize("name", FAULTY)
def test_a_reader_that(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = FAULTY[name]

    def inspect(data: Any, context: Mapping[str, Any], **options: Any) -> inspection.Inspection:
        result = inspection.inspect(data, context, **options)
        changed = (_changed(fault, row) for fault in result.faults)
        return replace(result, faults=[fault for fault in changed if fault is not None])

    killers = row["killers"]
    assert all(right(slug) for slug in killers)
    monkeypatch.setattr(reader, "inspect", inspect)
    assert right("five-entries")
    assert [slug for slug in killers if right(slug)] == []


def _excuses_all_headers(found: Any, fault: Fault, torn_from: int | None) -> bool:
    return (fault.reason == "bad-header" and torn_from is not None) or _IS_TORN(
        found, fault, torn_from
    )


_IS_TORN = reader._is_torn


def _cuts_at_the_first_overlap(found: Any, torn_from: int | None) -> list[Lost]:
    met: list[Lost] = []
    for gap in _DISJOINT(found, torn_from):
        if met and met[-1].reason == gap.reason and any(each.end == gap.start for each in met[:-1]):
            continue
        met.append(gap)
    return met


_DISJOINT = reader.disjoint


def _knows_no_first_entries(self: Any, at: int, followed: set[int]) -> Iterator[int]:
    for known in _HASH_CHAIN(self, at, followed):
        if not isinstance(framed := self.view.frame(known), str) and framed[0] != layout.ENTRY:
            yield known


_HASH_CHAIN = walk.Walk._hash_chain


def _shape_by_the_arena(header: layout.Header, size: int) -> Iterator[Fault]:
    return _SHAPE(header, 0)


_SHAPE = counts.check_shape


def _xz_without_checks(payload: bytes, limit: int) -> bytes:
    if payload[7] != 0:
        raise BadCompression("a check")
    return _UNXZ(payload, limit)


def _xz_alone(payload: bytes, limit: int) -> bytes:
    if not payload.endswith(b"YZ"):
        raise BadCompression("bytes after the stream")
    return _UNXZ(payload, limit)


_UNXZ = compression._unxz


def _lz4_by_the_limit_first(payload: bytes, limit: int) -> bytes:
    if int.from_bytes(payload[:8], "little") > limit:
        raise TooLarge("first of all")
    return _UNLZ4(payload, limit)


_UNLZ4 = compression._unlz4


def _last_time_only(self: Seals, realtime: int) -> None:
    self._times = [realtime, realtime]


def _first_time_only(self: Seals, realtime: int) -> None:
    self._times = self._times or [realtime, realtime]


def _strict_by_the_lowest(data: Any, profile: str, context: Mapping[str, Any]) -> Iterator[Any]:
    events = list(_READ(data, profile, context))
    lost = [
        each for each in _READ(data, "recover", context) if isinstance(each, Lost) and not each.torn
    ]
    for event in events:
        if profile == "strict" and lost and isinstance(event, Lost) and not event.torn:
            event = replace(event, reason=lost[0].reason)
        yield event


_READ = reader.read_data


def _chain_ends_at_a_lost_one(self: Any, at: int) -> bool:
    return _EXCUSED(self, at) and not self.kind(at) & walk.BAD


_EXCUSED = walk.Walk.excused

PATCHED: dict[str, tuple[Any, str, Any, str]] = {
    "every header field of a torn file is torn": (
        reader,
        "_is_torn",
        _excuses_all_headers,
        "cut-and-a-table-misplaced cut-and-reserved-not-zero",
    ),
    "a range ends at the first overlap": (
        reader,
        "disjoint",
        _cuts_at_the_first_overlap,
        "first-tag-number-changed tag-number-changed",
    ),
    "no entry is known by its DATA": (
        walk.Walk,
        "_hash_chain",
        _knows_no_first_entries,
        "known-by-the-first-entry-of-a-data-only",
    ),
    "the arena ends the file": (inspection, "check_shape", _shape_by_the_arena, "arena-of-zero"),
    "an .xz stream has no check": (
        compression,
        "_unxz",
        _xz_without_checks,
        "xz-stream-with-a-check",
    ),
    "an .xz stream fills its payload": (
        compression,
        "_unxz",
        _xz_alone,
        "xz-stream-with-bytes-after-it",
    ),
    "the limit comes before the lie of LZ4": (
        compression,
        "_unlz4",
        _lz4_by_the_limit_first,
        "lz4-block-flipped lz4-size-of-all-ones",
    ),
    "noncharacters are text": (
        export_format,
        "_NO_TEXT",
        re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]"),
        "values-with-noncharacters values-at-the-ends-of-the-noncharacters",
    ),
    "only the last entry under a seal is compared": (
        Seals,
        "_note_time",
        _last_time_only,
        "first-entry-earlier-than-its-seal",
    ),
    "only the first entry under a seal is compared": (
        Seals,
        "_note_time",
        _first_time_only,
        "entry-at-the-end-of-its-epoch entry-older-than-its-seal",
    ),
    "strict has the code of the lowest range": (
        reader,
        "read_data",
        _strict_by_the_lowest,
        "chain-and-tail-behind-the-file chain-broken-and-counts-wrong",
    ),
    "links to lost objects are reported": (
        walk.Walk,
        "excused",
        _chain_ends_at_a_lost_one,
        "boot-id-of-zeros counts-wrong-and-a-payload-flipped",
    ),
    "a seal without gaps may have gaps": (
        Seals,
        "_follows",
        lambda self, epoch, before: epoch >= before,
        "gap-in-seals-without-gaps",
    ),
    "epochs may fall": (Seals, "_follows", lambda self, epoch, before: True, "tag-epoch-changed"),
    "a file that is online has no tear": (
        reader,
        "tail_of_crash",
        lambda result: result.walk.cut if reader.torn_reason(result) == "torn-file" else None,
        "bucket-without-its-last-object-online counts-behind-online",
    ),
    "an offset of an entry begins the tear of links too": (
        reader,
        "_is_torn",
        lambda result, fault, at: (
            at is not None
            and (
                max(fault.start, fault.target, fault.newest) >= at
                or fault.rule in ("SDJ-049", "SDJ-097")
            )
        ),
        "bucket-without-its-last-object-online field-list-without-the-last-value-online",
    ),
}


@pytest.mark.parametrize("name", PATCHED)
def test_a_reader_in_which(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, attribute, function, words = PATCHED[name]
    killers = words.split()
    assert all(right(slug) for slug in killers)
    monkeypatch.setattr(owner, attribute, function)
    assert right("five-entries")
    assert [slug for slug in killers if right(slug)] == []
