"""The database systems under test, with the modes in which each opens a database."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from conformance.declaration import BrokenDeclaration
from conformance.registry import Implementation, declared, load
from conformance.saving import save
from lab.databases.judge import OpeningJudgement

FOLDER = Path(__file__).with_name("implementations")
#: This folder has a file for each format and system with the judgements of the last run. The files
#: are not stored next to the programs, because a change there triggers a new build.
ANSWERS = Path(__file__).with_name("answers")

#: Maps each mode to its judgements by case id.
Answers = Mapping[str, Mapping[str, OpeningJudgement]]


@dataclass(frozen=True)
class DatabaseSystem:
    """A database system for one format: the program that runs the system, and its modes."""

    implementation: Implementation
    format: str
    modes: Mapping[str, str]
    #: Dialects that the system opens, in addition to logs without a dialect.
    variants: Sequence[str] = ()
    #: A remark for the page, in Markdown.
    note: str = ""
    #: False if the system mounts its own directories and needs root.
    is_sandboxed: bool = True

    @property
    def name(self) -> str:
        """The name of the implementation."""
        return self.implementation.name

    @property
    def answers_file(self) -> Path:
        """The file with the stored judgements."""
        return ANSWERS / self.format / f"{self.name}.json"

    @cached_property
    def answers(self) -> Answers:
        """The judgements of the last run, or an empty mapping."""
        if not self.answers_file.exists():
            return {}
        body = json.loads(self.answers_file.read_text("utf-8"))
        return {
            mode: {id: OpeningJudgement(**each) for id, each in of_mode.items()}
            for mode, of_mode in body.items()
        }

    def save_answers(self, answers: Answers) -> None:
        """Store the judgements of a run. Raises ``OSError``."""
        body = {
            mode: {id: each.to_json() for id, each in of_mode.items()}
            for mode, of_mode in answers.items()
        }
        self.answers_file.parent.mkdir(exist_ok=True)
        save(self.answers_file, json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def systems() -> list[DatabaseSystem]:
    """Return all systems by format, then by name."""
    results = []
    for path in FOLDER.glob("*/implementation.toml"):
        body = declared(path.parent)
        if "modes" not in body:
            raise BrokenDeclaration(f"{path}: expected modes, in which the system opens a database")
        results += [
            DatabaseSystem(
                load(path.parent),
                format_id,
                body["modes"],
                body.get("variants", ()),
                body.get("note", ""),
                body.get("sandboxed", True),
            )
            for format_id in body["formats"]
        ]
    return sorted(results, key=lambda each: (each.format, each.name))
