"""Names, version and licence of a package."""

from __future__ import annotations

import re
from dataclasses import dataclass

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MODULE = re.compile(r"[a-z0-9][a-z0-9.~_-]*(/[A-Za-z0-9][A-Za-z0-9.~_-]*)*")
VERSION = re.compile(r"\d+\.\d+\.\d+")
#: Names that every ecosystem accepts; licences are SPDX expressions.
LICENCE = re.compile(r"[A-Za-z0-9.+() -]+")

#: Licence of the grammars of Walproof, and of the parsers generated from them.
FREE = "CC0-1.0"


class BadName(ValueError):
    """Raised for a name that some ecosystem rejects."""


@dataclass(frozen=True)
class Naming:
    """The names of a package."""

    #: Name in registries.
    name: str = "walproof-parsers"
    #: Module path in Go.
    module: str = "walproof/parsers"
    version: str = "0.0.0"
    #: SPDX id, or None for the licence of the grammars.
    licence: str | None = None

    def __post_init__(self) -> None:
        for option, text, pattern, like in (
            ("name", self.name, NAME, "my-parsers"),
            ("module", self.module, MODULE, "example.org/me/parsers"),
            ("version", self.version, VERSION, "1.2.3"),
            ("licence", self.licence or FREE, LICENCE, "MIT OR Apache-2.0"),
        ):
            if not pattern.fullmatch(text):
                raise BadName(f"{option} {text!r}: expected one like {like}")

    @property
    def identifier(self) -> str:
        """The name in Python, Rust and CMake."""
        return self.name.replace("-", "_")

    @property
    def java(self) -> str:
        """The Java package: ``example.org/me/parsers`` → ``org.example.me.parsers``."""
        host, *path = self.module.split("/")
        parts = [*reversed(host.split(".")), *path]
        identifiers = [re.sub(r"\W", "_", part).lower() for part in parts]
        return ".".join(
            f"_{identifier}" if identifier[0].isdigit() else identifier
            for identifier in identifiers
        )

    @property
    def java_path(self) -> str:
        """The Java package as a path."""
        return self.java.replace(".", "/")

    @property
    def java_group(self) -> str:
        """The Maven group."""
        return self.java.rpartition(".")[0] or self.java

    @property
    def go(self) -> str:
        """The Go package."""
        return re.sub(r"\W", "", self.module.rpartition("/")[2]).lower()


def licence_of(stated: list[str | None], chosen: str | None = None) -> str | None:
    """Return the licence of generated files: the chosen one, or all licences of the grammars.

    Return None if a grammar states no licence.
    """
    if chosen or not stated or None in stated:
        return chosen
    licences = sorted({licence for licence in stated if licence})
    if len(licences) == 1:
        return licences[0]
    return " AND ".join(f"({licence})" if " " in licence else licence for licence in licences)
