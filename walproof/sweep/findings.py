"""Sort and minimise findings, and write their simplest cases as vectors."""

from __future__ import annotations

import re
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.contents import digest, size, write_contents
from conformance.damage.byte_parts import ByteSource, operation_to_json
from conformance.damage.text import SHOWN_BYTES, render
from conformance.recipes.generate import answer_to, decided_by, dump
from conformance.saving import save
from conformance.scratch import Scratch
from conformance.vectors import Vector
from walproof.sweep.dominance import DOMINANCE
from walproof.sweep.effects import rank
from walproof.sweep.enumeration import NO_DAMAGE, PAIR, DamagedControl
from walproof.sweep.plan import DamageCase, SweepPlan
from walproof.sweep.settings import READING, simplest
from walproof.sweep.sweep_runner import DamagedCase, SweepFinding, SweepResult, SweepRunner

#: The search for a minimal finding tries at most TRIALS cases on each smaller log, and at most
#: SMALLER_LOGS such logs.
TRIALS, SMALLER_LOGS = 200, 6
#: Maximum number of changes in a family to search for changes to the same field.
SEARCHED_CHANGES = 2000
#: The vector for an append has these keys of the request.
_OF_APPENDS = ("records", "expect", "after", "accept", "may_refuse", "must_refuse")


def ordered(result: SweepResult) -> list[SweepFinding]:
    """Return the findings of a sweep, most harmful first.

    Findings with the same effect and the same single family of damage are merged, even if their
    verdicts differ. Findings with the effect ``dominance`` are not merged, because each reason code
    has a separate requirement.
    """
    joined: dict[Hashable, SweepFinding] = {}
    for finding in sorted(result.findings.values(), key=lambda f: (_rank(f), f.order)):
        families = {name.partition(" of ")[0] for name in finding.by_damage} - {
            PAIR,
            NO_DAMAGE.family,
        }
        effect = finding.effect
        is_joined = len(families) == 1 and effect.action != DOMINANCE
        key = (effect.implementation, effect.action, *families) if is_joined else effect
        if key in joined:
            joined[key].add(finding)
        else:
            joined[key] = finding
    return sorted(joined.values(), key=lambda f: (_rank(f), -f.cases, f.order))


def _rank(finding: SweepFinding) -> int:
    return rank(finding.effect.gravest)


# -- minimise --------------------------------------------------------------------------------------


def minimise(plan: SweepPlan, findings: Sequence[SweepFinding], seconds: float) -> None:
    """For ``seconds``, replace the cases of findings by simpler cases that have the same effect."""
    deadline = time.monotonic() + seconds
    for implementation in dict.fromkeys(finding.effect.implementation for finding in findings):
        programs = tuple(each for each in plan.programs if each.name == implementation)
        scratch = Scratch()
        try:
            with SweepRunner(replace(plan, programs=programs), scratch.folder) as runner:
                for finding in findings:
                    if finding.effect.implementation == implementation:
                        _minimise(runner, finding, deadline)
        finally:
            scratch.close()


def _minimise(runner: SweepRunner, finding: SweepFinding, deadline: float) -> None:
    while (simpler := _first_simpler(runner, finding, deadline)) is not None:
        finding.simplify(simpler)


def _first_simpler(
    runner: SweepRunner, finding: SweepFinding, deadline: float
) -> SweepFinding | None:
    for cases in _simpler(runner.plan, finding.case):
        if time.monotonic() > deadline:
            return None
        other = runner.run(cases).findings.get(finding.effect)
        if other is not None and other.order < finding.order:
            return other
    return None


