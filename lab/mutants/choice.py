"""Select mutants of a format by function or by changed lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.process import run_program
from lab.mutants.reviewed import Reviewed
from lab.mutants.sites import Mutant, mutants_of
from reference_impl.paths import PACKAGES
from reference_impl.register import registers

GIT_SECONDS = 60
_FILE = re.compile(r"\+\+\+ b/(.+)")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


class NoSuchRevision(Exception):
    """git cannot compare with the given revision."""


#: Maps each file to the numbers of its changed lines.
Changes = Mapping[Path, Set[int]]


def choose(
    mutants: Sequence[Mutant], functions: Sequence[str] = (), changed: Changes | None = None
) -> list[Mutant]:
    """Return the mutants in the given functions and on changed lines, in their original order.

    ``functions`` are glob patterns for names such as ``reader.Scan.events``. An empty sequence
    selects all functions, and ``changed=None`` selects all lines.
    """
    return [
        mutant
        for mutant in mutants
        if (changed is None or mutant.line in changed.get(mutant.path, ()))
        and (not functions or any(fnmatchcase(mutant.name.function, each) for each in functions))
    ]


def sources_of(format_id: str) -> dict[str, Path]:
    """Return the source files of a format's package by module name."""
    module = registers()[format_id].module
    package = f"reference_impl.{module}"
    return {
        package if path.stem == "__init__" else f"{package}.{path.stem}": path
        for path in sorted((PACKAGES / "reference_impl" / module).glob("*.py"))
    }


def family_of(format_id: str) -> list[str]:
    """Return a format, and the formats whose packages import modules of its package."""
    package = f"reference_impl.{registers()[format_id].module}."
    return [format_id] + [
        other
        for other in registers()
        if other != format_id
        and any(package in path.read_text("utf-8") for path in sources_of(other).values())
    ]


def all_mutants(format_id: str, reviewed: Reviewed) -> list[Mutant]:
    """Return the mutants of a format's readers and writers, except in ``reviewed.outside``."""
    register = registers()[format_id]
    names = frozenset({*register.fields, *register.context})
    return [
        mutant
        for path in sources_of(format_id).values()
        for mutant in mutants_of(path, names)
        if mutant.name.function not in reviewed.outside
    ]


def changed_since(base: str, root: Path) -> dict[Path, set[int]]:
    """Return, by file, the lines of the executable specification that differ from a revision.

    Raises :class:`NoSuchRevision`.
    """
    words = ["diff", "--unified=0", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/"]
    command = ["git", "-C", str(root), *words, "--relative", base, "--", "reference_impl/*.py"]
    done = run_program(command, GIT_SECONDS)
    if done.returncode:
        raise NoSuchRevision(f"git diff {base}: {done.stderr.strip()}")
    changed: dict[Path, set[int]] = {}
    lines: set[int] = set()
    for line in done.stdout.splitlines():
        if file := _FILE.match(line):
            lines = changed.setdefault(root / file[1], set())
        elif hunk := _HUNK.match(line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.update(range(first, first + count))
    return changed
