"""LevelDB's reader and the executable specification return the same records from damaged logs.

Two differences are known. LevelDB treats a valid physical record of type 5 as the end of the log
(LDB-029). The executable specification refuses logs of another dialect (LDB-043), which this test
does not generate.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.compare import normalise
from conformance.process import Limits
from conformance.program_session import ProtocolSession
from conformance.registry import FOLDER, load
from reference_impl.answer import Answer, collect
from reference_impl.leveldb_log.reader import read_stream
from tests.conftest import unavailable
from tests.walproof.formats.leveldb_log.test_scanner import random_log

LOGS = 300
TIMEOUT_MS = 10_000
READ = {"cmd": "read", "format": "leveldb-log", "profile": "recover", "context": {}, "limits": {}}
REASONS = {
    "torn-header", "torn-payload", "torn-record", "checksum-mismatch", "bad-length",
    "zero-header", "zero-gap", "unknown-type", "orphan-fragment", "incomplete-record",
}  # fmt: skip


@pytest.fixture(scope="module")
def real() -> Iterator[ProtocolSession]:
    implementation = load(FOLDER / "leveldb-cpp")
    if not implementation.is_built():
        unavailable("leveldb-cpp is not built; make setup builds it")
    session = ProtocolSession(implementation.command, Limits(output_bytes=64 << 20))
    session.start()
    yield session
    session.close()


def payloads(records: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [record.get("payload", record.get("payload_sha256")) for record in records]


def end_for_leveldb(log: bytes, answer: Answer) -> int:
    """Return the offset of the first valid physical record of type 5, or the size of the log."""
    unknown = (lost.start for lost in answer.lost if lost.reason == "unknown-type")
    return next((at for at in unknown if log[at + 6] == 5), len(log))


@pytest.mark.slow
def test_damaged_logs_have_the_records_that_leveldb_returns(
    real: ProtocolSession, tmp_path: Path
) -> None:
    seen: Counter[str | None] = Counter()
    path = tmp_path / "000003.log"
    for seed in range(LOGS):
        log = random_log(seed)
        path.write_bytes(log)
        request = {"seq": seed, "path": str(path), **READ}
        found = normalise(real.request(request, TIMEOUT_MS)["answer"])["records"]
        answer = collect(read_stream(io.BytesIO(log)))
        end = end_for_leveldb(log, answer)
        records = normalise(answer.to_json())["records"]
        expected = [each for each in records if each["at"] + each["size"] <= end]
        assert payloads(found) == payloads(expected), f"seed {seed}"
        seen[answer.verdict] += 1
        seen.update({lost.reason for lost in answer.lost})
        seen["type 5"] += end < len(log)
    # The agreement is meaningful only if every kind of damage occurs, and if type 5 is rare.
    assert seen.keys() >= REASONS and seen["damaged"] > LOGS / 2
    assert 0 < seen["type 5"] < LOGS / 5
