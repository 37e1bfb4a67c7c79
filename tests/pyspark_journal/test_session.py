"""The output of Spark's JVM while it starts does not reach the terminal."""

from __future__ import annotations

import os
import subprocess
import tempfile

import pytest

from pyspark_journal.session import DidNotStart, redirect_jvm_output


def test_output_during_the_start_goes_to_the_log() -> None:
    with tempfile.TemporaryFile() as log:
        with redirect_jvm_output(log):
            subprocess.run(["sh", "-c", "echo ten lines >&2"], check=True)
        log.seek(0)
        assert log.read() == b"ten lines\n"


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
