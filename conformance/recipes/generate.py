"""``make vectors``: run the recipes, compute the answers by specification, write the files."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from conformance import postconditions
from conformance.chapter import chapter
from conformance.contents import (
    Contents,
    by_name,
    digest,
    read_contents,
    size,
    write_contents,
)
from conformance.damage.byte_parts import ByteSource, operation_to_json
from conformance.damage.operations import BadOperation
from conformance.kaitai.field_map import UnknownField
from conformance.recipes.algebra import RecipeError
from conformance.recipes.recipe import Book, Log, Recipe
from conformance.vector_cases import usual_reply_bytes
from reference_impl import formats
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.register import UndecidedReason, registers

Body = dict[str, Any]


def books(formats: Collection[str] = ()) -> list[Book[Any]]:
    """Return the recipes of these formats, or of all, from the packages with their names."""
    return [_book(each.module) for id, each in registers().items() if not formats or id in formats]


def _book(name: str) -> Book[Any]:
    package = import_module(f"{__package__}.{name}")
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")
    book: Book[Any] = package.log.BOOK
    return book


def generate(book: Book[Any]) -> Iterator[tuple[str, bytes]]:
    """Yield each file of a format's vectors: its name in ``vectors/`` and its contents."""
    built: dict[str, Log] = {}
    for recipe in book.recipes.values():
        log = build(book, recipe, built)
        others = list(built.values())
        built[recipe.slug] = log
        contents = log.contents
        input_name = input_name_of(book, recipe, log)
        if log.name is not None and any(other.name == log.name for other in others):
            raise RecipeError(f"{recipe.id}: another input has the name {log.name}")
        # Check the recipe before yielding anything, so that an invalid recipe leaves no files.
        description = dump(describe(recipe, log, input_name, _made_by(recipe, log, built)))
        if isinstance(contents, bytes):
            yield f"{recipe.format}/{input_name}", contents
        else:
            for name, data in contents.items():
                yield f"{recipe.format}/{input_name}/{name}", data
        yield f"{recipe.id}.json", description


def _kind_of(log: Log) -> str:
    return "eof" if log.statement and log.statement.verdict == "torn" else "corrupt"


def input_name_of(book: Book[Any], recipe: Recipe[Any], log: Log) -> str:
    """Return the file name of a recipe's log."""
    suffix = book.suffix if log.suffix is None else log.suffix
    is_file = isinstance(log.contents, bytes)
    return log.name or (f"{recipe.slug}{suffix}" if is_file else recipe.slug)


def build(book: Book[Any], recipe: Recipe[Any], built: Mapping[str, Log]) -> Log:
    """Run one recipe on its source."""
    base = built[recipe.source.slug] if recipe.source else None
    log: Log = book.new_log(*((base.contents, base.payloads) if base else (b"", [])))
    if base:
        log.context = dict(base.context)
        log.suffix = base.suffix
    try:
        recipe.function(log)
    except (BadOperation, UnknownField) as error:
        raise RecipeError(f"{recipe.id}: the recipe damages what is not there: {error}") from None
    return log


def _made_by(recipe: Recipe[Any], log: Log, built: Mapping[str, Log]) -> Body:
    """Return the recipe and, if the vector has a control, the operations on that control."""
    made_by: Body = {"recipe": recipe.made_by}
    if recipe.control is None or recipe.source is None:
        return made_by
    source = recipe.control
    if by_name(built[source.slug].contents) != log.undamaged:
        source = recipe.source
        made_by["source"] = source.id
    if applied := log.applied:
        bytes_of = ByteSource({source.id: log.undamaged})
        made_by["damage"] = [operation_to_json(log, *each, bytes_of) for each in applied]
    return made_by


