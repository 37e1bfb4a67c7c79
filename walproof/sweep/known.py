"""Recognise known failures by their effect on the answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from conformance import known_failures
from conformance.cases import Case
from conformance.describe import payload_key
from conformance.recipes.generate import NOTHING, answer_to
from conformance.registry import Implementation
from conformance.runner import Worker
from conformance.session import PROGRAM_FAILURES
from conformance.vectors import Vector
from walproof.sweep.effects import Difference, Signature, difference_of
from walproof.sweep.plan import Plan
from walproof.sweep.settings import PROFILES, WRITING, Setting

#: Effect of a wrong answer together with the expected answer; see ``Signature.effect``.
Effect = tuple[str, ...]

#: Result classes of known failures that are not run again, because each run takes seconds.
SLOW_CLASSES = frozenset({"timeout", "over-limit"})


class Known:
    """The causes of an implementation's known failures, by effect.

    Each vector in the list of known failures runs once more. An equal effect does not prove an
    equal cause.
    """

    def __init__(
        self, implementation: Implementation, vectors: Mapping[str, Vector], plan: Plan
    ) -> None:
        listed = known_failures.load(implementation.known_failures)
        self.causes = listed.causes
        self._by_effect: defaultdict[Effect, Counter[str]] = defaultdict(Counter)
        (program,) = [each for each in plan.programs if each.name == implementation.name]
        with Worker(program.subject, plan.limits) as worker:
            for entry in listed.entries.values():
                vector = vectors.get(entry.vector)
                if (
                    vector is None
                    or vector.body["format"] != plan.format
                    or vector.operation == "truncations"
                    or entry.profile not in PROFILES
                ):
                    continue
                setting = Setting(entry.profile, vector.body.get("context", {}))
                effect: Effect | None = None
                if entry.result in SLOW_CLASSES:
                    effect = _effect(entry.profile, Difference(entry.result, ""))
                elif program.supports(plan.format, setting):
                    effect = _effect_again(vector, entry.profile, worker, vectors)
                if effect is not None:
                    self._by_effect[effect][entry.cause] += 1

    def cause_of(self, signature: Signature) -> tuple[str, str] | None:
        """Return name and description of the known failure that a finding resembles, or None."""
        causes = self._by_effect.get(signature.effect[1:])
        if not causes:
            return None
        ((name, _),) = causes.most_common(1)
        return name, self.causes[name]


def _effect_again(
    vector: Vector, profile: str, worker: Worker, vectors: Mapping[str, Vector]
) -> Effect | None:
    """Run a vector and return its effect; None if the answer is correct."""
    control = vectors.get(vector.control or "")
    written = None
    if control is not None and "expect" in control.body:
        written = frozenset(map(payload_key, control.body["expect"]["records"]))
    try:
        result = worker.run(Case(vector, profile))
    except PROGRAM_FAILURES:
        worker.close_session()
        return None
    difference = difference_of(result, worker.judgement, written)
    if difference is None:
        return None
    expect = vector.body["expect_strict" if profile == "strict" else "expect"]
    if profile in WRITING:  # a signature contains the expected answer for the log before the write
        context = vector.body.get("context", {})
        expect = NOTHING.to_json()
        if profile == "append":
            name = vector.input.name
            answer = answer_to(vector.body["format"], vector.contents, context, name=name)
            expect = answer.to_json()
    return _effect(profile, difference, expect["verdict"], expect["reason"] or "")


def _effect(profile: str, difference: Difference, verdict: str = "", reason: str = "") -> Effect:
    reported = difference.verdict, difference.reason
    return Signature("", "", "", difference.kind, verdict, reason, *reported, profile).effect[1:]
