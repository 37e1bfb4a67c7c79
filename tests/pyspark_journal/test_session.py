"""Sessions: the output of a JVM while it starts, and workers with another Python."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pyspark_journal import WrongPython, register
from pyspark_journal.session import DidNotStart, redirect_jvm_output


def test_a_failed_start_reports_that_output(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        tempfile.TemporaryFile() as log,
        pytest.raises(DidNotStart, match="gateway\nno memory") as ended,
        redirect_jvm_output(log),
    ):
        subprocess.run(["sh", "-c", "echo no memory >&2"], check=True)
        raise OSError("gateway")
    assert isinstance(ended.value.__cause__, OSError)
    os.write(2, b"ours again")
    assert capfd.readouterr().err == "ours again"


def _session(python: str) -> Any:
    context = SimpleNamespace(pythonExec=python, master="local[2]", environment={})
    return SimpleNamespace(_sc=context)


def test_workers_with_a_wrong_python_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    bare = tmp_path / "python3"
    bare.symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    remedy = f"No module named .* PYSPARK_PYTHON={sys.executable}"
    with pytest.raises(WrongPython, match=remedy):
        register(_session(str(bare)))
    with pytest.raises(WrongPython, match="No such file"):
        register(_session("/no/python"))
