"""``walproof sweep``: damage intact logs systematically, or flip their bits one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from walproof.cli import program_options, stopping
from walproof.cli.context import known_format
from walproof.sweep.settings import PROFILES

#: Only the bit-flip search accepts these parameters.
OF_FLIPS = ("bits_at_most", "is_saved", "as_json", "shows_cost")
#: Only the damage sweep accepts these parameters.
OF_DAMAGE = ("logs", "generated", "names", "commands", "cases", "seconds", "profiles", "damages",
             "dominance", "out", "seed", "wall_ms", "memory", "isolated")  # fmt: skip


@click.command()
@click.option("--format", "format", metavar="FORMAT", callback=known_format,
              help="Format of the logs. [default: that of the program]")  # fmt: skip
@click.option("--impl", "names", multiple=True, metavar="NAME",
              help="Implementation of this repository, such as fast-scan.")  # fmt: skip
@click.option("--cmd", "commands", multiple=True, metavar="COMMAND", help="Program to test.")
@click.option("--cases", type=click.IntRange(1), metavar="N", default=200_000, show_default=True,
              help="Largest number of cases.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0), metavar="S",
              help="Time after which no shard starts.")  # fmt: skip
@click.option("--control", "patterns", multiple=True, metavar="GLOB",
              help="Vectors to damage. [default: the small intact ones]")  # fmt: skip
@click.option("--generated", "generated", type=click.IntRange(1), metavar="N",
              help="Damage N generated logs, chosen by the seed.")  # fmt: skip
@click.option("--log", "logs", multiple=True, metavar="PATH",
              type=click.Path(exists=True, path_type=Path),
              help="Undamaged log to damage.")  # fmt: skip
@click.option("--damage", "damages", multiple=True, metavar="GLOB",
              help="Families of damages, such as flip. [default: all]")  # fmt: skip
@click.option("--dominance", is_flag=True,
              help="Report only true records that the specification omits.")  # fmt: skip
@click.option("--profile", "profiles", multiple=True, type=click.Choice(PROFILES),
              help="Profile. [default: all three]")  # fmt: skip
@click.option("-o", "--out", metavar="DIR", type=click.Path(path_type=Path),
              help="New folder for the results; an earlier sweep there is replaced."
              " [default: reports/sweep/FORMAT]")  # fmt: skip
@click.option("--seed", default=1, show_default=True,
              help="Seed that selects the pairs and the generated logs.")  # fmt: skip
@click.option("--wall-ms", default=2000, show_default=True, help="Time limit of each request.")
@click.option(
    "--memory", default=2048, show_default=True, metavar="MIB", help="Memory limit of each program."
)
@program_options.isolation
@click.option("--flips", is_flag=True,
              help="Flip each bit of intact logs; list the undetected flips.")  # fmt: skip
@click.option("--at-most", "bits_at_most", type=click.IntRange(1), default=4096, show_default=True,
              metavar="N", help="With --flips: bits per log, at most; larger logs are sampled."
              " An eighth above 64 KiB or 256 records.")  # fmt: skip
@click.option("--save", "is_saved", is_flag=True,
              help="With --flips: write spec/one-bit and the chapter's table.")  # fmt: skip
@click.option("--cost", "shows_cost", is_flag=True,
              help="With --flips: count the records that a flip costs, by field. Without --control,"
              " in the log with the most records.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="With --flips: print every flip as JSON.")
@click.pass_context
@stopping.stoppable()
def sweep(
    click_context: click.Context,
    /,
    format: str | None,
    patterns: tuple[str, ...],
    flips: bool,
    **more: Any,
) -> int:
    """Compare answers on systematically damaged logs.

    Run this command after all vectors pass in `walproof check`. The command damages intact vectors,
    and compares the answers and logs of each program with those of the executable specification.
    The summary reports how many cases of each class exist and how many of them ran.

    \b
    walproof sweep --cmd './my-reader' --cases 200000
    walproof sweep --format leveldb-log --impl fast-scan --impl leveldb-cpp
    walproof sweep --format leveldb-log --control three-records
    walproof sweep --format zeebe-journal --cmd './my-writer' --profile append

    COMMAND is any program that implements the protocol (conformance/README.md), or the one-shot
    form `COMMAND read FORMAT PATH [strict]`. The one-shot form is slower and cannot receive a
    context. A one-shot program is run in the profile strict only with --profile strict. Each
    program runs in its own folder without network access.

    DIR/summary.json lists the findings. DIR/vectors contains vectors that reproduce them.

    Ctrl-C, SIGTERM and the death of a worker process stop the sweep. The summary then covers the
    cases that have finished.

    With --dominance, the sweep reports records of the undamaged log that a program returns but the
    specification does not. Without --impl and --cmd, all real implementations of the format run.

    \b
    walproof sweep --dominance --format sqlite-wal --cases 20000
    walproof sweep --dominance --format leveldb-log --control one-record --damage flip

    With --flips, each bit of the intact vectors is flipped on its own. A flip is listed if the log
    still reads as `intact` although its records differ. A listed flip shows either a limit of the
    format or a missing rule.

    \b
    walproof sweep --flips --format zmq-raft
    walproof sweep --flips --format leveldb-log --control three-records --json | jq .flips
    walproof sweep --flips --cost --format sqlite-wal

    Exit status: 0 if there are no findings except flips that the register explains, 3 for other
    findings, 1 for a usage or I/O error, 130 or 143 if it was stopped.
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
        named = " and ".join(each.opts[0] for each in given)
        raise click.UsageError(f"{named}: {'not with' if flips else 'needs'} --flips")
    # Import the commands only here, so that --help works without numpy.
    if flips:
        if format is None:
            raise click.UsageError("--flips requires --format")
        from walproof.cli.flip_sweep import flip_sweep

        return flip_sweep(format, patterns, **{name: more[name] for name in OF_FLIPS})
    from walproof.cli.damage_sweep import damage_sweep, format_of_programs

    if format is None:
        format = format_of_programs(more["commands"], more["names"], more["isolated"])
    return damage_sweep(format, patterns, **{name: more[name] for name in OF_DAMAGE})
