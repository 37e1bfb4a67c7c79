"""``python -m conformance.recipes``: write the golden vectors, or verify them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from conformance import VECTORS
from conformance.packages.index import NAME, index_of
from conformance.recipes.algebra import RecipeError
from conformance.recipes.generate import books, generate
from conformance.saving import save
from reference_impl.paths import IS_INSTALLED
from reference_impl.register import registers


@click.command()
@click.option("--verify", is_flag=True, help="Write nothing; fail if a file would change.")
@click.option("--format", "formats", multiple=True, type=click.Choice(list(registers())),
              help="Run only the recipes of this format. Repeatable.")  # fmt: skip
@click.pass_context
def write_vectors(context: click.Context, verify: bool, formats: tuple[str, ...]) -> None:
    """Run the recipes and write vectors/.

    Seeds are fixed, so a second run changes nothing. Files that no recipe writes any longer are
    removed.

    Exit status: 0, or 1 if a recipe is invalid or, with --verify, if a file would change.
    """
    if IS_INSTALLED and not verify:
        raise click.ClickException("vectors/ is written in a checkout only (--verify works here)")
    try:
        count, changed = _write(verify, formats)
    except RecipeError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    for name in changed:
        click.echo(f"{'would change' if verify else 'wrote'} {name}")
    click.echo(f"{_counted(count, 'vector')}, {_counted(len(changed), 'file')} changed")
    context.exit(1 if verify and changed else 0)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _write(verify: bool, formats: Sequence[str]) -> tuple[int, list[str]]:
    """Write changed files unless ``verify``. Return the number of vectors and the file names.

    ``formats`` selects formats. If it is empty, the vectors of all formats are written.
    """
    changed: list[str] = []
    count = 0
    for book in books(formats):
        folder = VECTORS / book.format
        folder.mkdir(parents=True, exist_ok=True)
        written = set()
        for name, data in generate(book):
            written.add(name)
            path = VECTORS / name
            count += name.endswith(".json")
            if path.exists() and path.read_bytes() == data:
                continue
            changed.append(name)
            if not verify:
                path.parent.mkdir(exist_ok=True, parents=True)
                save(path, data, sync=False)
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(VECTORS).as_posix()
            if path.is_file() and name not in written and path.name != "README.md":
                changed.append(f"{name} (removed)")
                if not verify:
                    path.unlink()
    index = index_of()
    if not (VECTORS / NAME).exists() or (VECTORS / NAME).read_bytes() != index:
        changed.append(NAME)
        if not verify:
            save(VECTORS / NAME, index, sync=False)
    return count, changed


if __name__ == "__main__":
    write_vectors()
