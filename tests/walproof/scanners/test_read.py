"""``walproof read`` prints the same text with and without the bulk scanner."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.vectors import load_all
from reference_impl.formats import FORMATS
from walproof import log as walproof_log
from walproof import scanners
from walproof.cli import walproof
from walproof.scanners.reference import ReferenceScanner

VECTORS = [v for v in load_all().values() if v.operation == "read"]


def read(log: Path, *options: str) -> Result:
    return CliRunner().invoke(walproof, ["read", str(log), *options], standalone_mode=False)


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
@pytest.mark.parametrize("form", ["--jsonl", None])
def test_read_prints_the_same_with_and_without_the_scanner(
    format_id: str, form: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = [v for v in VECTORS if v.body["format"] == format_id]
    for vector in vectors[:: max(1, len(vectors) // 6)]:
        options = ["--format", format_id, *([form] if form else [])]
        for key, value in vector.body.get("context", {}).items():
            options += ["--context", f"{key}={json.dumps(value)}"]
        slow = read(vector.input, *options)
        with monkeypatch.context() as patch:
            patch.setattr(walproof_log, "LARGE_LOG_BYTES", 0)
            fast = read(vector.input, *options)
        # The command rejects a malformed key.
        has_bad_key = vector.body.get("context", {}).get("key") == "no key"
        assert (fast.exception is not None) == has_bad_key, vector.id
        assert str(fast.exception) == str(slow.exception), vector.id
        assert (fast.output, fast.return_value) == (slow.output, slow.return_value), vector.id


def test_without_numba_the_specification_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    assert all(isinstance(scanners.scanner(format_id), ReferenceScanner) for format_id in FORMATS)