def describe(recipe: Recipe[Any], log: Log, input_name: str, made_by: Body | None = None) -> Body:
    """Return the vector of a recipe. ``made_by`` includes the operations on its control.

    Raises :class:`RecipeError` if specification and recipe differ.
    """
    known = chapter(recipe.format).requirements
    if unknown := sorted(set(recipe.requirements) - known.keys()):
        raise RecipeError(
            f"{recipe.id}: {unknown[0]}: expected a requirement with a level in the chapter"
        )
    contents = log.contents
    if log.golden is not None and contents != log.golden:
        raise RecipeError(f"{recipe.id}: the log differs from the golden one")
    body: Body = {
        "id": recipe.id,
        "title": recipe.title,
        "format": recipe.format,
        "kind": recipe.kind or _kind_of(log),
        "group": recipe.group,
        "requirements": sorted(recipe.requirements),
        "operation": recipe.operation,
        "input": input_name,
        "sha256": digest(contents),
        "size": size(contents),
        "control": recipe.control.id if recipe.control else None,
        "made_by": made_by or {"recipe": recipe.made_by},
        "context": log.context,
    }
    try:
        body |= _EXPECTATIONS[recipe.operation](recipe, log, contents, input_name)
    except UndecidedReason as error:
        raise RecipeError(f"{recipe.id}: {error}") from None
    if log.scenario:
        body["scenario"] = log.scenario
    if log.accept:
        body["accept"] = list(log.accept)
    if recipe.may_refuse:
        body["may_refuse"] = True
    if log.must_refuse:
        body["must_refuse"] = True
    if log.wall_ms is not None:
        body.setdefault("limits", {})["wall_ms"] = log.wall_ms
    if log.notes:
        body["notes"] = " ".join(log.notes)
    if log.bugs:
        body["bugs"] = log.bugs
    return body


def answer_to(
    format: str,
    contents: Contents,
    context: Mapping[str, Any],
    profile: str = "recover",
    name: str = "log",
) -> Answer:
    """Return the executable specification's answer for a log."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write_contents(contents, path)
        return collect(formats.named(format).read(path, profile, context))


def decided_by(format: str, answer: Answer, strict: Answer | None = None) -> Body:
    """Return the requirements that decide an answer and the answer of the profile ``strict``.

    The executable specification computed both answers. If they are equal, the result has no ids for
    ``strict``. Raises :class:`~reference_impl.register.UndecidedReason`.
    """
    register = registers()[format]
    ids: Body = {"expect": register.requirements_of(answer)}
    if strict is not None and strict.to_json() != answer.to_json():
        of_strict = register.requirements_of(strict)
        # The requirement for ``strict`` also decides that `end` is null.
        del of_strict["end"]
        ids["expect_strict"] = {"strict": register.decides["strict"], **of_strict}
    return ids


def _expect_read(recipe: Recipe[Any], log: Log, contents: Contents, input_name: str) -> Body:
    answer = answer_to(recipe.format, contents, log.context, name=_name(log))
    _check_statement(recipe, log, answer)
    strict = answer_to(recipe.format, contents, log.context, "strict", _name(log))
    _check_conventions(recipe, answer, strict, contents)
    body: Body = {
        "expect": answer.to_json(),
        "expect_strict": strict.to_json(),
        "decided_by": decided_by(recipe.format, answer, strict),
    }
    # Records may share bytes of the log, so an answer that gives each payload in full may be longer
    # than usual.
    in_full = 2 * sum(len(record.payload) for record in answer.records)
    usual = usual_reply_bytes(size(contents))
    if 2 * in_full > usual:
        body["limits"] = {"reply_bytes": usual + 2 * in_full}
    return body


def _check_conventions(
    recipe: Recipe[Any], answer: Answer, strict: Answer, contents: Contents
) -> None:
    """Raise :class:`RecipeError` if an answer contradicts ``spec/conventions.md``."""
    sizes = {name: len(data) for name, data in by_name(contents).items()}
    if answer.verdict != "damaged":
        if strict.to_json() != answer.to_json():
            raise RecipeError(f"{recipe.id}: strict differs, but the log is {answer.verdict}")
    elif strict.end is not None:
        raise RecipeError(f"{recipe.id}: end of a damaged log in strict: expected null")
    else:
        for lost in strict.lost:
            if lost.end != sizes.get(lost.file or "", lost.end):
                raise RecipeError(
                    f"{recipe.id}: strict: expected a lost range up to the end of the file,"
                    f" found [{lost.start}, {lost.end})"
                )
    if answer.verdict == "refused" and (answer.end is not None or answer.records or answer.lost):
        raise RecipeError(f"{recipe.id}: a refused log has no records, lost ranges or end")
    for record in answer.records if answer.end is not None else ():
        if record.file == answer.end_file and record.at + record.size > (answer.end or 0):
            raise RecipeError(f"{recipe.id}: a record is behind the end at {answer.end}")


def _expect_write(recipe: Recipe[Any], log: Log, contents: Contents, input_name: str) -> Body:
    """Return the expected state: exactly the input, or no file if a writer must refuse."""
    records = log.to_write()
    if log.must_refuse and contents != b"":
        raise RecipeError(
            f"{recipe.id}: a refused write leaves nothing, so it cannot have an input"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / input_name
        refused = _refuses(formats.named(recipe.format).write, path, records, log)
        files = postconditions.files_in(Path(folder))
        if log.must_refuse:
            _check_refusal(recipe, refused, bool(files))
            answer = NOTHING
        else:
            if refused or read_contents(path) != contents:
                raise RecipeError(f"{recipe.id}: the executable specification writes another log")
            answer = answer_to(recipe.format, contents, log.context, name=input_name)
    return {
        "records": [record_to_json(record) for record in records],
        "expect": answer.to_json(),
        "decided_by": decided_by(recipe.format, answer),
        "after": _after(recipe, files, log.files_after, {}, log.free, input_name),
    }


def _expect_append(recipe: Recipe[Any], log: Log, contents: Contents, input_name: str) -> Body:
    """Return the expected state: survivors, appended records, and no other files.

    If a writer must refuse, the expected state is the unchanged log.
    """
    survivors = answer_to(recipe.format, contents, log.context, name=input_name).records
    payloads = [record.payload for record in survivors]
    payloads += [record.payload for record in log.to_append]
    data = {
        (_name_in_folder(file, input_name), at): data
        for (file, at), data in log.bytes_after.items()
    }
    answer, files, digests = _append(recipe, log, contents, input_name, log.to_append, data)
    is_exact = not (log.free or log.must_refuse or log.other_appends)
    _check_statement(recipe, log, answer)
    keeps_all = [record.payload for record in answer.records] == payloads
    if not (log.must_refuse or log.is_rewritten or keeps_all):
        raise RecipeError(f"{recipe.id}: the executable specification loses records")
    body: Body = {
        "records": [record_to_json(record) for record in log.to_append],
        "expect": answer.to_json(),
        "decided_by": decided_by(recipe.format, answer),
        "after": _after(
            recipe, files, log.files_after, data, log.free, input_name,
            digests if is_exact else {},
        ),
    }  # fmt: skip
    for records, because, stated in log.other_appends:
        answer, files, _ = _append(recipe, log, contents, input_name, records, {})
        after = _after(recipe, files, stated, {}, (), input_name)
        other = {"answer": answer.to_json(), "after": after, "because": because}
        body.setdefault("accept", []).append(other)
    return body


def _append(
    recipe: Recipe[Any],
    log: Log,
    contents: Contents,
    input_name: str,
    records: Sequence[NewRecord],
    data: postconditions.Bytes,
) -> tuple[Answer, dict[str, int], dict[str, str]]:
    """Return the answer after an append or a refusal, the files, and their SHA-256 digests.

    ``data`` lists bytes that the files must contain.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / input_name
        write_contents(contents, path)
        before = postconditions.files_in(Path(folder))
        refused = _refuses(formats.named(recipe.format).append, path, records, log)
        files = postconditions.files_in(Path(folder))
        if log.must_refuse:
            changed = files != before or read_contents(path) != contents
            _check_refusal(recipe, refused, changed)
        elif refused:
            raise RecipeError(f"{recipe.id}: the executable specification refuses: {refused}")
        digests = postconditions.digests_in(Path(folder))
        answer = collect(formats.named(recipe.format).read(path, "recover", log.context))
        if wrong := postconditions.byte_differences(data, Path(folder).joinpath):
            raise RecipeError(f"{recipe.id}: the executable specification differs: {wrong[0]}")
    return answer, files, digests


