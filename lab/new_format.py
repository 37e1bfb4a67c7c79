"""``make new-format NAME=my-log``: copy the made-up format under a new name.

The copy is a complete format, in which each record has a length, a payload and a checksum.
CONTRIBUTING.md describes what to edit.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from conformance import ROOT
from conformance.saving import save
from reference_impl.register import registers

TEMPLATE = ROOT / "tests" / "made_up_format"


def new_format(name: str, root: Path = ROOT) -> list[Path]:
    """Write the files of a new format below ``root``; return their paths.

    If one of the files exists, nothing is written and ``FileExistsError`` is raised.
    """
    words = name.split("-")
    prefix = next(
        (found for found in _prefixes(words) if found not in _taken()), "".join(words)[:3].upper()
    )
    names = {
        "tally-log": name,
        "tally_log": name.replace("-", "_"),
        "TallyLog": "".join(word.capitalize() for word in words),
        "Tally log": name.replace("-", " ").capitalize(),
        "TLY": prefix,
    }
    pattern = re.compile("|".join(names))

    def renamed(text: str) -> str:
        return pattern.sub(lambda match: names[match[0]], text)

    files = {
        root / renamed(path.relative_to(TEMPLATE).as_posix()): renamed(path.read_text("utf-8"))
        for path in sorted(TEMPLATE.rglob("*.*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    for path in files:
        if path.exists():
            raise FileExistsError(path)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, text)
    return list(files)


def _prefixes(words: list[str]) -> list[str]:
    """Return prefixes for requirement ids, such as MYL for my-log. The best prefix comes first."""
    joined = "".join(words).upper()
    initials = "".join(word[0] for word in words).upper()
    return [p for p in (joined[:2] + initials[-1:], joined[:3], initials[:3]) if len(p) == 3]


def _taken() -> set[str]:
    return {register.prefix for register in registers().values()}


@click.command()
@click.argument("name")
def main(name: str) -> None:
    """Write the files of a new format NAME, such as my-log."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", name):
        raise click.UsageError(f"{name}: expected words of small letters, such as my-log")
    try:
        paths = new_format(name)
    except FileExistsError as error:
        raise click.ClickException(f"{error} exists") from None
    for path in paths:
        click.echo(f"wrote {path.relative_to(ROOT)}")
    click.echo(
        f"Edit these files; then run make vectors FORMAT={name} and the checks (CONTRIBUTING.md)."
    )


if __name__ == "__main__":
    main()
