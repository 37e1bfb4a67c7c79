"""Ready-to-use packages of the parsers, one per language.

``templates/<language>/`` is the package as it will be; a file that is filled in has a name that
ends in ``.j2``. ``templates/README.md.j2`` is the same for all languages, and
``templates/example.toml`` says what the examples read.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from conformance import GRAMMARS, VECTORS, __version__, templates
from conformance.kaitai.compile import compile_to, grammar_files
from conformance.kaitai.model import Model
from conformance.kaitai.types import class_name
from conformance.saving import save
from walproof.parsers.languages import COMPILER, LANGUAGES, NOTES, Language

HERE = Path(__file__).resolve().parent
TEMPLATES = HERE / "templates"
EXAMPLE: dict[str, str] = tomllib.loads((TEMPLATES / "example.toml").read_text("utf-8"))
"""``grammar`` and ``log`` of the examples; the log is a path inside ``vectors/``."""

RUNTIMES = {"cpp": HERE / "runtime" / "cpp" / "kaitai", "rust": HERE / "runtime" / "rust"}
"""What a package carries as ``kaitai/`` where the official runtime is in no registry."""


@dataclass(frozen=True)
class Grammar:
    """One grammar in a package: ``file`` is its parser, ``needs`` are the grammars it imports."""

    id: str
    class_name: str
    title: str
    file: str
    needs: tuple[str, ...]


class NotOurs(Exception):
    """A folder holds something other than a package that was made here."""


def all_grammars(grammars: Path = GRAMMARS) -> list[str]:
    """The grammars of a folder by name."""
    return sorted(file.stem for file in grammars.glob("*.ksy"))


def make_package(
    language: Language, out: Path, chosen: Sequence[str] = (), grammars: Path = GRAMMARS
) -> list[Grammar]:
    """Make the package of one language in the folder ``out``, whose own package it replaces.

    ``chosen`` names grammars; without one, all of the folder are in it. Raises ``GrammarError``
    and ``ToolMissing`` of :mod:`conformance.kaitai.compile`, and :class:`NotOurs`.
    """
    if out.exists() and any(out.iterdir()) and not (out / ".walproof-parsers").exists():
        raise NotOurs(f"{out} is not empty, and not a package that was made here")
    names = list(chosen) or all_grammars(grammars)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=out.parent) as scratch:
        fresh = Path(scratch) / "package"
        files = [grammars / f"{name}.ksy" for name in names]
        # The compiler first: nothing else says so well what is wrong with a grammar.
        compile_to(language.target, files, fresh / language.sources)
        found = [_grammar(language, name, grammars) for name in names]
        known = {grammar.id for grammar in found}
        needed = [name for grammar in found for name in grammar.needs if name not in known]
        found += [_grammar(language, name, grammars) for name in dict.fromkeys(needed)]
        for file in (fresh / language.sources).iterdir():
            text = file.read_text(encoding="utf-8")
            file.write_text(language.finish(text), encoding="utf-8")
        _add_templates(language, found, fresh, grammars)
        if language.id in RUNTIMES:
            shutil.copytree(RUNTIMES[language.id], fresh / "kaitai", dirs_exist_ok=True)
        (fresh / ".walproof-parsers").write_text(f"{language.id}\n")
        shutil.copy(VECTORS / EXAMPLE["log"], fresh / "example.log")
        shutil.copy(GRAMMARS / "LICENSE", fresh / "LICENSE")
        _replace(fresh, out)
    return found


def release_of(version: str) -> str:
    """Three numbers: what Cargo, npm and CMake all take of ``0.2.1.dev5+g1a2b3c4``."""
    found = re.match(r"\d+\.\d+\.\d+", version)
    return found[0] if found else "0.0.0"


def _grammar(language: Language, name: str, grammars: Path) -> Grammar:
    files = grammar_files(name, grammars)
    body = yaml.safe_load(files[0].read_bytes())
    return Grammar(
        name,
        class_name(name),
        str(body["meta"].get("title", name)),
        language.file_name(name),
        tuple(file.stem for file in files[1:]),
    )


def _add_templates(
    language: Language, found: Sequence[Grammar], fresh: Path, grammars: Path
) -> None:
    environment = templates.environment(TEMPLATES)
    context: dict[str, Any] = {
        "language": language,
        "note": NOTES.get(language.id),
        "grammars": sorted(found, key=lambda grammar: grammar.id),
        "has_example": any(grammar.id == EXAMPLE["grammar"] for grammar in found),
        "models": {grammar.id: Model(grammar.id, grammars) for grammar in found},
        "version": release_of(__version__),
        "compiler": COMPILER,
        "class_name": class_name,
        "lower_camel": lower_camel,
    }
    for name in _templates(language.id):
        is_example = "example" in name.lower()
        if is_example and not context["has_example"]:
            continue
        target = fresh / os.path.relpath(name.removesuffix(".j2"), language.id)
        if name == "README.md.j2":
            target = fresh / "README.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(environment.get_template(name).render(context), encoding="utf-8")


def _templates(language: str) -> Iterator[str]:
    yield "README.md.j2"
    for path in sorted((TEMPLATES / language).rglob("*")):
        if path.is_file():
            yield path.relative_to(TEMPLATES).as_posix()


def _replace(fresh: Path, out: Path) -> None:
    """Put the new package in the place of the old one; what a build left there stays."""
    for file in sorted(path for path in fresh.rglob("*") if path.is_file()):
        target = out / file.relative_to(fresh)
        if not target.exists() or target.read_bytes() != file.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            save(target, file.read_bytes(), sync=False)
    # Parsers of grammars that are gone must not stay importable.
    sources = {path.name for path in (fresh / LANGUAGES[_id(fresh)].sources).iterdir()}
    for old in (out / LANGUAGES[_id(out)].sources).iterdir():
        if old.is_file() and old.name not in sources and "Kaitai" not in old.name:
            first = old.read_text(encoding="utf-8", errors="replace")[:400]
            if "kaitai-struct-compiler" in first:
                old.unlink()


def _id(package: Path) -> str:
    return (package / ".walproof-parsers").read_text().strip()


def lower_camel(name: str) -> str:
    """``len_data`` → lenData."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
