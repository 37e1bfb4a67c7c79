"""``python -m lab``: experiments on real systems, from a checkout (docs/lab.md)."""

from __future__ import annotations

import importlib

import click

from walproof.cli.command_group import LazyGroup, run

SECTIONS = {
    "Commands": {
        "crash": "Check which acknowledged records survive a power failure.",
        "databases": "Open and repair damaged logs with whole systems.",
        "fuzz": "Fuzz readers; report crashes, hangs and disagreements.",
        "mutants": "Mutation-test the specification with the vectors.",
        "bench": "Measure readers beside named peers.",
        "findings": "Run the scripts of the findings, or write their pages.",
        "results": "Write the page of the results of real implementations.",
        "weight": "Count the lines of each part of a format.",
        "site": "Build the site: pages of formats, vectors, readers.",
    }
}


def _load(name: str) -> click.Command:
    command = getattr(importlib.import_module(f"lab.{name}.command"), name)
    assert isinstance(command, click.Command)
    return command


@click.group(
    "python -m lab",
    cls=LazyGroup,
    sections=SECTIONS,
    load=_load,
    context_settings={"help_option_names": ["-h", "--help"]},
)
def lab() -> None:
    """Runs experiments on real systems, from a checkout. docs/lab.md describes each."""


if __name__ == "__main__":
    run(lab)
