"""What a package is called, which version and licence it has: by default that of this project."""

from __future__ import annotations

import re
from dataclasses import dataclass

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MODULE = re.compile(r"[a-z0-9][a-z0-9.~_-]*(/[A-Za-z0-9][A-Za-z0-9.~_-]*)*")
VERSION = re.compile(r"\d+\.\d+\.\d+")
LICENCE = re.compile(r"[A-Za-z0-9.+() -]+")
"""What every ecosystem takes; of licences what SPDX expressions are made of."""

FREE = "CC0-1.0"
"""The licence of our own grammars, and of what is generated from them."""


class BadName(ValueError):
    """A name that not every ecosystem takes."""


@dataclass(frozen=True)
class Naming:
    """``name`` is that in registries, ``module`` a path as Go has it, ``licence`` in SPDX's words.

    Without a licence a package has that of its grammars. Raises :class:`BadName`.
    """

    name: str = "walproof-parsers"
    module: str = "walproof/parsers"
    version: str = "0.0.0"
    licence: str | None = None

    def __post_init__(self) -> None:
        for what, text, pattern, like in (
            ("name", self.name, NAME, "my-parsers"),
            ("module", self.module, MODULE, "example.org/me/parsers"),
            ("version", self.version, VERSION, "1.2.3"),
            ("licence", self.licence or FREE, LICENCE, "MIT OR Apache-2.0"),
        ):
            if not pattern.fullmatch(text):
                raise BadName(f"{what} {text!r}: one like {like} was expected")

    @property
    def identifier(self) -> str:
        """The name as Python, Rust and CMake write it."""
        return self.name.replace("-", "_")

    @property
    def java(self) -> str:
        """``example.org/me/parsers`` → ``org.example.me.parsers``."""
        host, *rest = self.module.split("/")
        parts = [*reversed(host.split(".")), *rest]
        words = [re.sub(r"\W", "_", part).lower() for part in parts]
        return ".".join(f"_{word}" if word[0].isdigit() else word for word in words)

    @property
    def java_path(self) -> str:
        """The same as a path."""
        return self.java.replace(".", "/")

    @property
    def java_group(self) -> str:
        """The group of the artefact."""
        return self.java.rpartition(".")[0] or self.java

    @property
    def go(self) -> str:
        """The name of the package, which every file of it begins with."""
        return re.sub(r"\W", "", self.module.rpartition("/")[2]).lower()


def licence_of(stated: list[str | None], chosen: str | None = None) -> str | None:
    """The licence of what is generated: the chosen one, else all that the grammars state.

    None if a grammar states none: nobody may use what has no licence.
    """
    if chosen or not stated or None in stated:
        return chosen
    found = sorted({one for one in stated if one})
    if len(found) == 1:
        return found[0]
    return " AND ".join(f"({one})" if " " in one else one for one in found)
