"""The processes that the process of the tests has started and not seen off."""

from __future__ import annotations

import psutil


def children() -> list[psutil.Process]:
    """All descendants, save the Java machines that other tests of this process share."""
    results: list[psutil.Process] = []
    for child in psutil.Process().children():
        try:
            if not any("pyspark" in word or "recovery/drivers" in word for word in child.cmdline()):
                results += [child, *child.children(recursive=True)]
        except psutil.NoSuchProcess:
            continue
    return results
