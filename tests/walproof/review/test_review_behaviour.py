"""The review detects changes that affect only damaged logs or writers, or that break readers."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from conformance.sandbox import bubblewrap
from tests.conftest import unavailable
from walproof.review.printing import text
from walproof.review.revision import RevisionReaders

from .trees import run_review

CLAMP = """--- ksy/leveldb_log.ksy
-        size: 'is_truncated ? len_available.as<s8> : header.len_data.as<s8>'
+        size: header.len_data"""
TIGHTER = """--- reference_impl/leveldb_log/reader.py
-            if record_type == FULL:
+            if record_type == FULL and data[:1] != b"a":"""
CRASH = """--- reference_impl/leveldb_log/layout.py
-def masked_crc(covered: bytes | memoryview) -> int:
+def masked_crc(covered: bytes | memoryview) -> int:
+    raise OSError("not today")"""
OTHER_REASON = """--- reference_impl/leveldb_log/reader.py
-                yield from self._rest_of_block_lost(at, block, base, "zero-header")  # LDB-026
+                yield from self._rest_of_block_lost(at, block, base, "bad-length")  # LDB-026"""


STRICT = """--- reference_impl/leveldb_log/reader.py
-            yield Lost(start, size, event.reason)
+            yield Lost(event.start, size, event.reason)"""
GROWTH = """--- ksy/systemd_journal.ksy
+      - id: newest
+        type: u8
+        if: not _io.eof
       - id: unknown
         -requirement: SDJ-003"""


def test_removed_clamp_affects_only_recovery(tmp_path: Path) -> None:
    outcome = run_review(tmp_path, CLAMP)
    assert set(outcome.breaks) == {"RECOVER"}
    assert "FIELD_CHANGED" in {finding.rule for finding in outcome.findings}


def test_reader_that_rejects_intact_records_breaks_both_directions(tmp_path: Path) -> None:
    outcome = run_review(tmp_path, TIGHTER)
    assert set(outcome.breaks) >= {"READ", "WRITE"}
    table = outcome.tables[0]
    assert table.alike[False] < table.logs[False]


def test_reader_that_raises_counts_as_changed(tmp_path: Path) -> None:
    outcome = run_review(tmp_path, CRASH)
    assert {"READ", "WRITE"} <= set(outcome.breaks)
    assert any("not today" in changed.how for changed in outcome.tables[0].changed)


def test_changed_reason_is_a_warning(tmp_path: Path) -> None:
    outcome = run_review(tmp_path, OTHER_REASON)
    assert not outcome.breaks
    assert {finding.rule for finding in outcome.findings} == {"REASON_CHANGED"}


def test_change_in_profile_strict_breaks_recovery(tmp_path: Path) -> None:
    outcome = run_review(tmp_path, STRICT)
    assert set(outcome.breaks) == {"RECOVER"}
    assert [finding.rule for finding in outcome.findings] == ["STRICT_CHANGED"]
    assert "profile strict: lost" in outcome.findings[0].change


def test_field_before_reserved_bytes_is_compatible(tmp_path: Path) -> None:
    """Adding a field before reserved bytes is compatible. One vector has bytes for such a field."""
    outcome = run_review(tmp_path, GROWTH, "systemd-journal", ("header-of-a-later-version",))
    assert not outcome.breaks
    assert "FIELD_ADDED" in {finding.rule for finding in outcome.findings}


def test_removed_format_is_breaking(tmp_path: Path) -> None:
    outcome = run_review(
        tmp_path,
        """--- reference_impl/formats.py
-FORMATS = {id: _format(register) for id, register in registers().items()}
+FORMATS = {id: _format(one) for id, one in registers().items() if id != "leveldb-log"}""",
    )
    assert [finding.rule for finding in outcome.findings if finding.breaks] == ["FORMAT_REMOVED"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("import os\nos._exit(3)", "it exited without a reply"),
        ("import time\ntime.sleep(60)", "no answer within"),
        ("raise RuntimeError('no')", "RuntimeError: no"),
    ],
)
def test_worker_reports_reader_failures_and_continues(
    tmp_path: Path, body: str, message: str
) -> None:
    (tmp_path / "reference_impl").mkdir()
    (tmp_path / "reference_impl" / "__init__.py").write_text(body)
    worker = RevisionReaders(tmp_path, wall_seconds=1 if "sleep" in body else 60)
    try:
        for _ in range(2):
            assert message in worker.ask(do="knows", format="leveldb-log")["error"]
    finally:
        worker.close()


NOSY = """
import os, socket
found = []
for what in (
    lambda: open({proof!r}, "w"),
    lambda: found.append(os.environ["WALPROOF_SECRET"]),
    lambda: found.append(open({secret!r}).read()),
    lambda: found.append(socket.create_connection(("127.0.0.1", {port}), 5)),
):
    try:
        what()
    except (OSError, KeyError):
        pass
raise RuntimeError(f"found {{found}}")
"""


def test_worker_is_sandboxed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if bubblewrap() is None:
        unavailable("bubblewrap was not found: readers of another revision can read your files")
    monkeypatch.setenv("WALPROOF_SECRET", "token")
    tree, proof, secret = (tmp_path / name for name in ("tree", "proof", "secret"))
    (tree / "reference_impl").mkdir(parents=True)
    secret.write_text("key")
    with socket.create_server(("127.0.0.1", 0)) as server:
        body = NOSY.format(proof=str(proof), secret=str(secret), port=server.getsockname()[1])
        (tree / "reference_impl" / "__init__.py").write_text(body)
        worker = RevisionReaders(tree)
        try:
            assert worker.ask(do="knows", format="leveldb-log")["error"] == "RuntimeError: found []"
        finally:
            worker.close()
    assert not proof.exists()


def test_implementations_that_would_fail_are_named(tmp_path: Path) -> None:
    outcome = run_review(tmp_path, TIGHTER)
    failing = outcome.failing["leveldb-log"]
    read = {"one-record", "three-records", "fragments-in-two-blocks"}
    assert failing["leveldb-cpp"] >= len(read)
    assert not {"executable-spec", "parser-go", "kahadb-go"} & failing.keys()
    assert "would fail vectors that they pass today: " in " ".join(text(outcome).split())
    assert run_review(tmp_path / "other", OTHER_REASON).failing == {}
