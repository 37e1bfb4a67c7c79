"""Generate ready-to-use packages of the parsers, one per language."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from conformance import GRAMMARS, VECTORS, __version__, templates
from conformance.kaitai.compile import compile_to, grammar_files
from conformance.kaitai.model import Model
from conformance.kaitai.types import class_name
from conformance.saving import is_unfinished, named_in_errors, save, temporary_sibling
from walproof.parsers.languages import COMPILER, NOTES, Language, lower_camel

#: File that identifies a package, with the names of its generated files.
MARK = ".walproof-parsers"
HERE = Path(__file__).resolve().parent
TEMPLATES = HERE / "templates"
#: Logs for the tests of a package: ``log``, a path in ``vectors/``; ``array``, a field; ``count``,
#: the number of its elements.
LOGS: list[dict[str, Any]] = [
    {"grammar": file.stem, **tomllib.loads(file.read_text("utf-8"))}
    for file in sorted((HERE / "logs").glob("*.toml"))
]

RUNTIME = HERE / "runtime"
#: Runtimes included as ``kaitai/``, for languages whose official runtime is in no registry.
RUNTIMES = {"cpp": RUNTIME / "cpp" / "kaitai", "rust": RUNTIME / "rust"}


@dataclass(frozen=True)
class Grammar:
    """A grammar in a package.

    It imports the grammars in ``needs``, and its parser is in ``file``.
    """

    id: str
    class_name: str
    title: str
    file: str
    needs: tuple[str, ...]


class NotOurs(Exception):
    """Raised if the output folder is not empty and not a package of this program."""


def all_grammars() -> list[str]:
    """Return the names of the grammars."""
    return sorted(file.stem for file in GRAMMARS.glob("*.ksy"))


def make_package(language: Language, out: Path, chosen: Sequence[str] = ()) -> list[Grammar]:
    """Generate the package of one language. It replaces an earlier package in ``out``.

    ``chosen`` lists the names of grammars (default: all). Raises ``GrammarError``, ``ToolMissing``,
    :class:`NotOurs`, and ``OSError`` if ``out`` cannot be written.
    """
    has_files = out.exists() and not all(map(is_unfinished, out.iterdir()))
    if has_files and not (out / MARK).exists():
        raise NotOurs(f"{out} is not empty, and not a package of walproof parsers")
    names = list(chosen) or all_grammars()
    with named_in_errors(out), temporary_sibling(out) as fresh:
        fresh.mkdir(parents=True)
        out.mkdir(parents=True, exist_ok=True)
        files = [GRAMMARS / f"{name}.ksy" for name in names]
        # The compiler runs first, because it has the best error messages.
        compile_to(language.target, files, fresh / language.sources)
        packaged = [_grammar(language, name) for name in names]
        needed = [name for grammar in packaged for name in grammar.needs if name not in names]
        packaged += [_grammar(language, name) for name in dict.fromkeys(needed)]
        for file in (fresh / language.sources).iterdir():
            text = language.finish(file.read_text(encoding="utf-8"))
            file.write_text(text, encoding="utf-8")
        by_id = {grammar.id: grammar for grammar in packaged}
        logs = [
            {**log, "class_name": by_id[log["grammar"]].class_name}
            for log in LOGS
            if log["grammar"] in by_id
        ]
        _add_templates(language, packaged, logs, fresh)
        if language.id in RUNTIMES:
            shutil.copytree(RUNTIMES[language.id], fresh / "kaitai")
        for log in logs:
            (fresh / "logs").mkdir(exist_ok=True)
            shutil.copy(VECTORS / log["log"], fresh / "logs" / f"{log['grammar']}.log")
        shutil.copy(GRAMMARS / "LICENSE", fresh)
        _replace(fresh, out)
    return packaged


def _grammar(language: Language, name: str) -> Grammar:
    files = grammar_files(name, GRAMMARS)
    title = yaml.safe_load(files[0].read_bytes())["meta"]["title"]
    needs = tuple(file.stem for file in files[1:])
    return Grammar(name, class_name(name), title, language.file_name(name), needs)


def _add_templates(
    language: Language,
    packaged: Sequence[Grammar],
    logs: Sequence[Mapping[str, Any]],
    fresh: Path,
) -> None:
    environment = templates.environment(TEMPLATES)
    version = re.match(r"\d+\.\d+\.\d+", __version__)
    context: dict[str, Any] = {
        "language": language,
        "note": NOTES.get(language.id),
        "grammars": sorted(packaged, key=lambda grammar: grammar.id),
        "logs": logs,
        "models": {grammar.id: Model(grammar.id) for grammar in packaged},
        # Cargo, npm and CMake accept three numbers only.
        "version": version[0] if version else "0.0.0",
        "walproof": __version__,
        "compiler": COMPILER,
        "class_name": class_name,
        "lower_camel": lower_camel,
    }
    files = (path for path in sorted((TEMPLATES / language.id).rglob("*")) if path.is_file())
    for name in ("README.md.j2", *(path.relative_to(TEMPLATES).as_posix() for path in files)):
        if not logs and "test" in name.lower():
            continue
        path = os.path.relpath(name.removesuffix(".j2"), language.id)
        if name == "README.md.j2":
            path = "README.md"
        target = fresh / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(environment.get_template(name).render(context), encoding="utf-8")


def _replace(fresh: Path, out: Path) -> None:
    """Replace the files that the mark of the old package lists; leave all other files in place."""
    mark = out / MARK
    before = mark.read_text("utf-8").splitlines() if mark.exists() else []
    files = [path.relative_to(fresh).as_posix() for path in fresh.rglob("*") if path.is_file()]
    # A killed run leaves a mark that lists the old and the new files.
    save(mark, "".join(f"{name}\n" for name in dict.fromkeys([*before, *files])), sync=False)
    for name in files:
        target, data = out / name, (fresh / name).read_bytes()
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            save(target, data, sync=False)
    for name in set(before) - set(files):
        old = out / name
        if old.is_file() and old.resolve().is_relative_to(out.resolve()):
            old.unlink()
    save(mark, "".join(f"{name}\n" for name in sorted(files)), sync=False)
