"""Generate the sources of a parser driver: the package, the models and a walker.

``python -m walproof.parsers.build LANGUAGE FOLDER [--without GRAMMAR]``
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from conformance import templates
from conformance.kaitai.compile import GrammarError, ToolMissing
from conformance.kaitai.model import Model
from conformance.kaitai.types import class_name
from walproof.parsers.languages import LANGUAGES, lower_camel
from walproof.parsers.package import all_grammars, make_package

WALKERS = Path(__file__).resolve().parent / "walkers"


def build(language: str, out: Path, without: Sequence[str] = ()) -> None:
    """Generate the sources of a driver."""
    models = {name: Model(name) for name in all_grammars()}
    for name, model in list(models.items()):
        if not {file.stem for file in model.files}.isdisjoint(without):
            del models[name]
    make_package(LANGUAGES[language], out / "package", list(models))
    bodies = {name: model.to_json() for name, model in models.items()}
    (out / "models.json").write_text(json.dumps(bodies, indent=1) + "\n")
    environment = templates.environment(WALKERS)
    for template in sorted(WALKERS.glob(f"{language}.*.j2")):
        text = environment.get_template(template.name).render(
            models=models, class_name=class_name, lower_camel=lower_camel, types=_types(models)
        )
        name = template.name.removesuffix(".j2").replace(f"{language}.", "walker.", 1)
        (out / name).write_text(text)


def _types(models: dict[str, Model]) -> dict[str, Model]:
    return {name: model for model in models.values() for name in model.fields}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line of this module."""
    parser = argparse.ArgumentParser(prog="python -m walproof.parsers.build")
    parser.add_argument("language", choices=list(LANGUAGES))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--without", action="append", default=[], metavar="NAME")
    options = parser.parse_args(arguments)
    try:
        build(options.language, options.folder, options.without)
    except (GrammarError, ToolMissing) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
