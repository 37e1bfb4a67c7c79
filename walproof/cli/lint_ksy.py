"""``walproof lint-ksy``: will the parsers of a grammar agree in all languages?"""

from __future__ import annotations

from pathlib import Path

import click

from conformance import GRAMMARS
from conformance.kaitai.compile import ToolMissing
from walproof.cli.output import say, say_lines
from walproof.parsers.lint import RULES, compile_errors, lint


@click.command("lint-ksy")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--rules", is_flag=True, help="List the rules and exit.")
def lint_ksy(files: tuple[Path, ...], rules: bool) -> int:
    """Find what the Kaitai compiler accepts but parsers in some language stumble over.

    FILE is a grammar (.ksy); the default is every grammar in ksy/. A finding is one line,
    FILE:LINE:COLUMN: RULE: what is wrong and what to do instead. The rules come from the Kaitai
    style guide, and from differences seen between generated parsers of different languages. What
    the compiler does not accept is shown as well.

    If a finding is intended, excuse it by a comment in the line above it, or before `meta` for the
    whole file. The comment must give a reason: `# lint-ksy: RULE: reason`.

    \b
    walproof lint-ksy                    the grammars of this project
    walproof lint-ksy my_format.ksy      one of yours, wherever it is
    walproof lint-ksy --rules            the list of rules

    Exit status: 0 for no finding, 3 for some, 1 for a usage error.
    """
    if rules:
        width = max(map(len, RULES))
        for name, rule in RULES.items():
            say(f"{name:{width}}  {(rule.__doc__ or '').strip()}")
        return 0
    chosen = files or tuple(sorted(GRAMMARS.glob("*.ksy")))
    try:
        found = compile_errors(chosen)
    except ToolMissing as error:
        say_lines(f"not compiled: {error}", err=True)
        found = []
    found += [str(finding) for file in chosen for finding in lint(file)]
    for finding in found:
        say_lines(finding)
    return 3 if found else 0
