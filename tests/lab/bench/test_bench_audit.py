"""The audit benchmark measures every process of an audit. No test depends on the times."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench import audit
from tests.lakes import leveldb

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("java")]


def test_an_audit_is_measured(tmp_path: Path) -> None:
    log = leveldb(tmp_path / "a.log", 1000)
    with audit.links(log, 3) as lake:
        assert [each.read_bytes() for each in sorted(lake.iterdir())] == [log.read_bytes()] * 3
        assert audit.scan_seconds(lake) > 0
        run = audit.audit(lake, 1)
    assert run.seconds > 0 and run.peak_bytes > 100e6
    assert all(run.cpu_seconds[kind] > 0 for kind in ("java", "python"))
    assert [path.name for path in tmp_path.iterdir()] == ["a.log"]
    with audit.small_logs(5) as lake:
        assert len(list(lake.iterdir())) == 5
