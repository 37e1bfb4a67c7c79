"""``walproof explain``: explain a requirement, reason code, field or context key."""

from __future__ import annotations

import click
from rich.console import Console

from reference_impl.register import registers
from walproof.cli.near_names import did_you_mean


@click.command()
@click.argument("names", metavar="[FORMAT] [WHAT]", nargs=-1, required=True)
@click.option("--all", "everything", is_flag=True, help="List all vectors.")
def explain(names: tuple[str, ...], everything: bool) -> int:
    """Explain a requirement, reason code, field or context key.

    The output contains the text of the chapter, the vectors that test the rule, and the readers
    that fail these vectors. Without WHAT, the available names are listed.

    \b
    walproof explain LDB-028
    walproof explain leveldb-log zero-gap
    walproof explain kahadb-journal max_file_length

    Exit status: 0, or 1 for an unknown name.
    """
    from walproof.explain import UnknownWord, print_format, print_subject, subjects

    console = Console(highlight=False)
    formats = registers()
    format = names[0] if names[0] in formats else None
    rest = names[1:] if format else names
    if len(rest) > 1:
        raise click.UsageError(
            f"{names[0]}: unknown format{did_you_mean(names[0], formats)}"
            f"; expected one of {', '.join(formats)}"
            if format is None
            else f"expected one name, found {' '.join(rest)}"
        )
    if not rest:
        print_format(console, formats[names[0]])
        return 0
    try:
        result = subjects(rest[0], format)
    except UnknownWord as unknown:
        raise click.ClickException(str(unknown)) from None
    for number, subject in enumerate(result):
        if number:
            console.rule()
        print_subject(console, subject, everything)
    return 0
