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

from conformance import GRAMMARS, VECTORS, __version__, templates
from conformance.kaitai.compile import GrammarError, compile_to, compiled, grammar_files
from conformance.kaitai.model import Model
from conformance.kaitai.types import class_name, load_grammar
from conformance.saving import is_unfinished, named_in_errors, save, temporary_sibling
from walproof.parsers.languages import COMPILER, NOTES, Language, lower_camel

#: This file marks a directory as a package and lists its generated files.
MARK = ".walproof-parsers"
HERE = Path(__file__).resolve().parent
TEMPLATES = HERE / "templates"
#: The tests in a package parse these logs. ``log`` is a path in ``vectors/``, ``array`` is a field
#: in the log, and ``count`` is the number of its elements.
LOGS: list[dict[str, Any]] = [
    {"grammar": file.stem, **tomllib.loads(file.read_text("utf-8"))}
    for file in sorted((HERE / "logs").glob("*.toml"))
]
OURS = "Parsers of journal files (write-ahead logs)"

RUNTIME = HERE / "runtime"
#: For these languages, no registry contains the official runtime, so a package includes it as
#: ``kaitai/``.
RUNTIMES = {"cpp": RUNTIME / "cpp" / "kaitai", "rust": RUNTIME / "rust"}


@dataclass(frozen=True)
class Grammar:
    """A grammar in a package.

    ``needs`` lists the grammars that it imports, and ``file`` is the file name of its parser.
    """

    source: Path
    id: str
    class_name: str
    title: str
    license: str | None
    file: str
    needs: tuple[Path, ...]

    @property
    def is_ours(self) -> bool:
        """Return whether the grammar is in ``ksy/``."""
        return self.source.resolve().parent == GRAMMARS.resolve()


class NotOurs(Exception):
    """Raised if the output folder contains files but is not a package of this program."""


class NotRead(Exception):
    """Raised if a grammar cannot parse the log for its test."""


def all_grammars() -> list[str]:
    """Return the names of all grammars in ``ksy/``."""
    return sorted(file.stem for file in GRAMMARS.glob("*.ksy"))


def grammar_path(grammar: str) -> Path:
    """Return the file of a grammar, given as a name in ``ksy/`` or as a path such as ``my.ksy``."""
    return Path(grammar) if grammar.endswith(".ksy") else GRAMMARS / f"{grammar}.ksy"


def make_package(
    language: Language, out: Path, chosen: Sequence[str] = (), log: Path | None = None
) -> list[Grammar]:
    """Generate the package of one language. It replaces an earlier package in ``out``.

    ``chosen`` lists grammars as :func:`grammar_path` accepts them; by default, all grammars in
    ``ksy/`` are chosen. ``log`` is a log for testing the first grammar. Raises ``GrammarError``,
    ``ToolMissing``, :class:`NotOurs`, :class:`NotRead`, and ``OSError`` if ``out`` cannot be
    written.
    """
    has_files = out.exists() and not all(map(is_unfinished, out.iterdir()))
    if has_files and not (out / MARK).exists():
        raise NotOurs(f"{out} is not empty, and not a package of walproof parsers")
    files = [grammar_path(name) for name in chosen or all_grammars()]
    with named_in_errors(out), temporary_sibling(out) as fresh:
        fresh.mkdir(parents=True)
        out.mkdir(parents=True, exist_ok=True)
        # Run the compiler first, because it has the best error messages.
        compile_to(language.target, files, fresh / language.sources)
        packaged = [_grammar(language, file) for file in files]
        needed = [file for grammar in packaged for file in grammar.needs if file not in files]
        packaged += [_grammar(language, file) for file in dict.fromkeys(needed)]
        _check_ids(packaged)
        if language.id in RUNTIMES:
            _check_processes(packaged)
        for file in (fresh / language.sources).iterdir():
            text = language.finish(file.read_text(encoding="utf-8"))
            file.write_text(text, encoding="utf-8")
        by_id = {grammar.id: grammar for grammar in packaged if grammar.is_ours}
        logs = [
            {**each, "class_name": by_id[each["grammar"]].class_name, "path": VECTORS / each["log"]}
            for each in LOGS
            if each["grammar"] in by_id
        ]
        if log is not None:
            logs.append(_own_log(packaged[0], log))
        _add_templates(language, packaged, logs, fresh)
        if language.id in RUNTIMES:
            shutil.copytree(RUNTIMES[language.id], fresh / "kaitai")
        for each in logs:
            (fresh / "logs").mkdir(exist_ok=True)
            shutil.copy(each["path"], fresh / "logs" / f"{each['grammar']}.log")
        if by_id:
            shutil.copy(GRAMMARS / "LICENSE", fresh)
        _replace(fresh, out)
    return packaged