def _simpler(plan: SweepPlan, case: DamageCase) -> Iterator[list[DamageCase]]:
    """Yield lists of cases to try, the most promising first."""
    settings = plan.controls[case.control].settings
    simple = simplest(settings, settings[case.setting])
    yield [case._replace(setting=simple, change=half) for half in case.change.halves]
    yield [case._replace(setting=simple)]
    if case.change.halves:
        return
    sizes = [control.size for control in plan.controls]
    smaller = [n for n in range(case.control) if sizes[n] <= sizes[case.control]]
    for control in (*smaller[:SMALLER_LOGS], case.control):
        simple = simplest(plan.controls[control].settings, settings[case.setting])
        cases = [
            DamageCase(control, simple, change)
            for family in plan.enumeration(control).families
            if family.name == case.change.family and (count := len(family.changes))
            for number in range(0, count, -(-count // SEARCHED_CHANGES))
            if (change := family.changes[number]).field == case.change.field
        ]
        yield cases[:: -(-len(cases) // TRIALS) or 1]


# -- vectors ---------------------------------------------------------------------------------------


class VectorWriter:
    """Writes the simplest cases of findings as vectors.

    Each vector gets the group and requirements of the control's vector in ``vectors``.
    """

    def __init__(self, plan: SweepPlan, vectors: Mapping[str, Vector], folder: Path) -> None:
        self.plan, self.vectors, self.folder = plan, vectors, folder
        self._slugs = {id.partition("/")[2] for id in vectors}

    def write(self, finding: SweepFinding) -> str | None:
        """Write a vector and return its path below the folder.

        Return None if the executable specification rejects the context or raises an exception, or
        if the control is not a vector.
        """
        # If a control was loaded from a file, its id is a path.
        if not self.plan.controls[finding.case.control].id.startswith(f"{self.plan.format}/"):
            return None
        scratch = Scratch()
        try:
            with SweepRunner(replace(self.plan, programs=()), scratch.folder) as runner:
                damaged = runner.damaged(finding.case)
                if damaged is None:
                    return None
                runner.expect(damaged)
            return self._write(finding, damaged)
        except ValueError:
            return None
        finally:
            scratch.close()

    def _write(self, finding: SweepFinding, damaged: DamagedCase) -> str:
        control, setting, change = damaged.prepared.control, damaged.setting, finding.case.change
        format, contents, name = self.plan.format, damaged.contents, control.name
        if damaged.request is not None:
            vector = damaged.request.vector
            contents, name = vector.contents, vector.input.name
            answers = {key: vector.body[key] for key in _OF_APPENDS if key in vector.body}
        else:
            recover = answer_to(format, contents, control.context, "recover", name)
            strict = answer_to(format, contents, control.context, "strict", name)
            answers = {
                "expect": recover.to_json(),
                "expect_strict": strict.to_json(),
                "decided_by": decided_by(format, recover, strict),
            }
        verdict = finding.effect.reason or finding.effect.verdict or finding.effect.gravest
        slug = self._slug(f"{change.family} {change.field.rpartition('.')[2]} {verdict}")
        copy = DamagedControl(control, self.plan.controls)
        source = ByteSource({control.id: control.files})
        damage = [
            operation_to_json(copy, operation, copy.apply(operation), source)
            for operation in change.operations
        ]
        title = ", then ".join(render(each, SHOWN_BYTES) for each in damage) or "the undamaged log"
        # No vector exists for a generated log, so take the missing keys from any vector of its
        # format.
        of_format = (each for id, each in self.vectors.items() if id.startswith(f"{format}/"))
        like = (self.vectors.get(control.id) or next(of_format)).body
        body = {
            "id": f"{format}/{slug}",
            "title": f"{title[:1].upper()}{title[1:150]}: {verdict}.",
            "format": format,
            "kind": "valid" if verdict == "intact" else "corrupt",
            "group": like["group"],
            "requirements": like["requirements"],
            "operation": "read" if setting.profile in READING else setting.profile,
            # A log's file name may matter and must be kept, so give each log a folder of its own.
            "input": name,
            "sha256": digest(contents),
            "size": size(contents),
            "control": control.id,
            "made_by": {
                "recipe": f"sweep.{slug.replace('-', '_')}",
                **({"damage": damage} if damage else {}),
            },
            "context": dict(control.context),
            **answers,
            "notes": f"Found by the sweep: {finding.effect.implementation}: {finding.text}.",
        }
        folder = self.folder / "vectors" / format / slug
        folder.mkdir(parents=True)
        write_contents(contents, folder / name)
        save(folder / f"{slug}.json", dump(body))
        return f"vectors/{format}/{slug}/{slug}.json"

    def _slug(self, text: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
        slug, number = plain, 1
        while slug in self._slugs:
            number += 1
            slug = f"{plain}-{number}"
        self._slugs.add(slug)
        return slug


def case_as_json(plan: SweepPlan, case: DamageCase) -> dict[str, Any]:
    """Return a case as JSON, with its control, damage operations, profile and context."""
    control = plan.controls[case.control]
    setting = control.settings[case.setting]
    return {
        "control": control.id,
        "damage": [dict(operation) for operation in case.change.operations],
        "profile": setting.profile,
        "context": dict(setting.context),
    }
