"""The grammar and the reader find the same fields, and the grammar reads every input."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from conformance.kaitai.field_map import Field, field_map, resolve
from reference_impl.answer import collect
from reference_impl.zeebe_journal.meta import Meta, write_meta
from reference_impl.zeebe_journal.reader import read

VECTORS = Path(__file__).resolve().parents[3] / "vectors" / "zeebe-journal"
SEGMENTS = sorted(VECTORS.glob("*.log"))[::6]


@pytest.mark.parametrize("path", [p for p in SEGMENTS if p.is_file()], ids=lambda p: p.name)
def test_the_fields_of_every_record(path: Path) -> None:
    fields = field_map(path.read_bytes(), "zeebe-journal")
    by_offset = {f.start: f for f in fields if f.kind == "record"}
    for record in collect(read(path, "recover", {})).records:
        field = by_offset[record.at]
        assert field.end == record.at + record.size
        for name in ("index", "asqn"):
            value = resolve(lambda: fields, f"{field.path}.data.{name}").value
            assert str(value) == record.fields[name]


def test_down_to_the_lowest_asqn() -> None:
    fields = field_map((VECTORS / "one-segment.log").read_bytes(), "zeebe-journal")
    field = resolve(lambda: fields, "records[3].data.entry.application_entry.lowest_asqn")
    assert (field.value, field.end - field.start) == (3, 8)
    assert "ZBJ-055" in field.requirements


def test_down_to_a_member() -> None:
    fields = field_map((VECTORS / "joint-consensus.log").read_bytes(), "zeebe-journal")
    entry = "records[0].data.entry.configuration_entry"
    assert resolve(lambda: fields, f"{entry}.new_members.members[1].member_id").value == b"22"
    assert resolve(lambda: fields, f"{entry}.old_members.members[0].updated").value == 123456


def test_leaves_cover_the_segment() -> None:
    data = (VECTORS / "joint-consensus.log").read_bytes()
    leaves = [f for f in field_map(data, "zeebe-journal") if f.value is not None]
    at = 0
    for field in leaves:
        assert field.start == at
        at = field.end
    assert at == len(data)


def test_every_damaged_segment_is_parsed() -> None:
    rng = random.Random(7)
    control = (VECTORS / "joint-consensus.log").read_bytes()[:220]
    for _ in range(400):
        data = bytearray(control)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 255, rng.randrange(256)])
        del data[rng.randrange(len(data)) :]
        field_map(bytes(data), "zeebe-journal")


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_meta_files(version: int) -> None:
    commit = 7 if version == 4 else None
    data = write_meta(Meta(3, 8, commit, b"node-1"), version)
    fields: list[Field] = field_map(data, "zeebe-meta")
    assert resolve(lambda: fields, "meta.term").value == 3
    assert resolve(lambda: fields, "meta.last_flushed_index").value == 8
    assert resolve(lambda: fields, "meta.voted_for").value == b"node-1"
    for cut in range(len(data[:64])):
        field_map(data[:cut], "zeebe-meta")
