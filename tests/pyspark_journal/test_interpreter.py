"""Spark finds the source by itself if ``PYSPARK_PYTHON`` names a suitable Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance import BUILD, ROOT
from pyspark_journal import interpreter
from pyspark_journal.java import java_home
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from tests.conftest import unavailable

CONNECT = BUILD / "connect"
SECONDS = 300


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """Return the Python of an environment with these packages and this project installed."""
    folder = tmp_path / "venv"
    command = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(command, check=True, timeout=SECONDS)
    (site,) = folder.glob("lib/python*/site-packages")
    site_packages = [path for path in sys.path if path.endswith("site-packages")]
    (site / "packages.pth").write_text("\n".join([str(ROOT), *site_packages, str(CONNECT)]) + "\n")
    return folder / "bin" / "python"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Remove variables of Spark and Python, and put a ``python3`` without packages on the PATH."""
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    path = os.pathsep.join([str(bare), os.environ["PATH"]])
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PYSPARK", "SPARK", "VIRTUAL_ENV"))
    }
    home = java_home()
    return {**variables, "PATH": path, **({"JAVA_HOME": str(home)} if home else {})}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "000003.log"
    named("leveldb-log").write(path, [NewRecord(b"x")] * 7, {})
    return path


SCRIPT = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote("local[1]").getOrCreate()
frame = spark.read.format("journal").load({log!r})
print("rows", frame.count(), sys.version_info.major)
spark.stop()
"""


@pytest.mark.usefixtures("java")
@pytest.mark.xdist_group("spark")
def test_a_script_finds_the_source(
    python: Path, environment: dict[str, str], log: Path, tmp_path: Path
) -> None:
    """Without Spark Connect, ``test_source`` shows that sessions find it."""
    if not (CONNECT / "grpc").is_dir():
        unavailable("no client of Spark Connect: make .venv/spark")
    environment["PYSPARK_PYTHON"] = str(python)
    script = tmp_path / "job.py"
    script.write_text(SCRIPT.format(log=str(log)))
    done = subprocess.run(
        [str(python), str(script)],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    assert "rows 7 3" in done.stdout, done.stderr[-3000:]


def _session(python: str, master: str = "local[2]") -> Any:
    return SimpleNamespace(
        sparkContext=SimpleNamespace(pythonExec=python, master=master, environment={})
    )


def test_an_error_names_the_variable_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    bare = tmp_path / "python3"
    bare.symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    with pytest.raises(interpreter.WrongPython) as error:
        interpreter.check_workers(_session(str(bare)))
    assert f"PYSPARK_PYTHON={sys.executable}" in str(error.value)
    assert "No module named" in str(error.value)
    with pytest.raises(interpreter.WrongPython, match="No such file"):
        interpreter.check_workers(_session("/no/python"))


@pytest.mark.parametrize(
    "session", [_session(sys.executable), _session("/no/python", "spark://head:7077")]
)
def test_a_suitable_python_and_other_machines_pass(session: Any) -> None:
    interpreter.check_workers(session)
