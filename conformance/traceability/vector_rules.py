"""Rules for vectors: controls, recipes and fields, reason codes, and known failures."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from conformance.known_failures import UNEXPLAINED
from conformance.recipes.rows import HEADING
from conformance.traceability.grammar import field_paths, has_field, is_field_of_log
from conformance.traceability.source_tree import Found, SourceTree, profiles_of
from conformance.vectors import Vector

VERDICT_OF_KIND = {"torn": "torn", "damage": "damaged", "refused": "refused"}


def damage_without_control(tree: SourceTree) -> Iterator[Found]:
    """Report vectors that need a control, because their log is torn or damaged, but have none."""
    for vector in tree.vectors.values():
        verdict = vector.body["expect"]["verdict"]
        if vector.control is None and (vector.damage or verdict in ("torn", "damaged")):
            why = f"damaged ({vector.damage_texts[0]})" if vector.damage else verdict
            yield vector.id, f"{why}, but it has no control"


def broken_control(tree: SourceTree) -> Iterator[Found]:
    """Report controls that are missing, damaged or empty, or that do not show the damage.

    A control shows nothing if its bytes equal those of the damaged vector, or if it does not run in
    the profiles of the vector.
    """
    for vector in tree.vectors.values():
        if vector.control is None:
            continue
        control = tree.vectors.get(vector.control)
        if control is None:
            yield vector.id, f"its control {vector.control} does not exist"
            continue
        expect = control.body["expect"]
        if control.damage or control.control is not None or expect["verdict"] != "intact":
            yield vector.id, f"its control {control.id} is damaged, too"
        if not expect["records"]:
            yield vector.id, f"its control {control.id} has no records to lose"
        if vector.damage and _log_of(vector) == _log_of(control):
            yield vector.id, f"its control {control.id} has the same bytes"
        if missing := profiles_of(vector) - profiles_of(control):
            yield (
                vector.id,
                f"its control {control.id} never runs with profile {', '.join(missing)}",
            )


def _log_of(vector: Vector) -> tuple[object, object]:
    return vector.body.get("sha256", vector.id), vector.body.get("context", {})


def missing_recipe(tree: SourceTree) -> Iterator[Found]:
    """Report recipes that vectors name but the sources do not contain."""
    functions: dict[Path, set[str]] = {}
    for vector in tree.vectors.values():
        recipe = str(vector.body["made_by"]["recipe"])
        module, _, name = recipe.rpartition(".")
        path = tree.root.joinpath("conformance", "recipes", *module.split(".")).with_suffix(".py")
        if path not in functions:
            source = path.read_text("utf-8") if path.is_file() else ""
            body = ast.parse(source).body
            functions[path] = {node.name for node in body if isinstance(node, ast.FunctionDef)}
            rows = filter(None, map(HEADING.fullmatch, source.splitlines()))
            functions[path] |= {row[1] for row in rows}
        if name not in functions[path]:
            yield vector.id, f"made by {recipe}, which does not exist"


def unknown_field(tree: SourceTree) -> Iterator[Found]:
    """Report fields that vectors or chapters name but the grammar does not contain."""
    for vector in tree.vectors.values():
        grammars = tree.grammars_of(str(vector.body["format"]))
        for path in _damaged_paths(vector):
            if not any(has_field(grammar, path) for grammar in grammars):
                yield vector.id, f"the grammar has no field {path}"
    for chapter in tree.chapters.values():
        grammars = tree.grammars_of(chapter.format)
        for number, line in enumerate(chapter.path.read_text("utf-8").splitlines(), 1):
            for path in field_paths(line):
                # A path is code, not a field, if no grammar has a top-level field of this name.
                named = [grammar for grammar in grammars if is_field_of_log(grammar, path)]
                if named and not any(has_field(grammar, path) for grammar in grammars):
                    where = tree.show(chapter.path, number)
                    yield where, f"the grammar has no field {path}"


def _damaged_paths(vector: Vector) -> Iterator[str]:
    """Yield the paths with an index that a vector's damage operations name."""
    for operation in vector.damage:
        yield from field_paths(operation.get("path", ""))


def undefined_reason(tree: SourceTree) -> Iterator[Found]:
    """Report reason codes that the register does not list, or lists only for other verdicts."""
    for vector in tree.vectors.values():
        register = tree.registers.get(str(vector.body["format"]))
        reasons = register.reasons if register else {}
        for verdict, code in sorted(_codes(vector)):
            if code not in reasons:
                yield vector.id, f"the register does not list the reason code {code}"
            elif verdict and verdict not in map(VERDICT_OF_KIND.get, reasons[code].kinds):
                kinds = ", ".join(reasons[code].kinds)
                yield vector.id, f"{verdict} for {code}, which the register calls {kinds}"


def unused_reason(tree: SourceTree) -> Iterator[Found]:
    """Report codes of a register that no vector uses or no requirement defines."""
    for format, register in tree.registers.items():
        vectors = [v for v in tree.vectors.values() if v.body["format"] == format]
        used = {code for vector in vectors for _, code in _codes(vector)}
        ids = tree.chapters[format].ids if format in tree.chapters else frozenset()
        for code, reason in register.reasons.items():
            if code not in used:
                yield f"spec/{format}.toml", f"no vector uses the reason code {code}"
            if not ids.intersection(reason.requirements):
                yield f"spec/{format}.toml", f"no requirement defines the reason code {code}"


