"""The second reader reports complete answers, with every field of its formats."""

from __future__ import annotations

from conformance.compare import every_part
from conformance.program_session import ProtocolSession
from conformance.registry import FOLDER, load
from reference_impl.register import registers
from tests.conftest import unavailable


def test_every_field_is_reported():
    reader = load(FOLDER / "kaitai-python")
    if not reader.is_built():
        unavailable("kaitai-python is not built")
    session = ProtocolSession(reader.command)
    try:
        hello = session.start()
    finally:
        session.close()
    assert set(hello["formats"]) <= set(registers())
    assert set(hello["reports"]) == set(every_part(hello["formats"]))


def test_every_part_has_the_fields_of_its_formats():
    parts = every_part(["leveldb-log", "zmq-raft"])
    assert {"records", "at", "size", "end", "lost", "update"} <= set(parts)
    assert "payload" not in parts and "batch" not in parts
    assert len(parts) == len(set(parts))
