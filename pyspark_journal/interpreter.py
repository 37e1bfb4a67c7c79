"""Check that the workers of a session run a Python that can read journals.

Unless ``PYSPARK_PYTHON`` is set, Spark runs the ``python3`` on the PATH. If a virtual environment
is used without activation (in an IDE, by cron, or as ``.venv/bin/python job.py``), that Python
lacks the required packages.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.process import CannotStart, Timeout, run_program

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


PYTHON_SECONDS = 60


class WrongPython(RuntimeError):
    """The workers of a session run a Python without this package; the message has the remedy."""


def check_workers(spark: SparkSession) -> None:
    """Raise :class:`WrongPython` if workers on this machine cannot import this package.

    Workers on other machines, and those of Spark Connect, are not checked.
    """
    from pyspark.errors import PySparkException

    try:
        context = spark.sparkContext
    except (AttributeError, PySparkException):
        return
    python = context.pythonExec
    if not context.master.startswith("local") or _is_this_python(python):
        return
    path = context.environment.get("PYTHONPATH")
    try:
        trial = run_program(
            [python, "-c", "import pyarrow, pyspark_journal.source"],
            PYTHON_SECONDS,
            variables={"PYTHONPATH": path} if path else None,
        )
    except (CannotStart, Timeout) as error:
        reason = str(error)
    else:
        if trial.returncode == 0:
            return
        reason = trial.stderr.strip().rpartition("\n")[2]
    raise WrongPython(
        f"the workers of this session run {python}, which cannot read journals ({reason}). Set"
        f" PYSPARK_PYTHON={sys.executable} before the session starts"
    )


def _is_this_python(command: str) -> bool:
    path = shutil.which(command)
    # Compare directories: in a virtual environment the file is a link to the common interpreter.
    return path is not None and Path(path).parent.resolve() == Path(sys.executable).parent.resolve()
