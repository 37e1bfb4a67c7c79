"""Tries packages as their users would: install, example, test, lint, with the tools that are here.

``python -m walproof.parsers.trial [LANGUAGE…]``. What a package depends on is fetched by its own
tools. The program ``example`` must print the same lines of each format's log in every language.
Where the tools or the registry of a language are out of reach, its package is tried with another
compiler and with our own small runtime, if there is one; what could not be tried is said, and why.
Exit status: 0, or 3 if a command of a package failed.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.kaitai.compile import ToolMissing
from conformance.text import printable
from walproof.parsers.languages import LANGUAGES, Language, Offline
from walproof.parsers.naming import Naming
from walproof.parsers.package import EXAMPLES, RUNTIME, make_package

SECONDS = 900
SHOWN = 1500
"""Characters of the end of what a command that failed has said."""
OTHER = Naming("my-logs", "example.org/me/logs", "1.2.3")
"""Names that are not the default: what is written with a fixed name does not work with them."""
_PROGRAM = re.compile(r"^(?:test -z \"\$\()?([a-z+]+)")


def missing(language: Language) -> list[str]:
    """The programs of a language's commands that are not here."""
    found = [_PROGRAM.match(text) for text in (language.install, language.test or "")]
    programs = {match[1] for match in found if match}
    return sorted(one for one in programs if shutil.which(one) is None)


@dataclass(frozen=True)
class Tried:
    """One command of a package, and what it said if it failed.

    ``fetched`` is whether it was the one that fetches what the package depends on.
    """

    command: str
    said: str | None = None
    fetched: bool = False


def try_package(language: Language, folder: Path) -> list[Tried]:
    """Make a package in a folder and run its commands, up to the first that fails.

    Raises ``ToolMissing`` if grammars cannot be compiled here.
    """
    make_package(language, folder, naming=OTHER)
    return _all(language, folder, language.install, language.example, language.test, language.lint)


def try_offline(language: Language, offline: Offline, folder: Path) -> list[Tried]:
    """The same with our own runtime for the language, which comes from no registry."""
    make_package(language, folder, naming=OTHER)
    runtime = shlex.quote(str(RUNTIME / language.id))
    install, example, test = (
        text.replace("{runtime}", runtime)
        for text in (offline.install, offline.example, offline.test)
    )
    return _all(language, folder, install, example, test, None)


def _all(
    language: Language, folder: Path, install: str, example: str, test: str | None, lint: str | None
) -> list[Tried]:
    tried = [replace(_run(install, folder), fetched=True)]
    for one in EXAMPLES:
        if tried[-1].said is None:
            grammar = one["grammar"]
            program = language.named(OTHER).example if example == language.example else example
            tried.append(_run(f"{program} {grammar} logs/{grammar}.log", folder, one["printed"]))
    for command in (test, lint):
        if command is not None and tried[-1].said is None:
            tried.append(_run(command, folder))
    return tried


def _run(command: str, folder: Path, printed: Sequence[str] | None = None) -> Tried:
    """Run a command; it fails, too, if it does not print the lines that are owed."""
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS, check=False,
    )  # fmt: skip
    if done.returncode:
        return Tried(command, done.stdout[-SHOWN:] or f"exit status {done.returncode}")
    if printed is not None and done.stdout.splitlines() != list(printed):
        owed = "\n".join(printed)
        return Tried(command, f"printed\n{done.stdout[-SHOWN:]}where this is owed\n{owed}")
    return Tried(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line of this module."""
    parser = argparse.ArgumentParser(prog="python -m walproof.parsers.trial")
    parser.add_argument("languages", nargs="*", choices=[*LANGUAGES, []], metavar="LANGUAGE")
    failed = False
    for id in parser.parse_args(arguments).languages or LANGUAGES:
        try:
            failed |= not _try(LANGUAGES[id])
        except ToolMissing as error:
            print(f"{id}: {error}", file=sys.stderr)
            return 1
    return 3 if failed else 0


def _try(language: Language) -> bool:
    """Try a package and say what came of it; False if a command failed."""
    if language.test is None and language.offline is None:
        print(f"{language.id}: not tried, because its packages have no tests")
        return True
    with tempfile.TemporaryDirectory(prefix="walproof-trial-") as scratch:
        lacking = missing(language)
        why = f"{' and '.join(lacking)} not found"
        if not lacking:
            tried = try_package(language, Path(scratch) / language.id)
            offline = language.offline
            if offline is None or tried[-1].said is None or not tried[-1].fetched:
                return _tell(language, tried)
            why = f"`{tried[-1].command}` failed: {tried[-1].said.strip().splitlines()[-1]}"
        print(f"{language.id}: unavailable, because {printable(why)}")
        if language.offline is None:
            return True
        gone = [one for one in language.offline.needs if shutil.which(one) is None]
        if gone:
            print(f"{language.id}: not tried, because {' and '.join(gone)} not found either")
            return True
        runtime = f"walproof/parsers/runtime/{language.id}"
        print(f"{language.id}: tried with {language.offline.title} and {runtime} instead")
        folder = Path(scratch) / f"{language.id}-offline"
        return _tell(language, try_offline(language, language.offline, folder))


def _tell(language: Language, tried: Sequence[Tried]) -> bool:
    for one in tried:
        print(f"{language.id}: {'ok' if one.said is None else 'FAILED'}  {one.command}")
        if one.said is not None:
            print(printable(one.said))
    return tried[-1].said is None


if __name__ == "__main__":
    sys.exit(main())
