"""This project's implementations report the whole answer, with every field of their formats."""

from __future__ import annotations

import pytest

from conformance.compare import every_part
from conformance.registry import Unavailable
from conformance.session import ProtocolSession
from reference_impl.register import registers
from walproof.implementations import all_implementations

OURS = ("executable-spec", "kaitai-python", "fast-scan")


@pytest.mark.parametrize("name", OURS)
def test_every_field_is_reported(name):
    (ours,) = [each for each in all_implementations() if each.name == name]
    if not ours.is_built():
        try:
            ours.make()
        except Unavailable as why:
            pytest.skip(f"{name}: {why}")

    session = ProtocolSession(ours.command)
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