# If a writer must refuse its records, it creates no log, and a vector expects this answer.
NOTHING = Answer("intact", None, (), (), 0)

_Operation = Callable[[Path, Sequence[NewRecord], Mapping[str, Any]], None]


def _refuses(
    operation: _Operation, path: Path, records: Sequence[NewRecord], log: Log
) -> ValueError | None:
    """Perform a write or an append; return the executable specification's refusal, if any."""
    try:
        operation(path, records, log.context)
    except ValueError as refused:
        return refused
    return None


def _check_refusal(recipe: Recipe[Any], refused: ValueError | None, changed: bool) -> None:
    if recipe.may_refuse:
        raise RecipeError(f"{recipe.id}: a write cannot both require and allow a refusal")
    if refused is None:
        raise RecipeError(f"{recipe.id}: the executable specification does not refuse")
    if changed:
        raise RecipeError(
            f"{recipe.id}: the executable specification refuses and changes the log: {refused}"
        )


def _after(
    recipe: Recipe[Any],
    files: Mapping[str, int],
    stated: Mapping[str, int] | None,
    data: postconditions.Bytes,
    free: Sequence[tuple[str, str]],
    input_name: str,
    digests: postconditions.Digests | None = None,
) -> Body:
    """Return the files after a write or append, and bytes that they must contain.

    If the recipe does not state the files, they are those of the executable specification.
    """
    unknown = [freedom for freedom, _ in free if freedom not in postconditions.FREEDOMS]
    if unknown:
        raise RecipeError(
            f"{recipe.id}: freedom: expected one of {', '.join(postconditions.FREEDOMS)}"
        )
    if stated is not None:
        stated = {_name_in_folder(name, input_name): size for name, size in stated.items()}
        wrong = postconditions.file_differences(stated, files, ())
        if wrong:
            raise RecipeError(f"{recipe.id}: the executable specification differs: {wrong[0]}")
    return postconditions.to_json(files if stated is None else stated, data, free, digests)


