"""The generated parser as a second reader: the layout of every intact vector."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import ROOT
from conformance.kaitai.compile import compiled

FOLDER = ROOT / "vectors" / "systemd-journal"
ENTRY, DATA = 3, 1


def sound_vectors() -> Iterator[Any]:
    for path in sorted(FOLDER.glob("*.json")):
        body = json.loads(path.read_text())
        expect = None if body["context"] else body.get("expect")
        if body.get("operation", "read") == "read" and body["kind"] == "valid" and expect:
            yield pytest.param(path.with_name(body["input"]), expect["records"], id=path.stem)


@pytest.mark.parametrize(("path", "records"), list(sound_vectors()))
def test_the_parser_finds_the_entries_of_the_answer(
    path: Path, records: list[dict[str, Any]]
) -> None:
    """Offsets, numbers, times, boot and fields, read with the grammar alone."""
    parsed = compiled("systemd_journal").SystemdJournal.from_file(str(path))
    objects_found = getattr(parsed, "objects", [])  # missing in a file with only a header
    objects = {each.ofs_object: each for each in objects_found}
    entries = [each for each in objects_found if each.type.value == ENTRY]
    assert len(entries) == len(records)
    for each, record in zip(entries, records, strict=True):
        entry = each.body
        assert (each.ofs_object, each.len_object) == (record["at"], record["size"])
        assert [str(entry.seqnum), str(entry.realtime), str(entry.monotonic)] == [
            record[name] for name in ("seqnum", "realtime", "monotonic")
        ]
        assert entry.boot_id.hex() == record["boot_id"]
        data = [objects[item.ofs_data] for item in entry.items]
        assert {item.type.value for item in data} == {DATA}
        for item, (name, value) in zip(data, record["fields"], strict=True):
            if not item.flags and isinstance(value, str):
                assert bytes(item.body.payload) == f"{name}={value}".encode()
