"""Hunt the mutants of a format, and report what became of them."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conformance.chapter import chapter
from lab.mutants.choice import Choice, all_mutants, sources_of
from lab.mutants.hunt import Fate, Hunt
from lab.mutants.questions import questions_of, reached
from lab.mutants.reviewed import Reviewed, load_reviewed
from lab.mutants.sites import Mutant, Name
from reference_impl.paths import PACKAGES

Report = dict[str, Any]
_MEMORY = Path("/dev/shm")


def hunt(
    format_id: str,
    choice: Choice,
    *,
    first_kill: bool = False,
    jobs: int = 2,
    started: Callable[[int], None] = lambda count: None,
    progress: Callable[[Fate], None] = lambda fate: None,
    reviewed: Reviewed | None = None,
) -> Report:
    """Run the vectors on the selected mutants of a format and return the outcomes.

    For ``first_kill``, see :class:`Hunt`. Raises :class:`~lab.mutants.questions.WrongOriginal` and
    :class:`~lab.mutants.reviewed.BadReview`.
    """
    clock = time.monotonic()
    reviewed = load_reviewed(format_id) if reviewed is None else reviewed
    everything = all_mutants(format_id, reviewed)
    mutants = choice.of(everything)
    started(len(mutants))
    questions = questions_of(format_id)
    files = frozenset(map(str, sources_of(format_id).values()))
    # In memory where there is such a folder: most of the time goes into small files.
    with tempfile.TemporaryDirectory(
        prefix="walproof-mutants-", dir=_MEMORY if _MEMORY.is_dir() else None
    ) as folder:
        scratch = Path(folder)
        lines = reached(questions, files, scratch)
        fates = Hunt(format_id, questions, lines, scratch, first_kill, jobs).run(mutants, progress)
    gone = set(reviewed.equivalent) - {each.name for each in everything}
    return {
        "format": format_id,
        "seconds": round(time.monotonic() - clock, 1),
        "all": len(everything),
        "mutants": len(fates),
        "killed": sum(not fate.lives for fate in fates),
        "equivalent": _listed(fates, reviewed, lives=True),
        "listed_and_killed": _listed(fates, reviewed, lives=False),
        "listed_and_gone": [_named(name) for name in sorted(gone)],
        "survivors": [
            _survivor(fate.mutant, bool(lines.questions(fate.mutant)))
            for fate in fates
            if fate.lives and fate.mutant.name not in reviewed.equivalent
        ],
        "outside": dict(reviewed.outside),
        "files": _counts([(fate.mutant.path.name, fate) for fate in fates], reviewed),
        "operators": _counts([(fate.mutant.name.operator, fate) for fate in fates], reviewed),
        "requirements": [] if first_kill else _requirements(format_id, fates, reviewed),
        "is_whole": choice.is_everything,
    }


def kill_rate(report: Report) -> float | None:
    """Return the share of killed mutants among those not known to be equivalent, if any."""
    counted = report["mutants"] - len(report["equivalent"])
    return report["killed"] / counted if counted else None


def wrong(report: Report) -> list[str]:
    """Return what must not be, a sentence each: none when every mutant is killed or listed."""
    results = [
        f"{each['file']}:{each['at']}: lives: {each['operator']},"
        f" {each['before']} → {each['after']}"
        for each in report["survivors"]
    ]
    results += [
        f"{each['function']}: listed as equivalent, and {each['killer']} kills it: {each['before']}"
        f" → {each['after']}"
        for each in report["listed_and_killed"]
    ]
    results += [
        f"{each['function']}: listed as equivalent, and there is no such mutant:"
        f" {each['operator']}, {each['line']}: {each['before']} → {each['after']}"
        for each in report["listed_and_gone"]
    ]
    if report["is_whole"]:
        results += [
            f"{each['id']}: no mutant needs its vectors, and no reason is listed"
            for each in report["requirements"]
            if each["level"].startswith("MUST") and not each["alone"] and not each["because"]
        ]
        results += [
            f"{each['id']}: a reason is listed, and {each['alone']} mutants need its vectors"
            for each in report["requirements"]
            if each["alone"] and each["because"]
        ]
    return results


def _named(name: Name) -> dict[str, Any]:
    return dict(vars(name))


def _listed(fates: Sequence[Fate], reviewed: Reviewed, lives: bool) -> list[dict[str, Any]]:
    return [
        {
            **_named(fate.mutant.name),
            "because": reviewed.equivalent[fate.mutant.name],
            "killer": fate.killer,
            "how": fate.how,
        }
        for fate in fates
        if fate.mutant.name in reviewed.equivalent and fate.lives is lives
    ]


def _survivor(mutant: Mutant, is_reached: bool) -> dict[str, Any]:
    return {
        **_named(mutant.name),
        "file": mutant.path.relative_to(PACKAGES).as_posix(),
        "at": mutant.line,
        "mutated": mutant.source,
        "is_reached": is_reached,
    }


def _counts(fates: Sequence[tuple[str, Fate]], reviewed: Reviewed) -> list[dict[str, Any]]:
    mutants: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    equivalent: Counter[str] = Counter()
    for key, fate in fates:
        mutants[key] += 1
        killed[key] += not fate.lives
        equivalent[key] += fate.lives and fate.mutant.name in reviewed.equivalent
    return [
        {"name": key, "mutants": count, "killed": killed[key], "equivalent": equivalent[key]}
        for key, count in sorted(mutants.items())
    ]


def _requirements(
    format_id: str, fates: Sequence[Fate], reviewed: Reviewed
) -> list[dict[str, Any]]:
    """For each requirement, how many mutants only its own vectors kill."""
    alone = Counter(each for fate in fates for each in fate.only)
    return [
        {
            "id": id,
            "level": requirement.level,
            "alone": alone[id],
            "because": reviewed.requirements.get(id),
        }
        for id, requirement in chapter(format_id).requirements.items()
    ]
