"""Write test logs with the writers of the executable specification."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any, Self

from conformance.saving import named_in_errors, publish, temporary_sibling
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.log import Log, check_context
from walproof.log import open as open_log
from walproof.new_log import CannotWrite


class LogWriter:
    """Collects records, and writes them when the ``with`` block ends without an exception."""

    def __init__(self, log: Log, *, is_new: bool) -> None:
        self._log, self._is_new = log, is_new
        self._records: list[NewRecord] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            self.close()

    def add(self, payload: bytes, **fields: Any) -> None:
        """Add a record with the fields that the format requires (``asqn``, ``term``, …)."""
        self._records.append(NewRecord(payload, fields))

    def close(self) -> None:
        """Write the collected records and clear the list.

        Raises ``OSError``, and :class:`CannotWrite` if a conforming writer must refuse a record or
        the log. A new log appears only when it is complete.
        """
        records, self._records = self._records, []
        log, format = self._log, named(self._log.format)
        try:
            if not self._is_new:
                format.append(log.path, records, log.context)
                return
            with temporary_sibling(log.path) as scratch:
                with named_in_errors(log.path):
                    scratch.mkdir(0o700)
                    # In some formats, the file name determines the file type to write.
                    format.write(scratch / log.path.name, records, log.context)
                publish(scratch / log.path.name, log.path)
        except (ValueError, KeyError) as error:
            missing = isinstance(error, KeyError)
            raise CannotWrite(f"a record lacks {error}" if missing else str(error)) from None


def create(path: str | os.PathLike[str], /, format: str, **context: Any) -> LogWriter:
    """Return a writer that creates a log. Use it in a ``with`` statement.

    The log is written when the block ends. Raises ``FileExistsError``, :class:`UnknownFormat`, and
    :class:`BadContext`.
    """
    check_context(named(format).id, context)
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))
    return LogWriter(Log(format, Path(path), context=context), is_new=True)


def append(path: str | os.PathLike[str], /, format: str | None = None, **context: Any) -> LogWriter:
    """Return a writer that recovers a log and appends to it. Use it in a ``with`` statement.

    The writer truncates a torn tail, as the chapter requires, and adds the records when the block
    ends. Raises the errors of :func:`walproof.open`.
    """
    return LogWriter(open_log(Path(path), format, **context), is_new=False)
