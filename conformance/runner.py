"""Running cases against implementations: long-lived children, in parallel; a crash ends one."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conformance.cases import Case, Step
from conformance.contents import TooMuch
from conformance.conversation import Conversation, conversation
from conformance.isolation import Box
from conformance.outcome import (
    CLASS_OF_ERROR,
    SubjectRun,
    died,
    failed,
    passed,
    summary,
    with_known,
    with_stderr,
)
from conformance.protocol.child import Child, Limits, OutOfTurn
from conformance.protocol.oneshot import reports_of
from conformance.scratch import Scratch
from conformance.subject import Subject

PATIENCE = 5
"""How many times its limit a case gets when it is asked again after a time-out."""
BELIEVED = 3
"""After so many time-outs that happened twice, a program is no longer asked again."""
AHEAD = 32
"""Requests that are outstanding at a time, at most, of a program that answers them soundly."""
WARM = 8
"""So many replies in turn must have come before a second request is sent ahead of a reply."""
WORTH_A_START = 50
"""So many cases must be left for one more child to help with them."""


class Runner:
    """Runs cases against one subject with up to ``workers`` children at a time."""

    def __init__(
        self,
        subject: Subject,
        cases: Sequence[Case],
        workers: int = 1,
        limits: Limits | None = None,
        gate: asyncio.Semaphore | None = None,
        progress: Callable[[], None] = lambda: None,
        waiting: asyncio.Semaphore | None = None,
    ) -> None:
        self.subject = subject
        self.cases = cases
        self.workers = workers
        self.limits = limits or Limits()
        self.gate = gate or asyncio.Semaphore(workers)
        self.waiting = waiting or self.gate
        self.progress = progress
        self.outcome = SubjectRun(subject)
        hangs = {number for number, case in enumerate(cases) if self._is_known_to_hang(case)}
        self._hangers = [(number, cases[number]) for number in sorted(hangs)]
        self._queue: deque[tuple[int, Case]] = deque(
            (number, case) for number, case in enumerate(cases) if number not in hangs
        )
        self._results: dict[int, dict[str, Any]] = {}
        self._seq = 0
        self._hung = 0
        self._singly: set[int] = set()
        """Cases of which more must be asked than one question."""
        self._one_by_one = False
        """Whether it died, or worse, while more than one request was outstanding."""

    async def run(self) -> SubjectRun:
        """Run every case; never raises on account of the implementation."""
        started = time.monotonic()
        if self.subject.unavailable is not None:
            self.outcome.status, self.outcome.because = "unavailable", self.subject.unavailable
            return self.outcome
        await asyncio.gather(
            *(self._worker(number) for number in range(self.workers)),
            *(self._wait_for(number, case) for number, case in self._hangers),
        )
        self.outcome.results = [self._results[number] for number in sorted(self._results)]
        self.outcome.seconds = time.monotonic() - started
        return self.outcome

    def _is_known_to_hang(self, case: Case) -> bool:
        entry = self.subject.known.entries.get((case.vector.id, case.profile))
        return entry is not None and entry.result == "timeout" and not self.subject.one_shot

    async def _wait_for(self, number: int, case: Case) -> None:
        """Ask what is known to hang, in a child of its own, which will have to be killed.

        It takes no turn of those that have something to say: it mostly waits.
        """
        async with self.waiting:
            if self.outcome.status != "ran":
                return
            scratch = Scratch()
            box = self.subject.box(scratch.folder)
            child = await self._start(box)
            try:
                if child is not None and self._reads(case):
                    result, alive = await self._run_case(child, case, scratch)
                    if not alive:
                        result = await self._blame(child, case, scratch, result, box)
                    self._results[number] = with_known(self.subject, result)
                self.progress()
            finally:
                if child is not None:
                    await child.close()
                if box is not None:
                    box.close()
                scratch.close()

    async def _worker(self, number: int = 0) -> None:
        if number:  # one that helps: after the first of every program
            await asyncio.sleep(0)
        async with self.gate:
            if number and len(self._queue) < WORTH_A_START:
                return
            scratch = Scratch()
            box = self.subject.box(scratch.folder)
            child: Conversation | None = None
            try:
                while self._queue and self.outcome.status == "ran":
                    if child is None:
                        child = await self._start(box)
                        if child is None:
                            return
                        continue  # others may have taken all that was left while it started
                    if isinstance(child, Child) and len(several := self._several(child)) > 1:
                        if not await self._ask_ahead(child, several, scratch, box):
                            child = None
                        continue
                    number, case = self._queue.popleft()
                    if not self._reads(case):
                        self.progress()
                        continue
                    result, alive = await self._run_case(child, case, scratch)
                    if not alive:
                        result = await self._blame(child, case, scratch, result, box)
                        child = None
                    self._results[number] = with_known(self.subject, result)
                    self.progress()
            finally:
                if child is not None:
                    await child.close()
                if box is not None:
                    box.close()
                scratch.close()

    async def _start(self, box: Box | None) -> Conversation | None:
        child = conversation(self.subject, self.limits, box)
        try:
            hello = await child.start()
        except tuple(CLASS_OF_ERROR) as error:
            # One that cannot say hello is broken as a whole: no case can tell more.
            self.outcome.status = "broken"
            self.outcome.because = with_stderr(f"hello: {error}", child.stderr_tail)
            await child.kill()
            return None
        self.outcome.hello = hello
        return child

    async def _run_case(
        self, child: Conversation, case: Case, scratch: Scratch, patience: int = 1
    ) -> tuple[dict[str, Any], bool]:
        """The result of one case, and whether the child is still there."""
        result = passed(self.subject, case)
        if case.profile not in self.outcome.hello["profiles"]:
            return result | {"class": "skipped", "difference": "not one of its profiles"}, True
        started = time.monotonic()
        try:
            outcomes = [
                outcome
                for step in case.steps()
                if (outcome := await self._run_step(child, case, step, scratch, patience))
                is not None
            ]
            # A request that is skipped does not excuse another one that failed.
            outcomes = [each for each in outcomes if each["class"] == "fail"] or outcomes
            if outcomes:
                result |= outcomes[0] | {"difference": summary(outcomes)}
            alive = True
        except tuple(CLASS_OF_ERROR) as error:
            result |= died(error, case, child.stderr_tail)
            alive = isinstance(error, TooMuch)  # that is found when it has replied
        result["ms"] = round((time.monotonic() - started) * 1000, 3)
        return result, alive

    def _several(self, child: Child) -> list[tuple[int, Case, Step]]:
        """The next cases, if they may be asked at once: more of them the longer all goes well."""
        most = 1 if self._one_by_one or child.asked < WARM else min(AHEAD, child.asked - WARM + 2)
        found: list[tuple[int, Case, Step]] = []
        while len(found) < most and self._queue and most > 1:
            number, case = self._queue[0]
            steps = list(itertools.islice(case.steps(), 2))
            known = self.subject.known.entries.get((case.vector.id, case.profile))
            if (
                number in self._singly
                or len(steps) > 1
                or not steps[0].ahead
                or not self._reads(case)
                or case.profile not in self.outcome.hello["profiles"]
                or (known is not None and known.result != "fail")
            ):
                break
            found.append((number, case, steps[0]))
            self._queue.popleft()
        if len(found) == 1:  # nothing to ask ahead of
            self._queue.appendleft(found[0][:2])
        return found

    async def _ask_ahead(
        self,
        child: Child,
        several: Sequence[tuple[int, Case, Step]],
        scratch: Scratch,
        box: Box | None,
    ) -> bool:
        """Ask several cases at once, and judge one reply after the other; whether it lives.

        Who dies is asked one case at a time from then on. A program that has never answered
        several at once may not be able to: then no case is to blame yet, and all without a reply
        are asked again. Else the oldest of these is, as it would be alone.
        """
        places = []
        for _, case, step in several:
            places.append(scratch.place(case.vector.neutral_name))
            step.prepare(places[-1])
        first = self._seq + 1
        self._seq += len(several)
        requests = [
            step.request(case, place, seq)
            for seq, (_, case, step), place in zip(
                itertools.count(first), several, places, strict=False
            )
        ]
        child.ask_ahead(requests)
        again: list[tuple[int, Case]] = []
        alive = True
        for n, (number, case, step) in enumerate(several):
            result = passed(self.subject, case)
            started = time.monotonic()
            try:
                reply = await child.hear(requests[n], case.wall_ms, case.owed)
            except tuple(CLASS_OF_ERROR) as error:
                self._one_by_one, alive = True, False
                again += [(number, case) for number, case, _ in several[n:]]
                if child.answered_several and not isinstance(error, OutOfTurn):
                    again.pop(len(again) - len(several) + n)
                    result |= died(error, case, child.stderr_tail)
                    result["ms"] = round((time.monotonic() - started) * 1000, 3)
                    crowded = n + 1 < len(several)
                    result = await self._blame(child, case, scratch, result, box, crowded)
                    self._results[number] = with_known(self.subject, result)
                    self.progress()
                break
            outcome, more = self._judged(child, case, step, places[n], reply)
            scratch.clear(places[n])
            if more:
                self._singly.add(number)
                again.append((number, case))
                continue
            result |= outcome or {}
            result["ms"] = round((time.monotonic() - started) * 1000, 3)
            self._results[number] = with_known(self.subject, result)
            self.progress()
        else:
            child.answered_several = True
        if not alive:
            for place in places:
                scratch.clear(place)
        self._queue.extendleft(reversed(again))
        return alive

    def _judged(
        self, child: Conversation, case: Case, step: Step, place: Path, reply: dict[str, Any]
    ) -> tuple[dict[str, Any] | None, bool]:
        """What is not as expected in one reply, and whether more is to be asked about it."""
        if "skipped" in reply:
            return {"class": "skipped", "difference": reply["skipped"]}, False
        judgement = step.judge(reply, place, self.outcome.hello["reports"])
        if judgement.difference is None:
            return None, False
        if step.again(case, place, 0) is not None:
            return None, True
        return failed(judgement, child.stderr_tail), False

    def _reads(self, case: Case) -> bool:
        """Whether the format is one of the implementation's; others are none of its business."""
        formats = self.outcome.hello["formats"]
        return formats == ["*"] or case.vector.body["format"] in formats

    async def _run_step(
        self, child: Conversation, case: Case, step: Step, scratch: Scratch, patience: int
    ) -> dict[str, Any] | None:
        """What is not as expected in one request; ``None`` when all is."""
        place = scratch.place(case.vector.neutral_name)
        step.prepare(place)
        self._seq += 1
        wall_ms = patience * case.wall_ms
        reply = await child.ask(step.request(case, place, self._seq), wall_ms)
        if "skipped" in reply:
            scratch.clear(place)
            return {"class": "skipped", "difference": reply["skipped"]}
        hello = self.outcome.hello
        reports = reports_of(hello, reply, self.subject.one_shot)
        # What a one-shot program reports shows only in its answers.
        hello["reports"] += [part for part in reports if part not in hello["reports"]]
        judgement = step.judge(reply, place, reports)
        if judgement.difference is not None:
            more = step.again(case, place, self._seq + 1)
            if more is not None:
                self._seq += 1
                judgement = step.judge(await child.ask(more, wall_ms), place, reports)
        scratch.clear(place)
        if judgement.difference is None:
            return None
        return failed(judgement, child.stderr_tail)

    async def _blame(
        self,
        child: Conversation,
        case: Case,
        scratch: Scratch,
        result: dict[str, Any],
        box: Box | None,
        crowded: bool = False,
    ) -> dict[str, Any]:
        """Run the culprit alone in a fresh child, if it was not; ``crowded`` says that it was not.

        A crash stays a crash: a process that fell over did fall over, and what is learnt is
        whether the case alone does it. A time-out counts only if it happens again with more
        time: the machine may have been busy, or the program's first request a slow one.
        """
        listed = self.subject.known.matches(
            result["vector"], result["profile"], result["class"], result["difference"]
        )
        slow = result["class"] == "timeout"
        alone = not slow and not crowded and (child.asked == 0 or self.subject.one_shot)
        if listed or alone or (slow and self._hung >= BELIEVED):
            return result
        fresh = conversation(self.subject, self.limits, box)
        try:
            await fresh.start()
            again, _ = await self._run_case(fresh, case, scratch, PATIENCE if slow else 1)
        except tuple(CLASS_OF_ERROR):
            return result
        finally:
            await fresh.close()
        if slow and again["class"] != "timeout":
            return again
        self._hung += slow
        if slow:
            return result
        if again["class"] == result["class"]:
            return result | {"difference": again["difference"]}
        return result | {"difference": f"{result['difference']}; alone: {again['class']}"}


async def run_subjects(
    subjects: Sequence[Subject],
    cases: Callable[[Subject], Sequence[Case]],
    jobs: int = 2,
    limits: Limits | None = None,
    progress: Callable[[], None] = lambda: None,
) -> list[SubjectRun]:
    """Run every subject, ``jobs`` children at a time over all of them.

    Beside these, up to ``jobs`` children are asked what they are known to hang on.
    """
    gate, waiting = asyncio.Semaphore(jobs), asyncio.Semaphore(jobs)
    runners = [
        Runner(subject, cases(subject), jobs, limits, gate, progress, waiting)
        for subject in subjects
    ]
    tasks = [asyncio.create_task(runner.run()) for runner in runners]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)


def run_subjects_now(*arguments: Any, **options: Any) -> list[SubjectRun]:
    """:func:`run_subjects` for those who do not wait for anything else."""
    return asyncio.run(run_subjects(*arguments, **options))
