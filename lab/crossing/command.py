"""``python -m lab crossing``: read the logs of real writers with real readers."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console
from rich.text import Text

from conformance import registry
from conformance.known_failures import KnownFailures
from conformance.registry import Implementation
from conformance.reports.console_text import print_hanging
from conformance.subject import Subject
from conformance.text import one_line
from conformance.vectors import load_all
from lab.crossing import known
from lab.crossing.logs import wanted
from lab.crossing.run import Crossing, counts, cross
from reference_impl.formats import FORMATS
from walproof.cli import subjects
from walproof.cli.output import say
from walproof.cli.stopping import stoppable
from walproof.progress import progress_bar


@click.command()
@click.option("--format", "formats", multiple=True, type=click.Choice(sorted(FORMATS)),
              help="Only this format.")  # fmt: skip
@click.option("--writer", "writers", multiple=True, metavar="NAME", help="Run only this writer.")
@click.option("--reader", "readers", multiple=True, metavar="NAME", help="Run only this reader.")
@click.option("--update-known", is_flag=True, help="Write the differences to the lists.")
@click.option("--cause", metavar="NAME", help="With --update-known: cause of the new differences.")
@click.option("--because", metavar="TEXT", help="Sentence that describes a new cause.")
@subjects.isolation
@stoppable()
def crossing(
    formats: tuple[str, ...],
    writers: tuple[str, ...],
    readers: tuple[str, ...],
    update_known: bool,
    cause: str | None,
    because: str | None,
    isolated: bool,
) -> int:
    """Write logs with every real writer, and read each of them with every real reader.

    The records are those of the write vectors that leave an intact log. Some formats add larger
    records. A reader must return exactly these records and report no damage.

    For each reader, the output counts the logs of each writer that were read without a difference.
    The first difference of each pair of reader and writer follows. Known differences are listed
    with their causes; --update-known writes the list.

    \b
    python -m lab crossing --format leveldb-log
    python -m lab crossing --format leveldb-log --writer rusty-leveldb --reader pebble

    Exit status: 0 if only listed differences occur, 3 if another one occurs or a listed one does
    not, 1 for a usage or I/O error.
    """
    if (cause or because) and not update_known:
        raise click.UsageError("--cause and --because say what --update-known writes: give it too")
    if because and not cause:
        raise click.UsageError("--because is the sentence of a cause: give --cause NAME")
    status = 0
    for format in formats or _all_formats([*writers, *readers]):
        listed = known.load(format)
        writing, reading = (_subjects(format, names, isolated) for names in (writers, readers))
        logs = wanted(load_all().values(), format)
        with progress_bar(format) as bar:
            result = cross(format, writing, reading, logs, bar.show)
        if update_known:
            listed = listed.updated(known.results(result), cause, because)
            listed.save()
            if listed.unexplained():
                say(f"{listed.path}: write a cause for each unexplained difference", err=True)
        if not _print(result, listed):
            status = 3
    return status


def _all_formats(names: Sequence[str]) -> list[str]:
    chosen = subjects.implementations(names)
    mine = [set(each.formats) for each in chosen if each.formats]
    return sorted(set.intersection(*mine)) if mine else sorted(FORMATS)


def _subjects(format: str, names: Sequence[str], isolated: bool) -> list[Subject]:
    """Return the given implementations, or all built ones of the suite that support the format."""
    chosen: Sequence[Implementation] = (
        subjects.implementations(names) if names else registry.all_implementations()
    )
    results = []
    for each in chosen:
        if each.structure or (each.formats and format not in each.formats):
            continue
        subject = subjects.implementation_subject(each, isolated)
        if subject.unavailable is None:
            results.append(subject)
        elif names:
            raise click.ClickException(f"{each.name} is unavailable: {subject.unavailable}")
    return results


def _print(crossing: Crossing, listed: KnownFailures) -> bool:
    """Print the table and the differences. Return whether all differences are the listed ones."""
    console = Console()
    if not crossing.pairs:
        say(f"{crossing.format}: no writer of this format is available")
        return True
    say(f"{crossing.format}: logs that each reader reads as written")
    for reader, text in counts(crossing):
        print_hanging(Text(reader), Text(text), console)
    causes: set[str] = set()
    is_known = True
    for pair in crossing.pairs:
        found = known.differences(pair, listed)
        new = [each for each in found if each.cause is None]
        causes.update(each.cause for each in found if each.cause is not None)
        is_known &= not new
        # Print the first difference, with its text if it is new.
        for first in (new or found)[:1]:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            label = f"{'✗' if new else '≈'} {pair.writer} → {pair.reader}"
            message = one_line(first.text) if new else f"known, {first.cause}"
            style = "red" if new else "yellow"
            print_hanging(Text(label, style), Text(f"{first.log}: {message}{more}"), console)
    for name in sorted(causes):
        print_hanging(Text(name, "bold"), Text(one_line(listed.causes[name])), console)
    gone = known.gone(crossing, listed)
    for log, names in gone:
        print_hanging(Text(f"✗ {names}", "red"), Text(f"{log} is listed, but agrees"), console)
    for writer, missing in crossing.not_written.items():
        if missing:
            why = one_line(next(iter(missing.values())))
            message = f"did not write {len(missing)}: {why}"
            print_hanging(Text(f"- {writer}"), Text(message), console)
    say("")
    return is_known and not gone
