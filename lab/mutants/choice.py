"""Select mutants: all of a format, some functions, changed functions, or a sample."""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from conformance.process import run_program
from lab.mutants.operators import Vocabulary
from lab.mutants.reviewed import Reviewed
from lab.mutants.sites import Mutant, bodies_of, mutants_of
from reference_impl.paths import PACKAGES
from reference_impl.register import registers

GIT_SECONDS = 60


class NoSuchRevision(Exception):
    """git cannot compare with the given revision."""


@dataclass(frozen=True)
class Choice:
    """A selection of mutants. Empty fields select everything."""

    #: Glob patterns for names such as ``reader.Scan.events``.
    functions: Sequence[str] = ()
    #: Names of changed functions by file.
    changed: Mapping[Path, Set[str]] | None = None
    #: Number of mutants to select at random, always the same ones.
    sample: int | None = None

    @property
    def is_everything(self) -> bool:
        """True if no mutant is left out."""
        return not self.functions and self.changed is None and not self.sample

    def of(self, mutants: Sequence[Mutant]) -> list[Mutant]:
        """Return the chosen mutants, in their order."""
        chosen = [each for each in mutants if self._is_wanted(each)]
        # By their names, so that a change elsewhere in the code leaves the sample as it is.
        drawn = {each.name for each in sorted(chosen, key=_lot)[: self.sample]}
        return [each for each in chosen if each.name in drawn]

    def _is_wanted(self, mutant: Mutant) -> bool:
        name = mutant.name.function
        if self.changed is not None and name not in self.changed.get(mutant.path, ()):
            return False
        return not self.functions or any(fnmatch.fnmatchcase(name, each) for each in self.functions)


def _lot(mutant: Mutant) -> bytes:
    return hashlib.sha256(f"1 {mutant.name}".encode()).digest()


def sources_of(format_id: str) -> dict[str, Path]:
    """Return the source files of a format's package by name of module."""
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
    """Return every mutant of a format's readers and writers, except in functions outside."""
    register = registers()[format_id]
    names = frozenset({*register.fields, *register.context})
    vocabulary = Vocabulary(tuple(register.reasons), names)
    return [
        mutant
        for path in sources_of(format_id).values()
        for mutant in mutants_of(path, vocabulary)
        if mutant.name.function not in reviewed.outside
    ]


def changed_since(base: str, root: Path) -> dict[Path, set[str]]:
    """Return the functions of the executable specification that differ from a revision, by file.

    Code outside of functions has the name of its class or module. Raises :class:`NoSuchRevision`.
    """
    names = _git(root, "diff", "--name-only", "--relative", base, "--", "reference_impl/*.py")
    if names is None:
        raise NoSuchRevision(f"git diff {base}: no such revision")
    changed = {}
    for name in names.splitlines():
        path = root / name
        if not path.exists():
            continue
        before = bodies_of(_git(root, "show", f"{base}:./{name}") or "", path.stem)
        now = bodies_of(path.read_text("utf-8"), path.stem)
        changed[path] = {function for function in now if now[function] != before.get(function)}
    return changed


def formats_touched(changed: Mapping[Path, Set[str]]) -> list[str]:
    """Return the formats whose readers or writers a change touches."""
    return [each for each in registers() if {*sources_of(each).values()} & {*changed}]


#: Where the main branch may be, the one that others see first.
MAIN = ("origin/main", "main")


def base_of_change(root: Path) -> str:
    """Return the commit at which a branch left main, or on main the commit before the last one.

    Raises :class:`NoSuchRevision`.
    """
    head = _git(root, "rev-parse", "HEAD")
    left = next((each for main in MAIN if (each := _git(root, "merge-base", main, "HEAD"))), None)
    if left is not None and left == head:
        left = _git(root, "rev-parse", "--verify", "HEAD~1")
    if left is None:
        shallow = _git(root, "rev-parse", "--is-shallow-repository") == "true"
        why = "a shallow clone" if shallow else "no main, or nothing before it"
        raise NoSuchRevision(f"git does not say where this change began: {why}")
    return left


def _git(root: Path, *arguments: str) -> str | None:
    done = run_program(["git", "-C", str(root), *arguments], GIT_SECONDS)
    return done.stdout.strip() if done.returncode == 0 else None
