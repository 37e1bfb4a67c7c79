"""The systems that are asked: their folders, and the modes in which each is opened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.declaration import BrokenDeclaration
from conformance.registry import Implementation, declared, load
from conformance.saving import save

FOLDER = Path(__file__).with_name("implementations")
ANSWERS = Path(__file__).with_name("answers")
"""A file for each system: what came of each mode and case when it was asked last.

They do not stand beside the programs: what stands there is built anew when it changes.
"""

Answers = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By mode and by the id of a case: what :meth:`lab.databases.judge.Judgement.to_json` says."""


@dataclass(frozen=True)
class System:
    """A system, the program that drives it, and its modes with what each is called."""

    implementation: Implementation
    modes: Mapping[str, str]
    note: str = ""
    """What a reader of the page must know, in Markdown."""
    boxed: bool = True
    """Whether it runs in a box; one that mounts folders of its own cannot, and needs root."""

    @property
    def name(self) -> str:
        """Its name, without what every system here is."""
        return self.implementation.name

    @property
    def format(self) -> str:
        """The id of the format that it opens."""
        return self.implementation.formats[0]

    @property
    def answers_file(self) -> Path:
        """The file with what came of it."""
        return ANSWERS / f"{self.name}.json"

    def load_answers(self) -> Answers:
        """Return what came of it last; empty if it was never opened."""
        found: Answers = (
            json.loads(self.answers_file.read_text("utf-8")) if self.answers_file.exists() else {}
        )
        return found

    def save_answers(self, answers: Answers) -> None:
        """Store what came of it. Raises ``OSError``."""
        save(self.answers_file, json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


def systems() -> list[System]:
    """All systems by format, then by name."""
    found = []
    for path in FOLDER.glob("*/implementation.toml"):
        body = declared(path.parent)
        if "modes" not in body:
            raise BrokenDeclaration(f"{path}: expected modes, in which the system opens a database")
        found.append(
            System(load(path.parent), body["modes"], body.get("note", ""), body.get("boxed", True))
        )
    return sorted(found, key=lambda each: (each.format, each.name))
