"""``walproof ksy-test``: tests for a grammar of your own."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.kaitai.compile import GrammarError, ToolMissing
from walproof.cli.output import say
from walproof.parsers.ksy_test import BadVector, GrammarUnderTest, find_vectors


@click.command("ksy-test")
@click.argument("grammar", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument(
    "vectors", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True),
    metavar="VECTOR...",
)  # fmt: skip
@click.option("--quiet", is_flag=True, help="Show failures only.")
def ksy_test(grammar: Path, vectors: tuple[Path, ...], quiet: bool) -> int:
    """Check that a Kaitai grammar of yours, anywhere, reads files as you expect.

    A VECTOR is a JSON file, or a folder of them, with the name of a file beside it (or its bytes)
    and the values that fields must have, or the error that reading it must end with:

    \b
    {"input": "two.bin", "expect": {"records": {"count": 2}, "records[0].name": "alpha",
                                    "records[1].type": "last", "magic": {"hex": "cafe"}}}
    {"hex": "00", "error": "ValidationNotEqualError", "at": "/seq/0"}

    \b
    walproof ksy-test my_format.ksy tests/
    walproof ksy-test my_format.ksy tests/empty.json

    The compiler and the parser run in a box, without network, environment or write access.
    Numbers above 2^53 are strings of digits; null means that the field is missing.

    Exit status: 0 if all agree, 3 if one does not, 1 for a usage error, for a vector that cannot be
    used, and for a grammar that does not compile (FILE:LINE:COLUMN: error: WHY).
    """
    passed = failed = 0
    tester = None
    try:
        tester = GrammarUnderTest(grammar)
        isolation = tester.sandbox.isolation()
        for vector in find_vectors(list(vectors)):
            outcome = tester.run(vector)
            passed += not outcome.failures
            failed += bool(outcome.failures)
            if outcome.failures or not quiet:
                say(f"{'FAIL' if outcome.failures else 'ok  '}  {vector}  {outcome.title}")
            for failure in outcome.failures:
                say(f"      {failure}")
    except (GrammarError, ToolMissing, BadVector) as error:
        raise click.ClickException(str(error)) from None
    finally:
        if tester is not None:
            tester.close()
    if not quiet:
        say(f"isolation: {', '.join(isolation['by'])}")
    if isolation["could"]:
        say(f"not held: the parser could {'; '.join(isolation['could'])}")
    say(f"{passed} passed, {failed} failed")
    return 3 if failed else 0
