"""A family of a log of very many fields and lost ranges holds none of them."""

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


def many(data: bytes, file: str) -> Iterator[Field]:
    """A field for each byte, in records of two."""
    for n in range(COUNT // 2):
        yield Field(f"records[{n}]", 2 * n, 2 * n + 2, None, "record", (), "")
        yield Field(f"records[{n}].a", 2 * n, 2 * n + 1, data[2 * n], "u1", (), "")
        yield Field(f"records[{n}].b", 2 * n + 1, 2 * n + 2, data[2 * n + 1], "u1", (), "")


@pytest.mark.slow
def test_fields_are_counted_and_not_kept() -> None:
    tracemalloc.start()
    try:
        made = list(family(lambda: LogToDamage(LOG, "", "log", many), 12, 3))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(made) == 12
    assert sum("records[" in words[0] for words, _ in made) >= 4
    assert len({contents for _, contents in made} - {LOG}) == 12
    assert peak < 40 * len(LOG), "twelve copies, and not a hundred bytes for each field"


def test_a_name_that_no_field_has_is_answered_without_keeping_them() -> None:
    log = LogToDamage(LOG, "", "log", many)
    tracemalloc.start()
    try:
        log.field("records[7].c")
    except KeyError as error:
        said = str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert said == "no field records[7].c: records[7] has a, b"
    assert peak < 1 << 19


@pytest.mark.slow
def test_leaves_are_the_fields_without_fields_of_their_own() -> None:
    """What is chosen among has a value; no field with a value holds another."""
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


def test_a_manifest_is_the_json_of_its_copies_in_log_order() -> None:
    file = io.BytesIO()
    made = Manifest(file, {"log": "a", "seed": 1})
    made.add("1", ["zero x"], b"abc", lost_everywhere(2))
    made.add("2", [], {"a": b"\0"}, None)
    made.add("3", [], b"", lost_everywhere(0))
    made.finish()
    body = json.loads(file.getvalue())
    assert file.getvalue().decode() == json_text(body, indent=1) + "\n"
    assert [one.get("lost") for one in body["copies"]] == [
        [
            {"from": 0, "to": 5, "reason": "unknown-type"},
            {"from": 5, "to": 10, "reason": "unknown-type"},
        ],
        None,
        [],
    ]
    assert body["copies"][0]["records"] == 1


@pytest.mark.slow
def test_a_manifest_holds_no_lost_ranges() -> None:
    class Nowhere(io.RawIOBase):
        def write(self, data: object) -> int:
            return len(data)  # type: ignore[arg-type]

    made = Manifest(Nowhere(), {"log": "a"})  # type: ignore[arg-type]
    tracemalloc.start()
    try:
        made.add("1", [], b"abc", lost_everywhere(COUNT))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The scratch file is in memory up to a mebibyte; of each range there are eight bytes.
    assert peak < (3 << 20) + 8 * COUNT
