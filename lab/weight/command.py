"""``python -m lab weight``: count the hand-written lines of each format."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping

import click

from conformance import ROOT
from walproof.cli.output import say

PARTS = ("chapter", "grammar", "specification", "recipes", "tools", "second", "lab", "tests",
         "adapters")  # fmt: skip
#: A program for more than this many formats counts for none of them.
MAX_FORMATS = 3
#: Matches generated files and data from real systems, which do not count.
_GENERATED = re.compile(r"known-failures\.json$|\.sum$|\.lock$|-lock\.json$|^tests/data/|\.xml$")
_PROGRAM = re.compile(r"((?:conformance|lab/\w+)/implementations/[^/]+)/")


@click.command()
@click.argument("revision", default="HEAD")
def weight(revision: str) -> int:
    """Count the hand-written lines of each part of each format.

    Lists of known failures, lock files and data from real systems do not count. An adapter for two
    or three formats counts for each of them. The column `second` counts readers that were written
    from the chapter alone.

    \b
    python -m lab weight
    python -m lab weight main~100
    """
    lines = _lines(revision)
    registers = [tomllib.loads(_text(revision, path)) for path in lines if _is_register(path)]
    programs = {
        path.rpartition("/")[0]: tomllib.loads(_text(revision, path))
        for path in lines
        if path.endswith("/implementation.toml")
    }
    rows, counted = [], set()
    for register in sorted(registers, key=lambda each: each["order"]):
        found = Counter[str]()
        for path, count in lines.items():
            for part in _parts(path, register, programs):
                found[part] += count
                counted.add(path)
        cells = [f"{found[part]:,}" for part in PARTS]
        rows.append([f"`{register['id']}`", *cells, f"{found.total():,}"])
    for row in (["format", *PARTS, "sum"], ["---"] * (len(PARTS) + 2), *rows):
        say(f"| {' | '.join(row)} |")
    python = {path: count for path, count in lines.items() if path.endswith(".py")}
    say(f"Python of no single format: {sum(python[path] for path in python.keys() - counted):,}")
    return 0


def _parts(
    path: str, register: Mapping[str, object], programs: Mapping[str, object]
) -> Iterator[str]:
    """Yield the part of the format that a file belongs to, if any."""
    id = str(register["id"])
    module = id.replace("-", "_")
    grammars: list[dict[str, str]] = register["grammars"]  # type: ignore[assignment]
    if path in (f"spec/{id}.md", f"spec/{id}.toml"):
        yield "chapter"
    elif path in [f"ksy/{each['name']}.ksy" for each in grammars]:
        yield "grammar"
    elif path.startswith(f"reference_impl/{module}/"):
        yield "specification"
    elif path.startswith(f"conformance/recipes/{module}/"):
        yield "recipes"
    elif path.startswith(f"walproof/formats/{module}/"):
        yield "tools"
    elif path.startswith(f"lab/formats/{module}/"):
        yield "lab"
    elif path.startswith("tests/"):
        if re.search(rf"[/_]{module}[/.]", path):
            yield "tests"
    elif re.match(rf"conformance/implementations/kaitai-python/{module}[/.]", path):
        yield "second"
    elif (found := _PROGRAM.match(path)) and found[1] in programs:
        program: dict[str, object] = programs[found[1]]  # type: ignore[assignment]
        formats: list[str] = program["formats"]  # type: ignore[assignment]
        if id in formats and len(formats) <= MAX_FORMATS:
            is_second = "from the chapter" in str(program["title"])
            is_adapter = found[1].startswith("conformance/")
            yield "second" if is_second else "adapters" if is_adapter else "lab"


def _is_register(path: str) -> bool:
    return re.fullmatch(r"spec/[a-z-]+\.toml", path) is not None


def _lines(revision: str) -> dict[str, int]:
    """Count the lines of each hand-written text file in a revision."""
    found = {}
    for line in _git("grep", "-I", "-c", "", revision).splitlines():
        path, _, count = line.removeprefix(f"{revision}:").rpartition(":")
        if not path.startswith("vectors/") and not _GENERATED.search(path):
            found[path] = int(count)
    return found


def _text(revision: str, path: str) -> str:
    return _git("show", f"{revision}:{path}")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout
