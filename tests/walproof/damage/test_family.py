"""Damaged copies of a log with many fields and lost ranges need little memory."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator

import pytest

from conformance.kaitai.field_map import Field
from conformance.text import json_text
from conformance.vectors import load_all
from reference_impl.answer import End, Event, Lost, Record
from walproof.damage.family import family
from walproof.damage.log import LogToDamage
from walproof.damage.manifest import Manifest

COUNT = 10_000
LOG = bytes(range(256)) * 128


def many(data: bytes, format: str, file: str) -> Iterator[Field]:
    """Yield a field for each byte, in records of two."""
    for n in range(COUNT // 2):
        yield Field(f"records[{n}]", 2 * n, 2 * n + 2, None, "record", (), "")
        yield Field(f"records[{n}].a", 2 * n, 2 * n + 1, data[2 * n], "u1", (), "")
        yield Field(f"records[{n}].b", 2 * n + 1, 2 * n + 2, data[2 * n + 1], "u1", (), "")


@pytest.mark.slow
def test_family_does_not_store_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("walproof.damage.log.iter_fields", many)
    tracemalloc.start()
    try:
        copies = list(family(lambda: LogToDamage(LOG, "", "log"), 12, 3))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(copies) == 12
    assert sum("records[" in operations[0] for operations, _ in copies) >= 4
    assert len({contents for _, contents in copies} - {LOG}) == 12
    assert peak < 40 * len(LOG), "twelve copies, and not a hundred bytes for each field"


def test_unknown_field_does_not_store_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("walproof.damage.log.iter_fields", many)
    log = LogToDamage(LOG, "", "log")
    tracemalloc.start()
    try:
        log.field("records[7].c")
    except KeyError as error:
        message = str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert message == "no field records[7].c: records[7] has a, b"
    assert peak < 1 << 19


@pytest.mark.slow
def test_fields_with_a_value_are_leaves() -> None:
    """No field with a value contains another field."""
    for vector in load_all().values():
        if vector.body["kind"] == "valid" and vector.operation == "read":
            log = LogToDamage(vector.contents, vector.body["format"], vector.input.name)
            for file in list(log.files)[:2]:
                outers = [""]
                for field in log.each_field(file):
                    assert field.path.rpartition(".")[0] not in outers[1:], vector.id
                    if field.value is not None:
                        outers = ["", field.path]


def lost_everywhere(count: int) -> Iterator[Event]:
    yield Record(0, 1, b"a")
    for n in reversed(range(count)):
        yield Lost(5 * n, 5 * n + 5, "unknown-type")
    yield End("damaged", "unknown-type", None)


def test_manifest_is_the_json_of_its_copies() -> None:
    file = io.BytesIO()
    manifest = Manifest(file, {"log": "a", "seed": 1})
    manifest.add("1", ["zero x"], b"abc", lost_everywhere(2))
    manifest.add("3", [], b"", lost_everywhere(0))
    manifest.finish()
    body = json.loads(file.getvalue())
    assert file.getvalue().decode() == json_text(body, indent=1) + "\n"
    assert [copy.get("lost") for copy in body["copies"]] == [
        [
            {"from": 0, "to": 5, "reason": "unknown-type"},
            {"from": 5, "to": 10, "reason": "unknown-type"},
        ],
        [],
    ]
    assert body["copies"][0]["records"] == 1


@pytest.mark.slow
def test_manifest_does_not_store_lost_ranges() -> None:
    class Nowhere(io.RawIOBase):
        def write(self, data: object) -> int:
            return len(data)  # type: ignore[arg-type]

    manifest = Manifest(Nowhere(), {"log": "a"})  # type: ignore[arg-type]
    tracemalloc.start()
    try:
        manifest.add("1", [], b"abc", lost_everywhere(COUNT))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The scratch file is in memory up to 1 MiB; each range takes eight bytes.
    assert peak < (3 << 20) + 8 * COUNT
