"""The executable specification's raft entries equal those of Zeebe's own serializer."""

from __future__ import annotations

import json
import subprocess

import pytest

from conformance.registry import FOLDER, load
from reference_impl.zeebe_journal.raft import (
    Member,
    encode_application,
    encode_configuration,
    encode_initial,
)

pytestmark = pytest.mark.slow

ONE = Member("active", 123456, b"1")
TWO = Member("passive", 123457, b"2")
JOINING = Member("promotable", 123457, b"22")


@pytest.mark.parametrize(("name", "version"), [("zeebe-journal", 2), ("zeebe-journal-java21", 3)])
def test_the_real_serializer_writes_the_same_bytes(name: str, version: int) -> None:
    implementation = load(FOLDER / name)
    if implementation.missing() or not implementation.is_built():
        pytest.skip(f"{name} is not built: python -m walproof.setup --impl {name}")
    done = subprocess.run(
        [*implementation.command, "entries"], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout) == {
        "initial": encode_initial(5, version).hex(),
        "application": encode_application(5, 1, 2, b"Test", version).hex(),
        "configuration": encode_configuration(5, 1234, [ONE, TWO], version=version).hex(),
        "joint": encode_configuration(5, 1234, [ONE, JOINING], [ONE], version).hex(),
    }
