"""The parts of a source tree that ids connect: chapters, vectors, grammars, sources."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import undetected_flips
from conformance.kaitai.types import Types
from conformance.vector_cases import cases_of
from conformance.vectors import Vector
from reference_impl.register import Register, load

ID = re.compile(r"\b[A-Z]{3}-\d{3}\b")
DEFINITION = re.compile(r"^\*\*([A-Z]{3}-\d{3})(.*)$")
LEVEL = re.compile(r" \((MUST|MUST NOT|SHOULD|SHOULD NOT|MAY)\)\*\* \S")

PROSE = frozenset({".md", ".txt", ".j2", ".json", ".toml", ".yml", ".ksy", ".css"})
CODE = frozenset(
    {".c", ".cc", ".go", ".h", ".hpp", ".java", ".js", ".mjs", ".py", ".rs", ".sh", ".ts"}
)
# Hand-written files have one of these extensions or none.
ENDINGS = PROSE | CODE

# The place of a violated rule and the description of the fault.
Found = tuple[str, str]


@dataclass(frozen=True)
class ChapterIds:
    """The chapter of one format: its requirements with their lines."""

    path: Path
    requirements: tuple[tuple[str, int], ...]
    #: Numbers of the lines that begin with an id but do not have the form of a requirement.
    malformed: tuple[int, ...]

    @property
    def format(self) -> str:
        """Return the format id, which is the name of the file."""
        return self.path.stem

    @property
    def ids(self) -> frozenset[str]:
        """Return the ids that the chapter defines."""
        return frozenset(identifier for identifier, _ in self.requirements)


def read_chapter(path: Path) -> ChapterIds:
    """Read a chapter from its file."""
    requirements, malformed = [], []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if match := DEFINITION.match(line):
            requirements.append((match[1], number))
            if not LEVEL.match(match[2]):
                malformed.append(number)
    return ChapterIds(path, tuple(requirements), tuple(malformed))


class SourceTree:
    """A source tree. Each part is read on first use."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @functools.cached_property
    def chapters(self) -> dict[str, ChapterIds]:
        """Return the chapters by format: the files of ``spec/`` that define requirements."""
        chapters = map(read_chapter, sorted((self.root / "spec").glob("*.md")))
        return {chapter.format: chapter for chapter in chapters if chapter.requirements}

    @functools.cached_property
    def registers(self) -> dict[str, Register]:
        """Return the registers by format."""
        registers = map(load, sorted((self.root / "spec").glob("*.toml")))
        return {register.id: register for register in registers}

    @functools.cached_property
    def unseen(self) -> dict[str, undetected_flips.Searched]:
        """Return the results of the bit-flip searches by format."""
        results = ((id, undetected_flips.load(id, self.root / "spec")) for id in self.registers)
        return {id: searched for id, searched in results if searched is not None}

    @functools.cached_property
    def ids(self) -> frozenset[str]:
        """Return every id that a chapter defines."""
        return frozenset(identifier for c in self.chapters.values() for identifier in c.ids)

    @functools.cached_property
    def vectors(self) -> dict[str, Vector]:
        """Return the vectors by id, not validated by their schema."""
        paths = sorted((self.root / "vectors").glob("*/*.json"))
        vectors = (Vector(path, json.loads(path.read_text("utf-8"))) for path in paths)
        return {vector.id: vector for vector in vectors}

    @functools.cached_property
    def grammars(self) -> dict[str, Types]:
        """Return the grammars by name, including those that are only imported."""
        folder = self.root / "ksy"
        return {path.stem: Types(path.stem, folder) for path in sorted(folder.glob("*.ksy"))}

    def grammars_of(self, format: str) -> list[Types]:
        """Return the grammars in a format's register, without those that they import."""
        register = self.registers.get(format)
        names = [grammar.name for grammar in register.grammars] if register else []
        return [self.grammars[name] for name in names if name in self.grammars]

    @functools.cached_property
    def known_failures(self) -> dict[Path, Mapping[str, Any]]:
        """Return the lists of known failures, by file."""
        paths = sorted(self.root.glob("*/implementations/*/known-failures.json"))
        return {path: json.loads(path.read_text("utf-8")) for path in paths}

    def chapter_of(self, vector: Vector) -> ChapterIds | None:
        """Return the chapter of a vector's format."""
        return self.chapters.get(str(vector.body["format"]))

    def sources(self) -> Iterator[Path]:
        """Yield the hand-written files, except descriptions of vectors, which have other rules."""
        vectors = {vector.path for vector in self.vectors.values()}
        return (path for path in self._walk(self.root) if path not in vectors)

    def _walk(self, folder: Path) -> Iterator[Path]:
        generated = {"build", "node_modules", "__pycache__"}
        if folder == self.root:
            generated.add("reports")
        for path in sorted(folder.iterdir()):
            if path.is_dir():
                hidden = path.name.startswith(".") and path.name not in (".ci", ".github")
                if not (hidden or path.name in generated or path.suffix == ".egg-info"):
                    yield from self._walk(path)
            elif path.suffix in ENDINGS or not path.suffix:
                yield path

    def show(self, path: Path, line: int | None = None) -> str:
        """Return a location as ``FILE`` or ``FILE:LINE``, relative to the tree."""
        shown = path.relative_to(self.root).as_posix()
        return shown if line is None else f"{shown}:{line}"


def profiles_of(vector: Vector) -> set[str]:
    """Return the profiles in which a vector runs."""
    return {case.profile for case in cases_of([vector])}
