"""Install real programs, whose files are compared with the output of the decoders.

Fixed versions of Python packages are installed into separate folders below ``.build/decode``.
``make setup`` builds ActiveMQ. If a program cannot be installed, the test is skipped with the
reason.
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
LEVELDB = ("plyvel", "1.5.1")
ROCKSDB = ("rocksdict", "0.3.29")


def payloads(format_id: str, log: Path) -> list[bytes]:
    """Return the payloads of a log, as the executable specification reads them."""
    answer = collect(named(format_id).read(log, "strict", {}))
    assert answer.verdict == "intact", answer
    return [record.payload for record in answer.records]


def golden(name: str) -> Any:
    """Return the content of a file in ``golden/``."""
    return json.loads((GOLDEN / name).read_text("utf-8"))


def _python_with(package: str, version: str) -> Path:
    """Return the path of a Python that has the package installed."""
    folder = BUILD / f"{package}-{version}"
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    requirement = ["--no-deps", "--only-binary", ":all:", f"{package}=={version}"]
    with alone(folder):
        if (folder / "done").exists():
            return python
        for command in ([sys.executable, "-m", "venv", str(folder)], [*install, *requirement]):
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
            except (OSError, subprocess.SubprocessError) as error:
                output = getattr(error, "stderr", b"") or str(error).encode()
                shutil.rmtree(folder, ignore_errors=True)
                unavailable(f"unavailable: cannot install {package}: {output.decode()!r}")
        (folder / "done").touch()
    return python


def run_python(name: str, package: str, version: str, folder: Path) -> Any:
    """Run ``programs/NAME.py FOLDER`` with a package; return the JSON that it prints."""
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
    """Run ``programs/WriteKahaDB.java FOLDER VERSION…``; return the JSON that it prints."""
    if shutil.which("java") is None:
        unavailable("unavailable: java not found")
    if not list(JARS.glob("activemq-kahadb-store-*.jar")):
        unavailable("unavailable: kahadb-store is not built (make setup)")
    program = ["java", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-cp", f"{JARS}/*"]
    arguments = [str(PROGRAMS / "WriteKahaDB.java"), str(folder), *map(str, versions)]
    done = subprocess.run([*program, *arguments], check=True, capture_output=True, timeout=SECONDS)
    return json.loads(done.stdout.splitlines()[-1])
