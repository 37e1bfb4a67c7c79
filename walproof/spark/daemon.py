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

from walproof.spark.unzipped import unzip

LOADED = "WALPROOF_SPARK_LOADED"
"""Variable of the environment: modules to load, separated by commas."""
SETTING = "spark.python.daemon.module"


def load() -> None:
    """Import what the environment names; what cannot be imported is left to the tasks."""
    unzip()
    for name in filter(None, os.environ.get(LOADED, "").split(",")):
        try:
            importlib.import_module(name)
        except Exception:
            continue  # a task that needs it says what is wrong
    gc.collect()
    gc.freeze()  # a collection in a worker would copy what it shares


def main() -> None:
    """Load, then be Spark's daemon."""
    load()
    from pyspark.daemon import manager

    manager()


if __name__ == "__main__":
    main()
