"""``python -m walproof.setup``: build the adapters for the real implementations."""

from __future__ import annotations

import os

import click

from walproof.builds import BuildCost, build_missing, build_size, save_costs
from walproof.cli.command_group import run
from walproof.cli.output import say
from walproof.cli.program_options import implementations
from walproof.implementations import all_implementations


@click.command()
@click.option("--impl", "names", multiple=True, metavar="NAME", help="Only these implementations.")
@click.option(
    "--save-costs",
    "saves",
    is_flag=True,
    help="Save sizes and times of these builds.",
)
def setup(names: tuple[str, ...], saves: bool) -> int:
    """Build the adapters for real implementations whose toolchains are installed.

    Up-to-date adapters are not built again. Adapters that cannot be built are reported. With
    CI=true, a missing adapter is an error unless the implementation's file sets optional = true.
    """
    chosen = implementations(names) if names else all_implementations()
    builds = build_missing(chosen)
    without_tools = [name for name in builds.unavailable if name not in builds.seconds]
    for name in without_tools:
        say(f"  {name}: unavailable: {builds.unavailable[name]}", err=True)
    if saves:
        save_costs(
            {
                each.name: BuildCost(round(builds.seconds[each.name]), build_size(each))
                for each in chosen
                if each.name in builds.seconds and each.name not in builds.unavailable
            }
        )
    optional = {each.name for each in chosen if each.optional}
    return 1 if builds.unavailable.keys() - optional and in_ci() else 0


def in_ci() -> bool:
    """Return whether this is a CI run, in which an unavailable implementation is an error."""
    return os.environ.get("CI", "").lower() in ("1", "true")


if __name__ == "__main__":
    run(setup)
