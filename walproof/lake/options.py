"""Options for finding and opening logs, defined in one table.

Options that Spark's file sources also have are named as in Spark. Spark passes options as text and
ignores the case of names. An unknown name is an error, because a misspelt option must not be
ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, TypeVar

from reference_impl.formats import FORMATS
from walproof.formats import plugin_for
from walproof.lake.option import Option, byte_count, flag, one_of, text_value, time

#: Prefix of options that are passed to the constructor of the file system (``pyarrow.fs``).
FILE_SYSTEM = "fs."
_SPARKS_OWN = re.compile(r"spark\..*|__.*")


class BadOption(ValueError):
    """An unknown option, or an invalid value; the message names the option."""


#: Options common to all formats. Each format adds its own (``formats``).
OPTIONS: Sequence[Option] = (
    Option(
        "journalFormat",
        "format",
        one_of("auto", *FORMATS),
        "`auto`",
        f"Format of the logs: {', '.join(f'`{name}`' for name in FORMATS)}. `auto` detects the"
        " format of each log.",
    ),
    Option(
        "pathGlobFilter",
        "glob",
        text_value,
        "none",
        "Read only files whose name matches (`*.log`). For a log of several files, its folder or"
        " one file must match.",
    ),
    Option(
        "recursiveFileLookup",
        "recursive",
        flag,
        "`false`",
        "Search subfolders.",
    ),
    Option(
        "modifiedBefore",
        "before",
        time,
        "none",
        "Read only logs last modified before this time (in UTC without a zone).",
    ),
    Option(
        "modifiedAfter",
        "after",
        time,
        "none",
        "Read only logs last modified after this time (in UTC without a zone).",
    ),
    Option(
        "maxPayloadBytes",
        "max_payload",
        byte_count,
        "`64m`",
        "Cut longer payloads to this many bytes and set `payload_truncated`.",
    ),
    Option(
        "maxFetchBytes",
        "max_fetch",
        byte_count,
        "`8g`",
        "Largest remote log to copy to a worker; a larger log is `unreadable`.",
    ),
)


@dataclass(frozen=True)
class Options:
    """The values of :data:`OPTIONS`, the paths, and the options of the file system.

    ``contexts`` contains the values of the formats' own options, by format id and context key.
    """

    paths: tuple[str, ...] = ()
    file_system: tuple[tuple[str, str], ...] = ()
    contexts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    format: str = "auto"
    glob: str | None = None
    recursive: bool = False
    before: float | None = None
    after: float | None = None
    max_payload: int = 64 << 20
    max_fetch: int = 8 << 30

    def context(self, format_id: str) -> dict[str, Any]:
        """Return the context for the reader of a format."""
        return dict(self.contexts.get(format_id, {}))


Made = TypeVar("Made", bound=Options)


def parse(options: Mapping[str, str]) -> Options:
    """Parse the options for finding and opening logs. Raises :class:`BadOption`."""
    return parsed(options, OPTIONS, Options)


def parsed(options: Mapping[str, str], known: Sequence[Option], make: type[Made]) -> Made:
    """Parse the values of ``known`` and of the formats' own options. Raises :class:`BadOption`."""
    by_name = {option.name.lower(): (option, "") for option in known}
    for format_id, option in of_formats():
        by_name[option.name.lower()] = (option, format_id)
    values: dict[str, Any] = {}
    contexts: dict[str, dict[str, Any]] = {}
    file_system: dict[str, str] = {}
    given = {key.lower(): str(value) for key, value in options.items()}
    for key, text in given.items():
        if key in ("path", "paths") or _SPARKS_OWN.fullmatch(key):
            continue
        if key.startswith(FILE_SYSTEM):
            file_system[key.removeprefix(FILE_SYSTEM)] = text
            continue
        if key not in by_name:
            raise BadOption(_unknown(key, options, [each.name for each, _ in by_name.values()]))
        option, format_id = by_name[key]
        try:
            value = option.parse(text)
        except ValueError as error:
            raise BadOption(
                f"journal: option {option.name}: expected {error}, found {text!r}"
            ) from None
        if not format_id:
            values[option.attribute] = value
        elif value is not None:
            contexts.setdefault(format_id, {})[option.attribute] = value
    return make(
        paths=_paths(given),
        file_system=tuple(sorted(file_system.items())),
        contexts=contexts,
        **values,
    )


def _unknown(key: str, options: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the message for an unknown option: the name as typed and the nearest known names."""
    typed = next((name for name in options if name.lower() == key), key)
    by_lower = {name.lower(): name for name in names}
    near = [by_lower[name] for name in get_close_matches(key, by_lower, n=2)]
    if near:
        return f"journal: unknown option {typed!r}; did you mean {' or '.join(near)}?"
    return f"journal: unknown option {typed!r}; the options are {', '.join(names)}"


def of_formats() -> list[tuple[str, Option]]:
    """Yield the options of each format, with its id."""
    return [
        (format_id, option)
        for format_id in FORMATS
        for option in plugin_for(format_id).discovery.options
    ]


def _paths(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths of ``load("a")`` (``path``) or ``load(["a", "b"])`` (``paths``, as JSON)."""
    result = [options["path"]] if options.get("path") else []
    if "paths" in options:
        try:
            more = json.loads(options["paths"])
        except ValueError:
            more = None
        if not isinstance(more, list) or not all(isinstance(path, str) for path in more):
            raise BadOption(
                f"journal: option paths: expected a JSON list of paths, found {options['paths']!r}"
            )
        result += more
    return tuple(result)
