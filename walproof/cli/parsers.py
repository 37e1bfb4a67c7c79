"""``walproof parsers``: generate parser packages from ``ksy/``."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.kaitai.compile import GrammarError, ToolMissing
from walproof.cli.near_names import did_you_mean
from walproof.cli.output import say, say_lines
from walproof.parsers.languages import LANGUAGES
from walproof.parsers.package import NotOurs, all_grammars, make_package
from walproof.quantity import counted


@click.command()
@click.option(
    "--lang",
    "languages",
    multiple=True,
    type=click.Choice(list(LANGUAGES)),
    help="Language; default: all.",
)
@click.option(
    "--grammar",
    "names",
    multiple=True,
    metavar="NAME",
    help="Grammar, such as leveldb_log; default: all.",
)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=Path("parsers"), show_default=True,
    help="Folder for the packages, one subfolder per language.",
)  # fmt: skip
def parsers(languages: tuple[str, ...], names: tuple[str, ...], out: Path) -> int:
    """Generate parsers in other languages.

    Each package has tests, pinned dependencies, and a README that describes how to build it.
    `walproof check --profile structure` tests the parsers against every vector.

    \b
    walproof parsers --lang go --out parsers          one package, parsers/go
    walproof parsers --lang java --grammar leveldb_log
    walproof parsers                                  all languages

    Exit status: 0, or 1 if a grammar does not compile (FILE:LINE:COLUMN: error: REASON).
    """
    known = all_grammars()
    for each in names:
        if each not in known:
            hint = did_you_mean(each, known) or f": expected one of {', '.join(known)}"
            raise click.UsageError(f"--grammar: unknown grammar {each!r}{hint}")
    failed: dict[str, list[str]] = {}
    for id in dict.fromkeys(languages or tuple(LANGUAGES)):
        language = LANGUAGES[id]
        try:
            created = make_package(language, out / id, names)
        except (NotOurs, ToolMissing) as error:
            raise click.ClickException(str(error)) from None
        except GrammarError as error:
            failed.setdefault(str(error), []).append(id)
            continue
        say(f"{out / id}: {counted(len(created), 'parser')} for {language.title}")
    for why, ids in failed.items():
        say_lines(f"{', '.join(ids)}: not generated\n{why}", err=True)
    return 1 if failed else 0
