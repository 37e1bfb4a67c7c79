"""``walproof review``: report which readers and writers a format change breaks."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from conformance import ROOT
from walproof.cli.checkout import must_be_checkout
from walproof.cli.near_names import did_you_mean
from walproof.cli.output import say_json, say_lines
from walproof.progress import progress_bar


@click.command()
@click.option("--against", "revision", default="HEAD", show_default=True, metavar="REV",
              help="Revision to compare the work tree with (main, HEAD~3, a tag), or a folder with"
              " another version of the repository.")  # fmt: skip
@click.option("--repository", "root", metavar="DIR",
              type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="Work tree with ksy/ and vectors/; default: that of Walproof.")  # fmt: skip
@click.option("--format", "formats", multiple=True, metavar="FORMAT",
              help="Format to review, such as leveldb-log; repeatable.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with every finding and log.")
@click.option("--sweep", "count", default=300, show_default=True, metavar="N",
              help="Number of fresh damaged logs; 0 to use only the vectors.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="Seed of the fresh damage.")
def review(
    revision: str,
    root: Path | None,
    formats: tuple[str, ...],
    as_json: bool,
    count: int,
    seed: int,
) -> int:
    """Report which readers a format change breaks.

    The command compares the grammars, chapters, executable specification and vectors of the work
    tree with those of REV. READ findings affect new readers on old files. WRITE findings affect old
    readers on new files. RECOVER findings affect the survivors of damage. API findings affect only
    names. docs/review.md describes the rules.

    \b
    walproof review --against main
    walproof review --against HEAD --format leveldb-log
    walproof review --repository . --against main    grammars of your own, in ksy/

    Exit status: 0 compatible, 1 breaking or nothing to compare, 2 if the review failed.
    """
    from conformance.kaitai.compile import GrammarError, ToolMissing
    from conformance.vectors import BrokenVector
    from walproof.review.finding import CannotReview
    from walproof.review.printing import text
    from walproof.review.review import formats_of
    from walproof.review.review import review as make
    from walproof.review.revision import take_out

    if root is None:
        must_be_checkout("review", "compares the work tree with a revision")
    elif not (root / "ksy").is_dir():
        raise click.UsageError(f"--repository {root}: no folder ksy")
    new = (root or ROOT).resolve()

    try:
        with (
            tempfile.TemporaryDirectory(prefix="walproof-review-") as folder,
            progress_bar("preparing") as bar,
        ):
            old, against = Path(folder), revision
            if (Path(revision) / "ksy").is_dir() or (Path(revision) / "vectors").is_dir():
                old = Path(revision).resolve()
            else:
                commit = take_out(new, revision, old)
                against = f"{revision} ({commit})" if commit != revision else revision
            known = formats_of(old, new)
            for format in set(formats) - set(known):
                near = did_you_mean(format, known) or f"; expected one of {', '.join(known)}"
                raise click.UsageError(f"--format {format}: unknown format{near}")
            outcome = make(old, new, against, formats, count, seed, bar.show)
    except (BrokenVector, CannotReview, GrammarError, ToolMissing) as error:
        say_lines(f"walproof review: {error}", err=True)
        return 2
    if not outcome.is_compared:
        raise click.ClickException("nothing was compared: expected ksy/ or vectors/ on both sides")
    if as_json:
        say_json(outcome.to_json(), indent=1)
    else:
        click.echo(text(outcome), nl=False)
    return 1 if outcome.breaks else 0
