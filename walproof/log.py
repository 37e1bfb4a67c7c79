"""Open a log in any supported format, from a file, a directory, a pipe or bytes."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import io
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Self, cast

from reference_impl.answer import Answer, End, Event, Lost, Record, Verdict, collect, end_to_json
from reference_impl.context import BadContext, check
from reference_impl.formats import UnknownFormat, named
from reference_impl.register import registers
from walproof.extras import naming_the_extra
from walproof.formats import plugin_for
from walproof.lake.recognition import named_like, recognise_log

if TYPE_CHECKING:
    import pyarrow as pa

    from walproof.new_log import Survivors
    from walproof.scanners.byte_source import ByteSource
    from walproof.scanners.model import Records

Profile = Literal["recover", "strict"]
#: A caller can give a log as a path, as the bytes of one file, or as a binary file.
LogInput = str | os.PathLike[str] | bytes | BinaryIO

#: Minimum size in bytes of logs for which a scanner is loaded and possibly compiled. For smaller
#: logs, loading it takes longer than it saves.
LARGE_LOG_BYTES = 4 << 20
_HEAD_BYTES = 1 << 20
#: A log that was given as bytes has this file name.
_UNNAMED = "log"


class Log:
    """One log, opened by :func:`open` or found by :func:`walproof.find`.

    Each use of :attr:`records` reads the log from its start. :attr:`lost`, :attr:`verdict`,
    :attr:`reason` and :attr:`end` describe the last complete pass. If there was no complete pass,
    they read the log once. Reading never changes the log. Sizes and offsets are in bytes.
    """

    def __init__(
        self,
        format: str,
        path: Path,
        *,
        name: str | None = None,
        profile: str = "recover",
        context: Mapping[str, Any] | None = None,
        files: Sequence[str] = (),
    ) -> None:
        #: The id of the format, such as ``leveldb-log``.
        self.format = format
        #: The path to read. If the log was given as a pipe or as bytes, this is a temporary copy.
        self.path = path
        #: The name of the log for messages and tables.
        self.name = str(path) if name is None else name
        #: ``recover`` returns every provable record. ``strict`` stops at the first loss.
        self.profile = profile
        #: Values that the reader needs but the bytes do not contain. The format's chapter lists the
        #: keys.
        self.context = dict(context or {})
        #: True if ``path`` is a temporary copy.
        self.is_copy = False
        #: The names of the log's files. Set if the directory contains other files as well.
        self.files = tuple(files)
        #: True if the directory of the log contains links or special files, which are not opened.
        self.reads_files_only = False
        self._last: tuple[End, Sequence[Lost]] | None = None
        self._scratch = contextlib.ExitStack()

    def __repr__(self) -> str:
        return f"<Log {self.name!r} {self.format}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the temporary copy, if there is one."""
        self._scratch.close()

    @property
    def records(self) -> Iterator[Record]:
        """Read the log, and yield its records in log order, including those after a loss.

        Raises ``OSError``, and :class:`BadContext` for a context that the format rejects.
        """
        return (event for event in self._passed(self.events()) if isinstance(event, Record))

    def _passed(self, events: Iterable[Event | Records]) -> Iterator[Event | Records]:
        """Yield the events, and store the result of the pass at its end."""
        lost: list[Lost] = []
        files: dict[str | None, int] = {}
        for event in events:
            files.setdefault(event.file, len(files))
            if isinstance(event, Lost):
                lost.append(event)
            elif isinstance(event, End):
                lost.sort(key=lambda gap: (files[gap.file], gap.start))
                self._last = event, lost
            yield event

    @property
    def lost(self) -> Sequence[Lost]:
        """The lost byte ranges ``[start, end)`` in log order, each with its reason."""
        return self._outcome[1]

    @property
    def verdict(self) -> Verdict:
        """``intact``, ``torn``, ``damaged`` or ``refused``."""
        return self._outcome[0].verdict

    @property
    def reason(self) -> str | None:
        """The first reason code, which the chapter defines, or None if the log is intact."""
        return self._outcome[0].reason

    @property
    def end(self) -> int | dict[str, Any] | None:
        """The offset at which a writer may continue, or None if a new file is required.

        If the log consists of several files, the value is ``{"file": name, "at": offset}``.
        """
        return end_to_json(self._outcome[0].end, self._outcome[0].file)

    @property
    def _outcome(self) -> tuple[End, Sequence[Lost]]:
        if self._last is None:
            for _ in self._passed(self.runs(payloads=False)):
                pass
            assert self._last is not None
        return self._last

    def answer(self) -> Answer:
        """Return the executable specification's answer, with all records in memory."""
        return collect(self._specified())

    def events(self) -> Iterator[Event]:
        """Yield records and lost ranges as they are read, and then one ``End``.

        Memory use is constant.
        """
        if not self.is_read_by_scanner:
            return self._specified()
        from walproof.scanners.answers import in_full

        return in_full(self.format, self.runs())

    def runs(self, *, payloads: bool = True) -> Iterator[Event | Records]:
        """Yield the same events as :meth:`events`, with records in runs if a scanner reads the log.

        A run stores many records as columns. Without ``payloads``, runs have neither payloads nor
        fields.
        """
        if not self.is_read_by_scanner:
            return self._specified()
        from walproof.scanners import scanner
        from walproof.scanners.model import Wanted

        wanted = Wanted() if payloads else Wanted(payload=False, columns=frozenset())
        return scanner(self.format).scan(self, wanted)

    def columns(self) -> Iterator[Records | Lost | End]:
        """Yield the events with all records in columns, read by a scanner if the format has one."""
        from walproof.scanners import scanner
        from walproof.scanners.model import Wanted
        from walproof.scanners.reference import ReferenceScanner

        if self.profile == "recover":
            return scanner(self.format).scan(self, Wanted())
        return ReferenceScanner(self.format).in_runs(self._specified(), Wanted())

    def at(self, path: Path, context: Mapping[str, Any]) -> Log:
        """Return a log of the same format at another path."""
        return Log(self.format, path, context=context)

    def _specified(self) -> Iterator[Event]:
        return named(self.format).read(self.readable, self.profile, self.context)

    @property
    def is_read_by_scanner(self) -> bool:
        """True if the log is large, and a scanner can read it. Raises ``OSError``."""
        return (
            self.profile == "recover"
            and self.size >= LARGE_LOG_BYTES
            and plugin_for(self.format).has_scanner
            and importlib.util.find_spec("pyarrow") is not None
        )

    @property
    def size(self) -> int:
        """The current total size of the log's files in bytes. A deleted file counts as 0 bytes."""
        if not self.readable.is_dir():
            return self.readable.stat().st_size
        total = 0
        for file in self.readable.rglob("*"):
            with contextlib.suppress(OSError):
                total += file.stat().st_size if file.is_file() else 0
        return total

    @cached_property
    def readable(self) -> Path:
        """The path of the log, or of a directory that contains only links to the log's files."""
        if not self.reads_files_only:
            return self.path
        scratch = Path(self._scratch.enter_context(_scratch_directory()))
        for file in self.files:
            link = scratch / file
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(os.path.abspath(self.path / file))  # noqa: PTH100 -- no link is resolved
        return scratch

    def is_folder(self) -> bool:
        """Return whether the log consists of several files."""
        return self.readable.is_dir()

    def byte_source(self) -> ByteSource:
        """Open a log of one file for a scanner. Raises ``OSError``."""
        from walproof.scanners.byte_source import LocalSource

        return LocalSource(self.readable)

    def to_arrow(self) -> pa.RecordBatchReader:
        """Return a stream of rows, one for each record and lost range.

        Its memory use is constant. The columns are those of the Spark source. Needs
        ``walproof[columns]``.
        """
        with naming_the_extra("Log.to_arrow"):
            from walproof.arrow_stream import stream
        return stream([self])

    def recover_to(self, path: str | os.PathLike[str]) -> Survivors:
        """Write the records to a new log.

        Records that the new log cannot hold, such as those after a loss, go to
        ``PATH.after-loss.jsonl``. Returns the records in both files. Raises ``FileExistsError``.
        Raises :class:`walproof.CannotWrite`, and writes nothing, if the records cannot form a log.
        """
        from walproof.new_log import read_survivors

        survivors = read_survivors(self)
        survivors.publish(Path(path))
        return survivors


