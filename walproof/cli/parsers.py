"""``walproof parsers``: generate parser packages from ``ksy/``."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.kaitai.compile import GrammarError, ToolMissing
from walproof.cli.near_names import did_you_mean
from walproof.cli.output import say, say_lines
from walproof.parsers.languages import LANGUAGES
from walproof.parsers.package import NotOurs, NotRead, all_grammars, grammar_path, make_package
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
    help="Grammar, such as leveldb_log or my.ksy; default: all of Walproof.",
)
@click.option(
    "--log",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Log for the test of a grammar of your own.",
)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=Path("parsers"), show_default=True,
    help="Folder for the packages, one subfolder per language.",
)  # fmt: skip
def parsers(languages: tuple[str, ...], names: tuple[str, ...], log: Path | None, out: Path) -> int:
    """Generate parsers in other languages.

    Each package has tests, pinned dependencies, and a README that describes how to build it.
    `walproof check --profile structure` tests the parsers against every vector.

    \b
    walproof parsers --lang go --out parsers          one package, parsers/go
    walproof parsers --lang java --grammar leveldb_log
    walproof parsers                                  all languages
    walproof parsers --grammar my.ksy --log my.bin    a grammar of your own, with a test

    The test parses the log to its end, and compares the length of the first array with the Python
    parser's result.

    Exit status: 0, or 1 if a grammar does not compile (FILE:LINE:COLUMN: error: REASON).
    """
    known = all_grammars()
    if log is not None and (len(names) != 1 or not names[0].endswith(".ksy")):
        raise click.UsageError("--log requires one --grammar FILE.ksy")
    for each in names:
        if each.endswith(".ksy"):
            if not grammar_path(each).is_file():
                raise click.UsageError(f"--grammar: no such file: {each}")
        elif each not in known:
            hint = did_you_mean(each, known) or f": expected one of {', '.join(known)}"
            raise click.UsageError(f"--grammar: unknown grammar {each!r}{hint}")
    failed: dict[str, list[str]] = {}
    for id in dict.fromkeys(languages or tuple(LANGUAGES)):
        language = LANGUAGES[id]
        try:
            created = make_package(language, out / id, names, log)
        except (NotOurs, NotRead, ToolMissing) as error:
            raise click.ClickException(str(error)) from None
        except GrammarError as error:
            failed.setdefault(str(error), []).append(id)
            continue
        say(f"{out / id}: {counted(len(created), 'parser')} for {language.title}")
    if log is None and any(each.endswith(".ksy") for each in names):
        say("Without a test of your grammar: --log FILE adds one.", err=True)
    for why, ids in failed.items():
        say_lines(f"{', '.join(ids)}: not generated\n{why}", err=True)
    return 1 if failed else 0
