"""The running processes that the test process has started, directly or indirectly."""

from __future__ import annotations

import psutil


def children() -> list[psutil.Process]:
    """Return all descendants of this process, except the JVMs that its tests share."""
    results: list[psutil.Process] = []
    for child in psutil.Process().children():
        try:
            if not any("pyspark" in word or "recovery/drivers" in word for word in child.cmdline()):
                results += [child, *child.children(recursive=True)]
        except psutil.NoSuchProcess:
            continue
    return results
