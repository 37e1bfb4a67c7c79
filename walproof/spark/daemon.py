"""Python workers on this machine: forked by a daemon that has loaded what they need.

Spark starts one daemon and lets it fork a worker for each slot. Its own loads nothing, so every
worker imports pyarrow, numba and the scanners for itself. With the setting
``spark.python.daemon.module`` it starts this module, which loads them first: that takes once what
took once for each worker, and the workers share the memory.
"""

from __future__ import annotations

import gc
import importlib
import os
from collections.abc import Iterable

from walproof.spark.unzipped import unzip

LOADED = "WALPROOF_SPARK_LOADED"
"""Variable of the environment: what to load, separated by commas."""
SETTING = "spark.python.daemon.module"


def load(names: Iterable[str]) -> None:
    """Import modules, and call what is named after a colon: ``package.module:function``.

    What cannot be loaded is left to the tasks.
    """
    unzip()
    for name in names:
        module, _, function = name.partition(":")
        try:
            found = importlib.import_module(module)
            if function:
                getattr(found, function)()
        except Exception:
            continue  # a task that needs it says what is wrong
    gc.collect()
    gc.freeze()  # a collection in a worker would copy what it shares


def main() -> None:
    """Load, then be Spark's daemon."""
    load(filter(None, os.environ.get(LOADED, "").split(",")))
    from pyspark.daemon import manager

    manager()


if __name__ == "__main__":
    main()
