"""The options of the data source: one table, from which values are read and the README is made.

Names are those of Spark's own file sources where these have such an option. Spark hands options
over as text, under names in any case. An unknown name is an error: a misspelt option must not be
passed over in silence.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

FORMAT_IDS = ("leveldb-log", "zeebe-journal", "kahadb-journal", "systemd-journal", "zmq-raft")
"""Tested to be those of the executable specification, whose import takes a while."""

PERMISSIVE, DROPMALFORMED, FAILFAST = "PERMISSIVE", "DROPMALFORMED", "FAILFAST"
FILE_SYSTEM = "fs."
"""Prefix of options that go to the file system's constructor (``pyarrow.fs``)."""
_SPARKS_OWN = re.compile(r"spark\..*|__.*")
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20}
_UNITS |= {"g": 1 << 30, "gb": 1 << 30, "t": 1 << 40, "tb": 1 << 40}


class BadOption(ValueError):
    """An option that is unknown or has a value that it cannot have; the message says which."""


def _flag(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError("true or false")
    return text.lower() == "true"


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d{1,18})\s*([a-z]*)", text.strip().lower())
    unit = _UNITS.get(match[2].removesuffix("ib") if match else "?")
    if match is None or unit is None or not int(match[1]) * unit:
        raise ValueError("a number of bytes above 0, such as 33554432 or 32m")
    return int(match[1]) * unit


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text) or not int(text):
        raise ValueError("a whole number above 0")
    return int(text)


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        raise ValueError("a number of seconds")
    return float(text)


def _time(text: str) -> float:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("a time such as 2026-11-20T13:00:00, in UTC") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _flushed(text: str) -> str:
    if text != "meta" and not re.fullmatch(r"\d{1,19}", text):
        raise ValueError("a number, or meta for the file beside the segments")
    return text


def _text(text: str) -> str:
    if not text:
        raise ValueError("a text that is not empty")
    return text


def _key(text: str) -> str:
    from reference_impl.systemd_journal.sealing import BadKey, VerificationKey

    try:
        VerificationKey.parse(text)
    except BadKey:
        raise ValueError("a key as journalctl --setup-keys prints it") from None
    return text


def _one_of(*values: str) -> Callable[[str], str]:
    by_name = {value.lower(): value for value in values}

    def parse(text: str) -> str:
        if text.lower() not in by_name:
            raise ValueError(f"one of {', '.join(values)}")
        return by_name[text.lower()]

    return parse


@dataclass(frozen=True)
class Option:
    """One option. ``parse`` raises ``ValueError`` with what was expected.

    ``attribute`` names the field of :class:`Options` with its default, ``shown`` shows that.
    """

    name: str
    attribute: str
    parse: Callable[[str], Any]
    shown: str
    doc: str


OPTIONS = (
    Option(
        "journalFormat",
        "format",
        _one_of("auto", *FORMAT_IDS),
        "`auto`",
        f"What the logs are: {', '.join(f'`{name}`' for name in FORMAT_IDS)}; `auto` looks at"
        " each, and its columns are those of all formats together.",
    ),
    Option(
        "pathGlobFilter",
        "glob",
        _text,
        "none",
        "Only files with such a name (`*.log`). A log of several files is taken whole or not at"
        " all: it passes when its folder or one of its files does.",
    ),
    Option(
        "recursiveFileLookup",
        "recursive",
        _flag,
        "`false`",
        "Whether to look into folders inside the given ones.",
    ),
    Option(
        "modifiedBefore",
        "before",
        _time,
        "none",
        "Only logs last modified before this time (UTC unless it names a zone).",
    ),
    Option("modifiedAfter", "after", _time, "none", "Only logs last modified after it."),
    Option(
        "mode",
        "mode",
        _one_of(PERMISSIVE, DROPMALFORMED, FAILFAST),
        "`PERMISSIVE`",
        "`PERMISSIVE`: a row for all that was found or lost. `DROPMALFORMED`: records only."
        " `FAILFAST`: the first row that is no record fails the job and is named.",
    ),
    Option(
        "columnNameOfCorruptRecord",
        "corrupt_column",
        _text,
        "`_corrupt_record`",
        "Column for the raw bytes of a lost range. It is there when this option is given, or when"
        " the schema that you give names it.",
    ),
    Option(
        "ignoreCorruptFiles",
        "ignore_corrupt",
        _flag,
        "`false`",
        "Pass over files that cannot be read, and logs that are refused, in every mode.",
    ),
    Option(
        "ignoreMissingFiles",
        "ignore_missing",
        _flag,
        "`false`",
        "Pass over files that vanished since they were listed.",
    ),
    Option(
        "maxPartitionBytes",
        "max_partition",
        _bytes,
        "`32m`",
        "Largest partition, as far as the format can be split there.",
    ),
    Option(
        "openCostInBytes",
        "open_cost",
        _bytes,
        "`64k`",
        "What opening a file costs, in bytes that could be read instead: packs small files.",
    ),
    Option(
        "minPartitionNum",
        "min_partitions",
        _count,
        "cores of the driver's machine",
        "How many partitions to aim for at least: the slots of the cluster.",
    ),
    Option(
        "maxPayloadBytes",
        "max_payload",
        _bytes,
        "`64m`",
        "Longer payloads are cut to this many bytes and marked in `payload_truncated`.",
    ),
    Option(
        "maxFetchBytes",
        "max_fetch",
        _bytes,
        "`8g`",
        "Largest remote log that is copied to the worker; a larger one is unreadable. LevelDB"
        " logs are read by ranges and never copied.",
    ),
    Option(
        "decode",
        "decode",
        _flag,
        "`false`",
        "Add the struct `decoded`: what the payload means (see Decoding).",
    ),
    Option(
        "systemdFields",
        "systemd_fields",
        _text,
        "none",
        "With `decode`: fields of systemd entries that become columns of `decoded`, separated by"
        " commas (`MESSAGE,_PID`), instead of the map.",
    ),
    Option(
        "lastFlushedIndex",
        "flushed",
        _flushed,
        "none",
        "Zeebe: the index that the broker knows to be flushed; `meta` takes it from the file"
        " beside the segments. What is missing below it is damage, not an unfinished write.",
    ),
    Option(
        "journalName",
        "journal_name",
        _text,
        "all",
        "Zeebe: of several journals in one folder, only this one.",
    ),
    Option(
        "verificationKey",
        "key",
        _key,
        "none",
        "systemd: checks the seals of a sealed journal.",
    ),
    Option(
        "rawEntries",
        "raw_entries",
        _flag,
        "`false`",
        "zmq-raft: entries have no header (logs from outside of its server).",
    ),
    Option(
        "maxFilesPerTrigger",
        "max_files",
        _count,
        "none",
        "Streaming: how many logs move on in one batch at most.",
    ),
    Option(
        "maxBytesPerTrigger",
        "max_trigger",
        _bytes,
        "none",
        "Streaming: how many bytes of logs one batch reads at most, but for its first record.",
    ),
    Option(
        "damageAfterSeconds",
        "quiet",
        _seconds,
        "`60`",
        "Streaming: damage at the very end of a log is reported when the log did not change for"
        " this long. Until then it may be a write that is still under way.",
    ),
    Option(
        "onRewrite",
        "on_rewrite",
        _one_of("fail", "restart"),
        "`fail`",
        "Streaming: what to do about a log that was truncated or replaced behind the stream's"
        " back: fail, or read it again from its start.",
    ),
)


