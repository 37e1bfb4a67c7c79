"""Reduce Spark's errors to one line with the cause and what the user can do."""

from __future__ import annotations

import re

#: Each key is a pattern for an error condition or message. Its value tells the user what to do.
ADVICE = {
    "PATH_ALREADY_EXISTS|TABLE_OR_VIEW_ALREADY_EXISTS|TABLE_ALREADY_EXISTS": (
        "choose another place, add --mode append or --mode overwrite, or use --incremental"
    ),
    "Parent path is not a directory|Mkdirs failed|[Pp]ermission denied": (
        "choose a path in which Spark may create a folder"
    ),
    "Couldn't find a catalog": (
        "add the catalog: --conf spark.sql.catalog.NAME=class, with the settings that it needs"
    ),
    "UNRESOLVED_COLUMN": "a table needs the columns and rows that option logRows adds",
    "PATH_NOT_FOUND|UNABLE_TO_INFER_SCHEMA": "no rows have been written there",
    "DATA_SOURCE_NOT_FOUND.*journal|No module named '(pyspark_journal|walproof|pyarrow)'": (
        "set PYSPARK_PYTHON to a Python that has walproof[spark] on every machine"
    ),
    "DATA_SOURCE_NOT_FOUND|ClassNotFoundException|UnsupportedFileSystemException|No FileSystem": (
        "add the connector of this format or store: --conf spark.jars.packages=group:name:version"
    ),
    "PYTHON_VERSION_MISMATCH": (
        "set PYSPARK_PYTHON so that the workers run the Python version of the driver"
    ),
    "was split on a machine with numba": "install numba on all machines or on none",
    "journal: unknown option": "pyspark_journal/README.md lists the options",
    "Rewritten": "or add --option onRewrite=restart",
}


def advice(error: BaseException) -> str:
    """Return one line with the cause of an error and what the user can do about it."""
    text = str(error)
    line = reason_of(text)
    for pattern, remedy in ADVICE.items():
        if re.search(pattern, text):
            return f"{line}; {remedy}"
    return line


def reason_of(message: str) -> str:
    """Return the line of a Spark error message that names the cause."""
    lines = [line.strip() for line in message.splitlines()]
    errors = [line for line in lines if re.match(r":? ?[A-Za-z_.]*(Error|Exception): ", line)]
    # If a Python worker failed, its traceback and error come after Spark's error.
    return next(iter([*errors[-1:], *filter(None, lines)]), message).removeprefix(": ")
