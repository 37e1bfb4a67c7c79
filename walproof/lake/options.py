"""Define the options for finding and opening logs, named as in Spark's file sources.

Spark passes options as text and ignores the case of names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from reference_impl.formats import FORMATS
from walproof.formats import plugin_for
from walproof.lake.option_values import byte_count, flag, one_of, text_value, time

#: Options with this prefix are passed to the constructor of the file system (``pyarrow.fs``).
FILE_SYSTEM = "fs."
_SPARKS_OWN = re.compile(r"spark\..*|__.*")


class BadOption(ValueError):
    """Raised for an unknown option or an invalid value. The message names the option."""


def option(name: str, parse: Callable[[str], Any], default: Any = None) -> Any:
    """Return a dataclass field.

    ``parse`` raises ``ValueError`` with a description of valid values.
    """
    return field(default=default, metadata={"name": name, "parse": parse})


@dataclass(frozen=True)
class Options:
    """The options of a query. ``contexts`` maps each format id to its format-specific options."""

    paths: tuple[str, ...] = ()
    file_system: tuple[tuple[str, str], ...] = ()
    contexts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    format: str = option("journalFormat", one_of("auto", *FORMATS), "auto")
    glob: str | None = option("pathGlobFilter", text_value)
    recursive: bool = option("recursiveFileLookup", flag, False)
    before: float | None = option("modifiedBefore", time)
    after: float | None = option("modifiedAfter", time)
    max_payload: int = option("maxPayloadBytes", byte_count, 64 << 20)
    max_fetch: int = option("maxFetchBytes", byte_count, 8 << 30)

    def context(self, format_id: str) -> dict[str, Any]:
        """Return the context for the reader of a format."""
        return dict(self.contexts.get(format_id, {}))

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> Self:
        """Parse the common and the format-specific options. Raises :class:`BadOption`."""
        known: dict[str, tuple[str, Callable[[str], Any], str, str]] = {}
        for each in fields(cls):
            if each.metadata:
                name, parse_value = each.metadata["name"], each.metadata["parse"]
                known[name.lower()] = (name, parse_value, each.name, "")
        for format_id in FORMATS:
            for name, (key, parse_value) in plugin_for(format_id).discovery.options.items():
                known[name.lower()] = (name, parse_value, key, format_id)
        values: dict[str, Any] = {}
        contexts: dict[str, dict[str, Any]] = {}
        file_system: dict[str, str] = {}
        given = {key.lower(): str(value) for key, value in options.items()}
        for typed in options:
            key, text = typed.lower(), given[typed.lower()]
            if key in ("path", "paths") or _SPARKS_OWN.fullmatch(key):
                continue
            if key.startswith(FILE_SYSTEM):
                file_system[key.removeprefix(FILE_SYSTEM)] = text
                continue
            if key not in known:
                names = ", ".join(name for name, *_ in known.values())
                raise BadOption(f"journal: unknown option {typed!r}; the options are {names}")
            name, parse_value, attribute, format_id = known[key]
            try:
                value = parse_value(text)
            except ValueError as error:
                raise BadOption(
                    f"journal: option {name}: expected {error}, found {text!r}"
                ) from None
            if not format_id:
                values[attribute] = value
            elif value is not None:
                contexts.setdefault(format_id, {})[attribute] = value
        return cls(
            paths=_paths(given),
            file_system=tuple(sorted(file_system.items())),
            contexts=contexts,
            **values,
        )


def _paths(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths that Spark passes as ``path`` (one) or ``paths`` (several, as JSON)."""
    result = [options["path"]] if options.get("path") else []
    if "paths" in options:
        try:
            more = json.loads(options["paths"])
        except (ValueError, RecursionError):
            more = None
        if not isinstance(more, list) or not all(isinstance(path, str) for path in more):
            raise BadOption(
                f"journal: option paths: expected a JSON list of paths, found {options['paths']!r}"
            )
        result += more
    return tuple(result)
