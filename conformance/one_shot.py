"""Find the profiles and formats of a one-shot program, which has no hello."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance.compare import differences, normalise
from conformance.contents import write_contents
from conformance.process import Crash, OverLimit, Timeout
from conformance.protocol.messages import ProtocolError
from conformance.scratch import Scratch
from conformance.session import PROGRAM_FAILURES, OneShotSession
from conformance.subject import Subject
from conformance.vectors import Vector

PROBES_PER_FORMAT = 3
PROBE_WALL_MS = 10_000


def takes_strict(subject: Subject, vectors: Iterable[Vector]) -> bool:
    """Return whether a one-shot program supports the profile ``strict``.

    A program supports it if the last argument ``strict`` makes it return fewer records from a log
    for which fewer are expected. Other programs ignore the argument or fail.
    """
    probes: dict[str, list[Vector]] = {}
    for vector in sorted(vectors, key=lambda each: int(each.body["size"])):
        body = vector.body
        if vector.operation == "read" and not body.get("context"):
            records = [len(body[key]["records"]) for key in ("expect", "expect_strict")]
            if records[1] < records[0]:
                probes.setdefault(body["format"], []).append(vector)
    return any(
        _has_fewer_in_strict(subject, vector)
        for chosen in probes.values()
        for vector in chosen[:PROBES_PER_FORMAT]
    )


def formats_read(subject: Subject, vectors: Iterable[Vector]) -> dict[str, bool | str]:
    """Return whether a one-shot program reads the smallest undamaged log of each format.

    If the program returned no answer, the value is a text that describes how it ended.
    """
    smallest: dict[str, Vector] = {}
    for vector in sorted(vectors, key=lambda each: (int(each.body["size"]), each.id)):
        body = vector.body
        valid = (vector.operation, body["kind"]) == ("read", "valid")
        if valid and body["expect"]["records"] and not body.get("context"):
            smallest.setdefault(body["format"], vector)
    outcomes: dict[str, bool | str] = {}
    for format, vector in sorted(smallest.items()):
        try:
            (answer,) = _answers(subject, vector, "recover")
            expect = vector.body["expect"]
            outcomes[format] = answer is not None and not differences(
                expect, normalise(answer), ["records"]
            )
        except ProtocolError:
            outcomes[format] = False
        except (Crash, Timeout, OverLimit) as error:
            outcomes[format] = str(error)
    return outcomes


def _has_fewer_in_strict(subject: Subject, vector: Vector) -> bool:
    try:
        answers = _answers(subject, vector, "recover", "strict")
    except PROGRAM_FAILURES:
        return False
    recover, strict = [len(answer["records"]) if answer else 0 for answer in answers]
    return strict < recover


def _answers(subject: Subject, vector: Vector, *profiles: str) -> list[dict[str, Any] | None]:
    """Return the answers for a vector, None if it is skipped. Raises ``PROGRAM_FAILURES``."""
    answers = []
    scratch = Scratch()
    session = OneShotSession(subject.command, sandbox=subject.sandbox(scratch.folder))
    try:
        for profile in profiles:
            path = scratch.new_path(vector.neutral_name)
            write_contents(vector.contents, path)
            format = vector.body["format"]
            request = {
                "cmd": "read", "seq": 0, "format": format, "path": str(path), "profile": profile,
            }  # fmt: skip
            answers.append(session.request(request, PROBE_WALL_MS).get("answer"))
    finally:
        scratch.close()
    return answers