def open(
    log: LogInput, /, format: str | None = None, profile: Profile = "recover", **context: Any
) -> Log:
    """Open a log from the path of a file or directory, a binary file, or bytes.

    The path of a log that consists of several files is its directory. The format is detected unless
    it is given. The keys of ``context`` are those in the format's chapter. A pipe is copied to a
    temporary file, because readers need random access.

    Raises :class:`UnknownFormat` if no format fits or several do, :class:`BadContext` for a context
    that the format rejects, and ``OSError``.
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    if format is not None:
        check_context(named(format).id, context)
    with contextlib.ExitStack() as scratch:
        name, path = _local(log, scratch)
        try:
            detected = _recognised(path) if format is None else format
        except UnknownFormat as error:
            raise UnknownFormat(str(error).replace(str(path), name), error.fitting) from None
        check_context(detected, context)
        result = Log(detected, path, name=name, profile=profile, context=context)
        result.is_copy = name != str(path)
        result._scratch = scratch.pop_all()
    return result


def is_log(directory: Path, format: str | None = None) -> bool:
    """Return whether a directory is itself a log of several files. Raises ``OSError``."""
    if format is not None:
        return "folder" in registers()[format].log and named(format).recognise(directory)
    with contextlib.suppress(UnknownFormat):
        recognise_log(directory)
        return True
    return False


def check_context(format: str, context: Mapping[str, Any]) -> None:
    """Raise :class:`BadContext` unless the register of the format allows the context."""
    check(format, context)
    for name, value in context.items():
        key = registers()[format].context[name]
        if key.pattern and not re.fullmatch(key.pattern, str(value)):
            raise BadContext(f"{name}: expected {key.form}, found {value!r}")


def _scratch_directory() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="walproof-")


def _local(log: LogInput, scratch: contextlib.ExitStack) -> tuple[str, Path]:
    """Return the name and path of a log; copy the log if it is not a file or directory."""
    source: BinaryIO
    if isinstance(log, bytes):
        name, source = _UNNAMED, io.BytesIO(log)
    elif not isinstance(log, str | os.PathLike):
        name, source = getattr(log, "name", _UNNAMED), log
        name = name if isinstance(name, str) else _UNNAMED
    elif _is_pipe(path := Path(log)):
        # Opening a named pipe blocks until a writer opens it.
        name, source = str(path), cast("BinaryIO", scratch.enter_context(path.open("rb")))
    else:
        return str(path), path
    copy = Path(scratch.enter_context(_scratch_directory()), Path(name).name or _UNNAMED)
    with copy.open("xb") as file:
        shutil.copyfileobj(source, file)
    return name, copy


def _is_pipe(path: Path) -> bool:
    mode = path.stat().st_mode
    if stat.S_ISSOCK(mode):
        raise OSError(errno.EINVAL, "expected a log, found a socket", str(path))
    if stat.S_ISCHR(mode) and not path.samefile(os.devnull):
        raise OSError(errno.EINVAL, "expected a log, found a character device", str(path))
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISBLK(mode))


def _recognised(path: Path) -> str:
    try:
        return recognise_log(path)
    except UnknownFormat as error:
        hint = "; `walproof DIR` lists the logs in it" if path.is_dir() else _hints(path)
        raise UnknownFormat(f"{error}{hint}", error.fitting) from None


def _hints(path: Path) -> str:
    """Describe the first bytes and the name of a file that is not a log."""
    hints = ""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if head and not head.strip(b"\0"):
        more = "or more " if len(head) == _HEAD_BYTES else ""
        hints += f"; the file begins with {len(head)} {more}zeros"
    if names := named_like(path.name):
        hints += f"; the name is that of a {' or '.join(names)}, the content is not"
    return hints
