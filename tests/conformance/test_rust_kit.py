"""The adapter kit for Rust works in an adapter."""

from __future__ import annotations

import json
import subprocess

import pytest

from conformance import ROOT
from conformance.adapter_smoke import AdapterSmoke
from conformance.registry import FOLDER, load
from tests.conftest import unavailable

KIT = ROOT / "conformance" / "adapterkit" / "rust"


@pytest.fixture(scope="module")
def command() -> list[str]:
    """Return the command of an adapter that uses the kit."""
    implementation = load(FOLDER / "rusty-leveldb")
    if not implementation.is_built():
        unavailable("rusty-leveldb is not built")
    return implementation.command


@pytest.mark.slow
def test_an_adapter_passes_the_smoke_test(command, vectors):
    steps = AdapterSmoke(command, vectors, ["leveldb-log"])
    steps.run()
    assert {finding.status for finding in steps.findings} == {"right"}


def test_a_request_that_hello_does_not_offer_is_skipped(command):
    requests = [
        {"cmd": "read", "seq": 1, "format": "other-log", "path": "/", "profile": "recover"},
        {"cmd": "read", "seq": 2, "format": "leveldb-log", "path": "/", "profile": "strict"},
        {"cmd": "append", "seq": 3, "format": "leveldb-log", "path": "/no/such.log", "records": []},
    ]
    lines = "".join(f"{json.dumps(request)}\n" for request in requests)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"seq": 1, "skipped": "rusty-leveldb has no recover for other-log"},
        {"seq": 2, "skipped": "rusty-leveldb has no strict for leveldb-log"},
        {"seq": 3, "skipped": "nothing is at this path"},
    ]


def test_an_invalid_message_ends_the_process(command):
    done = subprocess.run(
        command, input='{"cmd":"read","seq":7}\n', capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "") and "no format" in done.stderr
