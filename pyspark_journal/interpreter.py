"""Which Python the workers of Spark run: on this machine, the one that starts the session.

Spark runs whatever ``python3`` the PATH has. In a virtual environment that is not activated (an
IDE, cron, ``.venv/bin/python job.py``) that is another one, which has none of the packages here,
and a query ends with ``DATA_SOURCE_NOT_FOUND: journal``. So ``PYSPARK_PYTHON`` gets a default at
the last moment at which it counts: when Spark's JVM is started for a master on this machine.
Workers on other machines may have their Python elsewhere; they are left as they are.

``walproof_spark.pth`` in ``site-packages`` imports the package whenever Python starts, so this
works for a session that never names it. Hence nothing is imported here that is not there already.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    from pyspark.sql import SparkSession

GATEWAY = "pyspark.java_gateway"
"""The module of PySpark that starts the JVM."""
VARIABLE = "PYSPARK_PYTHON"


class WrongPython(RuntimeError):
    """The workers of a session run a Python without this package; the message says what to set."""


def install() -> None:
    """See to it that sessions started from now on give ``PYSPARK_PYTHON`` a default.

    In a worker of Spark that just begins, see to it that it begins quickly.
    """
    if any(name.startswith("PYTHON_WORKER_FACTORY_") for name in os.environ):
        from walproof.spark.handover import hand_over
        from walproof.spark.unzipped import unzip

        hand_over()
        unzip()
    gateway = sys.modules.get(GATEWAY)
    if gateway is not None:
        _wrap(gateway)
    elif not any(isinstance(finder, _Gateway) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Gateway())


class _Gateway:
    """Finds the module as everybody else would, and goes away."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != GATEWAY:
            return None
        sys.meta_path.remove(self)
        from importlib.util import find_spec

        spec = find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def then_wrap(module: ModuleType) -> None:
            execute(module)
            _wrap(module)

        spec.loader.exec_module = then_wrap  # type: ignore[method-assign]
        return spec


def _wrap(gateway: ModuleType) -> None:
    launch: Callable[..., Any] | None = getattr(gateway, "launch_gateway", None)
    if launch is None or hasattr(launch, "_walproof"):
        return

    def launch_gateway(conf: Any = None, popen_kwargs: Any = None) -> Any:
        if sys.executable and is_here(conf, gateway):
            os.environ.setdefault(VARIABLE, sys.executable)
        return launch(conf, popen_kwargs)

    launch_gateway._walproof = True  # type: ignore[attr-defined]
    for module in (gateway, sys.modules.get("pyspark.core.context")):
        if module is not None and hasattr(module, "launch_gateway"):
            module.launch_gateway = launch_gateway  # type: ignore[attr-defined]


def is_here(conf: Any, gateway: Any) -> bool:
    """Whether a session with this ``SparkConf`` (or None) starts its workers on this machine."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return False  # spark-submit started the JVM, with what it knows
    asked = conf.get("spark.master", None) if conf is not None else None
    master = asked or _submitted() or _by_default(gateway) or "local[*]"
    return bool(master.startswith("local"))


def _submitted() -> str | None:
    words = os.environ.get("PYSPARK_SUBMIT_ARGS", "").replace("=", " ").split()
    for option in ("--master", "spark.master"):
        if option in words[:-1]:
            return words[words.index(option) + 1]
    return None


def _by_default(gateway: Any) -> str | None:
    """The master in ``spark-defaults.conf``."""
    folder = os.environ.get("SPARK_CONF_DIR")
    try:
        folder = folder or os.path.join(gateway._find_spark_home(), "conf")  # noqa: PTH118
        with open(f"{folder}/spark-defaults.conf", encoding="utf-8") as lines:  # noqa: PTH123
            for line in lines:
                words = line.replace("=", " ", 1).split()
                if words[:1] == ["spark.master"] and len(words) > 1:
                    return words[1]
    except (OSError, UnicodeError):
        pass
    return None


def check(spark: SparkSession) -> None:
    """Raise :class:`WrongPython` when workers on this machine would not find this package."""
    from pyspark.errors import PySparkException

    try:
        context = spark.sparkContext
    except (AttributeError, PySparkException):
        return  # Spark Connect: the workers are the server's
    python = context.pythonExec
    if not context.master.startswith("local") or _is_ours(python):
        return
    import subprocess

    path = context.environment.get("PYTHONPATH")
    environment = {**os.environ, "PYTHONPATH": path} if path else None
    try:
        found = subprocess.run(
            [python, "-c", "import pyarrow, pyspark_journal.source"],
            env=environment,
            capture_output=True,
            text=True,
        )
    except OSError as error:
        said = str(error)
    else:
        if found.returncode == 0:
            return
        said = found.stderr.strip().rpartition("\n")[2]
    raise WrongPython(
        f"the workers of this session run {python}, which cannot read journals ({said}). Set"
        f" {VARIABLE}={sys.executable} before Python starts, or import pyspark_journal before the"
        " session is made"
    )


def _is_ours(python: str) -> bool:
    """Whether a command is the Python of this process."""
    import shutil

    found = shutil.which(python)
    # The file alone does not tell: in a virtual environment it is a link to the common one.
    folder, own = (os.path.dirname(one or "") for one in (found, sys.executable))  # noqa: PTH120
    return bool(found) and os.path.realpath(folder) == os.path.realpath(own)