def _grammar(language: Language, source: Path) -> Grammar:
    needs = tuple(grammar_files(source.stem, source.parent)[1:])
    meta = load_grammar(source)["meta"]
    id = str(meta["id"])
    # The title may be part of comments and string literals, so remove what would end them.
    title = " ".join(re.sub(r'["\\]|\*/', " ", str(meta.get("title", id))).split())
    return Grammar(
        source, id, class_name(id), title, meta.get("license"),
        language.file_name(id), needs,
    )  # fmt: skip


def _check_ids(packaged: Sequence[Grammar]) -> None:
    known: dict[str, Path] = {}
    for grammar in packaged:
        if (other := known.setdefault(grammar.id, grammar.source)) != grammar.source:
            raise GrammarError(f"{grammar.source}:1:1: error: {other} has the same meta/id")


def _check_processes(packaged: Sequence[Grammar]) -> None:
    for grammar in packaged:
        lines = grammar.source.read_text("utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if match := re.match(r"[ -]*(process: *zlib)\b", line):
                where = f"{grammar.source}:{number}:{match.start(1) + 1}"
                raise GrammarError(f"{where}: error: the runtime in this package has no zlib")


def _own_log(grammar: Grammar, log: Path) -> dict[str, Any]:
    """Return a log as in :data:`LOGS`, with the first array as the Python parser reads it."""
    fields = load_grammar(grammar.source).get("seq") or ()
    arrays = (each["id"] for each in fields if {"id", "repeat"} <= {*each} and "if" not in each)
    array = next(arrays, None)
    module = compiled(grammar.source.stem, grammars=grammar.source.parent, id=grammar.id)
    try:
        read = getattr(module, grammar.class_name).from_bytes(log.read_bytes())
    # A generated parser may raise any exception.
    except Exception as error:
        raise NotRead(
            f"{grammar.source} does not read {log}: {type(error).__name__}: {error}"
        ) from None
    return {
        "grammar": grammar.id,
        "class_name": grammar.class_name,
        "path": log,
        "array": array,
        "count": array and len(getattr(read, array)),
    }


def _add_templates(
    language: Language,
    packaged: Sequence[Grammar],
    logs: Sequence[Mapping[str, Any]],
    fresh: Path,
) -> None:
    environment = templates.environment(TEMPLATES)
    version = re.match(r"\d+\.\d+\.\d+", __version__)
    titles = ", ".join(grammar.title for grammar in packaged)
    is_ours = all(grammar.is_ours for grammar in packaged)
    licences = {grammar.license for grammar in packaged}
    context: dict[str, Any] = {
        "language": language,
        "note": NOTES.get(language.id),
        "grammars": sorted(packaged, key=lambda grammar: grammar.id),
        "logs": logs,
        "models": {
            grammar.id: Model(grammar.source.stem, grammar.source.parent) for grammar in packaged
        },
        "is_ours": is_ours,
        "description": OURS if is_ours else f"Parsers of {titles}",
        "license": licences.pop() if len(licences) == 1 else None,
        # Cargo, npm and CMake accept only versions of three numbers.
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
    """Replace the files that the old package's mark lists, and leave all other files in place."""
    mark = out / MARK
    before = mark.read_text("utf-8").splitlines() if mark.exists() else []
    files = [path.relative_to(fresh).as_posix() for path in fresh.rglob("*") if path.is_file()]
    # The mark lists old and new files until the end, because this run may be killed before.
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
