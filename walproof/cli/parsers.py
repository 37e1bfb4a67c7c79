"""``walproof parsers``: generate parser packages from ``ksy/``."""

from __future__ import annotations

from pathlib import Path

import click

from conformance import GRAMMARS, __version__
from conformance.kaitai.compile import GrammarError, ToolMissing
from walproof.cli.output import say, say_lines
from walproof.parsers.languages import LANGUAGES
from walproof.parsers.naming import BadName, Naming
from walproof.parsers.package import NotOurs, all_grammars, make_package, release_of
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
    "--out", type=click.Path(path_type=Path), default=Path("parsers"), show_default=True,
    help="Folder for the packages, one subfolder per language.",
)  # fmt: skip
@click.option(
    "--ksy", "folder", type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=GRAMMARS, help="Folder of grammars to use instead of ksy/.",
)  # fmt: skip
@click.option("--name", default=Naming.name, show_default=True, help="Name of the packages.")
@click.option("--module", default=Naming.module, show_default=True, metavar="PATH",
              help="Go module and Java package (example.org/a: org.example.a).")  # fmt: skip
@click.option("--package-version", "version", metavar="VERSION",
              help="Version of the packages (three numbers); default: Walproof's.")  # fmt: skip
@click.option("--licence", metavar="SPDX", help="Licence; default: meta/license of the grammars.")
def parsers(
    languages: tuple[str, ...],
    names: tuple[str, ...],
    out: Path,
    folder: Path,
    name: str,
    module: str,
    version: str | None,
    licence: str | None,
) -> int:
    """Generate parsers in other languages.

    Each package has an example, tests, pinned dependencies, and a README that describes how to
    build it. `walproof check --profile structure` tests the parsers against every vector.

    \b
    walproof parsers --lang go --out parsers          one package, parsers/go
    walproof parsers --lang java --grammar leveldb_log
    walproof parsers --ksy grammars --name my-parsers --module example.org/me/parsers
    walproof parsers                                  all languages

    Exit status: 0, or 1 if a grammar does not compile (FILE:LINE:COLUMN: error: REASON).
    """
    try:
        naming = Naming(name, module, version or release_of(__version__), licence)
    except BadName as error:
        raise click.UsageError(f"--{error}") from None
    known = all_grammars(folder)
    for each in names:
        if each not in known:
            raise click.UsageError(f"--grammar: expected one of {', '.join(known)}, found {each!r}")
    if not known:
        raise click.UsageError(f"--ksy: no grammar (NAME.ksy) in {folder}")
    failed: dict[str, list[str]] = {}
    for id in dict.fromkeys(languages or tuple(LANGUAGES)):
        language = LANGUAGES[id]
        try:
            created = make_package(language, out / id, names, folder, naming)
        except (NotOurs, ToolMissing) as error:
            raise click.ClickException(str(error)) from None
        except GrammarError as error:
            failed.setdefault(str(error), []).append(id)
            continue
        say(f"{out / id}: {counted(len(created), 'parser')} for {language.title}")
    for why, ids in failed.items():
        say_lines(f"{', '.join(ids)}: not generated\n{why}", err=True)
    return 1 if failed else 0
