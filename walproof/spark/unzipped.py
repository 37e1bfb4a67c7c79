"""Workers import PySpark from its folder, with the bytecode that is kept there.

Spark puts ``pyspark.zip`` before everything else on the path of its Python workers. It holds no
bytecode, so each process compiles what it imports: 0.8 s of processor time where the folder that
pip installed, with the same sources, takes 0.16 s. The first query of a session starts five
such processes. Where the archive lies within that folder, it is taken off the path.
"""

from __future__ import annotations

import os
import sys

ARCHIVE = "/pyspark/python/lib/pyspark.zip"


def unzip(path: list[str] = sys.path) -> None:
    """Take the archive off a path for imports where the folder that holds it has the package."""
    for entry in [one for one in path if one.endswith(ARCHIVE)]:
        folder = entry.removesuffix(ARCHIVE)
        if os.path.isfile(f"{folder}/pyspark/__init__.py"):  # noqa: PTH113 -- at every start
            path.remove(entry)
            if folder not in path:
                path.append(folder)
