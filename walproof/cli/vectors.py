"""``walproof vectors``: make the golden vectors, or check that making them changes nothing."""

from __future__ import annotations

import click

from conformance import VECTORS
from walproof.cli.checkout import must_be_checkout
from walproof.cli.output import say
from walproof.quantity import counted


@click.command()
@click.option("--verify", is_flag=True, help="Write nothing; fail if a file would change.")
def vectors(verify: bool) -> int:
    """Run the recipes and write vectors/.

    Seeds are fixed: making the vectors again changes nothing. A file that no recipe makes any
    longer is removed.
    """
    if not verify:
        must_be_checkout("vectors", "writes vectors/ (--verify does not)")
    from conformance.packages.index import NAME, index_of
    from conformance.recipes.generate import generate, sources
    from conformance.recipes.recipe import RecipeError
    from conformance.saving import save

    changed: list[str] = []
    count = 0
    for source in sources():
        folder = VECTORS / source.book.format
        folder.mkdir(parents=True, exist_ok=True)
        made = set()
        try:
            for name, data in generate(source):
                made.add(name)
                path = VECTORS / name
                count += name.endswith(".json")
                if path.exists() and path.read_bytes() == data:
                    continue
                changed.append(name)
                if not verify:
                    path.parent.mkdir(exist_ok=True, parents=True)
                    save(path, data, sync=False)
        except RecipeError as error:
            raise click.ClickException(str(error)) from None
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(VECTORS).as_posix()
            if path.is_file() and name not in made and path.name != "README.md":
                changed.append(f"{name} (removed)")
                if not verify:
                    path.unlink()
    index = index_of()
    if not (VECTORS / NAME).exists() or (VECTORS / NAME).read_bytes() != index:
        changed.append(NAME)
        if not verify:
            save(VECTORS / NAME, index, sync=False)
    for name in changed:
        say(f"{'would change' if verify else 'wrote'} {name}")
    say(f"{counted(count, 'vector')}, {counted(len(changed), 'file')} changed")
    return 1 if verify and changed else 0
