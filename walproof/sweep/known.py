"""Known failures of the matrix, recognised by their effect on the answer."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from conformance import known_failures
from conformance.cases import AppendStep, WriteStep
from conformance.describe import payload_key
from conformance.recipes.generate import NOTHING, answer_to
from conformance.registry import Implementation
from conformance.vectors import Vector
from walproof.sweep.fields import generic
from walproof.sweep.judge import (
    OUTCOMES,
    Difference,
    Signature,
    compare,
    of_writing,
)
from walproof.sweep.plan import Plan
from walproof.sweep.programs import Reply
from walproof.sweep.settings import PROFILES, Setting
from walproof.sweep.shard_pool import runner_here

Effect = tuple[str, ...]
"""What is wrong with an answer, to a log that is what: see ``Signature.effect``."""

SLOW = frozenset({"timeout", "over-limit"})
"""Classes of known failures that are not run again: they take seconds each."""


class Known:
    """The causes behind the known failures of one implementation, by their effects.

    Each vector of the list runs once more, and the reply is judged like a case of the sweep.
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
        quick = [(entry, vector) for entry, vector in entries if entry.result not in SLOW]
        effects = self._effects(plan, quick, vectors)
        for entry, vector in entries:
            self._fields[entry.cause].update(_fields_in(vector.damage))
            if entry.result in SLOW:
                effect: Effect | None = _signature(entry.profile, Difference(entry.result, ""))
            else:
                effect = effects.get((vector.id, entry.profile))
            if effect is not None:
                self._by_effect[effect][entry.cause] += 1

    def _effects(
        self,
        plan: Plan,
        entries: Iterable[tuple[known_failures.KnownFailure, Vector]],
        vectors: Mapping[str, Vector],
    ) -> dict[tuple[str, str], Effect]:
        """Return the effect of each known failure, by vector and profile."""
        (program,) = [program for program in plan.programs if program.name == self._name]
        effects: dict[tuple[str, str], Effect] = {}
        with runner_here(replace(plan, fast=False, programs=(program,))) as runner:
            client = runner.clients[self._name]
            for entry, vector in entries:
                setting = Setting(entry.profile, vector.body.get("context", {}))
                if not program.takes(plan.format, setting):
                    continue
                if setting.writes:
                    step = AppendStep if vector.operation == "append" else WriteStep
                    reply = client.write(step(vector))
                else:
                    reply = client.read(
                        vector.neutral_name, vector.contents, setting.context, entry.profile
                    )
                control = vectors.get(vector.control or "")
                written = None
                if control is not None and "expect" in control.body:
                    written = frozenset(map(payload_key, control.body["expect"]["records"]))
                if effect := _effect(vector, entry.profile, reply, written):
                    effects[vector.id, entry.profile] = effect
        return effects

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
    vector: Vector, profile: str, reply: Reply, written: frozenset[str] | None
) -> Effect | None:
    """Return what is wrong with a reply, as a signature has it; None if nothing is."""
    expect = vector.body["expect_strict" if profile == "strict" else "expect"]
    difference: Difference | None = None
    if reply.judgement is not None:
        difference = of_writing(reply.judgement, vector.body["format"], written)
        expect = _before(vector) if difference else expect
    elif reply.answer is not None:
        difference = compare(expect, reply.answer, reply.reports, written)
    elif reply.failed:
        difference = Difference(OUTCOMES[reply.outcome] or "", reply.text, reason=reply.text)
    if difference is None:
        return None
    return _signature(profile, difference, expect["verdict"], expect["reason"] or "")


def _signature(profile: str, difference: Difference, verdict: str = "", reason: str = "") -> Effect:
    reported = difference.verdict, difference.reason
    return Signature("", "", "", difference.kind, verdict, reason, *reported, profile).effect[1:]


def _before(vector: Vector) -> Mapping[str, Any]:
    """The answer to the log that a vector appends to, as it stands: what a sweep says of it."""
    if vector.operation == "write":
        return NOTHING.to_json()
    context = vector.body.get("context", {})
    return answer_to(
        vector.body["format"], vector.contents, context, name=vector.input.name
    ).to_json()


def _fields_in(damage: Iterable[str]) -> set[str]:
    """Generic names of the fields that the words of a damage name."""
    return {
        generic(word.rpartition(":")[2])
        for words in damage
        for word in re.findall(r"[\w.-]*:?[a-z_]+(?:\[\d+\])?(?:\.[a-z_]+(?:\[\d+\])?)+", words)
    }
