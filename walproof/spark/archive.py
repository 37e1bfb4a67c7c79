"""Spark's classes as the JVM keeps them in memory, so that it starts in half the time.

Starting Spark loads and checks some ten thousand classes. Java can write them to a file once, ready
to be mapped (class data sharing). Java itself looks whether the file fits its version and the
class path, and starts without it when it does not. ``python -m walproof.spark.write_archive`` makes
it; `make` does that when it installs Spark.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from conformance import BUILD
from walproof.spark.java import java_home

OPTIONS = "spark.driver.extraJavaOptions"


def archive() -> Path:
    """Where the archive for this Spark and this Java is, or would be."""
    import pyspark

    home = java_home()
    java = str(home / "bin" / "java") if home is not None else shutil.which("java") or ""
    parts = (pyspark.__version__, str(Path(pyspark.__file__).parent), os.path.realpath(java))
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return BUILD / "java" / f"spark-{digest}.jsa"


def with_archive(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings of a session on this machine that use the archive where there is one."""
    path = archive()
    given = settings.get(OPTIONS, "")
    if not path.is_file() or "-XX:SharedArchiveFile" in given or "ArchiveClassesAtExit" in given:
        return dict(settings)
    # An archive that does not fit is passed over; Java would warn of it at each start.
    return {**settings, OPTIONS: f"{given} -XX:SharedArchiveFile={path} -Xlog:disable".strip()}
