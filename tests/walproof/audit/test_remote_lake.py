"""A lake in an object store: the same as the one on this machine that it was copied from."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.walproof.lake.test_remote import served  # noqa: F401 -- a fixture
from walproof.audit.job import audit

from .in_process import InProcess
from .lakes import mixed, options
from .tables import rows

pytestmark = pytest.mark.xdist_group("spark")


def test_a_lake_in_s3(served: tuple[Path, dict[str, str]], tmp_path: Path) -> None:  # noqa: F811
    local = mixed(tmp_path / "lake")
    (local / "nowhere.log").unlink()
    (local / "pipe.log").unlink()
    root, reach = served
    shutil.copytree(local, root / "lake", dirs_exist_ok=True)
    out = tmp_path / "out"
    remote = options("s3://lake/", payload=True, **reach)
    outcome = audit(remote, out, InProcess(), 64 << 10)
    audit(options(local, payload=True), tmp_path / "here", InProcess())
    for table in ("records", "damage", "files"):
        found = rows(out, table)
        assert all(row["file"].startswith("s3://lake/") for row in found)
        assert [_comparable(row, "s3://lake") for row in found] == [
            _comparable(row, str(local)) for row in rows(tmp_path / "here", table)
        ]
    assert outcome.summary["totals"]["logs"] == 11
    again = audit(remote, out, InProcess(), 64 << 10)
    assert not again.is_new


def _comparable(row: dict[str, object], root: str) -> dict[str, object]:
    body = {key: value for key, value in row.items() if key != "modified"}
    return body | {name: str(body[name]).removeprefix(root) for name in ("file", "log")}