def _name_in_folder(name: str, input_name: str) -> str:
    """Return a name relative to the log as one relative to the log's directory."""
    if not name:
        return input_name
    return name.removeprefix("../") if name.startswith("../") else f"{input_name}/{name}"


def _expect_truncations(recipe: Recipe[Any], log: Log, contents: Contents, input_name: str) -> Body:
    """Return the survivors of every prefix length; lengths with one answer share a row."""
    assert isinstance(contents, bytes), "only a log of one file has prefixes"
    format, register = formats.named(recipe.format), registers()[recipe.format]
    rows: list[Body] = []
    ids: list[str | None] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _name(log)
        path.write_bytes(contents)
        # Start with the longest prefix: truncating by one byte is cheaper than writing a prefix
        # again.
        for length in range(len(contents), -1, -1):
            os.truncate(path, length)
            answer = collect(format.read(path, "recover", log.context))
            row = {
                "verdict": answer.verdict,
                "reason": answer.reason,
                "records": len(answer.records),
                "end": "length" if answer.end == length else answer.end,
            }
            id = None if answer.reason is None else register.requirement_of(answer.reason)
            is_alike = rows and rows[-1] == {**rows[-1], **row}
            if is_alike and ids[-1] == id:
                rows[-1]["from"] = length
            else:
                rows.append({"from": length, "to": length, **row})
                ids.append(id)
    rows.reverse()
    whole = answer_to(recipe.format, contents, log.context, name=_name(log))
    by_row = {str(row["from"]): id for row, id in zip(rows, reversed(ids), strict=True)}
    decided = decided_by(recipe.format, whole) | {"table": by_row}
    return {"expect": whole.to_json(), "table": rows, "decided_by": decided}


_EXPECTATIONS: dict[str, Callable[[Recipe[Any], Log, Contents, str], Body]] = {
    "read": _expect_read,
    "write": _expect_write,
    "append": _expect_append,
    "truncations": _expect_truncations,
}


def _check_statement(recipe: Recipe[Any], log: Log, answer: Answer) -> None:
    if log.statement is None:
        raise RecipeError(f"{recipe.id}: the recipe states no expectation")
    stated = log.statement
    actual = (answer.verdict, answer.reason, tuple(record.payload for record in answer.records))
    if actual != (stated.verdict, stated.reason, stated.survivors) or stated.end not in (
        "any",
        answer.end,
    ):
        raise RecipeError(
            f"{recipe.id}: the recipe expects {stated.verdict} {stated.reason}"
            f" {_sizes(stated.survivors)} end {stated.end}, the executable specification"
            f" answers {answer.verdict} {answer.reason} {_sizes(actual[2])} end {answer.end}"
        )


def _name(log: Log) -> str:
    """Return a name with the extension of the input, which may decide the file type."""
    return log.name or f"log{log.suffix or ''}"


def _sizes(payloads: Sequence[bytes]) -> str:
    return f"records of {[len(payload) for payload in payloads]} bytes"


def record_to_json(record: NewRecord) -> Body:
    """Return a record to write in the form of a vector."""
    payload = record.payload
    if len(payload) > 64 and len(set(payload)) == 1:
        return {"fill": payload[:1].hex(), "size": len(payload), **record.fields}
    return {"payload": payload.hex(), **record.fields}


def dump(body: Mapping[str, Any]) -> bytes:
    """Return JSON with one line per record, so that a diff shows records."""
    return (_dump_value(body, 0, compact=False) + "\n").encode()


def _dump_value(value: Any, depth: int, compact: bool = True) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or (compact and len(line) + 2 * depth <= 96):
        return line
    pad, close = " " * (depth + 1), " " * depth
    if isinstance(value, dict):
        inner = [f"{pad}{json.dumps(k)}: {_dump_value(v, depth + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(inner) + f"\n{close}}}"
    inner = [f"{pad}{_dump_value(item, depth + 1)}" for item in value]
    return "[\n" + ",\n".join(inner) + f"\n{close}]"
