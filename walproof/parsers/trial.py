"""Tries packages as their users would: install, test, lint, with the tools that are here.

``python -m walproof.parsers.trial [LANGUAGE…]``. What a package depends on is fetched by its own
tools. Exit status: 0, or 3 if a command of a package failed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from conformance.kaitai.compile import ToolMissing
from conformance.text import printable
from walproof.parsers.languages import LANGUAGES, Language
from walproof.parsers.naming import Naming
from walproof.parsers.package import make_package

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


def try_package(language: Language, folder: Path) -> list[tuple[str, str | None]]:
    """Make a package in a folder and run its commands: each, and what it said if it failed.

    Raises ``ToolMissing`` if grammars cannot be compiled here.
    """
    make_package(language, folder, naming=OTHER)
    tried: list[tuple[str, str | None]] = []
    for command in (language.install, language.test, language.lint):
        if command is None:
            continue
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS, check=False,
        )  # fmt: skip
        tried.append((command, None if done.returncode == 0 else done.stdout[-SHOWN:]))
        if done.returncode:
            break
    return tried


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line of this module."""
    parser = argparse.ArgumentParser(prog="python -m walproof.parsers.trial")
    parser.add_argument("languages", nargs="*", choices=[*LANGUAGES, []], metavar="LANGUAGE")
    failed = False
    for id in parser.parse_args(arguments).languages or [
        id for id, one in LANGUAGES.items() if one.test
    ]:
        if lacking := missing(LANGUAGES[id]):
            print(f"{id}: {' and '.join(lacking)} not found")
            continue
        with tempfile.TemporaryDirectory(prefix="walproof-trial-") as scratch:
            try:
                tried = try_package(LANGUAGES[id], Path(scratch) / id)
            except ToolMissing as error:
                print(f"{id}: {error}", file=sys.stderr)
                return 1
        for command, said in tried:
            print(f"{id}: {'ok' if said is None else 'FAILED'}  {command}")
            if said is not None:
                failed = True
                print(printable(said))
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
