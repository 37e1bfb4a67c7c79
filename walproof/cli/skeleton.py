"""``walproof skeleton``: write an adapter for a reader or writer."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from reference_impl.paths import PACKAGES
from walproof.cli.output import require_new_path, say

SKELETONS = PACKAGES / "conformance" / "skeletons"
LANGUAGES = sorted(folder.name for folder in SKELETONS.iterdir())


@click.command()
@click.argument(
    "language",
    metavar="LANGUAGE",
    type=click.Choice(LANGUAGES),
)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=Path("my-reader"), show_default=True,
    help="New folder for the adapter.",
)  # fmt: skip
def skeleton(language: str, out: Path) -> int:
    """Write an adapter for your reader or writer.

    LANGUAGE is c, go, java, javascript, python or rust. The adapter implements the protocol
    (conformance/README.md) and skips every request. Its first lines show how to build and check it.

    \b
    walproof skeleton go
    walproof skeleton python -o adapters/mine
    """
    require_new_path(out)
    ignored = shutil.ignore_patterns("target", "*.lock", "__pycache__")
    shutil.copytree(SKELETONS / language, out, ignore=ignored)
    (source,) = (path for path in out.rglob("*.*") if path.suffix != ".toml")
    say(f"{source}: put your reader into read(); its first lines show how to check it")
    return 0
