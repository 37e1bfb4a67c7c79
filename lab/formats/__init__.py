"""Format-specific parts of the experiments, with one package per format.

A package is named after its format's id, with ``_`` instead of ``-``. All parts are optional:

=============  =====================================================================================
part           content
=============  =====================================================================================
``bench``      ``BENCH``: the logs and readers to measure
               (:class:`lab.bench.format_bench.FormatBench`)
``crash``      ``CRASH``: the records for a writer that is tested for crashes
               (:class:`lab.crash.format_crash.FormatCrash`)
``databases``  ``DATABASES``: damaged logs for the systems that open them
               (:class:`lab.databases.damaged_logs.FormatDatabases`)
=============  =====================================================================================
"""

from __future__ import annotations

from typing import Any

from walproof.formats import import_part


def lab_part(format_id: str, part: str) -> Any:
    """Return a part of a format, or None if the format lacks it. Raises ``UnknownFormat``."""
    return import_part(__name__, format_id, part)
