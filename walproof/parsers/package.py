"""Ready-to-use packages of the parsers, one per language.

``templates/<language>/`` is the package as it will be; a file that is filled in has a name that
ends in ``.j2``. ``templates/README.md.j2`` and the workflow are the same for all languages, and
``examples/`` says what the tests read, a file for each grammar.
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from conformance import GRAMMARS, VECTORS, __version__, templates
from conformance.kaitai.compile import compile_to, grammar_files
from conformance.kaitai.model import Model
from conformance.kaitai.types import class_name
from conformance.saving import is_unfinished, named_in_errors, save, temporary_sibling
from walproof.parsers.languages import COMPILER, LANGUAGES, NOTES, Language
from walproof.parsers.naming import FREE, Naming, licence_of
from walproof.parsers.spelling import lower_camel, number, spelled

MARK = ".walproof-parsers"
"""The file of a package that says what it is: its language, and where its parsers are."""
HERE = Path(__file__).resolve().parent
TEMPLATES = HERE / "templates"
EXAMPLES: list[dict[str, Any]] = [
    {"grammar": file.stem, **tomllib.loads(file.read_text("utf-8"))}
    for file in sorted((HERE / "examples").glob("*.toml"))
]
"""By grammar: ``log``, a path inside ``vectors/``; ``array``, a field; ``count``, its elements.

What the program ``example`` does with it: ``steps``, each an array that is gone through (``each``,
with the ``name`` of an element) or a condition without which nothing more follows (``if``), and the
``columns`` of the line that it prints then, after the number of the element at each step. Columns
are fields that hold numbers in every language, or the ``length`` of bytes. ``printed`` is what it
prints of ``log``. How paths are written in a language is in :mod:`walproof.parsers.spelling`.
"""
WORKFLOW = "workflow.yml.j2"
_PATHS = {"IDENTIFIER": "identifier", "JAVA_PATH": "java_path"}
"""Names in the paths of templates, by property of :class:`Naming`."""

RUNTIME = HERE / "runtime"
RUNTIMES = {"cpp": RUNTIME / "cpp" / "kaitai", "rust": RUNTIME / "rust"}
"""What a package carries as ``kaitai/`` where the official runtime is in no registry."""


@dataclass(frozen=True)
class Grammar:
    """One grammar in a package: ``file`` is its parser, ``needs`` are the grammars it imports."""

    id: str
    class_name: str
    title: str
    file: str
    needs: tuple[str, ...]
    licence: str | None


class NotOurs(Exception):
    """A folder holds something other than a package that was made here."""


def all_grammars(grammars: Path = GRAMMARS) -> list[str]:
    """The grammars of a folder by name."""
    return sorted(file.stem for file in grammars.glob("*.ksy"))


def make_package(
    language: Language,
    out: Path,
    chosen: Sequence[str] = (),
    grammars: Path = GRAMMARS,
    naming: Naming | None = None,
) -> list[Grammar]:
    """Make the package of one language in the folder ``out``, whose own package it replaces.

    ``chosen`` names grammars; without one, all of the folder are in it. Raises ``GrammarError``
    and ``ToolMissing`` of :mod:`conformance.kaitai.compile`, :class:`NotOurs`, and ``OSError`` with
    ``out`` for what cannot be written.
    """
    is_there = out.exists() and not all(map(is_unfinished, out.iterdir()))
    if is_there and not (out / MARK).exists():
        raise NotOurs(f"{out} is not empty, and not a package that was made here")
    naming = naming or Naming(version=release_of(__version__))
    language = language.named(naming)
    names = list(chosen) or all_grammars(grammars)
    with named_in_errors(out), temporary_sibling(out) as fresh:
        fresh.mkdir(parents=True)
        out.mkdir(parents=True, exist_ok=True)
        files = [grammars / f"{name}.ksy" for name in names]
        # The compiler first: nothing else says so well what is wrong with a grammar.
        compile_to(language.target, files, fresh / language.sources)
        found = [_grammar(language, name, grammars) for name in names]
        known = {grammar.id for grammar in found}
        needed = [name for grammar in found for name in grammar.needs if name not in known]
        found += [_grammar(language, name, grammars) for name in dict.fromkeys(needed)]
        for file in (fresh / language.sources).iterdir():
            text = language.finish(file.read_text(encoding="utf-8"), naming)
            file.write_text(text, encoding="utf-8")
        examples = _examples(language, found, grammars)
        licence = licence_of([grammar.licence for grammar in found], naming.licence)
        _add_templates(language, found, examples, licence, fresh, grammars, naming)
        if language.id in RUNTIMES:
            _copy_tree(RUNTIMES[language.id], fresh / "kaitai")
        (fresh / MARK).write_text(f"{language.id}\n{language.sources}\n")
        for example in examples:
            (fresh / "logs").mkdir(exist_ok=True)
            shutil.copy(VECTORS / example["log"], fresh / "logs" / f"{example['grammar']}.log")
        for file in _licence_files(licence, grammars):
            shutil.copy(file, fresh / file.name)
        _replace(fresh, out)
    return found


def _copy_tree(folder: Path, to: Path) -> None:
    """Copy a folder; unlike ``shutil.copytree``, what fails is one ``OSError`` with its name."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        target = to / file.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def _examples(language: Language, found: Sequence[Grammar], grammars: Path) -> list[dict[str, Any]]:
    """The examples of a package: our logs say nothing of a grammar that only has such a name."""
    if grammars.resolve() != GRAMMARS.resolve():
        return []
    known = {grammar.id: grammar for grammar in found}
    return [
        {
            **one,
            "class_name": known[one["grammar"]].class_name,
            "steps": [
                {"each": None, "number": number(language.id, step), **step} for step in steps
            ],
            "numbers": [number(language.id, step) for step in steps if "each" in step],
        }
        for one in EXAMPLES
        if one["grammar"] in known and (steps := one["steps"])
    ]


