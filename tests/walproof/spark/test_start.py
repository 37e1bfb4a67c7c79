"""Starting Spark: its classes in an archive, its chatter elsewhere, its workers loaded."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from conformance import ROOT
from walproof.spark import archive
from walproof.spark.quiet import DidNotStart, jvm_says_to
from walproof.spark.unzipped import ARCHIVE, unzip


def test_settings_name_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "spark.jsa"
    monkeypatch.setattr(archive, "archive", lambda: path)
    given = {archive.OPTIONS: "-Xmx1g", "spark.x": "y"}
    assert archive.with_archive(given) == given, "there is none"
    path.touch()
    made = archive.with_archive(given)
    assert made["spark.x"] == "y"
    assert made[archive.OPTIONS] == f"-Xmx1g -XX:SharedArchiveFile={path} -Xlog:disable"
    assert archive.with_archive({})[archive.OPTIONS].startswith("-XX:SharedArchiveFile=")
    assert archive.with_archive(made) == made, "what is given wins"


def test_what_a_jvm_says_while_it_starts() -> None:
    with tempfile.TemporaryFile() as log:
        with jvm_says_to(log):
            subprocess.run(["sh", "-c", "echo ten lines >&2"], check=True)
        log.seek(0)
        assert log.read() == b"ten lines\n"


def test_what_it_said_when_it_did_not_start(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        tempfile.TemporaryFile() as log,
        pytest.raises(DidNotStart, match="no memory") as ended,
        jvm_says_to(log),
    ):
        subprocess.run(["sh", "-c", "echo no memory >&2"], check=True)
        raise OSError("gateway")
    assert isinstance(ended.value.__cause__, OSError)
    os.write(2, b"ours again")
    assert capfd.readouterr().err == "ours again"


def test_a_daemon_loads_what_it_is_told() -> None:
    code = (
        "import sys; from walproof.spark import daemon; daemon.load(sys.argv[1:]);"
        " print('colorsys' in sys.modules)"
    )
    unknown = ("no.such.module", "json:no_such_function")
    for names, loaded in (
        ((*unknown, "colorsys"), "True"), ((), "False"), (("json:loads", "colorsys"), "True"),
    ):  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", code, *names],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip() == loaded


def test_the_archive_of_pyspark_gives_way_to_its_folder(tmp_path: Path) -> None:
    package = tmp_path / "site" / "pyspark"
    package.mkdir(parents=True)
    path = [f"{tmp_path}/site{ARCHIVE}", "/else/pyspark.zip", f"/nowhere{ARCHIVE}"]
    before = list(path)
    unzip(path)
    assert path == before, "no package in the folder"
    (package / "__init__.py").touch()
    unzip(path)
    assert path == [*before[1:], f"{tmp_path}/site"]


@pytest.mark.parametrize("is_worker", [True, False])
def test_a_worker_of_spark_begins_without_it(is_worker: bool) -> None:
    pyspark = pytest.importorskip("pyspark")
    archive = Path(pyspark.__file__).parent / "python" / "lib" / "pyspark.zip"
    if not archive.is_file():
        pytest.skip("this PySpark has no archive")
    done = subprocess.run(
        [sys.executable, "-c", "import pyspark_journal, pyspark; print(pyspark.__file__)"],
        env={
            **os.environ,
            **({"PYTHON_WORKER_FACTORY_SECRET": "x"} if is_worker else {}),
            "PYTHONPATH": f"{archive}{os.pathsep}{ROOT}",
        },
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (".zip" in done.stdout) is not is_worker
