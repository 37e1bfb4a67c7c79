"""Which mutants to make: all of a format, some functions, what a change touches, or a sample."""

from __future__ import annotations

import fnmatch
import hashlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.mutants.loading import sources_of
from lab.mutants.operators import Words
from lab.mutants.reviewed import Reviewed
from lab.mutants.sites import Mutant, functions_of, mutants_of
from reference_impl.register import registers

_FILE = re.compile(r"^\+\+\+ b/(.*)$")
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


class NoSuchRevision(Exception):
    """git cannot compare with what was named."""


@dataclass(frozen=True)
class Choice:
    """Empty fields choose everything.

    ``functions`` are shell globs on names such as ``reader.Scan.events``, ``files`` on those of
    source files. ``changed`` has the changed lines by file. ``sample`` is how many to take of those
    that are left, at random, the same ones for the same ``seed``.
    """

    functions: Sequence[str] = ()
    files: Sequence[str] = ()
    changed: Mapping[Path, frozenset[int]] | None = None
    sample: int | None = None
    seed: int = 1

    @property
    def is_everything(self) -> bool:
        """Whether no mutant is left out."""
        return not self.functions and not self.files and self.changed is None and not self.sample

    def of(self, mutants: Sequence[Mutant]) -> list[Mutant]:
        """The chosen ones, in their order."""
        chosen = [one for one in mutants if self._is_wanted(one)]
        touched = self._touched({one.path for one in chosen})
        if touched is not None:
            chosen = [one for one in chosen if one.name.function in touched[one.path]]
        if self.sample is None:
            return chosen
        # By their names, so that a change elsewhere in the code leaves the sample as it is.
        drawn = sorted(chosen, key=self._lot)[: self.sample]
        names = {one.name for one in drawn}
        return [one for one in chosen if one.name in names]

    def _lot(self, mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{self.seed} {mutant.name}".encode()).digest()

    def _is_wanted(self, mutant: Mutant) -> bool:
        function, file = mutant.name.function, mutant.path.name
        return _fits(function, self.functions) and _fits(file, self.files)

    def _touched(self, paths: set[Path]) -> dict[Path, set[str]] | None:
        """The functions of each file with a changed line; the module, if it is in none of them."""
        if self.changed is None:
            return None
        touched = {}
        for path in paths:
            functions = functions_of(path)
            names = set()
            for line in self.changed.get(path, ()):
                inside = [name for name, lines in functions.items() if line in lines]
                names.update(inside or [path.stem])
            touched[path] = names
        return touched


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def all_mutants(format_id: str, reviewed: Reviewed) -> list[Mutant]:
    """Every mutant of a format's readers and writers, without the functions that are outside."""
    register = registers()[format_id]
    words = Words(tuple(register.reasons), frozenset({*register.fields, *register.context}))
    return [
        mutant
        for path in sources_of(format_id).values()
        for mutant in mutants_of(path, words)
        if mutant.name.function not in reviewed.outside
    ]


def changed_since(base: str, root: Path) -> dict[Path, frozenset[int]]:
    """The lines of the executable specification that differ from a revision, by file.

    What is not committed counts. Raises :class:`NoSuchRevision`.
    """
    done = subprocess.run(
        ["git", "-C", str(root), "diff", "--unified=0", base, "--", "reference_impl"],
        capture_output=True, encoding="utf-8", errors="surrogateescape", check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise NoSuchRevision(f"git diff {base}: {done.stderr.strip()}")
    found: dict[Path, set[int]] = {}
    path = root
    for line in done.stdout.splitlines():
        if file := _FILE.match(line):
            path = root / file[1]
        elif hunk := _HUNK.match(line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            found.setdefault(path, set()).update(range(first, first + max(count, 1)))
    return {path: frozenset(lines) for path, lines in found.items()}


def formats_touched(changed: Mapping[Path, frozenset[int]]) -> list[str]:
    """The formats whose readers or writers a change touches, in the order of the registers."""
    return [one for one in registers() if {*sources_of(one).values()} & {*changed}]


MAIN = ("origin/main", "main")
"""Where the main branch may be, the one that others see first."""


def base_of_change(root: Path) -> str:
    """The revision with which a change is compared: where its branch left main.

    On main, and where nothing was committed since, it is the commit before the last one. Raises
    :class:`NoSuchRevision` where the history does not reach so far, as in a shallow clone.
    """
    head = _git(root, "rev-parse", "--verify", "HEAD")
    for main in MAIN:
        left = _git(root, "merge-base", main, "HEAD")
        if left is not None and left != head:
            return left
        if left is not None:
            break
    before = _git(root, "rev-parse", "--verify", "HEAD~1")
    if left is None or before is None:
        shallow = _git(root, "rev-parse", "--is-shallow-repository") == "true"
        why = "a shallow clone" if shallow else "no main, or nothing before it"
        raise NoSuchRevision(f"git does not say where this change began: {why}")
    return before


def _git(root: Path, *words: str) -> str | None:
    done = subprocess.run(
        ["git", "-C", str(root), *words],
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=False,
    )
    return done.stdout.strip() if done.returncode == 0 else None
