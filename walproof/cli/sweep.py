"""``walproof sweep``: damage intact logs in every way, or flip each of their bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reference_impl.formats import FORMATS
from walproof.cli import stopping, subjects
from walproof.sweep.settings import PROFILES

OF_FLIPS = ("paths", "context_items", "bits_at_most", "is_saved", "as_json")
OF_DAMAGE = ("names", "commands", "depth", "cases", "seconds", "profiles", "out", "fresh", "seed",
             "wall_ms", "memory", "isolated", "minimise_seconds")  # fmt: skip
"""Parameters that only one of the two forms takes."""


@click.command()
@click.argument("paths", metavar="[LOG]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--format", "format", required=True, type=click.Choice(sorted(FORMATS)))
@click.option("--impl", "names", multiple=True, metavar="NAME",
              help="An implementation of ours, such as fast-scan, the scanner.")  # fmt: skip
@click.option("--cmd", "commands", multiple=True, metavar="COMMAND", help="A program to test.")
@click.option("--depth", type=click.Choice(["quick", "full"]), default="quick", show_default=True)
@click.option("--cases", type=click.IntRange(1), metavar="N",
              help="Cases in all, at most. [default: 200000, full: 20000000]")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0), metavar="S",
              help="Begin no shard after this time; the same command goes on later.")  # fmt: skip
@click.option("--control", "patterns", multiple=True, metavar="GLOB",
              help="Vectors to damage. [default: the small intact ones]")  # fmt: skip
@click.option("--profile", "profiles", multiple=True, type=click.Choice(PROFILES),
              help="Only this profile. [default: all four]")  # fmt: skip
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path),
              help="A folder. [default: reports/sweep/FORMAT]")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Begin again, whatever the folder holds.")
@click.option("--seed", default=1, show_default=True, help="Another one gives other pairs.")
@click.option("--wall-ms", default=2000, show_default=True, help="For each request.")
@click.option("--memory", default=2048, show_default=True, metavar="MIB", help="For each program.")
@subjects.isolation
@click.option("--minimise", "minimise_seconds", default=20.0, show_default=True, metavar="S",
              help="Time for making findings smaller.")  # fmt: skip
@click.option("--flips", is_flag=True,
              help="Flip each bit of intact logs; list the undetected flips.")  # fmt: skip
@click.option("--at-most", "bits_at_most", type=click.IntRange(1), default=4096, show_default=True,
              metavar="N", help="With --flips: bits of one log; of a larger log a sample. An eighth"
              " above 64 KiB or 256 records.")  # fmt: skip
@click.option("--context", "context_items", metavar="KEY=VALUE", multiple=True,
              help="With --flips: the context of LOG; VALUE is JSON or text.")  # fmt: skip
@click.option("--save", "is_saved", is_flag=True,
              help="With --flips: write spec/one-bit and the chapter's table.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="With --flips: print every flip as JSON.")
@click.pass_context
@stopping.stoppable()
def sweep(
    click_context: click.Context,
    /,
    format: str,
    patterns: tuple[str, ...],
    flips: bool,
    **more: Any,
) -> int:
    """Damage intact logs in every way; compare each answer with the specification.

    After a full score of `walproof check` this shows whether it means conformance. Truncations,
    single damages, operations on the files of a folder, other contexts and pairs of damages have a
    share of `--cases` each; so have appends to damaged logs and writes of new ones, of records that
    a number stands for. The summary says how many of how many ran. The executable specification
    reads and writes each log and must keep the invariants; every other answer, and what every other
    writer leaves, is compared with its.

    \b
    walproof sweep --format zmq-raft --cmd './my-reader' --cases 200000
    walproof sweep --format leveldb-log --impl fast-scan --impl leveldb-cpp
    walproof sweep --format leveldb-log --control three-records --depth full
    walproof sweep --format zeebe-journal --cmd './my-writer' --profile append --profile write

    COMMAND is any program that speaks the protocol (conformance/README.md), or the one-shot form
    `COMMAND read FORMAT PATH [strict]`, which is slower and cannot be told a context. It runs in
    the profile strict too if that word changes its answers. Programs run as under `check`: each
    in a folder of its own, without network, and the last lines say what isolated them.

    DIR/sweep holds what was swept; DIR/findings (Parquet), DIR/summary.json and DIR/proposals
    (vectors) hold what was found. A sweep that was stopped goes on where it was.

    Ctrl-C and SIGTERM stop it: the summary is of what was finished, and the same command goes on.

    With --flips, each bit of an intact log is flipped alone. A flip is listed if the log is still
    `intact` and its records are not what they were: one is gone, changed or invented, the order is
    another, or a value beside the payload is. Each is a limit of the format, which the register of
    the format explains, or a rule is missing. LOG is a log of yours, a file or a folder, of which a
    copy is changed; without one, vectors are searched.

    \b
    walproof sweep --flips --format zmq-raft
    walproof sweep --flips --format leveldb-log --control three-records --json | jq .flips
    walproof sweep --flips --format zeebe-journal ~/raft-partition/partitions/1

    Exit status: 0 if nothing was found except what looks like known failures, or what the register
    explains; 3 if something else was, 1 for a usage or I/O error, 130 or 143 if it was stopped.
    """
    other = OF_DAMAGE if flips else OF_FLIPS
    given = [
        parameter
        for parameter in click_context.command.params
        if parameter.name in other
        and click_context.get_parameter_source(parameter.name)
        is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        named = " and ".join(
            each.opts[0] if isinstance(each, click.Option) else "LOG" for each in given
        )
        raise click.UsageError(f"{named}: {'not with' if flips else 'needs'} --flips")
    # Imported here: help is there without numpy and Arrow.
    if flips:
        from walproof.cli.flip_sweep import flip_sweep

        return flip_sweep(format, patterns, **{name: more[name] for name in OF_FLIPS})
    from walproof.cli.damage_sweep import damage_sweep

    return damage_sweep(format, patterns, **{name: more[name] for name in OF_DAMAGE})