def _licence_files(licence: str | None, grammars: Path) -> list[Path]:
    """The licence as a text: ours, or what lies beside grammars of somebody else."""
    if grammars.resolve() == GRAMMARS.resolve():
        return [GRAMMARS / "LICENSE"] if licence == FREE else []
    names = ("LICENSE*", "LICENCE*", "COPYING*")
    return sorted(file for name in names for file in grammars.glob(name) if file.is_file())


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
        str(body["meta"]["license"]) if body["meta"].get("license") else None,
    )


def _add_templates(
    language: Language,
    found: Sequence[Grammar],
    examples: Sequence[Mapping[str, Any]],
    licence: str | None,
    fresh: Path,
    grammars: Path,
    naming: Naming,
) -> None:
    environment = templates.environment(TEMPLATES)
    at = partial(spelled, language.id)
    environment.filters["at"] = at
    context: dict[str, Any] = {
        "language": language,
        "note": NOTES.get(language.id),
        "grammars": sorted(found, key=lambda grammar: grammar.id),
        "examples": examples,
        "naming": naming,
        "licence": licence,
        "models": {grammar.id: Model(grammar.id, grammars) for grammar in found},
        "version": naming.version,
        "walproof": __version__,
        "compiler": COMPILER,
        "class_name": class_name,
        "lower_camel": lower_camel,
        "at": at,
    }
    for name in _templates(language, examples):
        if not examples and re.search("example|test", name.lower()):
            continue
        path = os.path.relpath(name.removesuffix(".j2"), language.id)
        for word, key in _PATHS.items():
            path = path.replace(word, getattr(naming, key))
        if name == "README.md.j2":
            path = "README.md"
        if name == WORKFLOW:
            path = ".github/workflows/test.yml"
        target = fresh / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(environment.get_template(name).render(context), encoding="utf-8")


def _templates(language: Language, examples: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "README.md.j2"
    if examples:
        yield WORKFLOW
    for path in sorted((TEMPLATES / language.id).rglob("*")):
        if path.is_file():
            yield path.relative_to(TEMPLATES).as_posix()


def _replace(fresh: Path, out: Path) -> None:
    """Put the new package in the place of the old one; what a build left there stays."""
    is_ours = (out / MARK).exists()
    before = _sources(out) if is_ours else _sources(fresh)
    if not is_ours:
        _put(fresh, out, fresh / MARK)  # first: who is killed is to know the package as ours
    for file in sorted(path for path in fresh.rglob("*") if path.is_file()):
        if file != fresh / MARK:
            _put(fresh, out, file)
    # Parsers of grammars that are gone must not stay importable, nor those of another name.
    kept = {path.relative_to(fresh) for path in (fresh / _sources(fresh)).iterdir()}
    for folder in {_sources(fresh), before}:
        for old in (out / folder).iterdir() if (out / folder).is_dir() else ():
            if old.is_file() and old.relative_to(out) not in kept and "Kaitai" not in old.name:
                first = old.read_text(encoding="utf-8", errors="replace")[:400]
                if "kaitai-struct-compiler" in first:
                    old.unlink()
    _put(fresh, out, fresh / MARK)  # last: until then it says which parsers are to go


def _put(fresh: Path, out: Path, file: Path) -> None:
    target = out / file.relative_to(fresh)
    if not target.exists() or target.read_bytes() != file.read_bytes():
        target.parent.mkdir(parents=True, exist_ok=True)
        save(target, file.read_bytes(), sync=False)


def _sources(package: Path) -> str:
    """Where a package keeps its parsers."""
    id, *said = (package / MARK).read_text().split("\n")
    return said[0] if said and said[0] else LANGUAGES[id].named(Naming()).sources