@dataclass(frozen=True)
class Options:
    """The values of :data:`OPTIONS`, the paths, and what goes to the file system."""

    paths: tuple[str, ...] = ()
    file_system: tuple[tuple[str, str], ...] = ()
    format: str = "auto"
    glob: str | None = None
    recursive: bool = False
    before: float | None = None
    after: float | None = None
    mode: str = PERMISSIVE
    corrupt_column: str | None = None
    ignore_corrupt: bool = False
    ignore_missing: bool = False
    max_partition: int = 32 << 20
    open_cost: int = 64 << 10
    min_partitions: int | None = None
    max_payload: int = 64 << 20
    max_fetch: int = 8 << 30
    decode: bool = False
    systemd_fields: str | None = None
    flushed: str | None = None
    journal_name: str | None = None
    key: str | None = None
    raw_entries: bool = False
    max_files: int | None = None
    max_trigger: int | None = None
    quiet: float = 60.0
    on_rewrite: str = "fail"

    @property
    def corrupt_name(self) -> str:
        """Name of the column for the bytes of lost ranges."""
        return self.corrupt_column or "_corrupt_record"

    @property
    def slots(self) -> int:
        """Partitions to aim for at least."""
        return self.min_partitions or os.cpu_count() or 1

    @property
    def entry_fields(self) -> tuple[str, ...]:
        """Fields of a systemd entry that were asked for by name."""
        return tuple(name.strip() for name in (self.systemd_fields or "").split(",") if name)

    def context(self, format_id: str) -> dict[str, Any]:
        """What a reader of this format is told besides the bytes."""
        given: dict[str, dict[str, Any]] = {
            "zeebe-journal": {"last_flushed_index": self.flushed, "name": self.journal_name},
            "systemd-journal": {"key": self.key},
            "zmq-raft": {"entries": "raw" if self.raw_entries else None},
        }
        return {k: v for k, v in given.get(format_id, {}).items() if v is not None}


def parse(options: Mapping[str, str]) -> Options:
    """The options of a data source. Raises :class:`BadOption`."""
    by_name = {option.name.lower(): option for option in OPTIONS}
    values: dict[str, Any] = {}
    file_system: dict[str, str] = {}
    given = {key.lower(): str(value) for key, value in options.items()}
    for key, text in given.items():
        if key in ("path", "paths") or _SPARKS_OWN.fullmatch(key):
            continue
        if key.startswith(FILE_SYSTEM):
            file_system[key.removeprefix(FILE_SYSTEM)] = text
        elif key not in by_name:
            known = ", ".join(option.name for option in OPTIONS)
            raise BadOption(f"journal: unknown option {key!r}; the options are {known}")
        else:
            option = by_name[key]
            try:
                values[option.attribute] = option.parse(text)
            except ValueError as error:
                raise BadOption(
                    f"journal: option {option.name}: expected {error}, found {text!r}"
                ) from None
    return Options(paths=_paths(given), file_system=tuple(sorted(file_system.items())), **values)


def _paths(options: Mapping[str, str]) -> tuple[str, ...]:
    """``load("a")`` gives ``path``, ``load(["a", "b"])`` gives ``paths``, as JSON."""
    found = [options["path"]] if options.get("path") else []
    if "paths" in options:
        try:
            more = json.loads(options["paths"])
        except ValueError:
            more = None
        if not isinstance(more, list) or not all(isinstance(path, str) for path in more):
            raise BadOption(
                f"journal: option paths: expected a JSON list of paths, found {options['paths']!r}"
            )
        found += more
    return tuple(found)


def table() -> str:
    """The options as a table in Markdown, for the README."""
    rows = [f"| `{option.name}` | {option.shown} | {option.doc} |" for option in OPTIONS]
    return "\n".join(["| option | default | meaning |", "|---|---|---|", *rows])
