"""Known failures of the matrix, recognised by their effect on the answer."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance import known_failures
from conformance.cases import AppendStep, WriteStep
from conformance.describe import payload_key
from conformance.recipes.generate import NOTHING, answer_to
from conformance.registry import Implementation
from conformance.vectors import Vector
from walproof.sweep.children import Reply
from walproof.sweep.fields import generic
from walproof.sweep.judge import (
    NOT_ASKED,
    OUTCOMES,
    SKIPPED,
    Difference,
    Signature,
    compare,
    of_writing,
)
from walproof.sweep.plan import Plan
from walproof.sweep.settings import PROFILES, READING, WRITING, Setting
from walproof.sweep.worker import alone

Effect = tuple[str, ...]
"""What is wrong with an answer, to a log that is what: see ``Signature.effect``."""

SLOW = frozenset({"timeout", "over-limit"})
"""Classes of known failures that are not run again: they take seconds each."""


class Known:
    """The causes behind the known failures of one implementation, by their effects.

    Each vector of the list is asked once more, and what comes is judged as a case of the sweep is.
    A finding looks like a known failure when its effect is the same: the gravest thing that is
    wrong, the verdict and reason that were owed, and what was said. Of several causes with this
    effect, the one counts whose vectors damage the same fields. That is no proof of the same
    cause, and the summary says so.
    """

    def __init__(
        self, implementation: Implementation, vectors: Mapping[str, Vector], plan: Plan
    ) -> None:
        listed = known_failures.load(implementation.known_failures)
        self.causes = listed.causes
        self._by_effect: defaultdict[Effect, Counter[str]] = defaultdict(Counter)
        self._fields: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._name = implementation.name
        entries = [
            (entry, vectors[entry.vector])
            for entry in listed.entries.values()
            if entry.vector in vectors
            and vectors[entry.vector].body["format"] == plan.format
            and vectors[entry.vector].operation != "truncations"
            and entry.profile in PROFILES
        ]
        seen = self._asked_again(plan, {vector.id: vector for _, vector in entries}, vectors)
        for entry, vector in entries:
            self._fields[entry.cause].update(_fields_in(vector.damage))
            if entry.result in SLOW:
                effect: Effect | None = _signature(entry.profile, Difference(entry.result, ""))
            else:
                effect = seen.get((vector.id, entry.profile))
            if effect is not None:
                self._by_effect[effect][entry.cause] += 1

    def _asked_again(
        self, plan: Plan, vectors: Mapping[str, Vector], known: Mapping[str, Vector]
    ) -> dict[tuple[str, str], Effect]:
        """The effect of each known failure: by vector and profile."""
        (program,) = [program for program in plan.programs if program.name == self._name]
        found: dict[tuple[str, str], Effect] = {}
        with alone(replace(plan, fast=False, programs=(program,))) as worker:
            asker = worker.askers[self._name]
            asker.patience = None  # it learns from cases of a sweep
            for vector in vectors.values():
                context = vector.body.get("context", {})
                if vector.operation in WRITING:
                    if vector.operation in program.profiles:
                        step = AppendStep if vector.operation == "append" else WriteStep
                        asker.ask_step((vector, vector.operation), step(vector))
                    continue
                for profile in READING:
                    if program.takes(plan.format, Setting(profile, context)):
                        told = json.dumps(context)
                        asker.ask((vector, profile), vector.neutral_name, vector.contents, told,
                                  profile)  # fmt: skip
            asker.drain()
            for reply in asker.replies:
                vector, profile = reply.token
                control = known.get(vector.control or "")
                written = None
                if control is not None and "expect" in control.body:
                    written = frozenset(map(payload_key, control.body["expect"]["records"]))
                reports = reply.reports or asker.reports
                if effect := _effect(vector, profile, reply, reports, written):
                    found[vector.id, profile] = effect
        return found

    def cause_of(self, signature: Signature, fields: Iterable[str]) -> tuple[str, str] | None:
        """Name and sentence of the cause that a finding looks like; ``fields`` are those hit."""
        causes = self._by_effect.get(signature.effect[1:])
        if not causes:
            return None
        hit = set(fields)

        def likeness(cause: str) -> tuple[int, int]:
            return (sum(n for f, n in self._fields[cause].items() if f in hit), causes[cause])

        name = max(causes, key=likeness)
        return name, self.causes[name]


def _effect(
    vector: Vector,
    profile: str,
    reply: Reply,
    reports: Sequence[str],
    written: frozenset[str] | None,
) -> Effect | None:
    """What is wrong with a reply, as a signature has it; None if nothing is, or none came."""
    expect = vector.body["expect_strict" if profile == "strict" else "expect"]
    found: Difference | None = None
    if reply.judgement is not None:
        found = of_writing(reply.judgement, vector.body["format"], written)
        expect = _before(vector) if found else expect
    elif reply.answer is not None:
        found = compare(expect, reply.answer, reports, written)
    elif reply.outcome not in (SKIPPED, NOT_ASKED):
        found = Difference(OUTCOMES[reply.outcome] or "", reply.text, reason=reply.text)
    if found is None:
        return None
    return _signature(profile, found, expect["verdict"], expect["reason"] or "")


def _signature(profile: str, found: Difference, verdict: str = "", reason: str = "") -> Effect:
    said = found.verdict, found.reason
    return Signature("", "", "", found.kind, verdict, reason, *said, profile).effect[1:]


def _before(vector: Vector) -> Mapping[str, Any]:
    """The answer to the log that a vector appends to, as it stands: what a sweep says of it."""
    if vector.operation == "write":
        return NOTHING.to_json()
    told = vector.body.get("context", {})
    return answer_to(vector.body["format"], vector.contents, told, name=vector.input.name).to_json()


def _fields_in(damage: Iterable[str]) -> set[str]:
    """Generic names of the fields that the words of a damage name."""
    return {
        generic(word.rpartition(":")[2])
        for words in damage
        for word in re.findall(r"[\w.-]*:?[a-z_]+(?:\[\d+\])?(?:\.[a-z_]+(?:\[\d+\])?)+", words)
    }