def wrong_decision(tree: SourceTree) -> Iterator[Found]:
    """Report parts of expected answers without the requirement that decides them.

    The requirement is in the chapter, and the register lists it for the part or the reason code.
    """
    for vector in tree.vectors.values():
        format = str(vector.body["format"])
        register, chapter = tree.registers.get(format), tree.chapter_of(vector)
        if register is None or chapter is None:
            continue
        of_part = {part: (id,) for part, id in register.decides.items()}
        of_code = {code: reason.requirements for code, reason in register.reasons.items()}
        for part, code, id in dict.fromkeys(_decisions(vector)):
            known = of_part.get(part, ()) if code is None else of_code.get(code, ())
            if id not in known:
                expected = " or ".join(known) or "nothing"
                yield vector.id, f"decided_by: {code or part}: expected {expected}, found {id}"
            elif id not in chapter.ids:
                yield vector.id, f"decided_by: the chapter {format} does not define {id}"


def unexercised_decision(tree: SourceTree) -> Iterator[Found]:
    """Report requirements that decide a reason code only in vectors that do not list them.

    A vector lists the requirements that it was written for. Other requirements may also decide
    losses in its log, but the vector does not count as a test of them.
    """
    used, exercised = set(), set()
    for vector in tree.vectors.values():
        for _, code, id in _decisions(vector):
            used.add((vector.body["format"], code))
            if id in vector.body["requirements"]:
                exercised.add((vector.body["format"], code, id))
    for format, register in tree.registers.items():
        for code, reason in register.reasons.items():
            for id in reason.requirements:
                if (format, code) in used and (format, code, id) not in exercised:
                    text = f"{code}: no vector that lists {id} has a range or reason by it"
                    yield f"spec/{format}.toml", text


def _decisions(vector: Vector) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the decided parts of a vector: part, reason code or None, and requirement or None.

    The parts are verdict, reason, lost and end, and strict if the strict answer differs.
    """
    body = vector.body
    decided = body.get("decided_by", {})
    of_expect = decided.get("expect", {})
    yield "end", None, of_expect.get("end")
    answers = [(body["expect"], of_expect)]
    strict, of_strict = body.get("expect_strict", body["expect"]), decided.get("expect_strict", {})
    if strict != body["expect"] or of_strict:
        yield "strict", None, of_strict.get("strict")
        answers.append((strict, of_strict))
    for answer, ids in answers:
        yield "verdict", None, ids.get("verdict")
        if answer["reason"] or ids.get("reason"):
            yield "reason", answer["reason"], ids.get("reason")
        pairs = zip_longest((gap["reason"] for gap in answer["lost"]), ids.get("lost", ()))
        for code, id in pairs:
            yield "lost", code, id
    rows, of_rows = body.get("table", ()), decided.get("table", {})
    for row in rows:
        if row["reason"] or of_rows.get(str(row["from"])):
            yield "reason", row["reason"], of_rows.get(str(row["from"]))


def unproven_without_vector(tree: SourceTree) -> Iterator[Found]:
    """Report exceptions to dominance whose vector lacks their requirement or their reason."""
    for format, register in tree.registers.items():
        for entry in register.unproven:
            vector = tree.vectors.get(entry.vector)
            if vector is None:
                yield f"spec/{format}.toml", f"unproven: there is no vector {entry.vector}"
            elif entry.requirement not in vector.body["requirements"]:
                yield f"spec/{format}.toml", f"{entry.vector} does not list {entry.requirement}"
            elif entry.reasons and not _reasons(vector) & {*entry.reasons}:
                yield f"spec/{format}.toml", f"{entry.vector} has no reason of {entry.requirement}"


def _reasons(vector: Vector) -> set[str]:
    """Return the reason codes of a vector, and its verdict."""
    return {vector.body["expect"]["verdict"]} | {code for _, code in _codes(vector)}


def _codes(vector: Vector) -> set[tuple[str, str]]:
    """Return the reason codes of a vector with their verdicts; "" for a lost range."""
    body = vector.body
    answers = [body["expect"], body.get("expect_strict"), *body.get("table", ())]
    for entry in body.get("accept", ()):
        answers += [entry["answer"], entry.get("answer_strict")]
    codes = {("", gap["reason"]) for answer in answers if answer for gap in answer.get("lost", ())}
    codes |= {(answer["verdict"], answer["reason"]) for answer in answers if answer}
    return {(verdict, code) for verdict, code in codes if code is not None}


def unsound_known_failure(tree: SourceTree) -> Iterator[Found]:
    """Report known failures without a cause, listed twice, or of a case that does not exist."""
    for path, body in tree.known_failures.items():
        where = tree.show(path)
        causes = body.get("causes", {})
        listed = Counter((entry["vector"], entry["profile"]) for entry in body["failures"])
        for (identifier, profile), times in listed.items():
            vector = tree.vectors.get(identifier)
            if vector is None:
                yield where, f"there is no vector {identifier}"
            elif profile not in profiles_of(vector):
                yield where, f"{identifier} never runs with profile {profile}"
            if times > 1:
                yield where, f"{identifier} is listed {times} times for {profile}"
        used = {entry.get("cause") or UNEXPLAINED for entry in body["failures"]}
        for name in sorted(used):
            if name == UNEXPLAINED or not str(causes.get(name, "")).strip():
                yield where, f"the cause {name} is not explained"
        for name in sorted(set(causes) - used):
            yield where, f"the cause {name} is used by no entry"
