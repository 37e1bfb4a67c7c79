"""The real programs whose files the decoders are compared with.

Each is installed, at a fixed version, into a folder of its own below ``.build/decode``. Where that
cannot be done the test is unavailable, and says why.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance import ROOT
from reference_impl.answer import collect
from reference_impl.formats import named
from tests.conftest import unavailable

HERE = Path(__file__).parent
BUILD = ROOT / ".build" / "decode"
SECONDS = 300


def payloads(format_id: str, log: Path) -> list[bytes]:
    """What the records of a log carry, by the executable specification."""
    answer = collect(named(format_id).read(log, "strict", {}))
    assert answer.verdict == "intact", answer
    return [record.payload for record in answer.records]


def _python_with(package: str, version: str) -> Path:
    """A Python that has a package."""
    folder = BUILD / f"{package}-{version}"
    python = folder / "bin" / "python"
    if (folder / "done").exists():
        return python
    BUILD.mkdir(parents=True, exist_ok=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = ["--no-deps", "--only-binary", ":all:", f"{package}=={version}"]
    for command in ([sys.executable, "-m", "venv", str(folder)], [*install, *wanted]):
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            words = getattr(error, "stderr", b"") or str(error).encode()
            shutil.rmtree(folder, ignore_errors=True)
            unavailable(f"unavailable, because {package} cannot be installed: {words.decode()!r}")
    (folder / "done").touch()
    return python


@pytest.fixture(scope="session")
def written_by() -> Iterator[Callable[[str, str, str], tuple[Path, Any]]]:
    """Runs ``programs/NAME.py`` with a package; gives the folder and the JSON that it printed."""
    with tempfile.TemporaryDirectory(prefix="walproof-decode-") as scratch:

        @cache
        def run(name: str, package: str, version: str) -> tuple[Path, Any]:
            folder = Path(scratch, name)
            command = [str(_python_with(package, version)), str(HERE / "programs" / f"{name}.py")]
            done = subprocess.run(
                [*command, str(folder)],
                check=True,
                capture_output=True,
                timeout=SECONDS,
                env=os.environ | {"PYTHONPATH": ""},
            )
            return folder, json.loads(done.stdout)

        yield run
