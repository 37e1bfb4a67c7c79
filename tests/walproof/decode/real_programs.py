"""The real programs whose files the decoders are compared with.

Packages for Python are installed, at a fixed version, into a folder of their own below
``.build/decode``; ActiveMQ is the one that ``make setup`` has built. Where that cannot be done
the test is unavailable, and says why.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance import ROOT
from reference_impl.answer import collect
from reference_impl.formats import named
from tests.conftest import alone, unavailable

GOLDEN = Path(__file__).with_name("golden")
PROGRAMS = Path(__file__).with_name("programs")
BUILD = ROOT / ".build" / "decode"
JARS = ROOT / ".build" / "implementations" / "kahadb-store" / "lib"
SECONDS = 300
LEVELDB = ("write_leveldb", "plyvel", "1.5.1")
ROCKSDB = ("write_rocksdb", "rocksdict", "0.3.29")


def payloads(format_id: str, log: Path) -> list[bytes]:
    """What the records of a log carry, by the executable specification."""
    answer = collect(named(format_id).read(log, "strict", {}))
    assert answer.verdict == "intact", answer
    return [record.payload for record in answer.records]


def golden(name: str) -> Any:
    """A file of ``golden/``."""
    return json.loads((GOLDEN / name).read_text("utf-8"))


def _python_with(package: str, version: str) -> Path:
    """A Python that has a package."""
    folder = BUILD / f"{package}-{version}"
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = ["--no-deps", "--only-binary", ":all:", f"{package}=={version}"]
    with alone(folder):
        if (folder / "done").exists():
            return python
        for command in ([sys.executable, "-m", "venv", str(folder)], [*install, *wanted]):
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
            except (OSError, subprocess.SubprocessError) as error:
                words = getattr(error, "stderr", b"") or str(error).encode()
                shutil.rmtree(folder, ignore_errors=True)
                unavailable(f"unavailable, because {package} cannot be had: {words.decode()!r}")
        (folder / "done").touch()
    return python


def run_python(name: str, package: str, version: str, folder: Path) -> Any:
    """Run ``programs/NAME.py FOLDER`` with a package; the JSON that it printed."""
    program = [str(_python_with(package, version)), str(PROGRAMS / f"{name}.py")]
    done = subprocess.run(
        [*program, str(folder)],
        check=True,
        capture_output=True,
        timeout=SECONDS,
        env=os.environ | {"PYTHONPATH": ""},
    )
    return json.loads(done.stdout)


def run_activemq(folder: Path, versions: Iterable[int]) -> Any:
    """Run ``programs/WriteKahaDB.java FOLDER VERSION…``; the JSON that it printed."""
    if shutil.which("java") is None:
        unavailable("unavailable, because java not found")
    if not list(JARS.glob("activemq-kahadb-store-*.jar")):
        unavailable("unavailable, because kahadb-store is not built: make setup")
    program = ["java", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-cp", f"{JARS}/*"]
    words = [str(PROGRAMS / "WriteKahaDB.java"), str(folder), *map(str, versions)]
    done = subprocess.run([*program, *words], check=True, capture_output=True, timeout=SECONDS)
    return json.loads(done.stdout.splitlines()[-1])
